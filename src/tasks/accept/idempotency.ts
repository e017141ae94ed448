// Idempotency keys on requests that create: the same key with the same request runs once.
import { createHash } from 'node:crypto'
import { type Db, isConnectionError, type Trx } from '#db/database.ts'
import { retryWhileAway } from '#db/retry-while-away.ts'
import { KEY_SILENCE_SECONDS, keepKey, refreshKey, releaseKey, takeKey } from '#db/tasks/idempotency-keys.ts'
import { badField, Problem } from '#kit/errors.ts'
import { stableJson } from '#kit/json.ts'
import { isStorable } from '#kit/text.ts'

interface Idempotency {
  /** Whether the key made a task before, so that this request makes none. */
  isReplay: boolean
  /** The task that this very request made before; null when it is the first. Throws when the key is another request's. */
  earlier(received: RequestParts): Promise<string | null>
  /** Binds the key to the new task, in its transaction; undefined where there is no key. */
  keep: ((trx: Trx, taskId: string) => Promise<void>) | undefined
  /** Call at the end, whatever happened. */
  release(): Promise<void>
}

const none: Idempotency = { isReplay: false, earlier: async () => null, keep: undefined, release: async () => {} }

/** What a request is known by: its fields, and its files by their hash. */
interface RequestParts {
  fields: ReadonlyMap<string, string>
  files: ReadonlyMap<string, { sha256: string }>
}

/** Takes the key before the body is received, so that a second request meanwhile is told so. `kind`: what it creates. */
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
      // What was kept stays; what was only about to be kept, by a transaction that failed, does not.
      const give = () => releaseKey(db, token, key)
      await give().catch(error => {
        if (!isConnectionError(error)) throw error
        // The answer does not wait for the database, but the client that tries again must not wait for the key's silence either.
        void retryWhileAway(give, AbortSignal.timeout(KEY_SILENCE_SECONDS * 800)).catch(() => {})
      })
    },
  }
}

/** Parts in any order and files by their content are the same request; a task and a group never are. */
function fingerprintOf(kind: string, { fields, files }: RequestParts): string {
  const request = {
    kind,
    fields: Object.fromEntries(fields),
    files: Object.fromEntries([...files].map(([name, file]) => [name, file.sha256])),
  }
  return createHash('sha256').update(stableJson(request)).digest('hex')
}
