// The queue: pg-boss on our own database, filled inside our transactions, with fair turns between shares.
import { fromKysely, PgBoss } from 'pg-boss'
import type { Database, Trx } from '#db/database.ts'
import { deleteJob, hurryJob, insertJob } from '#db/jobs.ts'
import { oneAtATime } from '#db/one-at-a-time.ts'
import { nextTurn } from '#db/turns.ts'
import { failpoint } from '#kit/failpoint.ts'
import { newId } from '#kit/ids.ts'
import type { Log } from '#kit/log.ts'
import { type Jobs, type Lane, lanes } from './lanes.ts'

export interface Job<L extends Lane = Lane> {
  id: string
  retryCount: number
  lane: L
  /** The experience or receiver whose turn it is. */
  share: string
  turn: number
  data: Jobs[L]
}

export interface Ticket {
  /** Of the job it is for. */
  id: string
  lane: Lane
  share: string
  turn: number
}

export interface Queue {
  /** Takes the next fair turn of a share. Best outside a transaction: a lost turn costs nothing, a held row makes others wait. */
  turn(lane: Lane, share: string, inside?: Trx): Promise<Ticket>
  /** Puts a job in with the caller's transaction; returns its id. */
  send<L extends Lane>(trx: Trx, ticket: Ticket & { lane: L }, data: Jobs[L], startAfter?: Date): Promise<string>
  /** Takes up to `count` jobs whose time has come, leaving out the shares that are full. */
  fetch<L extends Lane>(lane: L, count: number, fullShares: readonly string[]): Promise<Job<L>[]>
  /** Removes a job that is done; fenced, so a late worker can't remove its successor's. */
  remove(lane: Lane, job: { id: string; retryCount: number }, trx?: Trx): Promise<void>
  /** Makes a job that was put in for later due now. */
  hurry(lane: Lane, id: string, trx: Trx): Promise<void>
  /** Removes a job by its id, whoever holds it. */
  discard(lane: Lane, id: string, trx: Trx): Promise<void>
  stop(): Promise<void>
}

const DAY = 86_400

// Our own leases decide who runs a task, so pg-boss must neither give up on a job nor drop one that waits.
const options = {
  retryLimit: 100_000,
  expireInSeconds: DAY - 1,
  retentionSeconds: 3650 * DAY,
  deleteAfterSeconds: 3600,
}

const LOCK = 0x71756575 // 'queu'

export async function startQueue({ db, quick }: Database, log: Log, upkeep: boolean): Promise<Queue> {
  const boss = new PgBoss({
    db: fromKysely(db),
    schedule: false,
    supervise: upkeep,
    monitorVacuum: false,
    reindex: upkeep,
  })
  boss.on('error', error => log.warn({ err: error }, 'the queue had a problem'))
  // Two that make pg-boss's tables at once leave one of them with a connection in an aborted transaction.
  await oneAtATime(db, LOCK, async () => {
    await boss.start()
    for (const lane of lanes) await boss.createQueue(lane, options)
  })

  return {
    turn: async (lane, share, inside) => ({
      id: newId(),
      lane,
      share,
      turn: await nextTurn(inside ?? quick, lane, share),
    }),

    async send(trx, { id, lane, share, turn }, data, startAfter) {
      await insertJob(trx, { id, lane, share, turn, data }, startAfter)
      return id
    },

    async fetch<L extends Lane>(lane: L, count: number, fullShares: readonly string[]) {
      failpoint('fetch.before')
      const jobs = await boss.fetch<Jobs[L] & { turn: number }>(lane, {
        batchSize: count,
        // A fetch that is forgotten leaves the job where it was.
        db: fromKysely(quick),
        ignoreGroups: [...fullShares],
      })
      if (jobs.length > 0) failpoint('fetch.after')
      return jobs.map(job => ({
        lane,
        id: job.id,
        retryCount: job.retryCount,
        share: job.groupId ?? '',
        turn: job.data.turn,
        data: job.data,
      }))
    },

    async remove(lane, { id, retryCount }, trx) {
      await boss.deleteJob(lane, { id, retryCount }, trx ? { db: fromKysely(trx) } : {})
    },

    hurry: (lane, id, trx) => hurryJob(trx, lane, id),

    discard: (lane, id, trx) => deleteJob(trx, lane, id),

    stop: () => boss.stop({ graceful: false, close: false }),
  }
}
