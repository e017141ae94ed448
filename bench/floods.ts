// A photo of one experience beside the floods of another, in turn with the quiet service.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { median, ratio } from './support/cpu.ts'
import { newCrowd, startTargets } from './support/crowd.ts'
import { type Flood, newFloods, type Wanted } from './support/floods.ts'
import { writePage } from './support/page.ts'
import { photo } from './support/photos.ts'
import { multipart, startService } from './support/service.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    only: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
})
const ROUNDS = Number(values.rounds)
const GOAL = 3

const data = await mkdtemp(join(tmpdir(), 'keepsake-bench-'))
const service = await startService(data)
const targets = await startTargets()
const bytes = await photo(1632, 1224).jpeg({ quality: 90 }).toBuffer()

type Times = Partial<Record<Wanted, number>>

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

/** From the request to the end of the task, which must succeed. */
async function sendPhoto(): Promise<string> {
  const { status, text } = await service.ask('/api/task/', multipart({ configuration_name: 'guest-turn' }, bytes))
  if (status !== 202) throw new Error(text)
  const { task_id, guest_url } = JSON.parse(text) as { task_id: string; guest_url: string }
  await service.ask(`/api/task/${task_id}/events/`)
  const task = await service.ask(`/api/task/${task_id}/`)
  if (JSON.parse(task.text).status !== 'Succeeded') throw new Error(`The photo did not succeed: ${task.text}`)
  return new URL(guest_url).pathname
}

async function answered(path: string, body?: Buffer): Promise<void> {
  const { status, text } = await service.ask(path, body)
  if (status !== 200) throw new Error(`${status} ${text.slice(0, 1_000)}`)
}

async function measured(wanted: readonly Wanted[]): Promise<Times> {
  let page = ''
  const asks: Record<Wanted, () => Promise<void>> = {
    async photo() {
      page = await sendPhoto()
    },
    preview: () => answered('/api/configuration/guest-turn/preview/', multipart({}, bytes)),
    picture: () => answered(`${page}/file/0?size=1280`),
  }
  const times: Times = {}
  for (const each of wanted) times[each] = await timed(asks[each])
  return times
}

/** Rows of the table: the quiet service and the flood in turn. */
async function held({ what, wanted, begin }: Flood): Promise<string[]> {
  const rounds: { alone: Times; beside: Times; left: number }[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const alone = await measured(wanted)
    const flood = await begin()
    try {
      const beside = await measured(wanted)
      // The first round only warms up.
      if (round > 0) rounds.push({ alone, beside, left: await flood.left() })
    } finally {
      await flood.end()
    }
  }
  const left = median(rounds.map(each => each.left))
  return wanted.map(each => {
    const [alone, beside] = (['alone', 'beside'] as const).map(which =>
      rounds.map(round => round[which][each] ?? 0),
    ) as [number[], number[]]
    const value = ratio(beside, alone)
    const ms = [alone, beside].map(list => `${median(list).toFixed(0)} ms`)
    return `| ${what} | ${each} | ${ms.join(' | ')} | ${left} | ${value.toFixed(2)} | ≤ ${GOAL} | ${value <= GOAL ? 'yes' : '**no**'} |`
  })
}

try {
  await service.make('/api/configuration/', {
    configuration_name: 'guest-turn',
    experience_id: 'guest',
    adapter_name: 'photo_flip',
    adapter_config: { auth: {}, defaults: { method: 'ROTATE_180' } },
  })
  await service.change('/api/experience/guest/', { guest_page: { enabled: true } })
  const rows = [
    '| flood of another experience | wanted | alone | beside it | not over then | ratio | goal | met |',
    '|---|---|---|---|---|---|---|---|',
  ]
  for (const flood of await newFloods(await newCrowd(service, targets), service.url, targets)) {
    if (!flood.what.includes(values.only)) continue
    console.error(flood.what)
    rows.push(...(await held(flood)))
  }
  console.log(rows.join('\n'))
  if (values.write) writePage('floods', rows.join('\n'))
} finally {
  targets.stop()
  await service.stop()
  await rm(data, { recursive: true, force: true })
}
