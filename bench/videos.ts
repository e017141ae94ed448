// What does a chain of video steps cost against the best command one would write by hand, and against separate commands?
// `--size 1280x720 --rounds 1` is a quick look; processor time is counted, so others at work do little harm.
import { parseArgs } from 'node:util'
import { probeVideo } from '#media/video-probe.ts'
import { cpuMs, median, type Row, ratio, table } from './support/cpu.ts'
import {
  AAC,
  again,
  clean,
  END,
  frameHashes,
  fresh,
  keepsake,
  logo,
  music,
  opened,
  quiet,
  recording,
  ssimDb,
  tools,
  type Wish,
  X264,
} from './support/videos.ts'

const { values } = parseArgs({
  options: { size: { type: 'string', default: '1920x1080' }, rounds: { type: 'string', default: '3' } },
})
const ROUNDS = Number(values.rounds)
const [width = 0, height = 0] = values.size.split('x').map(Number)
const [smallWidth, smallHeight] = [Math.round((width * 2) / 3 / 2) * 2, Math.round((height * 2) / 3 / 2) * 2]
const rows: Row[] = []
const told: string[] = []

try {
  await chains()
  await window()
  await overhead()
  await atOnce()
  console.log(table(rows))
  console.log(`\n${told.join('\n')}`)
  if (rows.some(({ value, goal }) => value > goal)) process.exitCode = 1
} finally {
  await clean()
}

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
  told.push(`${name}: ${names.map(variant => `${variant} ${median(times[variant]).toFixed(2)} s`).join(', ')} CPU`)
  return times
}

