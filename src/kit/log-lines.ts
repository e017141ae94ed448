// Where the log goes: lines written at once to a file descriptor, which never make whoever writes them fail.
import { writeSync } from 'node:fs'

interface Lines {
  write(line: string): void
}

/** So long a reader that does not keep up is waited for; after that its lines are dropped until it reads again. */
const PATIENCE_MS = 1_000
const PAUSE_MS = 5

const STDERR = 2
const pause = new Int32Array(new SharedArrayBuffer(4))

/**
 * A full disk or a reader that is gone costs lines of the log, and nothing else. stderr is told once that lines are being lost, the log
 * itself how many as soon as it can be written again; `marked` makes a line of the log from a sentence.
 */
export function logLines(fd: number, marked: (sentence: string) => string): Lines {
  let lost = 0
  /** The last line that was begun could not be written to its end. */
  let torn = false

  /** All of it, or an error. */
  function put(text: string): void {
    let left = Buffer.from(torn ? `\n${text}` : text)
    const until = performance.now() + (lost === 0 ? PATIENCE_MS : 0)
    while (left.length > 0)
      try {
        const written = writeSync(fd, left)
        left = left.subarray(written)
        torn = left.length > 0
      } catch (error) {
        if (!isBusy(error) || performance.now() > until) throw error
        Atomics.wait(pause, 0, 0, PAUSE_MS)
      }
  }

  return {
    write(line) {
      try {
        const before = lost > 0 ? marked(`${lost} lines of the log were lost: they could not be written`) : ''
        put(before + line)
        lost = 0
      } catch (error) {
        if (lost === 0) complain(error)
        lost++
      }
    },
  }
}

const isBusy = (error: unknown): boolean => (error as { code?: string }).code === 'EAGAIN'

function complain(error: unknown): void {
  try {
    const why = (error as { code?: string }).code ?? String(error)
    writeSync(STDERR, `keepsake: the log can't be written (${why}); its lines are lost until it can\n`)
  } catch {
    // There is nobody left to tell.
  }
}
