// A whole Keepsake under load whose processes are killed at random, as a seed says, until all work is done.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { embeddedUrl, startEmbedded } from '#db/embedded.ts'
import { processesIn, readPidFile } from '#db/postmaster.ts'
import { newLog } from '#kit/log.ts'
import { answers, part, root } from '../start/keepsake.ts'
import { assertNothingLeft, assertOutcomes, configure, type Grounds, newGrounds, sendTask, settled } from './chaos.ts'
import type { Mood } from './chaos-destination.ts'
import { cleanUp, killAnyway } from './clean-up.ts'
import { pattern, png } from './pictures.ts'
import { descendants } from './processes.ts'
import { random, shuffled } from './seed.ts'
import { event, soon, until } from './until.ts'

export interface KillsOptions {
  tasks: number
  kills: number
  seed: number
  /** An empty folder. */
  folder: string
  say?: (line: string) => void
}

export interface KillsReport {
  seconds: number
  killed: Record<Victim, number>
  /** Uploads and callbacks beyond one a task: repeats that a crash or a flaky other side made necessary. */
  repeatedUploads: number
  repeatedCallbacks: number
  failed: number
}

/** How often each is killed in a round: every round has all of them, in an order of its own. */
const shares = { worker: 3, api: 2, postgres: 2, tree: 1 }
export type Victim = keyof typeof shares
export const ROUND = Object.values(shares).reduce((sum, share) => sum + share)
const round = Object.entries(shares).flatMap(([victim, share]) => Array<Victim>(share).fill(victim as Victim))

export const victimsOf = (kills: number, next: () => number): Victim[] =>
  Array.from({ length: Math.ceil(kills / ROUND) }, () => shuffled(round, next))
    .flat()
    .slice(0, kills)

const GUESTS = 10
const SENDERS = 4
/** A kill follows the last one after so much work, but no later than this. */
const LONGEST_PAUSE_MS = 10_000

export async function runKills({ tasks, kills, seed, folder, say = () => {} }: KillsOptions): Promise<KillsReport> {
  const next = random(seed)
  const victims = victimsOf(kills, random(seed))
  const data = join(folder, 'data')
  const begun = Date.now()
  const killed: Record<Victim, number> = { worker: 0, api: 0, postgres: 0, tree: 0 }
  const grounds = await newGrounds({
    folder: data,
    databaseUrl: () => embeddedUrl(data),
    // The receiver fails half the time; sometimes it has understood and only its answer is lost.
    answer: (_request, response) => {
      const luck = next()
      if (luck < 0.1) response.destroy()
      else response.writeHead(luck < 0.5 ? 500 : 200).end()
    },
  })
  const moods: Mood[] = ['busy', 'lost_answer']
  grounds.destination.mood = () => (next() < 0.25 ? (moods[Math.floor(next() * 2)] as Mood) : 'fine')
  const port = await freePort()
  const env = { ...grounds.env, PORT: String(port) }
  const url = `http://127.0.0.1:${port}`
  let keepsake: Tree | undefined
  let stopped = false
  try {
    keepsake = await start(env, folder)
    const client = grounds.client(url)
    await configure(grounds, client)
    for (let guest = 0; guest < GUESTS; guest++)
      assert.equal((await client.post('/api/profile/', { rfid: `g${guest}`, experience_id: 'park' })).status, 201)

    const accepted = new Map<string, string>()
    const sending = sendAll(grounds, url, tasks, accepted, () => stopped)
    sending.catch(() => {})
    for (const [kill, victim] of victims.entries()) {
      await until(
        'there is work to disturb',
        async () => {
          const share = (accepted.size + (await ended(grounds))) / (2 * tasks)
          return share >= (kill + 1) / (kills + 2)
        },
        LONGEST_PAUSE_MS,
      ).catch(() => {})
      say(`kill ${kill + 1}: ${victim}, ${accepted.size} accepted, ${await ended(grounds)} ended`)
      killed[victim]++
      if (victim === 'tree') keepsake = await killTree(keepsake, data, env, folder)
      else await killOne(keepsake, victim, data, url)
    }
    await soon('all tasks are sent', sending, 120_000 + tasks * 100)
    await settled(grounds, 120_000 + tasks * 100)
    const seconds = (Date.now() - begun) / 1000
    keepsake.child.kill('SIGTERM')
    assert.equal(await keepsake.exit(), 0, keepsake.said())
    return { ...(await verdict(grounds, data, tasks, accepted)), seconds, killed }
  } finally {
    stopped = true
    await cleanUp(
      () => {
        for (const pid of [keepsake?.child.pid, ...descendants(keepsake?.child.pid ?? 0)]) killAnyway(pid)
      },
      () => {
        for (const pid of processesIn(join(data, 'postgres'))) killAnyway(pid)
      },
      grounds.stop,
    )
  }
}

