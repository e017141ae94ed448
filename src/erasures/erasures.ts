// Erasures: a person or a keepsake is taken back by whichever process has the time, and a signed receipt tells how far that is.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Queries, Trx } from '#db/database.ts'
import { countActivities, deliveriesWithoutRecord, lockKeepsakes, markedTasks } from '#db/erasures/erased-tasks.ts'
import {
  addCounts,
  dueErasures,
  type ErasureRow,
  findRunning,
  forgetPerson,
  insertErasure,
  insertLines,
  leaseErasure,
  noCounts,
  readErasure,
  readErasureByHash,
  readErasureLines,
  saveErasure,
} from '#db/erasures/erasure-rows.ts'
import { recordChange } from '#db/nouns/audit-rows.ts'
import type { WholeKeepsake } from '#db/nouns/keepsake-rows.ts'
import { transact } from '#db/transact.ts'
import type { Visible } from '#db/visible.ts'
import type { Actor } from '#kit/actor.ts'
import { isProblem, Problem } from '#kit/errors.ts'
import { anything, type Expect } from '#kit/expect.ts'
import { failpoint } from '#kit/failpoint.ts'
import { newId } from '#kit/ids.ts'
import { isLinkCode, linkCodeFrom, tokenHash } from '#kit/secret/secrets.ts'
import { publicUrlOf } from '#kit/settings.ts'
import { deleteHeld, type ProfileRow } from '#profiles/profiles.ts'
import type { TaskServices } from '#tasks/task-services.ts'
import { eraseTask, type Patience } from './erase-task.ts'
import { holdPerson, markKeepsake, markPerson } from './mark-person.ts'
import { type ReceiptBody, receiptBody, receiptText } from './receipt.ts'
import { receiptSigner } from './receipt-key.ts'
import { tryAgain } from './take-back.ts'

/** How long the caller of the API waits. What is left then is done by a worker. */
const PATIENCE_MS = 10_000
/** Work is looked for again after this time, if a task still runs. */
const SOON_MS = 1_000
/** After an error that nobody foresaw. */
const LATER_MS = 30_000
const LOOK_MS = 200
const BATCH = 50
const RENEW_MS = 5_000
/** So long a worker takes tasks of one erasure away before others have their turn: each may wait for a target that hangs. */
const RECORDS_MS = 30_000
/** Erasures that a worker carries on at the same time. */
const AT_ONCE = 8
/** After this time, the next ones wait for the next look, which finds the most urgent ones first. */
const ROUND_MS = 5_000

const hashOf = (key: string): Buffer => tokenHash(`receipt ${key}`)

interface Reach {
  /** Also media that names other guests. */
  takesShared: boolean
  expect?: Expect<ProfileRow>
}

/** Erases a person in the experiences that the caller sees. Asked twice while it runs, it is the same erasure. */
export async function erasePerson(
  services: TaskServices & { actor: Actor },
  visible: Visible,
  profileId: string,
  { takesShared, expect = anything }: Reach,
): Promise<ReceiptBody> {
  const { actor } = services
  const covers = visible && [...visible].sort()
  return begin(services, async (trx, made) => {
    const profile = await holdPerson(trx, visible, profileId)
    expect(profile)
    const row = made({
      profile_id: profile.profile_id,
      covers,
      takes_shared: takesShared,
      actor,
      ...seenBy(profile, visible),
    })
    const running = await findRunning(trx, row)
    if (running) return running.erasure_id
    await insertErasure(trx, row)
    await markPerson(trx, row, profile)
    return row.erasure_id
  })
}

/** A guest of no experience may have tasks in all of them. */
const seenBy = ({ experience_id }: ProfileRow, visible: Visible): Pick<ErasureRow, 'seen_by'> => ({
  seen_by: experience_id === null || visible === null ? null : [experience_id],
})

/** Takes back all that was made with a keepsake. `code` is the guest's own. */
export async function eraseKeepsake(
  services: TaskServices,
  { keepsake_id, experience_id }: WholeKeepsake,
  code: string,
): Promise<{ receiptUrl: string; body: ReceiptBody }> {
  const key = receiptKeyOf(code)
  const body = await begin(services, async (trx, made) => {
    if ((await lockKeepsakes(trx, [keepsake_id])).length === 0) throw await takenBack({ ...services, db: trx }, code)
    const row = made({
      keepsake_id,
      receipt_hash: hashOf(key),
      covers: [experience_id],
      seen_by: [experience_id],
      takes_shared: true,
    })
    await insertErasure(trx, row)
    await markKeepsake(trx, row, keepsake_id)
    const object = { object: 'keepsake', object_id: keepsake_id, experience_id } as const
    await recordChange(trx, guest, { ...object, action: 'delete', before: null, after: null })
    return row.erasure_id
  })
  return { receiptUrl: receiptLink(services, key), body }
}

