// What each trick for speed gains: the service beside a copy of it that does without: npm run bench -- tricks [--rounds N] [--tasks N] [--only NAME,NAME]
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { keepsakeOn } from './others/keepsake.ts'
import { startReceiver } from './others/receiver.ts'
import { pictures, type Running } from './others/systems.ts'
import { latency, type Throughput, throughput } from './others/trials.ts'
import { median } from './support/cpu.ts'
import { first } from './support/first.ts'
import { photo } from './support/photos.ts'
import { copyProject } from './tricks/copy.ts'
import { type Trick, tricks } from './tricks/list.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    tasks: { type: 'string', default: '200' },
    only: { type: 'string', default: '' },
  },
})
const [rounds, tasks] = [Number(values.rounds), Number(values.tasks)]
const wanted = values.only.split(',').filter(Boolean)
const LATENCIES = 15
const WARM_UP = 60

const folder = await mkdtemp(join(tmpdir(), 'keepsake-tricks-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
const receiver = await startReceiver()
const made = await pictures()
const even = await photo(1600, 1200).jpeg({ quality: 90 }).toBuffer()
const copy = copyProject(join(folder, 'copy'))

interface Side extends Record<'perSecond' | 'cpuMs' | 'oneMs', number[]> {
  running: Running
}

async function measure(side: Side): Promise<void> {
  const { perSecond, cpuMs }: Throughput = await throughput(side.running, receiver, 'flip', tasks)
  side.perSecond.push(perSecond)
  side.cpuMs.push(cpuMs)
  side.oneMs.push(await latency(side.running, receiver, 'flip', LATENCIES))
}

async function tell(trick: Trick): Promise<string> {
  copy.without(trick)
  const flip = trick.photo === 'even' ? even : made.photos.flip
  const around = {
    folder,
    webhookUrl: receiver.url,
    pictures: { ...made, photos: { ...made.photos, flip } },
    photosAtOnce: availableParallelism() * 2,
  }
  const sides: Side[] = []
  try {
    for (const [name, main] of [
      ['with', undefined],
      ['without', copy.main],
    ] as const) {
      const running = await keepsakeOn(join(folder, `${tricks.indexOf(trick)}-${name}`), around, main).start()
      sides.push({ running, perSecond: [], cpuMs: [], oneMs: [] })
    }
    const [withIt, without] = sides as [Side, Side]
    await first(async () => {
      for (const { running } of sides) await throughput(running, receiver, 'flip', WARM_UP)
      // Another one begins each time.
      for (let round = 0; round < rounds; round++)
        for (const side of round % 2 === 0 ? [withIt, without] : [without, withIt]) await measure(side)
    })
    const gain = (of: (index: number) => number): string => {
      const all = withIt.perSecond.map((_, index) => (of(index) - 1) * 100)
      return `${median(all).toFixed(1)} % (${Math.min(...all).toFixed(0)} to ${Math.max(...all).toFixed(0)})`
    }
    const one = median(without.oneMs) - median(withIt.oneMs)
    return [
      trick.name,
      `\`${trick.file}\``,
      gain(index => withIt.perSecond[index]! / without.perSecond[index]!),
      gain(index => without.cpuMs[index]! / withIt.cpuMs[index]!),
      `${one.toFixed(1)} of ${median(without.oneMs).toFixed(0)} ms`,
    ].join(' | ')
  } finally {
    for (const { running } of sides) await running.stop()
  }
}

try {
  console.log(
    '| trick | file | more tasks a second | processor time without it | one task sooner |\n|---|---|---|---|---|',
  )
  for (const trick of tricks)
    if (wanted.length === 0 || wanted.some(name => trick.name.includes(name))) console.log(`| ${await tell(trick)} |`)
} finally {
  receiver.stop()
}
