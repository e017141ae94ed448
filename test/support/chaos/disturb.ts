// Everything that can die, stop, hang, be cut off or fill up, each done once when it is asked for.
import { spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { answers } from '../../start/keepsake.ts'
import { killAnyway } from '../clean-up.ts'
import { pgbouncer } from '../pgbouncer.ts'
import { below } from '../processes.ts'
import { shuffled } from '../seed.ts'
import { soon, until } from '../until.ts'
import type { BaitKind } from './history.ts'
import type { Hooks } from './hooks.ts'
import { canMakeClips } from './label.ts'
import { type Deployment, killAll, libfaketime, type Machine } from './machines.ts'
import type { Space } from './space.ts'
import { type TargetName, type Targets, targetNames } from './targets.ts'

/** Needs of some disturbances, and whether this machine meets them. */
const found = {
  'the right to mount': spawnSync('unshare', ['--mount', 'true']).status === 0,
  ffmpeg: canMakeClips,
  PgBouncer: pgbouncer !== undefined,
  faketime: libfaketime !== undefined,
}

interface Kind {
  /** How often it comes in a round. */
  share: number
  /** As the table tells it. */
  words: string
  needs?: (keyof typeof found)[]
  /** Tasks that are kept for it. */
  baits?: BaitKind[]
  /** How long it lasts, where a run has the time. */
  ms?: number
}

const kinds = {
  worker: { share: 4, words: 'kill -9 of a worker' },
  api: { share: 3, words: 'kill -9 of an API' },
  child: { share: 3, words: 'kill -9 of a media child' },
  tree: { share: 2, words: 'kill -9 of a supervisor and all below it' },
  power: { share: 1, words: 'kill -9 of everything at once' },
  postmaster: { share: 1, words: 'kill -9 of PostgreSQL' },
  backend: { share: 4, words: 'kill -9 of one backend of PostgreSQL, right after a claim', baits: ['web'] },
  encoder: { share: 2, words: 'kill -9 of an ffmpeg', needs: ['ffmpeg'], baits: ['video'] },
  frozen_worker: { share: 1, words: 'a worker stopped for longer than it is waited for, then woken' },
  frozen_api: { share: 1, words: 'an API stopped for some seconds' },
  frozen_postgres: { share: 1, words: 'PostgreSQL stopped for some seconds' },
  cut: { share: 2, words: 'the connections of a machine to PostgreSQL cut' },
  half_open: { share: 1, words: 'the connections of a machine to PostgreSQL half-open' },
  reset: { share: 1, words: 'the connections of a machine to PostgreSQL reset for five seconds' },
  pooler: { share: 1, words: 'a connection of PgBouncer to PostgreSQL dead', needs: ['PgBouncer'] },
  read_only: { share: 1, words: 'PostgreSQL without writes for a minute', ms: 60_000 },
  store_away: { share: 1, words: 'the file store away' },
  store_unmounted: { share: 1, words: 'the file store not mounted: an empty place' },
  store_full: { share: 1, words: 'the file store full' },
  store_gone: { share: 1, words: 'the file store away for a minute', ms: 60_000 },
  data_full: { share: 1, words: 'every disk full for four minutes', needs: ['the right to mount'], ms: 240_000 },
  work_full: {
    share: 1,
    words: 'the data folder of a machine full for four minutes',
    needs: ['the right to mount'],
    ms: 240_000,
  },
  library_cache: {
    share: 1,
    words: '/etc/ld.so.cache replaced while videos are made',
    needs: ['the right to mount', 'ffmpeg'],
    baits: ['video', 'video'],
  },
  lame_worker: {
    share: 1,
    words: 'a machine without ffmpeg beside a whole one',
    needs: ['ffmpeg'],
    baits: ['video', 'video'],
  },
  clock: { share: 1, words: 'the clock of a machine an hour forward and back', needs: ['faketime'] },
  target_away: { share: 2, words: 'a destination away' },
  hook_away: { share: 1, words: 'a receiver of callbacks away' },
} satisfies Record<string, Kind>
export type Disturbance = keyof typeof kinds
export const names = Object.keys(kinds) as Disturbance[]
const kindOf = (name: Disturbance): Kind => kinds[name]
export const wordsOf = (name: Disturbance): string => kindOf(name).words
export const baitsOf = (name: Disturbance): readonly BaitKind[] => kindOf(name).baits ?? []
/** So long it lasts of itself; 0: some seconds. */
export const lengthOf = (name: Disturbance): number => kindOf(name).ms ?? 0
/** What this machine lacks for it. */
export const lackedBy = (name: Disturbance): string[] => (kindOf(name).needs ?? []).filter(need => !found[need])

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
  const isLong = (name: Disturbance) => name === 'frozen_worker' || name === 'half_open' || lengthOf(name) > 0
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
const RESET_MS = 5_000
/** Long enough to start, to take some tasks and to be told from one that is whole. */
const LAME_MS = 15_000
const AN_HOUR = 3_600
/** Room that others make on a full disk is gone again as soon. */
const REFILL_MS = 500
/** Bytes on the way to PostgreSQL until a connection dies: some statements. */
const SOME_BYTES = 10_000
/** A task that was sent for it is accepted and claimed by then, also while APIs and workers come back on a busy machine. */
const CLAIM_MS = 60_000

export interface Stage {
  deployment: Deployment
  targets: Targets
  hooks: Hooks
  next: () => number
  /** Sends a task whose work is worth waiting for. */
  bait: (kind: BaitKind) => Promise<string | undefined>
  /** The part of its length for which a long disturbance lasts. */
  part: number
}

export interface Disturber {
  /** Does it; what lasts goes on by itself. Answers false when there was nothing to disturb. */
  disturb(name: Disturbance): Promise<boolean>
  /** Waits until everything that lasts is over. */
  over(): Promise<void>
}

export function newDisturber({ deployment, targets, hooks, next, bait, part: share }: Stage): Disturber {
  const { machines, postgres, space } = deployment
  const lasting = new Set<Promise<void>>()
  const busy = new Set<string>()
  const machine = (): Machine => machines[Math.floor(next() * machines.length)] as Machine
  const one = <T>(things: readonly T[]): T | undefined => things[Math.floor(next() * things.length)]

  /** Begins something and ends it later; never twice at the same place at once. */
  async function lasts(place: string, ms: number, begin: () => unknown, end: () => unknown): Promise<boolean> {
    const isFree = await until(
      `${place} is as it should be`,
      () => !busy.has(place),
      Math.max(FREE_MS, ms + SOON_MS),
    ).catch(() => false)
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

  const full = (place: string, name: Disturbance, disks: readonly Space[]) => {
    let again: NodeJS.Timeout
    const fill = () => {
      for (const disk of disks) disk.fill(() => [])
    }
    const begin = () => {
      fill()
      again = setInterval(fill, REFILL_MS)
    }
    return lasts(place, share * lengthOf(name), begin, () => {
      clearInterval(again)
      for (const disk of disks) disk.empty()
    })
  }
  const takesWrites = (isOn: boolean) =>
    until('PostgreSQL can be told to take no writes', async () => {
      const value = isOn ? 'off' : 'on'
      try {
        await deployment.query(`alter system set default_transaction_read_only = ${value}`)
        return await deployment.query('select pg_reload_conf()')
      } catch {
        return false // It may be away itself.
      }
    })
  /** A task that nobody waits for: the end of the run asks what became of it. */
  const sendVideo = () => void bait('video').catch(() => {})
  const encoder = () => until('a video is made', () => one(below('ffmpeg')), CLAIM_MS, 5).catch(() => undefined)

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
    async encoder() {
      sendVideo()
      return kill(await encoder())
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
    reset() {
      const { proxy, name } = machine()
      const set = (cutAfter: number | null) => () => Object.assign(proxy, { cutAfter })
      return lasts(`network ${name}`, RESET_MS, set(0), set(null))
    },
    pooler() {
      const { proxy } = machines.find(({ isPooled }) => isPooled) as Machine
      const instants = next() < 0.5 ? proxy.cutsAt : proxy.swallowsAt
      instants.push(proxy.sent() + Math.ceil(next() * SOME_BYTES))
      return true
    },
    read_only: () =>
      lasts(
        'writes',
        share * lengthOf('read_only'),
        () => takesWrites(false),
        () => takesWrites(true),
      ),
    store_away: () => lasts('store', 1_000 + next() * 4_000, () => space.takeAway('broken'), space.bringBack),
    store_unmounted: () => lasts('store', 1_000 + next() * 4_000, () => space.takeAway('empty'), space.bringBack),
    store_full: () =>
      lasts('store', 1_000 + next() * 4_000, () => space.fill(() => machines.flatMap(({ all }) => all())), space.empty),
    store_gone: () => lasts('store', share * lengthOf('store_gone'), () => space.takeAway('broken'), space.bringBack),
    data_full: () => full('store', 'data_full', [space, ...machines.map(({ disk }) => disk)]),
    work_full: () => full('store', 'work_full', [machine().disk]),
    async library_cache() {
      sendVideo()
      const isMade = (await encoder()) !== undefined
      deployment.replaceLibraryCache()
      sendVideo()
      return isMade
    },
    lame_worker() {
      const { lame, url } = machine()
      const begin = async () => {
        lame(true)
        await until('it is there again', async () => (await answers(url, '/readyz')) === 200, FREE_MS).catch(() => {})
        sendVideo()
        sendVideo()
      }
      return lasts('ffmpeg', LAME_MS, begin, () => lame(false))
    },
    clock() {
      const { name, clock } = machine()
      return lasts(
        `clock ${name}`,
        2_000 + next() * 8_000,
        () => clock(AN_HOUR),
        () => clock(0),
      )
    },
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
    const taskId = (await soon('there is a task to be claimed', bait('web'), CLAIM_MS)) ?? null
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