/** Made of the guest's code, so that whoever has that finds the receipt again, and nothing more has to be kept for it. */
const receiptKeyOf = (code: string): string => linkCodeFrom('receipt of', code)

const receiptLink = ({ settings }: Pick<TaskServices, 'settings'>, key: string): string =>
  `${publicUrlOf(settings)}/k/-/receipt/${key}`

/** Says that a keepsake was taken back, with the receipt for the very code that it was taken back with. */
export async function takenBack(
  services: { db: Queries } & Pick<TaskServices, 'settings'>,
  code: string,
): Promise<Problem> {
  const key = receiptKeyOf(code)
  const row = await readErasureByHash(services.db, hashOf(key))
  return new Problem('gone', 'This keepsake was taken back.', row ? { receiptUrl: receiptLink(services, key) } : {})
}

/** Nothing tells who had the code, nor from where it came. */
const guest: Actor = { kind: 'guest', token_id: null, name: 'a guest', address: null }

/** The receipt that a guest's key opens. A text that can be no key is looked for as well: both take the same time. */
export async function receiptByKey({ db }: Pick<TaskServices, 'db'>, key: string): Promise<ErasureRow | undefined> {
  const row = await readErasureByHash(db, hashOf(key))
  return isLinkCode(key) ? row : undefined
}

type RowMaker = (row: Partial<ErasureRow>) => ErasureRow

/** The row is there from the first moment on with a receipt that says that all is still to be done. */
async function begin(
  services: TaskServices,
  work: (trx: Trx, made: RowMaker) => Promise<string>,
): Promise<ReceiptBody> {
  const holder = randomUUID()
  const signer = await receiptSigner(services)
  const made: RowMaker = given => {
    const now = new Date()
    const row: ErasureRow = {
      erasure_id: newId(),
      receipt_hash: null,
      profile_id: null,
      keepsake_id: null,
      covers: null,
      seen_by: null,
      takes_shared: false,
      actor: null,
      status: 'Running',
      counts: noCounts,
      receipt: '',
      signature: '',
      key_id: '',
      next_at: now,
      // Ours from the first moment on, so that no worker is faster.
      leased_by: holder,
      leased_until: new Date(now.getTime() + PATIENCE_MS),
      created_at: now,
      updated_at: now,
      done_at: null,
      ...given,
    }
    return { ...row, ...signer.signed(receiptText(receiptBody(row, []))) }
  }
  const id = await transact(services.db, async trx => {
    const begun = await work(trx, made)
    failpoint('erase.before')
    return begun
  })
  failpoint('erase.after')
  return afterPatience(services, id, holder)
}

/** Where another process has it in hand, its end is waited for. */
async function afterPatience(services: TaskServices, id: string, holder: string): Promise<ReceiptBody> {
  const { db } = services
  const until = performance.now() + PATIENCE_MS
  await carryOn(services, id, { until, signal: AbortSignal.timeout(PATIENCE_MS) }, holder)
  for (;;) {
    const row = await readErasure(db, null, id)
    if (row.status !== 'Running' || performance.now() > until) return receiptBody(row, await readErasureLines(db, id))
    await sleep(LOOK_MS)
  }
}

/**
 * Goes on with what other processes left: a worker calls it every now and then. Several at a time, and none begins late: who waits for a target
 * that hangs does not keep the others.
 */
export async function carryOnAll(services: TaskServices, signal: AbortSignal): Promise<void> {
  const due = (await dueErasures(services.db, BATCH)).values()
  const late = performance.now() + ROUND_MS
  const some = async (): Promise<void> => {
    for (const id of due) {
      if (signal.aborted || performance.now() > late) return
      await carryOn(services, id, { until: 0, signal }, randomUUID())
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, some))
}

