// What commands print: tables, lines without control characters, and progress that is drawn over itself.
import { stripVTControlCharacters } from 'node:util'

export interface Terminal {
  /** Results, to standard output. */
  print(line: string): void
  /** What is worth a word to people, to standard error. */
  say(line: string): void
  /** Whether people look at standard error. */
  isTty: boolean
  /** Whether results appear on the same screen. */
  showsResults: boolean
  readonly columns: number
}

export const terminal = (): Terminal => ({
  print: line => void process.stdout.write(`${line}\n`),
  say: line => void process.stderr.write(`${line}\n`),
  isTty: process.stderr.isTTY === true,
  showsResults: process.stdout.isTTY === true,
  // A window may change its size, and a terminal may say that it has none.
  get columns() {
    return process.stderr.columns || 80
  },
})

/** Names come from others: what would move the cursor or colour the screen is taken out. */
export const safe = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out.
  stripVTControlCharacters(text).replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, ' ')

const segments = new Intl.Segmenter()

/** The cells that a text takes: emoji and East Asian letters take two. */
export function widthOf(text: string): number {
  let width = 0
  for (const { segment } of segments.segment(text))
    width +=
      /\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]/u.test(
        segment,
      )
        ? 2
        : 1
  return width
}

const filled = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))

export function table(
  head: readonly string[],
  rows: readonly (readonly (string | number | null | undefined)[])[],
): string[] {
  const cells = [head.map(name => name.toUpperCase()), ...rows.map(row => row.map(value => safe(String(value ?? '-'))))]
  const widths = head.map((_name, at) => Math.max(...cells.map(row => widthOf(row[at] ?? ''))))
  return cells.map(row =>
    row
      .map((cell, at) => filled(cell, widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** Bytes for people. */
export function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB']
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}

/** The end of a text that is too wide: of file names it tells more than the beginning. */
function endOf(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let end = ''
  for (const { segment } of [...segments.segment(text)].reverse()) {
    if (widthOf(segment + end) >= width) break
    end = segment + end
  }
  return `…${end}`
}

interface Line {
  what: string
  share?: number
}

/** One line for each file, in columns that fit into the window: name, what happens, a bar where there is room, per cent. */
export function progressLines(lines: ReadonlyMap<string, Line>, columns: number): string[] {
  // The last column stays free: some terminals begin a new line as soon as it is written.
  const room = Math.max(20, columns - 1)
  const bar = room < 60 ? 0 : room < 120 ? 20 : 40
  const left = room - (bar > 0 ? bar + 2 : 0) - '  100 %'.length
  const all = [...lines].map(([name, line]) => ({ ...line, name: safe(name), what: safe(line.what) }))
  const what = Math.min(Math.max(...all.map(line => widthOf(line.what))), Math.floor(left / 2))
  const name = Math.min(Math.max(...all.map(line => widthOf(line.name))), left - 2 - what)
  return all.map(line => {
    const words = `${filled(endOf(line.name, name), name)}  ${filled(endOf(line.what, what), what)}`
    if (line.share === undefined) return words.trimEnd()
    const drawn = bar > 0 ? `  ${'█'.repeat(Math.round(line.share * bar)).padEnd(bar, '░')}` : ''
    return `${words}${drawn}  ${String(Math.round(line.share * 100)).padStart(3)} %`
  })
}

export interface Progress {
  /** What is known of one file now; `share` from 0 to 1 draws a bar. */
  show(name: string, what: string, share?: number): void
  /** The last word on one file; it stays on the screen. A result is printed with it, unless the word says it on the same screen. */
  done(name: string, what: string, result?: string): void
  end(): void
}

const REDRAW_MS = 80

/** One line for each file under way, drawn over itself; without a terminal a line for each new word. */
export function newProgress(terminal: Terminal): Progress {
  const { say, print, isTty, showsResults } = terminal
  const lines = new Map<string, Line>()
  let drawn = 0
  let last = 0
  const clear = (): void => {
    if (drawn > 0) process.stderr.write(`\u001b[${drawn}A\u001b[J`)
    drawn = 0
  }
  const draw = (): void => {
    clear()
    if (lines.size > 0) process.stderr.write(`${progressLines(lines, terminal.columns).join('\n')}\n`)
    drawn = lines.size
    last = Date.now()
  }
  return {
    show(name, what, share) {
      const before = lines.get(name)
      lines.set(name, { what, ...(share === undefined ? {} : { share: Math.min(1, Math.max(0, share)) }) })
      if (!isTty) {
        if (before?.what !== what) say(safe(`${name}  ${what}`))
        // A new word and the last step are never left out, however soon they come.
      } else if (before?.what !== what || share === 1 || Date.now() - last > REDRAW_MS) draw()
    },
    done(name, what, result) {
      lines.delete(name)
      if (isTty) clear()
      say(safe(`${name}  ${what}`))
      // Between the clearing and the drawing: a line below those that are drawn would leave them standing.
      if (result !== undefined && !(isTty && showsResults && what.includes(result))) print(result)
      if (isTty) draw()
    },
    end() {
      if (isTty) clear()
      lines.clear()
    },
  }
}
