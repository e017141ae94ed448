// Breaks text into lines that fit a box: with smaller letters, wrapped, or cut off with an ellipsis.

import type { Size } from '../file/geometry.ts'
import { LINE } from './text-block.ts'

export const overflows = ['shrink', 'wrap', 'ellipsis'] as const

type Overflow = (typeof overflows)[number]

export interface Fitting {
  sizeMax: number
  sizeMin: number
  overflow: Overflow
}

interface Lines {
  lines: string[]
  /** Letter size in pixels. */
  size: number
  /** True when something was left out. */
  cut: boolean
  /** True when the letters are smaller than allowed, because nothing else would have fitted. */
  tiny: boolean
}

/** Measures lines as they are drawn. */
export interface Pen {
  /** Approximate width of a line at letter size 1; at some sizes letters stand further apart than at others. */
  guess(line: string): Promise<number>
  /** Pixels from the first to the last ink of a line. */
  width(line: string, size: number): Promise<number>
  /** 1 when all ink of the lines lies inside the box; otherwise the approximate factor for their size. */
  share(lines: string[], size: number): Promise<number>
}

type Draft = Pick<Lines, 'lines' | 'cut'>

export async function layOut(
  text: string,
  box: Size,
  { sizeMax, sizeMin, overflow }: Fitting,
  pen: Pen,
): Promise<Lines> {
  const given = text.split('\n')
  const least = Math.min(sizeMin, sizeMax)
  if (overflow === 'ellipsis') return cutOff(given, box, sizeMax, least, pen)
  if (overflow === 'shrink') {
    const widest = Math.max(...(await Promise.all(given.map(pen.guess))), 1e-6)
    const size = Math.min(sizeMax, box.width / widest, box.height / (given.length * LINE))
    const whole = async (): Promise<Draft> => ({ lines: given, cut: false })
    return (size >= least ? await settle(whole, size, least, pen) : null) ?? cutOff(given, box, least, least, pen)
  }
  const paragraphs = await Promise.all(given.map(line => paragraphOf(line, pen)))
  const size = await largestWrapped(paragraphs, box, sizeMax, least, pen)
  const wrap = (at: number): Promise<Draft> => wrappedInside(paragraphs, box, at, pen)
  return (
    (size === null ? null : await settle(wrap, size, least, pen)) ??
    cutOff((await wrap(least)).lines, box, least, least, pen)
  )
}

const MOST_TRIES = 12

/** Reduces the size from `start` until the text really fits; null when it does not fit at `least`. */
async function settle(
  draft: (size: number) => Promise<Draft>,
  start: number,
  least: number,
  pen: Pen,
): Promise<Lines | null> {
  let size = start
  for (let tries = 1; ; tries++) {
    const { lines, cut } = await draft(size)
    const share = await pen.share(lines, size)
    if (share >= 1) return { lines, size, cut, tiny: false }
    if (size <= least) return null
    size = tries < MOST_TRIES ? Math.max(least, Math.min(size * share, size - 0.25)) : least
  }
}

/** The largest size at which the wrapped text should fit; null when not even `least` does. */
async function largestWrapped(
  given: readonly Paragraph[],
  box: Size,
  sizeMax: number,
  least: number,
  pen: Pen,
): Promise<number | null> {
  const fits = async (size: number): Promise<boolean> => {
    const { lines, widest } = await wrapped(given, box.width / size, pen)
    return widest <= box.width / size && lines.length * LINE * size <= box.height + 0.01
  }
  if (!(await fits(least))) return null
  if (await fits(sizeMax)) return sizeMax
  let [low, high] = [least, sizeMax - 0.25]
  // To a quarter of a pixel: nobody sees less.
  while (high - low > 0.25) {
    const size = (low + high) / 2
    if (await fits(size)) low = size
    else high = size
  }
  return low
}

/** When letters are wider than estimated, breaks the lines a little earlier. */
async function wrappedInside(given: readonly Paragraph[], box: Size, size: number, pen: Pen): Promise<Draft> {
  const room = box.width / size
  const rows = Math.ceil(box.height / (LINE * size))
  const isWide = async (line: string): Promise<boolean> => (await pen.width(line, size)) > box.width
  for (let share = 1; ; share -= 0.03) {
    const { lines, widest } = await wrapped(given, room * share, pen)
    const isHopeless = widest > room * share || share < 0.9
    if (isHopeless || !(await Promise.all(lines.slice(0, rows).map(isWide))).includes(true))
      return { lines, cut: false }
  }
}

const segmenters = new Map<string, Intl.Segmenter>()

/** Made at first use: the dictionaries behind it take 20 ms of every start. */
function segmenter(granularity: 'word' | 'grapheme'): Intl.Segmenter {
  const made = segmenters.get(granularity) ?? new Intl.Segmenter(undefined, { granularity })
  segmenters.set(granularity, made)
  return made
}

/** Pieces between which a line may be broken: after spaces, and between words of scripts that have none. */
function pieces(line: string): string[] {
  const found: string[] = []
  let end = ''
  for (const { segment, isWordLike } of segmenter('word').segment(line)) {
    const joins = end !== '' && !/\s/.test(end) && (!isWordLike || !withoutSpaces.test(end))
    if (joins) found[found.length - 1] += segment
    else found.push(segment)
    end = String.fromCodePoint(segment.codePointAt(lastAt(segment))!)
  }
  return found
}

const withoutSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** The index of the last character, which may be a surrogate pair. */
const lastAt = (text: string): number => {
  const at = text.length - 1
  return at > 0 && text.codePointAt(at - 1)! > 0xffff ? at - 1 : at
}

/** A line of the input, with the measurements that every way to break it shares. */
interface Paragraph {
  pieces: string[]
  /** Approximate width from the start to the end of each piece, at letter size 1. */
  reach: number[]
  /** The widest piece. */
  widest: number
}

