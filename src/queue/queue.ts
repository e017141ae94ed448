// The queue: pg-boss on our own database, through its public API alone, inside our transactions, with fair turns between shares.
import { fromKysely, PgBoss } from 'pg-boss'
import type { Database, Db, Trx } from '#db/database.ts'
import { notifyQueue } from '#db/notify.ts'
import { oneAtATime } from '#db/one-at-a-time.ts'
import { nextTurn } from '#db/tasks/turns.ts'
import { transact } from '#db/transact.ts'
import { failpoint } from '#kit/failpoint.ts'
import { newId } from '#kit/ids.ts'
import type { Log } from '#kit/log.ts'
import { type Jobs, type Lane, lanes } from './lanes.ts'

/** A place in a lane. */
export interface Ticket<L extends Lane = Lane> {
  /** Id of the job. */
  id: string
  lane: L
  /** The experience or receiver whose turn it is. */
  share: string
  turn: number
}

export interface Job<L extends Lane = Lane> extends Ticket<L> {
  data: Jobs[L]
}

/** A job that should be in the queue. */
interface Expected<L extends Lane = Lane> {
  id: string
  share: string
  data: Jobs[L]
}

/** What came of jobs. Those that are in neither list are nobody's work any more. */
interface Claims<W> {
  taken: W[]
  /** Ids of jobs whose work another transaction has locked. */
  held: readonly string[]
}

interface Sending {
  /** When the job may be taken; at once by default. */
  at?: Date | undefined
  /** Sends no notification, because another statement of the transaction (`queueNotified`) wakes the workers. */
  quietly?: boolean
}

export interface Queue {
  /** The turn before all others of a lane, for work that takes no time. */
  firstTicket<L extends Lane>(lane: L, share: string): Ticket<L>
  /** Takes the next fair turn of a share. Best outside a transaction: a lost turn costs nothing, a locked row makes others wait. */
  takeTicket<L extends Lane>(lane: L, share: string, inside?: Trx): Promise<Ticket<L>>
  /** Adds a job in the caller's transaction; returns its id. */
  send<L extends Lane>(trx: Trx, ticket: Ticket<L>, data: Jobs[L], how?: Sending): Promise<string>
  /**
   * Takes up to `count` jobs that are due, except those of full shares. In one transaction the jobs leave the queue and `claim` makes
   * their work the caller's. A caller that dies in between leaves both as they were. It goes from jobs to work, and everybody else from work to
   * jobs: so it waits for no lock, and what somebody else holds stays in the queue, in its turn. `jobs`: how many it found, whatever became of them.
   */
  take<L extends Lane, W>(
    lane: L,
    count: number,
    fullShares: readonly string[],
    claim: (trx: Trx, jobs: Job<L>[]) => Promise<Claims<W>>,
  ): Promise<{ jobs: number; taken: W[] }>
  /** Removes a job by its id. */
  discard(lane: Lane, id: string, trx: Trx): Promise<void>
  /** Makes jobs due in a moment that are to come later, as the first of their lane. */
  hasten<L extends Lane>(trx: Trx, lane: L, jobs: readonly Expected<L>[]): Promise<void>
  /** Adds the expected jobs that are missing. Returns how many were missing. */
  restore<L extends Lane>(lane: L, jobs: readonly Expected<L>[]): Promise<number>
  /** Whether a job is in the queue and can be taken, now or later. */
  waits(lane: Lane, id: string): Promise<boolean>
  stop(): Promise<void>
}

const DAY = 86_400

// Our own claims decide who works, so pg-boss must neither give up on a job nor drop one that waits.
const options = {
  retryLimit: 100_000,
  expireInSeconds: DAY - 1,
  retentionSeconds: 3650 * DAY,
  deleteAfterSeconds: 3600,
}

const LOCK = 0x71756575 // 'queu'

/** The turn of jobs that vanished: they have waited long enough. */
const FIRST_TURN = 0

/** So long a job stays out of the way whose work another transaction has locked. */
const HELD_MS = 1_000
/** Who makes a job due may still do its work. */
const MOMENT_SECONDS = 2

