// Remembers of which files no picture can be made, so that nobody keeps the service busy with one of them.
import { LRUCache } from 'lru-cache'
import { isProblem, type Problem } from '#kit/errors.ts'

/** Says something of the file, and not of this machine or of who asked. */
const isVerdict = (error: unknown): error is Problem =>
  isProblem(error) && error.fault === 'input' && error.code !== 'gone' && error.code !== 'cancelled'

/** Does the work for a key, unless it has ended with a verdict before. */
export type Verdicts = <T>(key: string, work: () => Promise<T>) => Promise<T>

export function newVerdicts(): Verdicts {
  const known = new LRUCache<string, Problem>({ max: 10_000 })
  return async (key, work) => {
    const before = known.get(key)
    if (before) throw before
    try {
      return await work()
    } catch (error) {
      if (isVerdict(error)) known.set(key, error)
      throw error
    }
  }
}
