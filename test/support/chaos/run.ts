// A whole chaos run: a deployment under load that is disturbed as a seed says, left in peace, and then held to its word.
import { leftBehind } from '../chaos-left.ts'
import { cleanUp, startOrCleanUp } from '../clean-up.ts'
import { random } from '../seed.ts'
import { soon, until } from '../until.ts'
import { type Clients, startClients } from './clients.ts'
import { configurations, earlyGuests, lateGuests, profileOf } from './configure.ts'
import { baitsOf, type Disturbance, disturbancesFor, lackedBy, lengthOf, names, newDisturber } from './disturb.ts'
import { type Door, newDoor } from './door.ts'
import { type BaitKind, LARGE_EVERY, type View } from './history.ts'
import { type Hooks, startHooks } from './hooks.ts'
import { type Check, type Evidence, judge } from './judge.ts'
import { bytesOf } from './label.ts'
import { certificateFile, type Deployment, startDeployment } from './machines.ts'
import { startTargets, type Targets } from './targets.ts'

export interface ChaosOptions {
  tasks: number
  kills: number
  seed: number
  /** When it is over, whatever the state. */
  minutes: number
  /** An empty folder. */
  folder: string
  /** Only these disturbances, in place of all. */
  only?: readonly Disturbance[]
  say?: (line: string) => void
}

export interface ChaosReport {
  seconds: number
  disturbed: Record<Disturbance, number>
  facts: Record<string, number>
  checks: Check[]
}

/** How far the clients are ahead of the disturbances, in disturbances. */
const AHEAD = 3
/** A disturbance comes after so much time for each task that is due until then, if the work does not get there before. */
const TASK_MS = 150
/** But not before a killed process can have come back. */
const PAUSE_MS = 4_000
/** So much of the time of a run, in milliseconds for each minute, is left to what lasts for minutes itself. */
const LONG_MS = 20_000
const SPARE_BYTES = 64 * 1024 ** 2
/** Seconds between the attempts of a callback: a black hole gets hundreds of them. */
const delays = [0.2, 0.5, 1, ...Array.from({ length: 2_000 }, () => 2)].join()

interface Scene {
  targets: Targets
  hooks: Hooks
  deployment: Deployment
  door: Door
}

/** So much room that only a disturbance fills it. */
const roomFor = (tasks: number, baits: number): number =>
  SPARE_BYTES + 3 * tasks * bytesOf.small + (3 * tasks * bytesOf.large) / LARGE_EVERY + baits * bytesOf.huge

