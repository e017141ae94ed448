// Idempotency keys on requests that create: a request that is sent twice with the same key runs once.
import { createHash } from 'node:crypto'
import { isConnectionError } from '#db/away.ts'
import type { Db, Trx } from '#db/database.ts'
import { retryWhileAway } from '#db/retry-while-away.ts'
import { KEY_SILENCE_SECONDS, keepKey, refreshKey, releaseKey, takeKey } from '#db/tasks/idempotency-keys.ts'
import { badField, Problem } from '#kit/errors.ts'
import { stableJson } from '#kit/json.ts'
import { isStorable } from '#kit/text.ts'

interface Idempotency {
  /** The key made a task before, so this request makes none. */
  isReplay: boolean
  /** The task that the same request made before; null for the first request. Throws if the key was used with another request. */
  earlier(received: RequestParts): Promise<string | null>
  /** Binds the key to the new task, in its transaction; undefined without a key. */
  keep: ((trx: Trx, taskId: string) => Promise<void>) | undefined
  /** Call it at the end, whatever happened. */
  release(): Promise<void>
}

const none: Idempotency = { isReplay: false, earlier: async () => null, keep: undefined, release: async () => {} }

/** Identifies a request: its fields, and its files by their hash. */
interface RequestParts {
  fields: ReadonlyMap<string, string>
  files: ReadonlyMap<string, { sha256: string }>
  /** Parts that may come several times; their order counts. */
  lists: ReadonlyMap<string, readonly { sha256: string }[]>
}

/** Takes the key before the body is received, so a second request gets an error meanwhile. `kind`: what the request creates. */
export async function takeIdempotencyKey(
  db: Db,
  token: string,
  kind: string,
  key: string | undefined,
): Promise<Idempotency> {
  if (key === undefined) return none
  if (key === '' || key.length > 255 || !isStorable(key))
    throw badField('Idempotency-Key', 'must be text of 1 to 255 characters')
  const first = await takeKey(db, token, key)
  if (first && first.task_id === null) {
    throw new Problem(
      'idempotency_in_progress',
      'The first request with this Idempotency-Key is still being received.',
      { retryAfterSeconds: 2 },
    )
  }
  const beat = first
    ? null
    : setInterval(() => void refreshKey(db, token, key).catch(() => {}), (KEY_SILENCE_SECONDS * 1000) / 3)
  let fingerprint = ''
  return {
    isReplay: first !== null,
    async earlier(received) {
      fingerprint = fingerprintOf(kind, received)
      if (!first) return null
      if (first.fingerprint !== fingerprint)
        throw new Problem(
          'idempotency_conflict',
          'This Idempotency-Key was used with another request in the last 24 hours. Use a new one.',
        )
      return first.task_id
    },
    keep: (trx, taskId) => keepKey(trx, token, key, fingerprint, taskId),
    async release() {
      if (beat) clearInterval(beat)
      if (first) return
      // Removes the key unless a task was committed with it: then the key stays.
      const give = () => releaseKey(db, token, key)
      await give().catch(error => {
        if (!isConnectionError(error)) throw error
        // The response does not wait for the database. The key is released as soon as it is back, so a client can retry before the key expires.
        void retryWhileAway(give, AbortSignal.timeout(KEY_SILENCE_SECONDS * 800)).catch(() => {})
      })
    },
  }
}

/** The order of the parts does not matter, and files count by content. A task and a group never match. */
function fingerprintOf(kind: string, { fields, files, lists }: RequestParts): string {
  const request = {
    kind,
    fields: Object.fromEntries(fields),
    files: Object.fromEntries([...files].map(([name, file]) => [name, file.sha256])),
    // Left out where there are none: keys from before such parts were known still fit.
    ...(lists.size > 0 && {
      lists: Object.fromEntries([...lists].map(([name, each]) => [name, each.map(({ sha256 }) => sha256)])),
    }),
  }
  return createHash('sha256').update(stableJson(request)).digest('hex')
}
