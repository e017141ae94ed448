// A deployment made of killable processes, and what must be true of it from outside once the dust has settled.
import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { newToken } from '#kit/secret/secrets.ts'
import { type Destination, startDestination } from './chaos-destination.ts'
import { leftBehind } from './chaos-left.ts'
import { type Part, startPart } from './chaos-process.ts'
import { cleanUp, startOrCleanUp } from './clean-up.ts'
import { type Client, newClient } from './client.ts'
import { type Answer, type Receiver, startReceiver } from './https-receiver.ts'
import { bringTools } from './known-tools.ts'
import { BOUNDARY, multipart } from './multipart.ts'
import { testDatabase } from './postgres.ts'
import { until, WAIT_MS } from './until.ts'

export interface Grounds {
  folder: string
  token: string
  databaseUrl(): string
  destination: Destination
  receiver: Receiver
  /** What the processes are started with. */
  env: Record<string, string>
  query<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>
  /** `project`: whose code it runs. */
  start(part: 'api' | 'worker', env?: Record<string, string>, project?: string): Promise<Part>
  client(url: string): Client
  stop(): Promise<void>
}

export interface GroundsOptions {
  /** Where the database is now, instead of one of the test server's. */
  databaseUrl?: () => string
  folder?: string
  env?: Record<string, string>
  answer?: Answer
}

const patience = { connectionTimeoutMillis: 10_000, query_timeout: 30_000 }

/** A database, a folder, a destination and a receiver; processes are started on them as the test likes. */
export async function newGrounds({ databaseUrl, folder, env = {}, answer }: GroundsOptions = {}): Promise<Grounds> {
  const own = folder ?? mkdtempSync(join(tmpdir(), 'keepsake-chaos-'))
  bringTools(own)
  const { database, destination, receiver } = await startOrCleanUp(async later => {
    const database = databaseUrl ? null : await testDatabase()
    later(() => database?.drop())
    const destination = await startDestination()
    later(destination.stop)
    return { database, destination, receiver: await startReceiver(answer ? { answer } : {}) }
  })
  const address = databaseUrl ?? (() => database?.url ?? '')
  // Waits look every few milliseconds, and to sign in takes far longer than to look.
  const pool = database && new pg.Pool({ connectionString: database.url, max: 2, ...patience })
  pool?.on('error', () => {})
  const token = newToken()
  const parts: Part[] = []
  const all: Record<string, string> = {
    KEEPSAKE_DATA: own,
    ...(database ? { DATABASE_URL: database.url } : {}),
    KEEPSAKE_ADMIN_TOKEN: token,
    KEEPSAKE_SECRET_KEY: Buffer.alloc(32, 5).toString('base64'),
    KEEPSAKE_ALLOW_HOSTS: '127.0.0.1',
    KEEPSAKE_CALLBACK_DELAYS: Array.from({ length: 60 }, () => '0.2').join(),
    KEEPSAKE_LOG_LEVEL: 'warn',
    ...env,
  }
  return {
    folder: own,
    token,
    databaseUrl: address,
    destination,
    receiver,
    env: all,
    async query<Row extends object>(text: string, values: unknown[] = []) {
      if (pool) return (await pool.query(text, values)).rows as Row[]
      // A connection each time: the database may have moved since.
      const client = new pg.Client({ connectionString: address(), ...patience })
      client.on('error', () => {})
      try {
        await client.connect()
        return (await client.query(text, values)).rows as Row[]
      } finally {
        await client.end().catch(() => {})
      }
    },
    async start(part, more = {}, project) {
      const started = await startPart(part, { ...all, ...more }, project)
      parts.push(started)
      return started
    },
    client: url => newClient({ url, token, ...(all.KEEPSAKE_ADAPTERS ? {} : { adapters: 'built-in' }) }),
    async stop() {
      for (const part of parts) part.kill('SIGKILL')
      await cleanUp(
        ...parts.map(part => part.exit),
        destination.stop,
        receiver.stop,
        () => pool?.end(),
        () => database?.drop(),
        () => folder || rm(own, { recursive: true, force: true, maxRetries: 5 }),
      )
    },
  }
}