const startScene = (
  { tasks, seed, folder }: ChaosOptions,
  baits: number,
  wanted: readonly Disturbance[],
): Promise<Scene> =>
  startOrCleanUp(async later => {
    const targets = await startTargets(random(seed + 2))
    later(targets.stop)
    const hooks = await startHooks(random(seed + 3))
    later(hooks.stop)
    const env = {
      NODE_EXTRA_CA_CERTS: certificateFile(folder, targets.authority),
      KEEPSAKE_CALLBACK_DELAYS: delays,
      KEEPSAKE_CONCURRENCY: '2',
    }
    const deployment = await startDeployment({ folder, room: roomFor(tasks, baits), env, wanted })
    const urls = deployment.machines.map(({ url }) => url)
    return { targets, hooks, deployment, door: newDoor(urls, deployment.token) }
  })

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { tasks, kills, seed, minutes, only = names, say = () => {} } = options
  const begun = Date.now()
  const leftMs = (): number => Math.max(1_000, begun + minutes * 60_000 - Date.now())
  const next = random(seed)
  const possible = only.filter(name => lackedBy(name).length === 0)
  for (const name of only) if (!possible.includes(name)) say(`without ${name}: this machine lacks ${lackedBy(name)}`)
  if (possible.length === 0) throw new Error('this machine lacks what is needed for any disturbance')
  const todo = disturbancesFor(kills, next, possible)
  const baits: BaitKind[] = todo.flatMap(baitsOf).slice(0, tasks / 2)
  const part = Math.min(1, (minutes * LONG_MS) / todo.reduce((sum, name) => sum + lengthOf(name), 0))
  const scene = await startScene(options, baits.length, todo)
  const { targets, hooks, deployment, door } = scene
  // Should this process be ended, nothing of it may live on.
  process.once('exit', deployment.end)
  const over = new AbortController()
  const disturbed = Object.fromEntries(names.map(name => [name, 0])) as Record<Disturbance, number>
  let done = 0
  try {
    say(`the file store is filled by ${deployment.space.kind}`)
    if (part < 1) say(`what lasts for minutes lasts ${Math.round(100 * part)} % of its time`)
    await prepare(scene)
    const mayHaveSent = () => (tasks * (done + AHEAD)) / Math.max(1, kills)
    const clients = startClients({ tasks, baits, seed, door, hooks, mayHaveSent, signal: over.signal })
    const disturber = newDisturber({ deployment, targets, hooks, next, bait: clients.bait, part })
    const longest = Math.max(PAUSE_MS, (TASK_MS * tasks) / Math.max(1, kills))
    let spare = kills
    for (let name = todo.shift(); name; name = todo.shift()) {
      const due = (2 * tasks * (done + 1)) / (kills + 2)
      const isDue = () => clients.accepted() + hooks.arrived.size >= due
      await until('there is work to disturb', isDue, Math.min(longest, leftMs())).catch(() => {})
      if (!(await disturber.disturb(name))) {
        // There was nothing to disturb: later, then.
        say(`nothing to disturb for ${name}`)
        if (spare-- > 0) todo.push(name)
        continue
      }
      disturbed[name]++
      done++
      say(`${done} of ${kills}: ${name}; ${clients.accepted()} accepted, ${hooks.arrived.size} told`)
      if (done === Math.ceil(kills / 2)) void welcome(door, lateGuests)
    }
    done = Number.POSITIVE_INFINITY
    await disturber.over()
    const inTime = await settle(scene, clients, leftMs)
    const seconds = (Date.now() - begun) / 1000
    say(`settled after ${Math.round(seconds)} s`)
    const { checks, facts } = await judge(await collect(scene, clients))
    const orderly = await stopInOrder(scene)
    const left = await lookForLeftovers(deployment)
    return { seconds, disturbed, facts, checks: [inTime, ...checks, orderly, left] }
  } finally {
    over.abort()
    door.close()
    await cleanUp(deployment.stop, hooks.stop, targets.stop)
    process.removeListener('exit', deployment.end)
  }
}

async function prepare({ door, targets, hooks }: Scene): Promise<void> {
  for (const configuration of configurations(targets, hooks.urls)) {
    const { status, body } = await door.insist('POST', '/api/configuration/', configuration)
    if (status !== 201) throw new Error(`a configuration was refused: ${status} ${JSON.stringify(body)}`)
  }
  await welcome(door, earlyGuests)
}

/** Registers guests; one who is there already was registered by a request whose answer was lost. */
async function welcome(door: Door, guests: readonly string[]): Promise<void> {
  for (const guest of guests) {
    const reply = await door.insist('POST', '/api/profile/', profileOf(guest)).catch(() => null)
    if (reply && ![201, 409].includes(reply.status))
      door.strange.push(`profile: ${reply.status} ${JSON.stringify(reply.body)}`)
  }
}