async function chains(): Promise<void> {
  const [main, intro, same, sound, mark] = [
    await recording(10, values.size),
    await recording(4, '960x540', 25, 220),
    await recording(4, values.size, 30, 220),
    await music(20),
    await logo(),
  ]
  const overlay: Wish = {
    adapter: 'video_add_overlay',
    options: { overlay_file_name: 'logo', fit: 'none', position: 'top_right', x: -40, y: 40 },
    assets: { overlay_file_name: mark },
  }
  const addAudio: Wish = {
    adapter: 'video_add_audio',
    options: { audio_file_name: 'music', fade_out: 0 },
    assets: { audio_file_name: sound },
  }
  const join = (file: typeof intro): Wish => ({
    adapter: 'video_join',
    options: { intro_file_name: 'intro' },
    assets: { intro_file_name: file },
  })
  const laid = 'overlay=W-w-40:40:eof_action=repeat'
  // Left to itself ffmpeg would take the logo to the colours of BT.601.
  const mark709 = '[1:v]scale=out_color_matrix=bt709:out_range=tv,format=yuva420p[l]'

  // Separate commands, one per step, each encoded anew.
  const overlaid = async (from: string): Promise<string> =>
    made(
      '-i',
      from,
      '-i',
      mark.path,
      '-filter_complex',
      `[0:v][1:v]${laid}[v]`,
      '-map',
      '[v]',
      '-map',
      '0:a',
      ...X264,
      ...AAC,
    )
  const fadedIn = async (from: string): Promise<string> =>
    made('-i', from, '-vf', 'fade=t=in:d=1,fade=t=out:st=9:d=1', ...X264, ...AAC)
  const smaller = async (from: string): Promise<string> =>
    made('-i', from, '-vf', `scale=${smallWidth}:${smallHeight}`, ...X264, ...AAC)
  const scored = async (from: string): Promise<string> =>
    made('-i', from, '-i', sound.path, '-map', '0:v', '-map', '1:a', '-t', '10', ...X264, ...AAC)
  const joined = async (from: string, first: string, w: number, h: number): Promise<string> =>
    made(
      '-i',
      from,
      '-i',
      first,
      '-filter_complex',
      `[1:v]scale=${w}:${h},fps=30,setsar=1[i];[0:v]fps=30,setsar=1[m];[i][1:a][m][0:a]concat=n=2:v=1:a=1[v][s]`,
      '-map',
      '[v]',
      '-map',
      '[s]',
      ...X264,
      ...AAC,
    )
  const made = async (...args: string[]): Promise<string> => {
    const path = fresh('.mp4')
    await quiet(...args, ...END, path)
    return path
  }

  // The best single command for each chain.
  const fused = (steps: string, w: number, h: number): Promise<string> =>
    made(
      ...['-i', main.path, '-i', mark.path, '-i', sound.path, '-i', intro.path],
      '-filter_complex',
      `${mark709};[0:v]fps=30,setsar=1[m0];[m0][l]${laid}${steps}[m];[3:v]scale=${w}:${h},fps=30,setsar=1[i];[2:a]atrim=0:10[ma];[i][3:a][m][ma]concat=n=2:v=1:a=1[v][s]`,
      '-map',
      '[v]',
      '-map',
      '[s]',
      ...X264,
      ...AAC,
    )

  const cache = { cacheFolder: fresh() }
  const v1 = [overlay, addAudio, join(intro)]
  await keepsake(main, v1, cache)
  const one = await measured('overlay > add-audio > join', {
    separate: async () => joined(await scored(await overlaid(main.path)), intro.path, width, height),
    byHand: () => fused('', width, height),
    keepsake: () => keepsake(main, v1),
    prepared: () => keepsake(main, v1, cache),
  })
  rows.push({
    what: 'overlay > add-audio > join (10 s + 4 s), CPU against the best single command',
    value: ratio(one.keepsake, one.byHand),
    goal: 1.05,
  })
  rows.push({ what: 'the same with the intro prepared', value: ratio(one.prepared, one.byHand), goal: 0.8 })
  rows.push({ what: 'the same against separate commands', value: ratio(one.keepsake, one.separate), goal: 0.47 })
  rows.push({
    what: 'the same with the intro prepared against separate commands',
    value: ratio(one.prepared, one.separate),
    goal: 0.34,
  })
  const exact = await made('-i', (await keepsakeReference()).path, '-c', 'copy')
  const [hand, ours] = [
    await ssimDb(await fused('', width, height), exact),
    await ssimDb((await keepsake(main, v1)).output.path, exact),
  ]
  rows.push({
    what: 'SSIM lost against the best single command',
    value: Math.max(0, hand - ours),
    goal: 0.05,
    unit: ' dB',
  })
  told.push(`SSIM against a run without loss: by hand ${hand.toFixed(2)} dB, keepsake ${ours.toFixed(2)} dB`)

  async function keepsakeReference(): Promise<{ path: string }> {
    const path = fresh('.mp4')
    const graph = `${mark709};[0:v]fps=30,setsar=1[m0];[m0][l]${laid}[m];[2:v]scale=${width}:${height},fps=30,setsar=1[i];[i][m]concat=n=2:v=1:a=0[v]`
    await quiet(
      '-i',
      main.path,
      '-i',
      mark.path,
      '-i',
      intro.path,
      '-filter_complex',
      graph,
      '-map',
      '[v]',
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
      '-qp',
      '0',
      path,
    )
    return { path }
  }

  const fade: Wish = { adapter: 'video_fade', options: { fade_in: 1, fade_out: 1, audio: false } }
  const resize: Wish = { adapter: 'video_resize', options: { width: smallWidth, height: smallHeight } }
  const v4 = [overlay, fade, resize, addAudio, join(intro)]
  await keepsake(main, v4, cache)
  const five = await measured('overlay > fade > smaller > add-audio > join', {
    separate: async () =>
      joined(
        await scored(await smaller(await fadedIn(await overlaid(main.path)))),
        intro.path,
        smallWidth,
        smallHeight,
      ),
    keepsake: () => keepsake(main, v4),
    prepared: () => keepsake(main, v4, cache),
  })
  rows.push({
    what: 'overlay > fade > smaller > add-audio > join, CPU against separate commands',
    value: ratio(five.keepsake, five.separate),
    goal: 0.25,
  })
  rows.push({ what: 'the same with the intro prepared', value: ratio(five.prepared, five.separate), goal: 0.2 })

  const copied = await measured('add-audio > join', {
    separate: async () => joined(await scored(main.path), same.path, width, height),
    keepsake: () => keepsake(main, [addAudio, join(same)]),
  })
  rows.push({
    what: 'add-audio > join without pixel changes, CPU against separate commands',
    value: ratio(copied.keepsake, copied.separate),
    goal: 0.03,
  })
}

