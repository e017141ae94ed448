// Everything that can die, stop, hang, be cut off or fill up, each done once when it is asked for.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { killAnyway } from '../clean-up.ts'
import { shuffled } from '../seed.ts'
import { soon, until } from '../until.ts'
import type { Hooks } from './hooks.ts'
import { type Deployment, killAll, type Machine } from './machines.ts'
import { type TargetName, type Targets, targetNames } from './targets.ts'

/** What is disturbed, how often in a round, and in which words the table tells it. */
const kinds = {
  worker: { share: 4, words: 'kill -9 of a worker' },
  api: { share: 3, words: 'kill -9 of an API' },
  child: { share: 3, words: 'kill -9 of a media child' },
  tree: { share: 2, words: 'kill -9 of a supervisor and all below it' },
  power: { share: 1, words: 'kill -9 of everything at once' },
  postmaster: { share: 1, words: 'kill -9 of PostgreSQL' },
  backend: { share: 4, words: 'kill -9 of one backend of PostgreSQL, right after a claim' },
  frozen_worker: { share: 1, words: 'a worker stopped for longer than it is waited for, then woken' },
  frozen_api: { share: 1, words: 'an API stopped for some seconds' },
  frozen_postgres: { share: 1, words: 'PostgreSQL stopped for some seconds' },
  cut: { share: 2, words: 'the connections of a machine to PostgreSQL cut' },
  half_open: { share: 1, words: 'the connections of a machine to PostgreSQL half-open' },
  store_away: { share: 1, words: 'the file store away' },
  store_unmounted: { share: 1, words: 'the file store not mounted: an empty place' },
  store_full: { share: 1, words: 'the file store full' },
  target_away: { share: 2, words: 'a destination away' },
  hook_away: { share: 1, words: 'a receiver of callbacks away' },
}
export type Disturbance = keyof typeof kinds
export const names = Object.keys(kinds) as Disturbance[]
export const wordsOf = (name: Disturbance): string => kinds[name].words

const roundOf = (which: readonly Disturbance[]) =>
  which.flatMap(name => Array<Disturbance>(kinds[name].share).fill(name))
export const ROUND = roundOf(names).length

/**
 * Every round has all of them, in an order of its own; a part of a round begins with one of each. What lasts longest comes
 * first, so that it ends within the run.
 */
export function disturbancesFor(
  count: number,
  next: () => number,
  which: readonly Disturbance[] = names,
): Disturbance[] {
  const round = roundOf(which)
  const isLong = (name: Disturbance) => name === 'frozen_worker' || name === 'half_open'
  const rounds = Array.from({ length: Math.ceil(count / round.length) }, (_, at) => {
    const mixed = shuffled(round, next)
    const isWhole = (at + 1) * round.length <= count
    const isRepeated = (name: Disturbance, place: number) => !isWhole && mixed.indexOf(name) !== place
    const rank = (name: Disturbance, place: number): number => {
      // Begun in what is left after whole rounds, it would only draw the end out.
      if (isLong(name)) return isWhole || at === 0 ? 0 : 3
      return isRepeated(name, place) ? 2 : 1
    }
    return mixed
      .map((name, place) => ({ name, rank: rank(name, place) }))
      .sort((one, other) => one.rank - other.rank)
      .map(({ name }) => name)
  })
  const all = rounds.flat().slice(0, count)
  const last = all.lastIndexOf('half_open')
  // At the end of a long run nobody is killed any more, so whoever lost its connections has to come back by itself.
  return last > round.length ? [...all.slice(0, last), ...all.slice(last + 1), 'half_open'] : all
}

/** A worker is given up after 30 s of silence. */
const LONGER_THAN_A_LEASE_MS = 34_000
const SOON_MS = 5_000
/** Longer than PostgreSQL takes to come back and a job to be taken again. */
const HELD_MS = 6_000
/** Above the time of what lasts some seconds. */
const FREE_MS = 10_000
/** A task that was sent for it is accepted and claimed by then, also while APIs and workers come back on a busy machine. */
const CLAIM_MS = 60_000

export interface Stage {
  deployment: Deployment
  targets: Targets
  hooks: Hooks
  next: () => number
  /** Sends a task whose claim is worth waiting for. */
  bait: () => Promise<string | undefined>
}

export interface Disturber {
  /** Does it; what lasts goes on by itself. Answers false when there was nothing to disturb. */
  disturb(name: Disturbance): Promise<boolean>
  /** Waits until everything that lasts is over. */
  over(): Promise<void>
}