/** The configurations every chaos test runs: flip a picture, put it into the store, tell the receiver, note it for the guest. */
export async function configure(
  { destination, receiver }: Grounds,
  client: Client,
  experience = 'park',
): Promise<void> {
  const webhook_url = `${receiver.url}/hook`
  const activity = { experience_id: experience, activity_type: 'content-generation', payload: { object_id: 'ride-1' } }
  const store = {
    experience_id: experience,
    adapter_name: 's3_upload',
    adapter_config: {
      auth: { access_key: 'chaos', secret_key: 'chaos-secret-key' },
      defaults: {
        bucket_name: 'souvenirs',
        bucket_url: destination.url,
        delivery_attempts: 50,
        delivery_backoff: 0.1,
      },
    },
    activity_config: activity,
    webhook_url,
  }
  const flip = { adapter_name: 'photo_flip', adapter_config: { auth: {}, defaults: { method: 'ROTATE_180' } } }
  for (const configuration of [
    { configuration_name: `${experience}-store`, ...store },
    { configuration_name: `${experience}-flip`, experience_id: experience, ...flip },
    {
      configuration_name: `${experience}-frame`,
      experience_id: experience,
      adapter_name: 'photo_add_overlay',
      adapter_config: {},
    },
    {
      configuration_name: `${experience}-framed`,
      experience_id: experience,
      call_chain: [
        [`${experience}-frame`, null],
        [`${experience}-store`, 0],
      ],
      webhook_url,
    },
    {
      configuration_name: experience,
      experience_id: experience,
      call_chain: [
        [`${experience}-flip`, null],
        [`${experience}-store`, 0],
      ],
      webhook_url,
    },
  ]) {
    const { status, body } = await client.post('/api/configuration/', configuration)
    assert.equal(status, 201, JSON.stringify(body))
  }
}

export interface Sent {
  configuration: string
  extras?: object
  /** A large file is better a buffer. */
  data?: Blob | Buffer
  data_url?: string
  /** In place of assets, by parameter. */
  files?: Record<string, Blob[]>
  key?: string
}

/** Sends a task; answers null when the connection broke. */
export async function sendTask(
  url: string,
  token: string,
  { key, ...sent }: Sent,
): Promise<{ status: number; retryAfter: string | null; body: { task_id: string; code?: string } } | null> {
  const { body, headers } = formOf(sent)
  try {
    const response = await fetch(`${url}/api/task/`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${token}`, ...headers, ...(key ? { 'idempotency-key': key } : {}) },
      signal: AbortSignal.timeout(60_000),
    })
    const answer = (await response.json()) as { task_id: string; code?: string }
    return { status: response.status, retryAfter: response.headers.get('retry-after'), body: answer }
  } catch {
    return null
  }
}

/** `fetch` copies the bytes of a blob five times, which large files feel. */
function formOf({ configuration, extras, data, data_url, files = {} }: Omit<Sent, 'key'>) {
  const fields: Record<string, string> = {
    configuration_name: configuration,
    ...(extras && { extras: JSON.stringify(extras) }),
    ...(data_url && { data_url }),
  }
  if (Buffer.isBuffer(data)) {
    const parts = Object.entries(fields).map(([name, body]) => ({ name, body }))
    const body = multipart([...parts, { name: 'data', body: data, fileName: 'blob' }])
    return { body, headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` } }
  }
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  if (data) form.append('data', data)
  for (const [parameter, list] of Object.entries(files)) for (const file of list) form.append(`${parameter}_data`, file)
  return { body: form, headers: {} }
}

export interface TaskFacts {
  task_id: string
  status: string
  run: number
}

export const tasksIn = ({ query }: Grounds): Promise<TaskFacts[]> => query('select task_id, status, run from tasks')