async function window(): Promise<void> {
  const [long, mark] = [await again(await recording(10, values.size), 6), await logo()]
  const wish: Wish = {
    adapter: 'video_add_overlay',
    options: { overlay_file_name: 'logo', fit: 'none', position: 'top_right', start: 30, end: 34 },
    assets: { overlay_file_name: mark },
  }
  let output = ''
  const times = await measured('overlay on 4 s of 60 s', {
    whole: () =>
      quiet(
        '-i',
        long.path,
        '-i',
        mark.path,
        '-filter_complex',
        "[0:v][1:v]overlay=W-w:0:eof_action=repeat:enable='between(t,30,34)'[v]",
        '-map',
        '[v]',
        '-map',
        '0:a',
        ...X264,
        '-c:a',
        'copy',
        ...END,
        fresh('.mp4'),
      ),
    keepsake: async () => {
      output = (await keepsake(long, [wish])).output.path
    },
  })
  rows.push({
    what: 'overlay on 4 s of 60 s, CPU against encoding all',
    value: ratio(times.keepsake, times.whole),
    goal: 0.15,
  })
  const [before, after] = [await frameHashes(long.path), await frameHashes(output)]
  const changed = before.filter((hash, i) => hash !== after[i]).length
  rows.push({
    what: 'frames changed of those, although 4 s and the groups of pictures around them may',
    value: changed,
    goal: 4 * 30 + 2 * 60,
  })
  if (after.length !== before.length) throw new Error(`${after.length} frames came out of ${before.length}`)
}

async function overhead(): Promise<void> {
  const [main, sound] = [await recording(10, values.size), await music(20)]
  const wish: Wish = {
    adapter: 'video_add_audio',
    options: { audio_file_name: 'music', fade_out: 0 },
    assets: { audio_file_name: sound },
  }
  const wall = async (work: () => Promise<unknown>): Promise<number> => {
    const start = performance.now()
    await work()
    return performance.now() - start
  }
  const around: number[] = []
  for (let i = 0; i < 5; i++) {
    const hand = await wall(() =>
      quiet(
        '-i',
        main.path,
        '-i',
        sound.path,
        '-map',
        '0:v',
        '-map',
        '1:a',
        '-t',
        '10',
        '-c',
        'copy',
        ...END,
        fresh('.mp4'),
      ),
    )
    around.push((await wall(() => keepsake(main, [wish]))) - hand)
  }
  rows.push({ what: 'time around one ffmpeg command', value: median(around), goal: 150, unit: ' ms' })
  const probes: number[] = []
  for (let i = 0; i < 25; i++) probes.push(await wall(() => probeVideo(main, tools)))
  rows.push({ what: 'probing in a warm process', value: median(probes.slice(5)), goal: 5, unit: ' ms' })
  await opened(main.path)
}

/** Two encodes at once with a thread each, against one after the other with all threads: what a queue gains. */
async function atOnce(): Promise<void> {
  const main = await recording(4, values.size)
  const encode = (threads: number): Promise<string> =>
    quiet('-i', main.path, ...X264, '-threads', String(threads), '-an', fresh('.mp4'))
  const start = performance.now()
  await Promise.all([encode(1), encode(1)])
  const together = performance.now() - start
  await encode(0)
  await encode(0)
  const after = performance.now() - start - together
  told.push(
    `two encodes at once with one thread each take ${(together / after).toFixed(2)} of the time of one after the other`,
  )
}
