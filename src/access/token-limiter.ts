// Enforces the limits of tokens. A token without limits costs nothing here.
import type { Db } from '#db/database.ts'
import { type Allowance, giveBackUse, leftOfUse, takeUse } from '#db/nouns/token-use.ts'
import { Problem } from '#kit/errors.ts'
import type { Log } from '#kit/log.ts'
import { newPlaces } from '#kit/slots.ts'
import { overLimit, STREAMS } from './limits.ts'
import type { Access } from './scopes.ts'

const MINUTE = 60
const DAY = 24 * 3600
const STREAM_WAIT_SECONDS = 5
/** Taken from the daily limit in advance while a file comes in. What is not needed is given back. */
const STEP_BYTES = 1024 ** 2
/** How much of a request may be something other than files. So its length can be checked before a byte is read. */
const NO_FILE_BYTES = 1024 ** 2
/** How many tokens with a used-up minute are cached. Asking the database again is cheap. */
const MAX_REMEMBERED = 10_000

export interface TokenLimiter {
  /** Counts a request; throws if it is one too many. */
  request(access: Access): Promise<void>
  /** Holds a place among the token's running requests in this process. */
  enter(access: Access): Disposable
  /** Holds a place among the token's event streams. */
  stream(access: Access): Disposable
  /** Throws if a request of this length is certainly over the token's daily upload limit. */
  beforeUpload(access: Access, bytes: number | undefined): Promise<void>
  /** Passes a file on and counts its bytes; throws when the daily upload limit is reached. */
  countBytes(access: Access, file: AsyncIterable<Buffer>): AsyncIterable<Buffer>
}

export function newTokenLimiter(db: Db, log: Log, maxAtOnce: number): TokenLimiter {
  const usedUp = new Map<string, number>()
  const requests = newPlaces()
  const streams = newPlaces()

  const bytesOf = ({ tokenId, limits: { upload_bytes_per_day: most } }: Access): Allowance | null =>
    most === undefined ? null : { tokenId, what: 'upload_bytes', most, windowSeconds: DAY }

  async function* counted(allowance: Allowance, file: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let left = 0
    let since: Date | null = null
    const take = async (amount: number): Promise<number> => {
      const taken = await takeUse(db, allowance, amount)
      since = taken.since
      if (taken.granted) left += amount
      return taken.granted ? 0 : taken.waitSeconds
    }
    try {
      for await (const piece of file) {
        const missing = piece.length - left
        if (missing > 0 && (await take(missing + STEP_BYTES)) > 0) {
          const wait = await take(missing)
          if (wait > 0) throw overLimit('upload_bytes_per_day', allowance.most, wait)
        }
        left -= piece.length
        yield piece
      }
    } finally {
      if (left > 0 && since)
        await giveBackUse(db, allowance, since, left).catch(error =>
          log.warn({ err: error }, 'what a token did not upload stays counted'),
        )
    }
  }

  return {
    async request({ tokenId, limits: { requests_per_minute: most } }) {
      if (most === undefined) return
      const wait = ((usedUp.get(tokenId) ?? 0) - Date.now()) / 1000
      if (wait > 0) throw overLimit('requests_per_minute', most, wait)
      const allowance: Allowance = { tokenId, what: 'requests', most, windowSeconds: MINUTE }
      const { granted, waitSeconds } = await takeUse(db, allowance, 1)
      if (granted) return
      if (usedUp.size >= MAX_REMEMBERED) usedUp.clear()
      usedUp.set(tokenId, Date.now() + waitSeconds * 1000)
      throw overLimit('requests_per_minute', most, waitSeconds)
    },
    enter: ({ tokenId }) =>
      requests.take(tokenId, maxAtOnce) ??
      refuse(
        new Problem(
          'too_many_requests',
          `${maxAtOnce} requests of your token are under way already (KEEPSAKE_MAX_REQUESTS). Try again shortly.`,
          { retryAfterSeconds: 1 },
        ),
      ),
    stream({ tokenId, limits: { streams: most = STREAMS } }) {
      return streams.take(tokenId, most) ?? refuse(overLimit('streams', most, STREAM_WAIT_SECONDS))
    },
    async beforeUpload(access, bytes) {
      const allowance = bytesOf(access)
      if (!allowance || bytes === undefined) return
      const { left, waitSeconds } = await leftOfUse(db, allowance)
      if (bytes - NO_FILE_BYTES > left) throw overLimit('upload_bytes_per_day', allowance.most, waitSeconds)
    },
    countBytes(access, file) {
      const allowance = bytesOf(access)
      return allowance ? counted(allowance, file) : file
    },
  }
}

function refuse(problem: Problem): never {
  throw problem
}
