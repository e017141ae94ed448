// What does a chain of three photo steps cost against one plain pass of sharp, and against the same steps through files?
// And what do a lossless flip and a ready look cost?
import { execFileSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { segmentWork } from '#engine/children/child-work.ts'
import type { SegmentEntry } from '#engine/segment.ts'
import type { MediaFile } from '#media/file/file.ts'
import { newPool } from '#media/process/pool.ts'
import { jailed, jailedRoom } from '../test/support/rooms.ts'
import { interleaved, type Measured, median, type Row, ratio, table } from './support/cpu.ts'
import {
  apart,
  chain,
  filter,
  frame,
  inFolder,
  melted,
  oneByOne,
  photo,
  resize,
  saved,
  segment,
} from './support/photos.ts'

const ROUNDS = 7

sharp.cache(false)
sharp.concurrency(1)

const rows: Row[] = []
const told: string[] = []

await inFolder(async folder => {
  const [WIDTH, HEIGHT] = [1600, 1200]
  const overlay = await saved(folder, 'frame.png', await frame(WIDTH, HEIGHT))
  const inputs = [
    {
      name: '12 MP JPEG',
      file: await saved(folder, '12.jpg', await photo(4032, 3024).jpeg({ quality: 92 }).toBuffer()),
      single: 1.25,
      naive: 0.4,
    },
    {
      name: '2 MP JPEG',
      file: await saved(folder, '2.jpg', await photo(1632, 1224).jpeg({ quality: 92 }).toBuffer()),
      single: 1.45,
      naive: 0.45,
    },
    {
      name: '2 MP PNG with alpha',
      file: await saved(folder, '2.png', await photo(1632, 1224, 4).png().toBuffer()),
      single: 1.3,
      naive: null,
    },
  ]
  for (const { name, file, single, naive } of inputs) {
    const entries = chain(WIDTH, HEIGHT, overlay)
    const plainOut = join(folder, file.ext === '.png' ? 'plain.png' : 'plain.jpg')
    const measured = await interleaved(
      {
        plain: () => {
          const pass = sharp(file.path).resize(WIDTH, HEIGHT)
          return (file.ext === '.png' ? pass.png() : pass.jpeg({ quality: 90 })).toFile(plainOut)
        },
        melted: () => melted(file, entries, folder),
        files: () => oneByOne(file, WIDTH, HEIGHT, overlay, folder),
        apart: () => apart(file, entries, folder),
      },
      ROUNDS,
    )
    const own = ratio(measured.melted.cpu, measured.apart.cpu)
    told.push(`${times(name, measured)}; ${own.toFixed(2)} of our own entries run apart`)
    rows.push({
      what: `${name}: flip > resize > overlay, CPU against one plain sharp pass`,
      value: ratio(measured.melted.cpu, measured.plain.cpu),
      goal: single,
    })
    if (naive)
      rows.push({
        what: `${name}: the same, CPU against a sharp pass for each step through files`,
        value: ratio(measured.melted.cpu, measured.files.cpu),
        goal: naive,
      })
  }
  const jpegtran = which('jpegtran')
  if (jpegtran) {
    const file = inputs[0]!.file
    const flip = chain(WIDTH, HEIGHT, overlay).slice(0, 1)
    const tools = { ffmpeg: null, ffprobe: null, jpegtran }
    const measured = await interleaved(
      {
        moved: () => melted(file, flip, folder, tools),
        decoded: () => sharp(file.path).rotate(180).jpeg({ quality: 90 }).toFile(join(folder, 'decoded.jpg')),
      },
      ROUNDS,
      3,
    )
    told.push(times('12 MP JPEG, flip alone', measured))
    rows.push({
      what: '12 MP JPEG: flip alone by jpegtran, CPU against a pass of sharp',
      value: ratio(measured.moved.cpu, measured.decoded.cpu),
      goal: 0.5,
    })
  }
  {
    const file = await saved(folder, '1.4.jpg', await photo(1365, 1024).jpeg({ quality: 92 }).toBuffer())
    const measured = await interleaved(
      {
        none: () => melted(file, [filter('none')], folder),
        bw: () => melted(file, [filter('bw')], folder),
        vivid: () => melted(file, [filter('vivid')], folder),
        resize: () => melted(file, [resize(1080, 810)], folder),
      },
      ROUNDS,
      3,
    )
    told.push(times('1.4 MP JPEG, filters', measured))
    const added = (to: readonly number[]): number[] => to.map((value, i) => value - measured.none.cpu[i]!)
    for (const preset of ['bw', 'vivid'] as const)
      rows.push({
        what: `1.4 MP JPEG: what the preset ${preset} adds to decoding and writing, CPU against photo_resize`,
        value: ratio(added(measured[preset].cpu), measured.resize.cpu),
        goal: 0.5,
      })
  }
  const atOnce = await throughput(inputs[0]!.file, chain(WIDTH, HEIGHT, overlay), folder)
  rows.push({
    what: '12 MP JPEG: wall per photo with 4 children, against one after the other',
    value: atOnce,
    goal: 0.56,
  })
})

console.log(table(rows))
console.log(`\n${told.join('\n')}`)
if (rows.some(({ value, goal }) => value > goal)) process.exitCode = 1

/** Eight photos through the real media children, four at once against one at a time, in turn. */
async function throughput(file: MediaFile, entries: SegmentEntry[], folder: string): Promise<number> {
  const script = fileURLToPath(new URL('../src/child.ts', import.meta.url))
  const pool = newPool({ script, newRoom: jailedRoom, jailed, size: 4 })
  const one = async (i: number): Promise<void> => {
    const own = join(folder, `photo-${i}`)
    await mkdir(own, { recursive: true })
    await pool.run(segmentWork(segment(file, entries, own)))
  }
  const all = Array.from({ length: 8 }, (_, i) => i)
  try {
    await Promise.all(all.map(one))
    const measured = await interleaved(
      {
        serial: async () => {
          for (const i of all) await one(i)
        },
        together: () => Promise.all(all.map(one)),
      },
      2,
    )
    return ratio(measured.together.wall, measured.serial.wall)
  } finally {
    await pool.drain()
  }
}

function times(name: string, measured: Record<string, Measured>): string {
  const parts = Object.entries(measured).map(
    ([variant, { cpu, wall }]) => `${variant} ${median(cpu).toFixed(0)} ms CPU (${median(wall).toFixed(0)} ms wall)`,
  )
  return `- ${name}: ${parts.join(', ')}`
}

function which(tool: string): string | null {
  try {
    return execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim() || null
  } catch {
    return null
  }
}