export async function startQueue({ db }: Database, log: Log, upkeep: boolean): Promise<Queue> {
  const boss = new PgBoss({
    db: fromKysely(db),
    schedule: false,
    supervise: upkeep,
    monitorVacuum: false,
    reindex: upkeep,
  })
  boss.on('error', error => log.warn({ err: error }, 'the queue had a problem'))
  // When two processes create pg-boss's tables at once, one of them is left with a connection in an aborted transaction.
  await oneAtATime(db, LOCK, async () => {
    await boss.start()
    for (const lane of lanes) await boss.createQueue(lane, options)
  })
  // At the first use of a lane pg-boss reads its facts on a separate connection. That must not happen inside a transaction, so do it now.
  for (const lane of lanes) await boss.findJobs(lane, { id: newId() })
  const on = (queries: Db | Trx) => ({ db: fromKysely(queries) })

  async function fetched<L extends Lane>(trx: Trx, lane: L, count: number, full: readonly string[]): Promise<Job<L>[]> {
    const jobs = await boss.fetch<Jobs[L] & { turn: number }>(lane, {
      ...on(trx),
      batchSize: count,
      ignoreGroups: [...full],
    })
    return jobs.map(({ id, groupId, data }) => ({ lane, id, share: groupId ?? '', turn: data.turn, data }))
  }

  const send: Queue['send'] = async (trx, { id, lane, share, turn }, data, { at, quietly = false } = {}) => {
    // A delay instead of a time, because the clock of the database decides when the job is taken.
    const when = at ? { startAfter: Math.max(0.001, (at.getTime() - Date.now()) / 1000) } : {}
    const how = { ...on(trx), id, priority: -turn, group: { id: share }, ...when }
    await boss.send(lane, { ...data, turn }, how)
    if (!at && !quietly) await notifyQueue(trx, lane)
    return id
  }

  const first = <L extends Lane>({ id, share, data }: Expected<L>) => ({
    id,
    group: { id: share },
    priority: -FIRST_TURN,
    data: { ...data, turn: FIRST_TURN },
  })

  return {
    firstTicket: (lane, share) => ({ id: newId(), lane, share, turn: FIRST_TURN }),

    takeTicket: async (lane, share, inside) => ({
      id: newId(),
      lane,
      share,
      turn: await nextTurn(inside ?? db, lane, share),
    }),

    send,

    take(lane, count, fullShares, claim) {
      failpoint('fetch.before')
      return transact(db, async trx => {
        const jobs = await fetched(trx, lane, count, fullShares)
        if (jobs.length === 0) return { jobs: 0, taken: [] }
        failpoint('fetch.after')
        const ids = jobs.map(({ id }) => id)
        const { taken, held } = await claim(trx, jobs)
        await boss.deleteJob(lane, ids, on(trx))
        // Due a little later, so that the next look goes past them.
        const at = new Date(Date.now() + HELD_MS)
        for (const job of jobs) if (held.includes(job.id)) await send(trx, job, job.data, { at })
        return { jobs: jobs.length, taken }
      })
    },

    async discard(lane, id, trx) {
      await boss.deleteJob(lane, id, on(trx))
    },

    async hasten(trx, lane, jobs) {
      if (jobs.length === 0) return
      const ids = jobs.map(({ id }) => id)
      await boss.deleteJob(lane, ids, on(trx))
      const soon = jobs.map(job => ({ ...first(job), startAfter: MOMENT_SECONDS }))
      await boss.insert(lane, soon, on(trx))
    },

    async restore(lane, jobs) {
      if (jobs.length === 0) return 0
      const made = (await boss.insert(lane, jobs.map(first), { ...on(db), returnId: true })) ?? []
      if (made.length > 0) await notifyQueue(db, lane)
      return made.length
    },

    async waits(lane, id) {
      const [job] = await boss.findJobs(lane, { ...on(db), id })
      return job !== undefined && (job.state === 'created' || job.state === 'retry')
    },

    stop: () => boss.stop({ graceful: false, close: false }),
  }
}
