// What does a chain of video steps cost against the best command one would write by hand, and against separate commands?
// Processor time is counted, so others at work do little harm. `--size 1920x1080` takes twice as long, `--rounds 1` half.

import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import type { MediaFile } from '#media/file/file.ts'
import { probeVideo } from '#media/probe/video-probe.ts'
import { preparedIn } from '../test/support/rooms.ts'
import { cpuMs, median, type Row, ratio, table } from './support/cpu.ts'
import { AAC, END, frameHashes, line, quiet, ssimDb, X264 } from './support/ffmpeg-line.ts'
import { again, fresh, keepsake, logo, music, recording, tools, type Wish } from './support/videos.ts'

const { values } = parseArgs({
  options: { size: { type: 'string', default: '1280x720' }, rounds: { type: 'string', default: '3' } },
})
const ROUNDS = Number(values.rounds)
const [width = 0, height = 0] = values.size.split('x').map(Number)
const smaller = [width, height].map(side => Math.round(side / 3) * 2)
const rows: Row[] = []
const told: string[] = []
const row = (what: string, value: number, goal: number, unit = ''): unknown => rows.push({ what, value, goal, unit })

await chains()
await copies()
await window()
await overhead()
await atOnce()
console.log(table(rows))
console.log(`\n${values.size}, ${ROUNDS} rounds, medians:\n${told.join('\n')}`)
if (rows.some(({ value, goal }) => value > goal)) process.exitCode = 1

/** Every variant once a round, in turn: processor seconds of the whole tree. */
async function measured<Name extends string>(
  name: string,
  variants: Record<Name, () => Promise<unknown>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(variants) as Name[]
  const times = Object.fromEntries(names.map(variant => [variant, [] as number[]])) as Record<Name, number[]>
  for (let round = 0; round < ROUNDS; round++) {
    for (const variant of names) {
      const before = cpuMs()
      await variants[variant]()
      times[variant].push((cpuMs() - before) / 1000)
    }
  }
  told.push(`${name}: ${names.map(variant => `${variant} ${median(times[variant]).toFixed(2)} s`).join(', ')}`)
  return times
}

async function made(args: readonly string[]): Promise<string> {
  const path = fresh('.mp4')
  await quiet([...args, ...END, path])
  return path
}

function fitting([w, h]: readonly number[]): string {
  return `scale=${w}:${h},fps=30,setsar=1`
}

function joined(from: string, intro: MediaFile, size: readonly number[]): Promise<string> {
  const graph = `[1:v]${fitting(size)}[i];[0:v]fps=30,setsar=1[m];[i][1:a][m][0:a]concat=n=2:v=1:a=1[v][s]`
  return made(line`-i ${from} -i ${intro.path} -filter_complex ${graph} -map [v] -map [s] ${X264} ${AAC}`)
}

function withMusic(from: string, sound: MediaFile): Promise<string> {
  return made(line`-i ${from} -i ${sound.path} -map 0:v -map 1:a -t 10 ${X264} ${AAC}`)
}

function addAudio(sound: MediaFile): Wish {
  const options = { audio_file_name: 'music', fade_out: 0 }
  return { adapter: 'video_add_audio', options, assets: { audio_file_name: sound } }
}

function join(intro: MediaFile): Wish {
  return { adapter: 'video_join', options: { intro_file_name: 'intro' }, assets: { intro_file_name: intro } }
}