/** Does what can be done now. Only one process at a time works on an erasure; every step may be done twice. */
async function carryOn(services: TaskServices, id: string, patience: Patience, holder: string): Promise<void> {
  const { db, log } = services
  const erasure = await leaseErasure(db, id, holder)
  if (!erasure) return
  const renewing = setInterval(() => void leaseErasure(db, id, holder).catch(() => {}), RENEW_MS)
  try {
    const late = performance.now() + RECORDS_MS
    const isThrough = await eraseRecords(services, erasure, patience, late)
    // What is tried again takes as long once more, so it waits until the records are gone.
    if (isThrough || performance.now() < late) await tryAgain(services, erasure, patience.signal)
    await conclude(services, id, isThrough)
  } catch (error) {
    // Nobody else goes on with it before the pause is over. What the error says may name the person.
    log.warn(
      { erasure_id: id, code: isProblem(error) ? error.code : (error as Error).name },
      'an erasure goes on later',
    )
    await conclude(services, id, false, patience.signal.aborted ? SOON_MS : LATER_MS).catch(() => {})
  } finally {
    clearInterval(renewing)
  }
}

/** False if something has to be waited for, or there is no time any more. */
async function eraseRecords(
  services: TaskServices,
  erasure: ErasureRow,
  patience: Patience,
  late: number,
): Promise<boolean> {
  const { db } = services
  for (;;) {
    const marked = await markedTasks(db, erasure.erasure_id, BATCH)
    let left = 0
    for (const taskId of marked) {
      if (patience.signal.aborted || performance.now() > late) return false
      if (!(await eraseTask(services, erasure, taskId, patience))) left++
    }
    if (left > 0) return false
    if (marked.length > 0) continue
    if (erasure.profile_id === null) return true
    const found = await forget(services, erasure, erasure.profile_id)
    if (found === 'gone') failpoint('erase_person.after')
    if (found !== 'more') return found === 'gone'
  }
}

/** The person goes last: their values may say where something was delivered. Tasks that were sent meanwhile go first. */
async function forget(
  services: TaskServices,
  erasure: ErasureRow,
  profileId: string,
): Promise<'gone' | 'more' | 'wait'> {
  const { erasure_id, covers, actor } = erasure
  return transact(services.db, async trx => {
    const profile = await holdPerson(trx, covers, profileId).catch(error => {
      if (isProblem(error, 'not_found')) return null
      throw error
    })
    if (profile) {
      const { tasks, waits } = await markPerson(trx, erasure, profile)
      if (tasks.length > 0) return 'more'
      if (waits) return 'wait'
      const left = await deliveriesWithoutRecord(trx, covers, profileId)
      await insertLines(
        trx,
        left.map(({ task_id, configuration }) => ({
          erasure_id,
          what: 'activity',
          task_id,
          index: 0,
          configuration,
          adapter_name: null,
          receiver: null,
          state: 'kept',
          code: 'no_record',
          reason:
            'The record of this task was deleted before, so nothing tells where its deliveries are: look at its destinations.',
          sealed: null,
          tries: 0,
          next_at: null,
        })),
      )
      const activities = await countActivities(trx, covers, profileId)
      await deleteHeld(trx, { ...services, actor: actor as Actor }, covers, profile)
      await addCounts(trx, erasure_id, { profiles: 1, activities })
    }
    await forgetPerson(trx, erasure_id)
    failpoint('erase_person.before')
    return 'gone'
  })
}

/** Writes and signs the receipt as things are now, and says when somebody goes on. */
async function conclude(services: TaskServices, id: string, isThrough: boolean, afterMs = SOON_MS): Promise<void> {
  const { db } = services
  const signer = await receiptSigner(services)
  const lines = await readErasureLines(db, id)
  const pending = lines.flatMap(({ state, next_at }) => (state === 'pending' && next_at ? [next_at.getTime()] : []))
  const status = isThrough ? (pending.length > 0 ? 'Pending' : 'Done') : 'Running'
  const row = await readErasure(db, null, id)
  const done_at = status === 'Running' ? null : (row.done_at ?? new Date())
  const next = isThrough ? Math.min(...pending) : Date.now() + afterMs
  const next_at = Number.isFinite(next) ? new Date(next) : null
  const signed = signer.signed(receiptText(receiptBody({ ...row, status, done_at }, lines)))
  await saveErasure(db, id, { status, done_at, next_at, ...signed })
}