/** Looked at when nothing of Keepsake runs, on the database it left. */
async function verdict(grounds: Grounds, data: string, tasks: number, accepted: ReadonlyMap<string, string>) {
  const database = await startEmbedded(data, newLog('silent', 'test'))
  try {
    const rows = await grounds.query<{ task_id: string }>('select task_id from tasks')
    assert.deepEqual(rows.map(row => row.task_id).sort(), [...accepted.values()].sort(), 'what was accepted is there')
    assert.equal(rows.length, tasks, 'each key made one task')
    const failed = await grounds.query<{ code: string }>(
      `select error ->> 'code' as code from entries where status not in ('Succeeded', 'Skipped')`,
    )
    // A task that was in the hands of three workers when they were killed is given up: that is a rule, too.
    assert.deepEqual(
      [...new Set(failed.map(({ code }) => code))].filter(code => code !== 'worker_died'),
      [],
    )
    await assertOutcomes(grounds)
    await assertNothingLeft(grounds)
    return {
      failed: failed.length,
      repeatedUploads: grounds.destination.stored.length - grounds.destination.objects.size,
      repeatedCallbacks: grounds.receiver.received.length - tasks,
    }
  } finally {
    await database.stop()
  }
}

async function sendAll(
  grounds: Grounds,
  url: string,
  tasks: number,
  accepted: Map<string, string>,
  isOver: () => boolean,
): Promise<void> {
  const data = new Blob([new Uint8Array(await png(pattern(24, 16, 3)))])
  const waiting = Array.from({ length: tasks }, (_, index) => `task-${index}`)
  const sender = async (): Promise<void> => {
    for (let key = waiting.shift(); key && !isOver(); key = waiting.shift()) {
      // By the key, so that the same request is sent again.
      const extras = { rfid: [`g${Number(key.split('-')[1]) % GUESTS}`] }
      const answer = await sendTask(url, grounds.token, { configuration: 'park', data, extras, key })
      if (answer?.status === 202) accepted.set(key, answer.body.task_id)
      else {
        if (answer) assert.ok([409, 503].includes(answer.status), `${answer.status} ${JSON.stringify(answer.body)}`)
        waiting.push(key)
        await sleep(200)
      }
    }
  }
  await Promise.all(Array.from({ length: SENDERS }, sender))
}

async function ended({ query }: Grounds): Promise<number> {
  const rows = await query<{ count: number }>(
    'select count(*)::int as count from tasks where ended_at is not null',
  ).catch(() => [])
  return rows[0]?.count ?? 0
}

interface Tree {
  child: ChildProcess
  exit(): Promise<number | NodeJS.Signals>
  said(): string
}

async function start(env: Record<string, string>, folder: string): Promise<Tree> {
  const child = spawn(process.execPath, [join(root, 'src/main.ts')], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-100_000)))
  const ended = new Promise<number | NodeJS.Signals>(resolve =>
    child.once('exit', (code, signal) => resolve((code ?? signal) as number | NodeJS.Signals)),
  )
  await until('Keepsake is ready', () => {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`it ended: ${said}`)
    return said.includes('Keepsake is ready')
  }).catch(error => {
    for (const pid of [child.pid, ...descendants(child.pid ?? 0)]) killAnyway(pid)
    throw error
  })
  return { child, exit: () => soon('Keepsake has ended', ended), said: () => said }
}

async function killOne(keepsake: Tree, victim: Exclude<Victim, 'tree'>, data: string, url: string): Promise<void> {
  const supervisor = keepsake.child.pid ?? 0
  if (victim === 'postgres') {
    const pid = readPidFile(join(data, 'postgres'))?.pid
    if (pid) killAnyway(pid)
    return
  }
  const pid = await until(`there is a process to kill (${victim})`, async () => part(supervisor, victim))
  killAnyway(pid)
  if (victim === 'api') await until('the API answers again', async () => (await answers(url, '/healthz')) === 200)
}

/** As when the power goes: all at once, and started again as the machine would. */
async function killTree({ child, exit }: Tree, data: string, env: Record<string, string>, folder: string) {
  const postmaster = readPidFile(join(data, 'postgres'))?.pid
  for (const pid of [child.pid ?? 0, ...descendants(child.pid ?? 0), ...(postmaster ? [postmaster] : [])])
    killAnyway(pid)
  await exit()
  return start(env, folder)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await event('a port is free', server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await event('it is given back', server, 'close')
  return port
}
