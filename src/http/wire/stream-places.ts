// Limits the event streams that are open without a token: of each page, and of all.
import { Problem } from '#kit/errors.ts'
import { newPlaces } from '#kit/slots.ts'

interface StreamPlaces {
  /** Throws when there is no place left. */
  take(id: string): Disposable
}

export function newStreamPlaces({ ofOne, ofAll }: { ofOne: number; ofAll: number }): StreamPlaces {
  const places = newPlaces()
  let all = 0
  return {
    take(id) {
      const place = all < ofAll ? places.take(id, ofOne) : null
      if (!place)
        throw new Problem('full', 'Too many look at this page at once. It works without, reload it.', {
          retryAfterSeconds: 30,
        })
      all++
      return {
        [Symbol.dispose]() {
          place[Symbol.dispose]()
          all--
        },
      }
    },
  }
}
