// How much memory the worker takes, its media children included, for twenty photos of 48 MP that arrive at once.
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { type Row, table } from './support/cpu.ts'
import { photo } from './support/photos.ts'
import { multipart, startReceiver, startService } from './support/service.ts'

const PHOTOS = 20
const GOAL_MIB = 1536
const EVERY_MS = 100

/** Those that a process has started, and theirs. */
function below(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
    return children.map(Number).flatMap(child => [child, ...below(child)])
  } catch {
    return []
  }
}

const isWorker = (pid: number): boolean => readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('keepsake worker')

/** Resident memory of the worker and all that it started; pages that they share count once. */
const memoryMiB = (worker: number): number =>
  [worker, ...below(worker)].reduce((sum, pid) => sum + proportionalKiB(pid), 0) / 1024

function proportionalKiB(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

const data = await mkdtemp(join(tmpdir(), 'keepsake-bench-'))
const receiver = await startReceiver()
const service = await startService(data)
try {
  const single = (configuration_name: string, adapter_name: string, defaults: object) => ({
    configuration_name,
    experience_id: 'bench',
    adapter_name,
    adapter_config: { auth: {}, defaults },
  })
  const chain = (configuration_name: string, names: string[]) => ({
    configuration_name,
    experience_id: 'bench',
    call_chain: names.map((name, index) => [name, index === 0 ? null : index - 1]),
    webhook_url: receiver.url,
  })
  // Translucent all over, so that nothing of it can be left out.
  const frame = await sharp({
    create: { width: 8000, height: 6000, channels: 4, background: { r: 200, g: 40, b: 90, alpha: 0.4 } },
  })
    .png()
    .toBuffer()
  const sent = await service.ask('/api/asset/', multipart({ experience_id: 'bench', name: 'frame.png' }, frame, 'file'))
  if (sent.status !== 201) throw new Error(sent.text)
  await service.make('/api/configuration/', single('turn', 'photo_flip', { method: 'ROTATE_90' }))
  await service.make('/api/configuration/', single('smaller', 'photo_resize', { width: 1600 }))
  await service.make('/api/configuration/', single('framed', 'photo_add_overlay', { overlay_file_name: 'frame.png' }))
  await service.make('/api/configuration/', chain('small', ['turn', 'smaller', 'framed']))
  await service.make('/api/configuration/', chain('whole', ['turn', 'framed']))
  const bytes = await photo(8000, 6000).jpeg({ quality: 90 }).toBuffer()

  const worker = below(service.pid).find(isWorker) ?? 0

  async function peak(configuration_name: string): Promise<number> {
    let highest = 0
    const watching = setInterval(() => {
      highest = Math.max(highest, memoryMiB(worker))
    }, EVERY_MS)
    receiver.reset()
    const begun = performance.now()
    const body = multipart({ configuration_name }, bytes)
    const answers = await Promise.all(Array.from({ length: PHOTOS }, () => service.ask('/api/task/', body)))
    for (const { status, text } of answers) if (status !== 202) throw new Error(text)
    await receiver.waitFor(PHOTOS)
    clearInterval(watching)
    const failed = await service.ask('/api/task/?status=Failed')
    if (!failed.text.startsWith('{"items":[]')) throw new Error(failed.text.slice(0, 500))
    console.error(`${configuration_name}: ${((performance.now() - begun) / 1000).toFixed(1)} s`)
    return highest
  }

  const rows: Row[] = []
  for (const [what, name] of [
    ['turned, made smaller, with an overlay', 'small'],
    ['turned, with an overlay of full size', 'whole'],
  ] as const)
    rows.push({
      what: `${PHOTOS} photos of 48 MP at once, ${what}`,
      value: await peak(name),
      goal: GOAL_MIB,
      unit: ' MiB',
    })
  console.log(table(rows))
} finally {
  await service.stop()
  receiver.stop()
  await rm(data, { recursive: true, force: true })
}
