// What the service costs around the pixels: throughput and latency of photo tasks against a bare loop of sharp.
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import sharp from 'sharp'
import { median, table } from './support/cpu.ts'
import { frame, photo } from './support/photos.ts'
import { multipart, startReceiver, startService } from './support/service.ts'

const TASKS = Number(process.argv[2] ?? 200)
const ROUNDS = 3
const AT_ONCE = availableParallelism() * 2

sharp.concurrency(1)
sharp.cache(false)

type Pass = () => Promise<unknown>

async function bareLoop(pass: Pass, count: number): Promise<number> {
  const begun = performance.now()
  let left = count
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) await pass()
    }),
  )
  return performance.now() - begun
}

/** Waiting for a processor ourselves would be counted as the service's. Needs root; without, the figures are higher. */
function comeFirst(): void {
  try {
    setPriority(-10)
  } catch {
    console.error('not root: this process waits for the processor as all others do')
  }
}

const data = await mkdtemp(join(tmpdir(), 'keepsake-bench-'))
const receiver = await startReceiver()
const service = await startService(data)
comeFirst()
try {
  const single = (configuration_name: string, adapter_name: string, defaults: object) =>
    service.make('/api/configuration/', {
      configuration_name,
      experience_id: 'bench',
      adapter_name,
      adapter_config: { auth: {}, defaults },
      webhook_url: receiver.url,
    })
  const [width, height] = [1280, 960]
  const overlay = await frame(width, height)
  const asset = multipart({ experience_id: 'bench', name: 'frame.png' }, overlay, 'file')
  const sent = await service.ask('/api/asset/', asset)
  if (sent.status !== 201) throw new Error(sent.text)
  await single('flip', 'photo_flip', { method: 'ROTATE_180' })
  await single('smaller', 'photo_resize', { width, height })
  await single('framed', 'photo_add_overlay', { overlay_file_name: 'frame.png' })
  await service.make('/api/configuration/', {
    configuration_name: 'chain',
    experience_id: 'bench',
    call_chain: [
      ['flip', null],
      ['smaller', 0],
      ['framed', 1],
    ],
    webhook_url: receiver.url,
  })

  interface Job {
    name: string
    body: Buffer
    /** The same pixels without a service. */
    bare: Pass
  }
  const job = (name: string, configuration_name: string, bytes: Buffer, bare: Pass): Job => ({
    name,
    body: multipart({ configuration_name }, bytes),
    bare,
  })
  // The edges of the first lie between two blocks of the JPEG, so it has to be decoded; the second can be turned as it is.
  const odd = await photo(1632, 1224).jpeg({ quality: 90 }).toBuffer()
  const even = await photo(1600, 1200).jpeg({ quality: 90 }).toBuffer()
  const turning = (bytes: Buffer) => () => sharp(bytes).rotate(180).jpeg({ quality: 90 }).toBuffer()
  const jobs = {
    turned: job('1600 x 1200 turned', 'flip', even, turning(even)),
    decoded: job('1632 x 1224 turned', 'flip', odd, turning(odd)),
    chained: job('1632 x 1224 turned, resized, framed', 'chain', odd, () =>
      sharp(odd)
        .rotate(180)
        .resize(width, height)
        .composite([{ input: overlay }])
        .jpeg({ quality: 90 })
        .toBuffer(),
    ),
  }
  const post = async ({ body }: Job): Promise<string> => {
    const { status, text } = await service.ask('/api/task/', body)
    if (status !== 202) throw new Error(text)
    return (JSON.parse(text) as { task_id: string }).task_id
  }
  const waits: number[] = []
  /** How long a small request waits while both cores are busy. */
  function watch(into: number[], taskId: string) {
    let over = false
    const asking = (async () => {
      while (!over) {
        const begun = performance.now()
        await service.ask(`/api/task/${taskId}/`)
        into.push(performance.now() - begun)
        await sleep(20)
      }
    })()
    return {
      async stop() {
        over = true
        await asking
      },
    }
  }
  const throughService = async (job: Job, count: number): Promise<number> => {
    receiver.reset()
    const begun = performance.now()
    let left = count
    await Promise.all(
      Array.from({ length: 24 }, async () => {
        while (left-- > 0) await post(job)
      }),
    )
    const watching = watch(waits, await post(job))
    await receiver.waitFor(count + 1)
    await watching.stop()
    return performance.now() - begun
  }
  async function timeOf(job: Job): Promise<number> {
    await throughService(job, TASKS)
    await bareLoop(job.bare, TASKS)
    waits.length = 0
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const served = await throughService(job, TASKS)
      const alone = await bareLoop(job.bare, TASKS)
      times.push(served / alone)
      const rate = (ms: number): string => ((TASKS / ms) * 1000).toFixed(1)
      console.error(`${job.name}, round ${round + 1}: ${rate(served)} tasks/s served, ${rate(alone)} alone`)
    }
    return median(times)
  }
  const chained = await timeOf(jobs.chained)
  const turned = await timeOf(jobs.turned)
  const decoded = await timeOf(jobs.decoded)
  const overheads: number[] = []
  for (let i = 0; i < 30; i++) {
    receiver.reset()
    const begun = performance.now()
    await post(jobs.decoded)
    await receiver.waitFor(1)
    const served = performance.now() - begun
    const start = performance.now()
    await jobs.decoded.bare()
    overheads.push(served - (performance.now() - start))
  }
  console.log(
    table([
      {
        what: `${TASKS} photos (2 MP) turned, resized and framed, callbacks received, against a bare loop of sharp (time)`,
        value: chained,
        goal: 1.11,
      },
      {
        what: 'the same, only turned (1600 × 1200, which needs no decoding)',
        value: turned,
        goal: 1.11,
      },
      {
        what: 'the same, only turned (1632 × 1224, which has to be decoded)',
        value: decoded,
        goal: 1.11,
      },
      {
        what: 'one task on an idle service, POST to callback received, minus the bare sharp time',
        value: median(overheads),
        goal: 8,
        unit: ' ms',
      },
      {
        what: 'a request to the API while tasks keep every core busy (99 %)',
        value: waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? 0,
        goal: 10,
        unit: ' ms',
      },
    ]),
  )
} finally {
  await service.stop()
  receiver.stop()
  await rm(data, { recursive: true, force: true })
}