async function paragraphOf(line: string, pen: Pen): Promise<Paragraph> {
  const found = pieces(line)
  const known = new Map<string, number>()
  const reach: number[] = []
  let [sum, widest] = [0, 0]
  for (const piece of found) {
    const word = piece.trim()
    const width = known.get(word) ?? (await pen.guess(word))
    known.set(word, width)
    widest = Math.max(widest, width)
    sum += width + (piece.length - word.length) * BLANK
    reach.push(sum)
  }
  return { pieces: found, reach, widest }
}

/** Approximate width of a blank at letter size 1. */
const BLANK = 0.3

async function wrapped(
  given: readonly Paragraph[],
  room: number,
  pen: Pen,
): Promise<{ lines: string[]; widest: number }> {
  const lines: string[] = []
  for (const paragraph of given) {
    let from = 0
    do {
      const count = await fittingPieces(paragraph, from, room, pen)
      lines.push(textOf(paragraph, from, count))
      from += count
    } while (from < paragraph.pieces.length)
  }
  return { lines, widest: Math.max(0, ...given.map(({ widest }) => widest)) }
}

/** Drops blanks at a break. */
function textOf({ pieces }: Paragraph, from: number, count: number): string {
  const text = pieces.slice(from, from + count).join('')
  return (from === 0 ? text : text.trimStart()).trimEnd()
}

/**
 * The number of pieces that fit into one line, at least one. The sum of their widths says where to look, so that few lines are
 * measured: measuring after each piece would cost the square of a long text's length.
 */
async function fittingPieces(paragraph: Paragraph, from: number, room: number, pen: Pen): Promise<number> {
  const { pieces, reach } = paragraph
  const most = pieces.length - from
  if (most <= 1) return most
  // A blank at the break does not form a line of its own.
  let least = 1
  while (least < most && pieces[from + least - 1]!.trim() === '') least++
  const end = (reach[from - 1] ?? 0) + room
  const guess = await largest(least, least, most + 1, async count => reach[from + count - 1]! <= end)
  return largest(guess, least, most + 1, async count => (await pen.guess(textOf(paragraph, from, count))) <= room)
}

/**
 * The largest number that fits, from `least` (which counts as fitting) to below `over`. When a number does not fit, no larger one
 * does. Searches from `guess` in growing steps, then by halving.
 */
async function largest(
  guess: number,
  least: number,
  over: number,
  fits: (count: number) => Promise<boolean>,
): Promise<number> {
  let [low, high] = [least, over]
  let next = guess
  for (let step = 1; high - low > 1; step *= 2) {
    const tried = Math.min(Math.max(next, low + 1), high - 1)
    const isFitting = await fits(tried)
    if (isFitting) low = tried
    else high = tried
    next = low > least && high < over ? (low + high) >> 1 : isFitting ? tried + step : tried - step
  }
  return low
}

/** Keeps as many lines as there is room for, each as long as there is room for. */
async function cutOff(given: string[], box: Size, start: number, least: number, pen: Pen): Promise<Lines> {
  const rowsAt = (size: number): number => Math.max(1, Math.floor((box.height + 0.01) / (LINE * size)))
  const settled = await settle(size => firstRows(given, rowsAt(size), box, size, pen), start, least, pen)
  if (settled) return settled
  const fewer = await mostRows(given, Math.min(given.length, rowsAt(least)) - 1, box, least, pen)
  if (fewer) return fewer
  const one = (size: number): Promise<Draft> => firstRows(given, 1, box, size, pen)
  const fitting = (await settle(one, least, 1, pen)) ?? { ...(await one(1)), size: 1 }
  return { ...fitting, tiny: true }
}

/** The largest number of first rows that fit at this size, found by halving; null when not even one does. */
async function mostRows(given: string[], most: number, box: Size, size: number, pen: Pen): Promise<Lines | null> {
  let found: Lines | null = null
  let [low, high] = [1, most]
  while (low <= high) {
    const rows = (low + high + 1) >> 1
    const settled = await settle(at => firstRows(given, rows, box, at, pen), size, size, pen)
    if (settled) low = rows + 1
    else high = rows - 1
    found = settled ?? found
  }
  return found
}

async function firstRows(given: string[], rows: number, box: Size, size: number, pen: Pen): Promise<Draft> {
  const lines: string[] = []
  let cut = given.length > rows
  for (const [i, line] of given.slice(0, rows).entries()) {
    const more = i === rows - 1 && given.length > rows
    const whole = more ? `${line}…` : line
    if (await isInside(whole, box, size, pen)) lines.push(whole)
    else {
      lines.push(await shortened(line, box, size, pen))
      cut = true
    }
  }
  return { lines, cut }
}

const isInside = async (line: string, box: Size, size: number, pen: Pen): Promise<boolean> =>
  (await pen.guess(line)) <= box.width / size && (await pen.width(line, size)) <= box.width

/** At most this many letters fit into the width of one letter size. */
const PER_LETTER = 10

async function shortened(line: string, box: Size, size: number, pen: Pen): Promise<string> {
  const most = Math.ceil((box.width / size) * PER_LETTER)
  const parts = [...segmenter('grapheme').segment(line.slice(0, most * PER_LETTER))]
    .slice(0, most)
    .map(({ segment }) => segment)
  const first = (count: number): string => `${parts.slice(0, count).join('').trimEnd()}…`
  let [low, high] = [0, parts.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((await pen.guess(first(middle))) <= box.width / size) low = middle
    else high = middle - 1
  }
  const isNarrow = async (count: number): Promise<boolean> => (await pen.width(first(count), size)) <= box.width
  return first(await largest(low, 0, low + 1, isNarrow))
}
