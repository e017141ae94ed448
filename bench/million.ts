// Whether a million finished tasks slow the API down: POST, GET and lists on a full and on an empty database, in turn.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import sharp from 'sharp'
import { migrate } from '#db/migrate.ts'
import { newLog } from '#kit/log.ts'
import { loadSettings } from '#kit/settings.ts'
import { startEmbedded } from '#postgres/embedded.ts'
import { runApi } from '../src/app.ts'
import { median, table } from './support/cpu.ts'

const TASKS = Number(process.argv[2] ?? 1_000_000)
const ROUNDS = 60
const TOKEN = 'the-token-of-the-benchmarks'

const folder = await mkdtemp(join(tmpdir(), 'keepsake-million-'))
const postgres = await startEmbedded(folder, newLog('warn', 'bench'), { throwaway: true })

async function database(name: string): Promise<string> {
  const url = new URL(postgres.url)
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  url.pathname = `/${name}`
  await migrate(url.href)
  return url.href
}

/** Finished tasks of 50 experiences and 20 configurations over 90 days, each with a chain, an entry, a callback and an activity. */
async function fill(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await using _end = { [Symbol.asyncDispose]: () => client.end() }
  const begun = performance.now()
  const id = (salt: string) => `md5('${salt}' || n)::uuid`
  const at = `now() - (n * interval '7 seconds')`
  await client.query(
    `insert into profiles select ${id('p')}, null, '{}'::json, ${at}, ${at} from generate_series(1, 10000) n`,
  )
  await client.query(`insert into snapshots values ('s', '{"entries":[]}', now())`)
  await client.query(`insert into tasks (task_id, flow_id, is_group, configuration, experience_id, status, lane, warnings, created_at, started_at, ended_at)
    select ${id('t')}, ${id('f')}, false, 'configuration ' || n % 20, 'experience ' || n % 50, case when n % 40 = 0 then 'Failed' else 'Succeeded' end, 'picture', '[]'::json, ${at}, ${at}, ${at}
    from generate_series(1, ${TASKS}) n`)
  await client.query(
    `insert into chains select ${id('c')}, ${id('t')}, 0, 'configuration ' || n % 20, 's', 'Succeeded', '{}'::json, '{"file":{"blob":"x"}}'::json, '{}'::json from generate_series(1, ${TASKS}) n`,
  )
  await client.query(
    `insert into entries (chain_id, index, configuration, adapter_name, status, progress, result) select ${id('c')}, 0, 'configuration ' || n % 20, 'photo_flip', 'Succeeded', 1, '{"success":true}'::json from generate_series(1, ${TASKS}) n`,
  )
  await client.query(
    `insert into activities select ${id('a')}, ${id('t')}, ${id('c')}, 0, md5('p' || (1 + n % 10000))::uuid, 'experience ' || n % 50, 'photo', ${id('f')}, '{}'::json, ${at} from generate_series(1, ${TASKS}) n`,
  )
  await client.query(
    `insert into callbacks (callback_id, task_id, run, experience_id, url, receiver, body, status, attempt_count, created_at, updated_at) select ${id('k')}, ${id('t')}, 1, 'experience ' || n % 50, 'https://example.org', 'example.org', '{}', 'Delivered', 1, ${at}, ${at} from generate_series(1, ${TASKS}) n`,
  )
  await client.query('vacuum analyze')
  console.error(`filled with ${TASKS} tasks in ${((performance.now() - begun) / 1000).toFixed(0)} s`)
}

async function start(url: string, name: string) {
  const data = join(folder, name)
  const settings = {
    ...loadSettings({}, join(folder, '.env')),
    data,
    port: 0,
    databaseUrl: url,
    adminToken: TOKEN,
    logLevel: 'silent' as const,
  }
  const api = await runApi(settings)
  const headers = { authorization: `Bearer ${TOKEN}` }
  const configuration = {
    configuration_name: 'flip',
    experience_id: 'experience 1',
    adapter_name: 'photo_flip',
    adapter_config: { auth: {}, defaults: { method: 'ROTATE_180' } },
  }
  await fetch(`${api.url}/api/configuration/`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(configuration),
  })
  return { ...api, headers }
}

const picture = new Blob([
  new Uint8Array(
    await sharp({ create: { width: 16, height: 16, channels: 3, background: 'red' } })
      .png()
      .toBuffer(),
  ),
])

try {
  const [emptyUrl, fullUrl] = [await database('none'), await database('many')]
  await fill(fullUrl)
  const services = { empty: await start(emptyUrl, 'a'), full: await start(fullUrl, 'b') }
  let taskId = ''
  const requests: Record<string, (service: (typeof services)['empty']) => Promise<Response>> = {
    'POST a task': async ({ url, headers }) => {
      const form = new FormData()
      form.append('configuration_name', 'flip')
      form.append('data', picture)
      const response = await fetch(`${url}/api/task/`, { method: 'POST', headers, body: form })
      taskId = ((await response.clone().json()) as { task_id: string }).task_id
      return response
    },
    'GET a task': ({ url, headers }) => fetch(`${url}/api/task/${taskId}/`, { headers }),
    'list tasks': ({ url, headers }) => fetch(`${url}/api/task/?limit=20`, { headers }),
    'list tasks of an experience by state': ({ url, headers }) =>
      fetch(`${url}/api/task/?limit=20&status=Waiting&experience_id=experience%201`, { headers }),
    'list callbacks': ({ url, headers }) => fetch(`${url}/api/callback/?limit=20&status=Waiting`, { headers }),
  }
  const ratios: Record<string, number[]> = {}
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, ask] of Object.entries(requests)) {
      const took: number[] = []
      for (const service of [services.empty, services.full]) {
        if (name === 'GET a task') await requests['POST a task']?.(service)
        const begun = performance.now()
        const response = await ask(service)
        await response.arrayBuffer()
        if (!response.ok) throw new Error(`${name}: ${response.status}`)
        took.push(performance.now() - begun)
      }
      if (round >= 10) ratios[name] = [...(ratios[name] ?? []), (took[1] as number) / (took[0] as number)]
    }
  }
  console.log(
    table(
      Object.entries(ratios).map(([name, values]) => ({
        what: `${name}: ${TASKS.toLocaleString('en')} tasks against none`,
        value: median(values),
        goal: 1.2,
      })),
    ),
  )
  await Promise.all(Object.values(services).map(service => service.drain()))
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}
