// Breaks text into lines that fit a box: smaller, wrapped, or cut off with an ellipsis.
import type { Size } from './turn.ts'

export const overflows = ['shrink', 'wrap', 'ellipsis'] as const

export type Overflow = (typeof overflows)[number]

export interface Fitting {
  sizeMax: number
  sizeMin: number
  overflow: Overflow
}

export interface Lines {
  lines: string[]
  /** Of the letters, in pixels. */
  size: number
  /** Something had to be left out. */
  cut: boolean
}

/** Height of a line as a share of the letters' size. */
export const LINE = 1.2

/** Width of a text at a letter size of one pixel. */
export type Measure = (text: string) => Promise<number>

export async function layOut(
  text: string,
  box: Size,
  { sizeMax, sizeMin, overflow }: Fitting,
  measure: Measure,
): Promise<Lines> {
  const given = text.split('\n')
  const least = Math.min(sizeMin, sizeMax)
  if (overflow === 'ellipsis') return cutOff(given, box, sizeMax, measure)
  if (overflow === 'shrink') {
    const widest = Math.max(...(await Promise.all(given.map(measure))))
    const size = Math.min(sizeMax, box.width / Math.max(widest, 1e-6), box.height / (given.length * LINE))
    return size >= least ? { lines: given, size, cut: false } : cutOff(given, box, least, measure)
  }
  let [low, high] = [least, sizeMax]
  const smallest = await wrapped(given, box.width / least, measure)
  if (!fits(smallest, box, least)) return cutOff(smallest.lines, box, least, measure)
  let best: Lines = { lines: smallest.lines, size: least, cut: false }
  // To a quarter of a pixel, which nobody sees.
  while (high - low > 0.25) {
    const size = best.size === least && high === sizeMax ? sizeMax : (low + high) / 2
    const tried = await wrapped(given, box.width / size, measure)
    if (fits(tried, box, size)) {
      best = { lines: tried.lines, size, cut: false }
      low = size
    } else high = size === sizeMax ? sizeMax - 0.25 : size
  }
  return best
}

const fits = ({ lines, widest, room }: Wrapped, box: Size, size: number): boolean =>
  widest <= room && lines.length * LINE * size <= box.height + 0.01

interface Wrapped {
  lines: string[]
  widest: number
  room: number
}

const words = new Intl.Segmenter(undefined, { granularity: 'word' })
const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Pieces between which a line may be broken: after spaces, and between words of scripts that have none. */
function pieces(line: string): string[] {
  const found: string[] = []
  for (const { segment, isWordLike } of words.segment(line)) {
    const last = found.at(-1)
    const joins =
      last !== undefined &&
      !/\s$/.test(last) &&
      (!isWordLike || !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]$/u.test(last))
    if (joins) found[found.length - 1] = last + segment
    else found.push(segment)
  }
  return found
}

async function wrapped(given: string[], room: number, measure: Measure): Promise<Wrapped> {
  const lines: string[] = []
  let widest = 0
  for (const line of given) {
    let current = ''
    for (const piece of pieces(line)) {
      if (current !== '' && (await measure((current + piece).trimEnd())) > room) {
        lines.push(current.trimEnd())
        current = piece.trimStart()
      } else current += piece
      widest = Math.max(widest, await measure(piece.trim()))
    }
    lines.push(current.trimEnd())
  }
  return { lines, widest, room }
}

/** As many lines as there is room for, each as long as there is room for. */
async function cutOff(given: string[], box: Size, size: number, measure: Measure): Promise<Lines> {
  const rows = Math.max(1, Math.floor((box.height + 0.01) / (LINE * size)))
  const room = box.width / size
  const lines: string[] = []
  let cut = given.length > rows
  for (const [i, line] of given.slice(0, rows).entries()) {
    const more = i === rows - 1 && given.length > rows
    const whole = more ? `${line}…` : line
    if ((await measure(whole)) <= room) lines.push(whole)
    else {
      lines.push(await shortened(line, room, measure))
      cut = true
    }
  }
  return { lines, size, cut }
}

async function shortened(line: string, room: number, measure: Measure): Promise<string> {
  const parts = [...letters.segment(line)].map(({ segment }) => segment)
  let [low, high] = [0, parts.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const tried = `${parts.slice(0, middle).join('').trimEnd()}…`
    if ((await measure(tried)) <= room) low = middle
    else high = middle - 1
  }
  return `${parts.slice(0, low).join('').trimEnd()}…`
}
