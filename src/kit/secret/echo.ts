// Tells whether a secret is in an answer in disguise: cut up, turned round, filled up, or packed into other signs.
import { viewOf, withoutEscapes } from './spellings.ts'
import { textsIn, unpacked } from './unpack.ts'

interface Echo {
  /** Another secret that came up on the way. */
  add(secret: string): void
  /** Whether it is in these texts, taken as one; `packed`: also inside of codes, which takes longer. */
  isIn(texts: readonly string[], packed?: boolean): boolean
}

/** Letters of a secret, at least, that anybody looks for; what is shorter is a word of every answer. */
const LEAST = 8
/** So many letters in a row are enough of a long one. */
const ENOUGH = 16
/** Long enough to be looked for letter by letter, with others between them, and in any order. */
const SCATTERED = 10
/** So much of a secret is looked for in that way. */
const MOST_SCATTERED = 64
/** Codes within codes. */
const DEPTH = 4
/** So many decoded letters are looked at. Who needs more of them hides something. */
const MOST_DECODED = 64 * 1024
/** Of those that come up on the way. */
const MOST_ADDED = 16

const alike = new Map(
  Object.entries({ o: '0о', l: '1iі|', e: '3е', a: '4а', s: '5ѕ', t: '7т', p: 'р', c: 'с', y: 'у', x: 'х' }).flatMap(
    ([letter, signs]) => [...signs].map(sign => [sign, letter] as const),
  ),
)

/** What each sign of ASCII is folded to; 0: to nothing. */
const foldedAscii = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code).toLowerCase()
  return /[a-z0-9]/.test(sign) ? (alike.get(sign) ?? sign).charCodeAt(0) : 0
})

/** Letters and digits alone, in one case and one width; those that look alike are the same. */
function folded(text: string): string {
  const bytes = Buffer.from(text, 'utf8')
  if (bytes.length === text.length) return foldedInPlace(bytes)
  let out = ''
  // Marks go first: a long row of them takes its square to be put in order.
  for (const sign of text
    .replace(/\p{M}/gu, '')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, ''))
    out += alike.get(sign) ?? sign
  return out
}

/** The same of ASCII alone, which most of what is said is. */
function foldedInPlace(bytes: Buffer): string {
  let length = 0
  for (const byte of bytes) {
    const code = foldedAscii[byte] as number
    if (code !== 0) bytes[length++] = code
  }
  return bytes.toString('latin1', 0, length)
}

/** Two of one letter are one. */
function single(text: string): string {
  let out = ''
  for (let i = 0; i < text.length; i++) if (text[i] !== text[i - 1]) out += text[i]
  return out
}

/** How far each letter is from the one before: the same however far all of them were moved along the alphabet. */
function steps(text: string): string {
  const letters = text.toLowerCase().replace(/[^a-z]/g, '')
  let out = ''
  for (let i = 1; i < letters.length; i++)
    out += String.fromCharCode(97 + ((letters.charCodeAt(i) - letters.charCodeAt(i - 1) + 26) % 26))
  return out
}

const reversed = (text: string): string => [...text].reverse().join('')
/** The steps of an alphabet that runs the other way. */
const mirrored = (text: string): string =>
  text.replace(/[b-z]/g, step => String.fromCharCode(97 + 26 - (step.charCodeAt(0) - 97)))

/** How many letters in a row betray a secret of this length: not so few that one could guess it piece by piece. */
const enough = (length: number): number =>
  Math.min(ENOUGH, Math.max(Math.ceil(length / 2), Math.min(length - 1, LEAST)))

/** Runs of secrets by their length. */
type Runs = Map<number, Set<string>>

function addRuns(runs: Runs, text: string): void {
  if (text.length < LEAST) return
  const length = enough(text.length)
  const known = runs.get(length) ?? new Set()
  runs.set(length, known)
  for (const way of [text, reversed(text)])
    for (let at = 0; at + length <= way.length; at++) known.add(way.slice(at, at + length))
}

function holdsRun(text: string, runs: Runs): boolean {
  for (const [length, known] of runs)
    for (let at = 0; at + length <= text.length; at++) if (known.has(text.slice(at, at + length))) return true
  return false
}

interface Scattered {
  length: number
  /** Where each letter stands. */
  places: Map<string, number[]>
}

interface Needles {
  runs: Runs
  /** The same by their steps. */
  moved: Runs
  /** Looked for with other letters in between. */
  scattered: Scattered[]
  /** Looked for in any order. */
  shuffled: string[]
}

function needlesOf(secrets: Iterable<string>): Needles {
  const needles: Needles = { runs: new Map(), moved: new Map(), scattered: [], shuffled: [] }
  for (const secret of secrets) {
    // The frame of a key is no secret.
    const bare = secret.replace(/-----[^-]*-----/g, '')
    const whole = folded(bare)
    for (const way of [whole, single(whole)]) addRuns(needles.runs, way)
    const moves = steps(bare)
    for (const way of [moves, mirrored(moves)]) addRuns(needles.moved, way)
    if (whole.length < SCATTERED) continue
    const some = whole.slice(0, MOST_SCATTERED)
    const half = Math.ceil(some.length / 2)
    needles.shuffled.push(some)
    const parts = half < SCATTERED ? [some] : [some.slice(0, half), some.slice(half)]
    needles.scattered.push(...parts.map(scatteredOf))
  }
  return needles
}

