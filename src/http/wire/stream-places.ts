// Limits the event streams that are open without a token: of each page, and of all.
import { Problem } from '#kit/errors.ts'

interface StreamPlaces {
  /** Throws when there is no place left. */
  take(id: string): Disposable
}

export function newStreamPlaces({ ofOne, ofAll }: { ofOne: number; ofAll: number }): StreamPlaces {
  const open = new Map<string, number>()
  let all = 0
  return {
    take(id) {
      const mine = open.get(id) ?? 0
      if (mine >= ofOne || all >= ofAll)
        throw new Problem('full', 'Too many look at this page at once. It works without, reload it.', {
          retryAfterSeconds: 30,
        })
      open.set(id, mine + 1)
      all++
      return {
        [Symbol.dispose]() {
          const left = (open.get(id) ?? 1) - 1
          if (left === 0) open.delete(id)
          else open.set(id, left)
          all--
        },
      }
    },
  }
}