async function chains(): Promise<void> {
  const main = await recording(10, values.size)
  const odd = await recording(4, '960x540', 25, 220)
  const [sound, mark] = [await music(20), await logo()]
  const laid = 'overlay=W-w-40:40:eof_action=repeat'
  // Left to itself ffmpeg would take the logo to the colours of BT.601.
  const mark709 = '[1:v]scale=out_color_matrix=bt709:out_range=tv,format=yuva420p[l]'

  // Separate commands: one for each step, each decoding and encoding anew. A chain costs the sum of its steps.
  let [overlaid, scored, faded, small, smallScored, handMade, meltedFile] = ['', '', '', '', '', '', '']
  const separate = {
    overlay: async () => {
      overlaid = await made(line`-i ${main.path} -i ${mark.path} -filter_complex [0:v][1:v]${laid}[v]
        -map [v] -map 0:a ${X264} ${AAC}`)
    },
    addAudio: async () => {
      scored = await withMusic(overlaid, sound)
    },
    join: () => joined(scored, odd, [width, height]),
    fade: async () => {
      faded = await made(line`-i ${overlaid} -vf fade=t=in:d=1,fade=t=out:st=9:d=1 ${X264} ${AAC}`)
    },
    smaller: async () => {
      small = await made(line`-i ${faded} -vf scale=${smaller.join(':')} ${X264} ${AAC}`)
    },
    addAudioSmall: async () => {
      smallScored = await withMusic(small, sound)
    },
    joinSmall: () => joined(smallScored, odd, smaller),
  }

  // The best single command.
  const byHand = (codec: readonly string[]): Promise<string> =>
    made(line`-i ${main.path} -i ${mark.path} -i ${sound.path} -i ${odd.path} -filter_complex
      ${mark709};[0:v]fps=30,setsar=1[m0];[m0][l]${laid}[m];[3:v]${fitting([width, height])}[i];[2:a]atrim=0:10[ma];[i][3:a][m][ma]concat=n=2:v=1:a=1[v][s]
      -map [v] -map [s] ${codec} ${AAC}`)

  const overlay: Wish = {
    adapter: 'video_add_overlay',
    options: { overlay_file_name: 'logo', fit: 'none', position: 'top_right', x: -40, y: 40 },
    assets: { overlay_file_name: mark },
  }
  const fade: Wish = { adapter: 'video_fade', options: { fade_in: 1, fade_out: 1, audio: false } }
  const resize: Wish = { adapter: 'video_resize', options: { width: smaller[0]!, height: smaller[1]! } }
  const three = [overlay, addAudio(sound), join(odd)]
  const five = [overlay, fade, resize, addAudio(sound), join(odd)]
  const cache = preparedIn(fresh())
  await keepsake(main, three, {}, cache)
  await keepsake(main, five, {}, cache)

  const cpu = await measured('processor seconds', {
    ...separate,
    byHand: async () => {
      handMade = await byHand(X264)
    },
    three: async () => {
      meltedFile = (await keepsake(main, three)).output.path
    },
    threeFirst: () => keepsake(main, three, {}, preparedIn(fresh())),
    threePrepared: () => keepsake(main, three, {}, cache),
    five: () => keepsake(main, five),
    fivePrepared: () => keepsake(main, five, {}, cache),
  })
  const sum = (...names: (keyof typeof separate)[]): number[] =>
    cpu.overlay.map((_, round) => names.reduce((total, name) => total + cpu[name][round]!, 0))
  const threeApart = sum('overlay', 'addAudio', 'join')
  const fiveApart = sum('overlay', 'fade', 'smaller', 'addAudioSmall', 'joinSmall')

  row('overlay > add-audio > join (10 s + 4 s) against the best single command', ratio(cpu.three, cpu.byHand), 1.05)
  row('the same, the first time, which prepares the intro', ratio(cpu.threeFirst, cpu.byHand), 1.1)
  row('the same, intro prepared', ratio(cpu.threePrepared, cpu.byHand), 0.8)
  row('the same against separate commands', ratio(cpu.three, threeApart), 0.47)
  row('the same, intro prepared, against separate commands', ratio(cpu.threePrepared, threeApart), 0.34)
  row('overlay > fade > two thirds > add-audio > join against separate commands', ratio(cpu.five, fiveApart), 0.25)
  row('the same, intro prepared', ratio(cpu.fivePrepared, fiveApart), 0.2)

  const exact = await byHand(line`-c:v libx264 -preset ultrafast -qp 0`)
  const [hand, ours] = [await ssimDb(handMade, exact), await ssimDb(meltedFile, exact)]
  row(
    'likeness to a run without loss that is missing to the best single command',
    Math.max(0, hand - ours),
    0.05,
    ' dB',
  )
  told.push(`SSIM against a run without loss: by hand ${hand.toFixed(2)} dB, keepsake ${ours.toFixed(2)} dB`)
}