/** Waits until every task has ended and every callback has been delivered. */
export async function settled(grounds: Grounds, waitMs = WAIT_MS): Promise<void> {
  await until(
    'all tasks have ended and all callbacks are delivered',
    async () => {
      const [row] = await grounds
        .query<{ open: number }>(
          `select (select count(*)::int from tasks where ended_at is null) + (select count(*)::int from callbacks where status = 'Waiting') as open`,
        )
        .catch(() => []) // The database itself may be away just now.
      return row?.open === 0
    },
    waitMs,
  ).catch(async error => {
    throw new Error(`${error.message}: ${JSON.stringify(await unsettled(grounds))}`)
  })
}

const unsettled = ({ query }: Grounds): Promise<object[]> =>
  query(
    `select t.task_id, t.status, t.run, t.claim, t.rescues, t.worker_id, t.job_id, t.cancel_requested, j.state as job, c.status as callback,
       c.worker_id as callback_worker, cj.state as callback_job,
       (select json_agg(json_build_array(e.index, e.status, e.attempts, e.deaths, e.retry_at, e.error)) from chains join entries e using (chain_id) where chains.task_id = t.task_id) as entries
     from tasks t left join pgboss.job j on j.id = t.job_id left join callbacks c using (task_id) left join pgboss.job cj on cj.id = c.job_id
     where t.ended_at is null or c.status = 'Waiting' limit 5`,
  )

/** I2 to I5 and I7, for all tasks there are. `activities`: how many each succeeded task must have made. */
export async function assertOutcomes(grounds: Grounds, activities = 1): Promise<void> {
  const { query, receiver, destination } = grounds
  const tasks = await tasksIn(grounds)
  const callbacks = await query<{ callback_id: string; task_id: string; run: number; status: string; body: string }>(
    'select callback_id, task_id, run, status, body from callbacks',
  )
  const made = await query<{ task_id: string; count: number; payload: { task_id: string } }>(
    'select task_id, count(*)::int as count from activities group by task_id',
  )
  for (const { task_id, status, run } of tasks) {
    assert.match(status, /^(Succeeded|Failed|Cancelled)$/, `${task_id} has a final state`)
    const own = callbacks.filter(callback => callback.task_id === task_id)
    assert.deepEqual(
      own.map(callback => callback.run).sort(),
      Array.from({ length: run }, (_, index) => index + 1),
      `${task_id} has one callback a run`,
    )
    for (const callback of own) assert.equal(callback.status, 'Delivered')
    const keys = [...destination.objects.keys()].filter(key => key.includes(task_id))
    const contents = new Set(destination.stored.filter(({ key }) => key.includes(task_id)).map(each => each.sha256))
    if (status !== 'Succeeded') continue
    assert.equal(keys.length, 1, `${task_id} has one object at the destination, not ${keys}`)
    assert.equal(contents.size, 1, `${task_id} was always delivered with the same bytes`)
    assert.equal(made.find(each => each.task_id === task_id)?.count ?? 0, activities, `${task_id} has its activities`)
  }
  const bodies = new Map(callbacks.map(({ callback_id, body }) => [callback_id, body]))
  const arrived = new Set<string>()
  for (const { headers, body } of receiver.received) {
    const id = String(headers['webhook-id'])
    assert.equal(body.toString(), bodies.get(id), `what came as ${id} is the frozen body`)
    arrived.add(id)
  }
  assert.equal(arrived.size, callbacks.length, 'every callback came, and none that is not listed')
}

/** I8: call it when nothing is at work. `workers`: how many run and wait for work. */
export async function assertNothingLeft({ query, folder, databaseUrl, env }: Grounds, workers = 0): Promise<void> {
  const blobs = join(folder, 'blobs')
  const { workers: there, ...left } = await leftBehind({
    query,
    databaseUrl: databaseUrl(),
    env,
    folders: [folder],
    blobs,
  })
  for (const [what, things] of Object.entries(left)) assert.deepEqual(things, [], `there are ${what}`)
  assert.equal(there.length, workers, 'each row of a worker is one that runs')
}
