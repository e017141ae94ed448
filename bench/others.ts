// Keepsake against what one would build instead, on BullMQ or graphile-worker with sharp: npm run bench -- others [--rounds N] [--tasks N] [--kills N] [--crowd N] [--at-once N] [--only NAME,NAME] [--write]
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { keepsakeOn } from './others/keepsake.ts'
import { install } from './others/packages.ts'
import { startReceiver } from './others/receiver.ts'
import { type Results, report } from './others/report.ts'
import { requireRedis } from './others/servers.ts'
import { bullmqOn, graphileOn, pictures, type Running, type System } from './others/systems.ts'
import { crowded, disturbed, latency, throughput } from './others/trials.ts'
import { first } from './support/first.ts'
import { writePage } from './support/page.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    tasks: { type: 'string', default: '200' },
    kills: { type: 'string', default: '2' },
    crowd: { type: 'string', default: '10000' },
    // As Keepsake does it: while one photo is read or written, the processor has another.
    'at-once': { type: 'string', default: String(availableParallelism() * 2) },
    only: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
})
function whole(name: 'rounds' | 'tasks' | 'kills' | 'crowd' | 'at-once'): number {
  const value = Number(values[name])
  if (Number.isSafeInteger(value) && value > 0) return value
  console.error(`--${name} must be a whole number above 0`)
  process.exit(2)
}
const [rounds, tasks, kills] = [whole('rounds'), whole('tasks'), whole('kills')]
const [crowd, photosAtOnce] = [whole('crowd'), whole('at-once')]

const WARM_UP = Math.min(24, tasks)
const LATENCIES = 10
const WAIT_MS = 120_000
const WHOLE_RUN_MS = 60 * 60_000

requireRedis()
install()
// Whatever hangs, this ends: what it has started ends with the process.
setTimeout(() => {
  console.error('the time is up')
  process.exit(1)
}, WHOLE_RUN_MS).unref()

if (process.getuid?.() !== 0) console.error('not root: this process waits for the processor as all others do')

const folder = await mkdtemp(join(tmpdir(), 'keepsake-others-'))
// Also when it is cut off; what still runs then has been told to end.
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
const receiver = await startReceiver()
const around = { folder, webhookUrl: receiver.url, pictures: await pictures(), photosAtOnce }
const data = join(folder, 'keepsake')
const bullmq = (['no AOF', 'everysec', 'always'] as const).map(persistence => bullmqOn(persistence, around))
const wanted = values.only.split(',').filter(Boolean)
const systems = [keepsakeOn(data, around), ...bullmq, graphileOn(data, around)].filter(
  ({ name }) => wanted.length === 0 || wanted.some(each => name.toLowerCase().includes(each.toLowerCase())),
)
const results: Results = new Map(
  systems.map(({ name }) => [name, { chain: [], flip: [], latency: [], worker: [], server: [], wait: null }]),
)
const of = (system: System) => results.get(system.name)!
const say = (text: string): void => console.error(text)

async function during(system: System, work: (running: Running) => Promise<void>): Promise<void> {
  const running = await system.start()
  try {
    await work(running)
  } finally {
    await running.stop()
  }
}

async function measure(system: System): Promise<void> {
  await during(system, running =>
    first(async () => {
      const own = of(system)
      await throughput(running, receiver, 'chain', WARM_UP)
      await throughput(running, receiver, 'flip', WARM_UP)
      own.latency.push(await latency(running, receiver, 'flip', LATENCIES))
      own.chain.push(await throughput(running, receiver, 'chain', tasks))
      own.flip.push(await throughput(running, receiver, 'flip', tasks))
      const rate = (kind: 'chain' | 'flip'): string =>
        `${kind} ${own[kind].at(-1)!.perSecond.toFixed(1)}/s at ${own[kind].at(-1)!.cpuMs.toFixed(0)} ms`
      say(`  ${system.name}: ${rate('chain')}, ${rate('flip')}, one in ${own.latency.at(-1)!.toFixed(0)} ms`)
    }),
  )
}

async function disturb(system: System): Promise<void> {
  for (const kind of ['worker', 'server'] as const)
    await during(system, async running => {
      const loss = await disturbed(running, receiver, tasks, kind === 'worker' ? 'killWorker' : 'killServer')
      of(system)[kind].push(loss)
      say(`  ${system.name}, ${kind} killed: ${JSON.stringify(loss)}`)
    })
}

async function fill(system: System): Promise<void> {
  const filling = await system.startEmpty()
  try {
    const wait = await crowded(filling, receiver, crowd, WAIT_MS)
    of(system).wait = wait
    say(`  ${system.name}, a crowd of ${crowd}: ${JSON.stringify(wait)}`)
  } finally {
    await filling.stop()
  }
}

try {
  const begun = performance.now()
  for (let round = 0; round < rounds; round++) {
    say(`round ${round + 1} of ${rounds}`)
    // Another one begins each time.
    for (let i = 0; i < systems.length; i++) await measure(systems[(i + round) % systems.length]!)
  }
  say('kill -9')
  for (let round = 0; round < kills; round++) for (const system of systems) await disturb(system)
  say('a second tenant')
  // When Redis writes to the disk does not change whose turn it is.
  for (const system of systems) if (!/no AOF|always/.test(system.name)) await fill(system)
  say(`${((performance.now() - begun) / 60_000).toFixed(1)} minutes`)
  const told = report(results, { tasks, crowd, rounds, kills })
  console.log(told)
  if (values.write) writePage('others', told)
} finally {
  receiver.stop()
}
