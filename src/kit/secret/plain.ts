// What is plain in an answer: words, a few numbers, short ids. All else could be a code, whatever it stands for.
import { textsIn, unpacked } from './unpack.ts'

export interface Span {
  start: number
  end: number
}

/** So many signs of ids may stand together: a UUID, a digest and a time are no part of it. */
const MOST_OF_IDS = 40
/** A row of so many numbers, single letters or bits of ids is a list of signs. */
const ROW = 8
/** What is so long is no bit. */
const LONGEST_BIT = 8
/** Read out of a code, so much text is no chance. */
const TEXT = 16
/** Below this nobody counts signs. */
const FEW_SIGNS = 16

const KNOWN =
  /(?<![0-9a-z])(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})(?![0-9a-z])/gi
const TIME = /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?/gi

/** Letters and digits in a row, or one sign that is neither a letter nor usual. */
const PIECE = /[\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}\p{P}\p{Z}\p{Cc}\p{Sm}\p{Sc}\p{Sk}]/gu

/** Where a text is not plain. Looked at piece by piece, without knowing any secret. */
export function notPlain(text: string): Span[] {
  if (hasMoreSigns(text)) return [{ start: 0, end: text.length }]
  // They are known by their form: what is read out of them is looked at, not their length.
  const rest = text.replace(KNOWN, blanks).replace(TIME, blanks)
  return [...rows(rest), ...chunks(text, rest)]
}

const blanks = (found: string): string => '.'.repeat(found.length)

/** Dots and dashes, blanks and the like can be a code too. */
function hasMoreSigns(text: string): boolean {
  let letters = 0
  let blank = 0
  let others = 0
  for (const [sign] of text.matchAll(/[\s\S]/gu))
    if (/[\p{L}\p{N}]/u.test(sign)) letters++
    else if (/[\s*]/.test(sign)) blank++
    else others++
  return (others >= FEW_SIGNS && others > letters) || (blank >= FEW_SIGNS && blank > 2 * (letters + others))
}

/** Words of any language, also several in one as InThisOne. */
function isWord(piece: string): boolean {
  if (piece.length < 2 || piece.length > MOST_OF_IDS || /[^\p{L}\p{M}]/u.test(piece)) return false
  const humps = piece.match(/\p{Ll}\p{Lu}/gu)?.length ?? 0
  return humps * 4 <= piece.length
}

const isNumber = (piece: string): boolean => /^\d{1,20}$/.test(piece)

function* rows(text: string): Generator<Span> {
  let start = 0
  let end = 0
  let count = 0
  const row = () => (count >= ROW ? [{ start, end }] : [])
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    if (isWord(piece) || (piece.length > LONGEST_BIT && !isNumber(piece))) {
      yield* row()
      count = 0
      continue
    }
    if (count++ === 0) start = index
    end = index + piece.length
  }
  yield* row()
}

/** Between blanks: too much of what is no word, or a text in a code. */
function* chunks(text: string, rest: string): Generator<Span> {
  for (const { 0: chunk, index } of text.matchAll(/\S+/g)) {
    const end = index + chunk.length
    let ids = 0
    for (const [piece] of rest.slice(index, end).matchAll(PIECE))
      if (!isWord(piece) && (!isNumber(piece) || piece.length > LONGEST_BIT)) ids += piece.length
    if (ids > MOST_OF_IDS || (chunk.length >= TEXT && holdsText(chunk))) yield { start: index, end }
  }
}

function holdsText(chunk: string): boolean {
  for (const bytes of unpacked(chunk)) if (textsIn(bytes, TEXT).length > 0) return true
  return false
}