/** At 1080p whatever the size: next to nothing is left to do, so the sound, which is encoded once, would weigh too much. */
async function copies(): Promise<void> {
  const size = '1920x1080'
  const [main, intro, sound] = [await recording(10, size), await recording(4, size, 30, 220), await music(20)]
  const cpu = await measured('add-audio > join', {
    separate: async () => joined(await withMusic(main.path, sound), intro, [1920, 1080]),
    keepsake: () => keepsake(main, [addAudio(sound), join(intro)]),
  })
  row('add-audio > join without a changed pixel against separate commands', ratio(cpu.keepsake, cpu.separate), 0.03)
}

async function window(): Promise<void> {
  const [long, mark] = [await again(await recording(10, '960x540'), 6), await logo()]
  const wish: Wish = {
    adapter: 'video_add_overlay',
    options: { overlay_file_name: 'logo', fit: 'none', position: 'top_right', start: 30, end: 34 },
    assets: { overlay_file_name: mark },
  }
  let output = ''
  const cpu = await measured('overlay on 4 s of 60 s', {
    whole: () =>
      quiet(line`-i ${long.path} -i ${mark.path} -filter_complex
        [0:v][1:v]overlay=W-w:0:eof_action=repeat:enable='between(t,30,34)'[v]
        -map [v] -map 0:a ${X264} -c:a copy ${END} ${fresh('.mp4')}`),
    keepsake: async () => {
      output = (await keepsake(long, [wish])).output.path
    },
  })
  row('overlay on 4 s of 60 s against encoding all', ratio(cpu.keepsake, cpu.whole), 0.15)
  const [before, after] = [await frameHashes(long.path), await frameHashes(output)]
  if (after.length !== before.length) throw new Error(`${after.length} frames came out of ${before.length}`)
  // The groups of pictures are 60 frames long and begin at 30 s, so 900 to 1079 is what may change.
  const changed = before.flatMap((hash, i) => (hash === after[i] ? [] : [i]))
  row(
    'frames changed outside of the groups of pictures it lies on',
    changed.filter(i => i < 900 || i >= 1080).length,
    0,
  )
  told.push(`of ${before.length} frames ${changed.length} changed: ${changed[0]} to ${changed.at(-1)}`)
}

async function wall(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** The smallest of work that ffmpeg has: a copy. What it takes longer than the bare command is ours. */
async function overhead(): Promise<void> {
  const [main, sound] = [await recording(10, values.size), await music(20)]
  const byHand = (): Promise<unknown> =>
    quiet(line`-i ${main.path} -i ${sound.path} -map 0:v -map 1:a -t 10 -c copy ${END} ${fresh('.mp4')}`)
  const [hand, ours]: [number[], number[]] = [[], []]
  for (let i = 0; i < 15; i++) {
    hand.push(await wall(byHand))
    ours.push(await wall(() => keepsake(main, [addAudio(sound)])))
  }
  // The least of each: whatever else runs on the machine only ever adds.
  row('time around one ffmpeg command, with all guards', Math.min(...ours) - Math.min(...hand), 150, ' ms')
  const probes: number[] = []
  for (let i = 0; i < 45; i++) probes.push(await wall(() => probeVideo(main, tools)))
  row('probing in a warm process', median(probes.slice(5)), 5, ' ms')
}

/** Encodes of one thread each, all at once, against one after the other with all threads: what a queue gains. */
async function atOnce(): Promise<void> {
  const main = await recording(4, values.size)
  const cores = availableParallelism()
  const encode = (threads: number): Promise<string> =>
    quiet(line`-threads ${threads} -i ${main.path} ${X264} -threads ${threads} -an ${fresh('.mp4')}`)
  const waited = { together: [] as number[], oneByOne: [] as number[] }
  const cpu = await measured(`${cores} encodes`, {
    together: async () =>
      waited.together.push(await wall(() => Promise.all(Array.from({ length: cores }, () => encode(1))))),
    oneByOne: async () =>
      waited.oneByOne.push(
        await wall(async () => {
          for (let i = 0; i < cores; i++) await encode(cores)
        }),
      ),
  })
  row(`${cores} encodes at once, a thread each, against one by one with ${cores}`, ratio(cpu.together, cpu.oneByOne), 1)
  told.push(`by the clock: ${ratio(waited.together, waited.oneByOne).toFixed(2)} of the time`)
}
