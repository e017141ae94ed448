// 500 guests open their pages at once while the workers have a full queue, against a server that only sends files of the same bytes.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median, table } from './support/cpu.ts'
import { writePage } from './support/page.ts'
import { photo } from './support/photos.ts'
import { multipart, startService } from './support/service.ts'

const { values } = parseArgs({
  options: {
    guests: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '3' },
    write: { type: 'boolean', default: false },
  },
})
const GUESTS = Number(values.guests)
const ROUNDS = Number(values.rounds)
/** Different keepsakes among the guests. */
const KEEPSAKES = 100
const QUEUE = 400
const ANSWER_MS = 60_000

const data = await mkdtemp(join(tmpdir(), 'keepsake-bench-'))
const files = join(data, 'plain')
await mkdir(files)
const service = await startService(data)
const plain = spawn(process.execPath, [fileURLToPath(new URL('./support/plain-files.ts', import.meta.url)), files], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const plainUrl = String((await once(plain.stdout, 'data'))[0]).trim()

/** The times of the answers, in milliseconds, by what was asked for. */
type Times = Record<'page' | 'picture', number[]>

function ask(agent: Agent, url: string, whole = true): Promise<number> {
  const begun = performance.now()
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const asking = get(url, { agent, headers: { accept: 'text/html,*/*' } }, (answer: IncomingMessage) => {
    if (answer.statusCode !== 200)
      return reject(new Error(`${answer.statusCode} for ${new URL(url).pathname.slice(0, 4)}`))
    answer.once('data', () => {
      if (whole) return
      resolve(performance.now() - begun)
      answer.destroy()
    })
    answer.on('end', () => resolve(performance.now() - begun)).on('error', reject)
  })
  asking.on('error', reject).setTimeout(ANSWER_MS, () => asking.destroy(new Error('no answer')))
  return promise
}

interface Addresses {
  page: string
  more: string[]
  picture: string
  events: string | null
}

/** As many as there are guests, all at once, each with connections of its own. */
async function crowd(addresses: (at: number) => Addresses): Promise<{ times: Times; ms: number }> {
  const times: Times = { page: [], picture: [] }
  const begun = performance.now()
  await Promise.all(
    Array.from({ length: GUESTS }, async (_, at) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 3 })
      const { page, more, picture, events } = addresses(at)
      times.page.push(await ask(agent, page))
      const [shown] = await Promise.all([ask(agent, picture), ...more.map(each => ask(agent, each))])
      times.picture.push(shown)
      if (events) await ask(agent, events, false)
      agent.destroy()
    }),
  )
  return { times, ms: performance.now() - begun }
}

const p95 = (list: readonly number[]): number => list.toSorted((a, b) => a - b)[Math.floor(list.length * 0.95)] ?? 0

try {
  await service.make('/api/configuration/', {
    configuration_name: 'turn',
    experience_id: 'bench',
    adapter_name: 'photo_flip',
    adapter_config: { auth: {}, defaults: { method: 'ROTATE_180' } },
  })
  await service.change('/api/experience/bench/', { guest_page: { enabled: true } })
  const body = multipart({ configuration_name: 'turn' }, await photo(1632, 1224).jpeg({ quality: 90 }).toBuffer())
  const post = async (): Promise<{ task_id: string; guest_url: string }> => {
    const { status, text } = await service.ask('/api/task/', body)
    if (status !== 202) throw new Error(text)
    return JSON.parse(text)
  }
  const tasks: Awaited<ReturnType<typeof post>>[] = []
  for (let at = 0; at < KEEPSAKES; at++) tasks.push(await post())
  for (const { task_id } of tasks)
    while (!(await service.ask(`/api/task/${task_id}/`)).text.includes('"Succeeded"'))
      await new Promise(resolve => setTimeout(resolve, 100))
  const pages = tasks.map(({ guest_url }) => `${service.url}${new URL(guest_url).pathname}`)
  // The first look makes each picture; an event has had its first guests.
  for (const page of pages) await (await fetch(`${page}/file/0?size=1280`)).arrayBuffer()
  const own = (at: number): Addresses => {
    const page = pages[at % KEEPSAKES] ?? ''
    const more = [`${service.url}/k/page.css`, `${service.url}/k/page.js`]
    return { page, more, picture: `${page}/file/0?size=1280`, events: `${page}/events` }
  }
  for (const [name, url] of Object.entries({
    page: pages[0],
    picture: `${pages[0]}/file/0?size=1280`,
    css: `${service.url}/k/page.css`,
    js: `${service.url}/k/page.js`,
  }))
    await writeFile(
      join(files, name),
      Buffer.from(await (await fetch(url ?? '', { headers: { accept: 'text/html,*/*' } })).arrayBuffer()),
    )
  const bare = (): Addresses => ({
    page: `${plainUrl}/page`,
    more: [`${plainUrl}/css`, `${plainUrl}/js`],
    picture: `${plainUrl}/picture`,
    events: null,
  })
  const withoutEvents = (at: number): Addresses => ({ ...own(at), events: null })

  let over = false
  const queued = async (): Promise<number> => {
    const { text } = await service.ask('/api/task/?status=Waiting&limit=100')
    return (JSON.parse(text) as { items: unknown[] }).items.length
  }
  const filling = (async () => {
    for (let at = 0; at < QUEUE; at++) await post()
    while (!over) {
      if ((await queued()) < 100) for (let at = 0; at < 50; at++) await post()
      else await new Promise(resolve => setTimeout(resolve, 200))
    }
  })()
  const ratios: Record<'files' | 'page' | 'picture' | 'events', number[]> = {
    files: [],
    page: [],
    picture: [],
    events: [],
  }
  for (let round = 0; round <= ROUNDS; round++) {
    const alone = await crowd(bare)
    const served = await crowd(withoutEvents)
    const followed = await crowd(own)
    if (round === 0) continue
    ratios.files.push(served.ms / alone.ms)
    ratios.events.push(followed.ms / alone.ms)
    for (const what of ['page', 'picture'] as const) ratios[what].push(p95(served.times[what]) / p95(alone.times[what]))
    const ms = [alone, served, followed].map(each => `${each.ms.toFixed(0)} ms`)
    console.error(
      `round ${round}: plain ${ms[0]}, served ${ms[1]}, with events ${ms[2]}; ${await queued()} or more tasks wait`,
    )
  }
  over = true
  await filling
  const text = table([
    {
      what: `${GUESTS} guests at once: time of all pages, styles, scripts and pictures, against plain files of the same bytes`,
      value: median(ratios.files),
      goal: 2,
    },
    { what: 'their pages (95 %), against those of plain files', value: median(ratios.page), goal: 2 },
    { what: 'their pictures of 1280 pixels (95 %), the same', value: median(ratios.picture), goal: 2 },
    {
      what: 'the same crowd, each guest also with the first event of the page, against the plain files alone',
      value: median(ratios.events),
      goal: 3,
    },
  ])
  console.log(text)
  if (values.write) writePage('guests', text)
} finally {
  plain.kill()
  await service.stop()
  await rm(data, { recursive: true, force: true })
}