/** Whether all letters come in this order, close to each other. */
function isScattered({ length, places }: Scattered, text: string): boolean {
  if (text.length < length) return false
  // Where the latest beginning lies from which so many letters have been found.
  const begun = new Int32Array(length).fill(-1)
  for (let i = 0; i < text.length; i++)
    for (const at of places.get(text.charAt(i)) ?? []) {
      const start = at === 0 ? i : (begun[at - 1] as number)
      begun[at] = start
      if (at === length - 1 && start >= 0 && i - start < 2 * length + 4) return true
    }
  return false
}

function scatteredOf(wanted: string): Scattered {
  const places = new Map<string, number[]>()
  // The last ones first, so that one letter is not taken for two.
  for (const [at, sign] of [...wanted].entries()) places.set(sign, [at, ...(places.get(sign) ?? [])])
  return { length: wanted.length, places }
}

/** Whether the same letters stand together in whatever order; of a long secret one may be missing. */
function isShuffled(wanted: string, text: string): boolean {
  const needed = wanted.length < ENOUGH ? wanted.length : wanted.length - 1
  if (text.length < needed) return false
  const missing = new Map<string, number>()
  for (const sign of wanted) missing.set(sign, (missing.get(sign) ?? 0) + 1)
  let found = 0
  for (let i = 0; i < text.length; i++) {
    const left = missing.get(text.charAt(i))
    if (left !== undefined) {
      missing.set(text.charAt(i), left - 1)
      if (left > 0) found++
    }
    const gone = text.charAt(i - wanted.length)
    const after = i < wanted.length ? undefined : missing.get(gone)
    if (after !== undefined) {
      missing.set(gone, after + 1)
      if (after >= 0) found--
    }
    if (found >= needed) return true
  }
  return false
}

/** What a text says when it is read in other ways: by first letters, by numbers of letters, or leaving some out. */
function* readings(text: string): Generator<string> {
  yield text
  const pieces = text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  yield pieces.map(piece => piece[0]).join('')
  yield pieces.filter(piece => piece.length === 1).join('')
  for (const base of [10, 16, 8, 2]) yield ofCodes(pieces, base)
  yield text.replace(/[!-~]/g, sign => String.fromCharCode(33 + ((sign.charCodeAt(0) - 33 + 47) % 94)))
  for (let step = 2; step <= 4; step++)
    for (let first = 0; first < step; first++) {
      let some = ''
      for (let i = first; i < text.length; i += step) some += text.charAt(i)
      yield some
    }
}

/** As which the signs of a code could stand together. */
const strands = (text: string): Set<string> =>
  new Set([/\s/g, /[^A-Za-z0-9+/]/g, /0x|[^A-Za-z0-9]/g].map(between => text.replace(between, '')))

/** Pieces that are numbers of characters. */
function ofCodes(pieces: readonly string[], base: number): string {
  let out = ''
  for (const piece of pieces) {
    const code = piece.length > 10 ? Number.NaN : Number.parseInt(piece.replace(/^(0x|[ux]|0b|0o)/i, ''), base)
    if (code > 0 && code <= 0x10ffff) out += String.fromCodePoint(code)
  }
  return out
}

/** Without escapes, as deep as they go. */
function unescaped(text: string): string {
  let view = viewOf(text)
  for (let layer = 0; layer < DEPTH; layer++) {
    const next = withoutEscapes(view)
    if (!next) break
    view = next
  }
  return Buffer.from(view.bytes).toString('utf8')
}

/** Of JSON that is not whole. */
const withoutKeys = (text: string): string => text.replace(/"[^"]{0,100}"\s?:/g, '')
const withoutTags = (text: string): string => text.replace(/<[^<>]{0,100}>/g, '')

export function newEcho(secrets: readonly string[]): Echo {
  const added = new Set<string>()
  let known: Needles | null = null

  function holds(text: string): boolean {
    known ??= needlesOf([...secrets, ...added])
    const { runs, moved, scattered, shuffled } = known
    const plain = folded(text)
    if (plain.length < LEAST - 1) return false
    return (
      holdsRun(plain, runs) ||
      holdsRun(single(plain), runs) ||
      holdsRun(steps(text), moved) ||
      scattered.some(part => isScattered(part, plain)) ||
      shuffled.some(whole => isShuffled(whole, plain))
    )
  }

  function isIn(texts: readonly string[], packed = true): boolean {
    const depth = packed ? DEPTH : 0
    let decoded = 0
    const seen = new Set<string>()
    const look = (text: string, depth: number): boolean => {
      for (const reading of readings(text)) if (holds(reading)) return true
      if (depth === 0) return false
      for (const strand of strands(text))
        for (const way of new Set([strand, reversed(strand)]))
          for (const bytes of unpacked(way)) {
            const inside = textsIn(bytes, LEAST - 1).join(' ')
            if (inside === '' || seen.has(inside)) continue
            seen.add(inside)
            decoded += inside.length
            if (decoded > MOST_DECODED || look(inside, depth - 1)) return true
          }
      return false
    }
    const [joined, apart] = [texts.join(''), texts.join(' ')]
    const plain = unescaped(apart)
    const others = new Set([joined, withoutTags(joined), withoutKeys(joined)])
    if (look(apart, depth) || (plain !== apart && look(plain, depth))) return true
    for (const done of [apart, plain]) others.delete(done)
    return [...others].some(text => look(text, 0))
  }

  return {
    add(secret) {
      if (added.has(secret)) return
      known = null
      added.add(secret)
      for (const oldest of added) {
        if (added.size <= MOST_ADDED) break
        added.delete(oldest)
      }
    },
    isIn,
  }
}
