// Watches how the time that something takes grows with its input, and finds what is worse than linear long before it hangs.

const FIRST = 256
/** Less than this is noise. In milliseconds of processor time, which other processes do not add to. */
const FLOOR = 40
const MOST = 3
const ROUNDS = 5

export interface Growth {
  /** How long the input was, and what twice of half of it took. */
  size: number
  ratio: number
}

/**
 * Doubles the input up to `most`. Answers the first size at which twice the input took three times as long or more; null when
 * there was none.
 */
export async function growsFaster(
  work: (input: string) => unknown,
  inputOf: (size: number) => string,
  most: number,
): Promise<Growth | null> {
  let before = 0
  for (let size = Math.min(FIRST, most); ; size = Math.min(size * 2, most)) {
    const took = await cost(work, inputOf(size), 1)
    if (took > FLOOR && took > MOST * before) {
      // One look may have been unlucky: a collection of garbage, for example.
      const [half, whole] = [
        await cost(work, inputOf(Math.floor(size / 2)), ROUNDS),
        await cost(work, inputOf(size), ROUNDS),
      ]
      if (whole > FLOOR && whole > MOST * half) return { size, ratio: whole / Math.max(half, 0.1) }
    }
    if (size >= most) return null
    before = took
  }
}

/** The least of several rounds. */
async function cost(work: (input: string) => unknown, input: string, rounds: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const start = process.cpuUsage()
    try {
      await work(input)
    } catch {
      // A refusal is an answer, too.
    }
    const { user, system } = process.cpuUsage(start)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}