export function newDisturber({ deployment, targets, hooks, next, bait }: Stage): Disturber {
  const { machines, postgres, space } = deployment
  const lasting = new Set<Promise<void>>()
  const busy = new Set<string>()
  const machine = (): Machine => machines[Math.floor(next() * machines.length)] as Machine
  const one = <T>(things: readonly T[]): T | undefined => things[Math.floor(next() * things.length)]

  /** Begins something and ends it later; never twice at the same place at once. */
  async function lasts(place: string, ms: number, begin: () => unknown, end: () => unknown): Promise<boolean> {
    const isFree = await until(`${place} is as it should be`, () => !busy.has(place), FREE_MS).catch(() => false)
    if (!isFree) return false
    busy.add(place)
    await begin()
    const ending = sleep(ms)
      .then(end)
      .finally(() => busy.delete(place))
      .then(() => {})
    ending.catch(() => {})
    lasting.add(ending)
    return true
  }

  const kill = (pid: number | undefined): boolean => {
    killAnyway(pid)
    return pid !== undefined
  }
  const freeze = (pid: number | undefined, ms: number) =>
    pid !== undefined &&
    lasts(
      `process ${pid}`,
      ms,
      () => killAnyway(pid, 'SIGSTOP'),
      () => killAnyway(pid, 'SIGCONT'),
    )
  const part = (name: 'api' | 'worker') => {
    const { part } = machine()
    return until(`there is a process to disturb (${name})`, () => part(name), SOON_MS).catch(() => undefined)
  }

  const ways: Record<Disturbance, () => Promise<boolean> | boolean> = {
    worker: async () => kill(await part('worker')),
    api: async () => kill(await part('api')),
    child: () => kill(one(machines.flatMap(({ children }) => children()))),
    tree() {
      killAll(machine().all())
      return true
    },
    power() {
      killAll([...machines.flatMap(({ all }) => all()), ...postgres.all()])
      return true
    },
    postmaster: () => kill(postgres.postmaster()),
    async backend() {
      const pid = await backendAfterClaim(deployment, bait)
      // Whoever was claimed before is still being worked on when the crash is over and its claim forgotten.
      if (pid && next() < 0.5)
        for (const child of machines.flatMap(({ children }) => children())) void freeze(child, HELD_MS)
      return kill(pid)
    },
    frozen_worker: async () => freeze(await part('worker'), LONGER_THAN_A_LEASE_MS),
    frozen_api: async () => freeze(await part('api'), 2_000 + next() * 4_000),
    frozen_postgres() {
      const all = postgres.all()
      const each = (signal: NodeJS.Signals) => () => {
        for (const pid of all) killAnyway(pid, signal)
      }
      return lasts('postgres', 2_000 + next() * 6_000, each('SIGSTOP'), each('SIGCONT'))
    },
    async cut() {
      const { proxy, name } = machine()
      return lasts(`network ${name}`, next() * 2_000, proxy.down, proxy.up)
    },
    half_open() {
      machine().proxy.forget()
      return true
    },
    store_away: () => lasts('store', 1_000 + next() * 4_000, () => space.takeAway('broken'), space.bringBack),
    store_unmounted: () => lasts('store', 1_000 + next() * 4_000, () => space.takeAway('empty'), space.bringBack),
    store_full: () =>
      lasts('store', 1_000 + next() * 4_000, () => space.fill(() => machines.flatMap(({ all }) => all())), space.empty),
    target_away() {
      const name = one(targetNames) as TargetName
      return lasts(
        name,
        1_000 + next() * 4_000,
        () => targets.down(name),
        () => targets.up(name),
      )
    },
    hook_away: () => lasts('hook', 1_000 + next() * 4_000, hooks.down, hooks.up),
  }

  return {
    disturb: async name => ways[name](),
    async over() {
      await Promise.all(lasting)
    },
  }
}

/**
 * The worst instant: a claim is made, and its worker does not know of it yet or has just begun. Answers a backend to kill then; any,
 * because one takes all others with it.
 */
async function backendAfterClaim({ databaseUrl }: Deployment, bait: Stage['bait']): Promise<number | undefined> {
  let client: pg.Client | null = null
  const look = async (taskId: string | null) => {
    client ??= await connected(databaseUrl)
    const found = await client?.query<{ pid: number | null; missed: boolean }>(
      `select (select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() and exists (
         select from tasks where status = 'Running' and worker_id is not null
           and case when $1::uuid is null then started_at > clock_timestamp() - interval '150 ms' else task_id = $1 end) limit 1) as pid,
         exists (select from tasks where task_id = $1 and ended_at is not null) as missed`,
      [taskId],
    )
    const row = found?.rows[0]
    return row && (row.pid !== null || row.missed) && row
  }
  /** PostgreSQL itself may be away or frozen meanwhile: the task still waits to be claimed when it is back. */
  const lookAnew = async (taskId: string | null) =>
    look(taskId).catch(() => {
      client?.end().catch(() => {})
      client = null
      return undefined
    })
  try {
    await until('PostgreSQL answers', async () => (client ??= await connected(databaseUrl)), FREE_MS)
    const taskId = (await soon('there is a task to be claimed', bait(), CLAIM_MS)) ?? null
    const { pid } = await until('it is claimed', () => lookAnew(taskId), taskId ? CLAIM_MS : FREE_MS, 1)
    return pid ?? undefined
  } catch {
    return undefined
  } finally {
    ;(client as pg.Client | null)?.end().catch(() => {})
  }
}

async function connected(connectionString: string): Promise<pg.Client | null> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: SOON_MS, query_timeout: SOON_MS })
  client.on('error', () => {})
  return client.connect().then(
    () => client,
    () => null,
  )
}