/** Everybody outside is well again: all work has to come to its end without any help. */
async function settle(scene: Scene, clients: Clients, leftMs: () => number): Promise<Check> {
  const { deployment, targets, hooks, door } = scene
  const complaints: string[] = []
  const within = async (what: string, look: () => Promise<boolean> | boolean) =>
    until(what, look, leftMs(), 250).catch(async error => {
      complaints.push(error.message, ...(await unsettled(deployment)))
    })
  await soon('all is accepted', clients.sent, leftMs()).catch(error => void complaints.push(error.message))
  await clients.rest().catch(error => void complaints.push(error.message))
  targets.heal()
  await hooks.heal()
  await welcome(door, lateGuests)
  const isQuiet = async (): Promise<boolean> => {
    const sql = `select (select count(*) from tasks where ended_at is null) + (select count(*) from callbacks where status = 'Waiting') as open`
    const [row] = await deployment.query<{ open: string }>(sql).catch(() => [])
    return row?.open === '0'
  }
  await within('all tasks have ended and all callbacks are told', isQuiet)
  // What was given up is listed, and comes when it is asked for.
  await door.insist('POST', '/api/callback/resend/', { status: 'GivenUp' })
  await within('what was given up is told after all', isQuiet)
  return { what: 'everything came to its end by itself, in time', complaints }
}

async function unsettled({ query }: Deployment): Promise<string[]> {
  const rows = await query<object>(
    `select t.*, j.state as job, c.status as callback, c.worker_id as callback_worker, c.next_attempt_at, cj.state as callback_job,
       (select json_agg(json_build_array(e.index, e.status, e.attempts, e.retry_at, e.error)) from chains join entries e using (chain_id) where chains.task_id = t.task_id) as entries
     from tasks t left join pgboss.job j on j.id = t.job_id left join callbacks c using (task_id) left join pgboss.job cj on cj.id = c.job_id
     where t.ended_at is null or c.status = 'Waiting' limit 5`,
  ).catch(() => [])
  return rows.map(row => JSON.stringify(row))
}

async function collect({ door, hooks, targets }: Scene, { history }: Clients): Promise<Evidence> {
  const views = [...(await door.list<View>('/api/task/')), ...(await door.list<View>('/api/taskgroup/'))]
  const profiles = await door.list<{ profile_id: string; rfid: string[] }>('/api/profile/')
  const { objects, contents } = targets.bucket
  return {
    history,
    strange: door.strange,
    views: new Map(views.map(view => [view.task_id, view])),
    callbacks: await door.list('/api/callback/'),
    activities: await door.list('/api/activity/'),
    profiles: new Map(profiles.flatMap(({ profile_id, rfid }) => rfid.map(guest => [guest, profile_id] as const))),
    arrived: hooks.arrived,
    attempts: hooks.attempts(),
    taken: targets.taken,
    bucket: new Map([...objects].map(([key, sum]) => [key, contents.get(sum) ?? Buffer.alloc(0)])),
  }
}

const SILENT_SECONDS = 15

/** No process may have been lost for good on the way: each worker shows itself now, without having been killed for it. */
async function stopInOrder({ deployment }: Scene): Promise<Check> {
  const { machines, query } = deployment
  const complaints: string[] = []
  const isThere = async (): Promise<boolean> => {
    const sql = `select from workers where seen_at > now() - make_interval(secs => ${SILENT_SECONDS})`
    return (await query(sql).catch(() => [])).length >= machines.length
  }
  await until('every worker shows itself', isThere, 60_000).catch(error => void complaints.push(error.message))
  const codes = await Promise.all(
    machines.map(async ({ name, stop }) => [name, await stop().catch((error: Error) => error.message)] as const),
  )
  for (const [name, code] of codes) if (code !== 0) complaints.push(`machine ${name} ended with ${code}`)
  return { what: 'every worker is there in the end, and both machines stop in order', complaints }
}

async function lookForLeftovers({ databaseUrl, env, machines, space, query }: Deployment): Promise<Check> {
  const folders = machines.map(({ data }) => data)
  const left = await leftBehind({ databaseUrl, env, folders, blobs: space.blobs, query })
  const complaints = Object.entries(left).flatMap(([what, things]) =>
    things.map((thing: unknown) => `${what}: ${JSON.stringify(thing)}`),
  )
  return { what: 'nothing is left: no orphans, no half files, no jobs', complaints }
}
