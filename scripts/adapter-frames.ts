// Makes the frames of the video and audio pages: each page's own example, run by the real code on a scene made here.
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { transformers as adapters } from '#adapters/transformers.ts'
import { assetUses } from '#engine/adapter.ts'
import { runVideo } from '#engine/run-video.ts'
import type { JsonObject } from '#kit/json.ts'
import { withDefaults } from '#kit/schema.ts'
import type { MediaFile } from '#media/file/file.ts'
import type { MediaLimits, Tools } from '#media/file/media-limits.ts'
import { probe } from '#media/probe/probe.ts'
import { probeRecording } from '#media/probe/video-probe.ts'
import { findFfmpeg } from '#media/process/find-ffmpeg.ts'
import { drawnPerson } from '#vision/sight-check.ts'

const pages = fileURLToPath(new URL('../docs/adapters/', import.meta.url))
const [WIDTH, HEIGHT, FPS, SECONDS] = [640, 360, 24, 2.5]
const limits: MediaLimits = {
  maxPixels: 1e8,
  maxFrames: 200,
  maxMemoryBytes: 2 ** 30,
  maxVideoSeconds: 60,
  maxVideoPixels: 1e7,
  maxVideoFps: 60,
}
const SHOWN = 4
const STRIP = 210

/** A guest who waves and hops under falling confetti; `ground` is what is behind. */
function scene(at: number, ground: string, words = ''): string {
  const hop = Math.abs(Math.sin(at * 5)) * 26
  const wave = 30 * Math.sin(at * 9)
  const confetti = Array.from({ length: 26 }, (_, i) => {
    const [x, y] = [(i * 97) % 640, (i * 53 + at * 150) % 380]
    return `<rect x="${x}" y="${y - 10}" width="9" height="9" fill="${['#f4b400', '#d62828', '#2a9d8f', '#ffffff'][i % 4]}" transform="rotate(${i * 40 + at * 200} ${x} ${y})"/>`
  }).join('')
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">${ground}${ground.includes('00b140') ? '' : confetti}
    <g transform="translate(0 ${-hop})"><path d="M205 370 C205 285 275 262 320 262 C365 262 435 285 435 370 Z" fill="#7b2cbf"/>
    <path d="M425 330 L505 ${235 + wave}" stroke="#e0a981" stroke-width="30" stroke-linecap="round"/><circle cx="320" cy="190" r="66" fill="#e0a981"/>
    <path d="M254 178 C254 124 386 124 386 178 C374 154 266 154 254 178 Z" fill="#3b2417"/><path d="M281 139 L326 40 L362 139 Z" fill="#f4b400"/><circle cx="326" cy="42" r="12" fill="#fff"/>
    <circle cx="297" cy="190" r="7" fill="#2a1a12"/><circle cx="344" cy="190" r="7" fill="#2a1a12"/><path d="M293 217 C305 240 337 240 349 217" fill="none" stroke="#8c3b2e" stroke-width="6" stroke-linecap="round"/></g>
    ${words && `<text x="320" y="196" font-size="62" font-family="Inter" font-weight="bold" text-anchor="middle" fill="#fff">${words}</text>`}</svg>`
}

/** The models take no cartoon for a person, but one that is drawn as softly as a photo. */
async function softlyDrawn(): Promise<string> {
  const { pixels } = await drawnPerson()
  const raw = { width: pixels.width, height: pixels.height, channels: 3 } as const
  return (await sharp(pixels.data, { raw }).png().toBuffer()).toString('base64')
}

const beforeWall = (person: string, at: number): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><rect width="640" height="360" fill="#8b97a3"/>
    <image x="${120 + 60 * at}" y="20" width="340" height="340" href="data:image/png;base64,${person}"/></svg>`

const evening = `<defs><linearGradient id="g" x2="0" y2="1"><stop stop-color="#1d3557"/><stop offset="1" stop-color="#e76f51"/></linearGradient></defs><rect width="640" height="360" fill="url(#g)"/>`
const screen = '<rect width="640" height="360" fill="#00b140"/>'
const beach = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="360"><rect width="640" height="200" fill="#8ecae6"/><rect y="200" width="640" height="70" fill="#219ebc"/><rect y="270" width="640" height="90" fill="#f2d0a4"/><circle cx="520" cy="70" r="42" fill="#ffb703"/></svg>`
const logo = `<svg xmlns="http://www.w3.org/2000/svg" width="110" height="110"><circle cx="55" cy="55" r="53" fill="#d62828"/><path d="M33 77 V33 L77 77 V33" fill="none" stroke="#fff" stroke-width="12" stroke-linejoin="round"/></svg>`
const card = (words: string, colour: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><rect width="640" height="360" fill="${colour}"/><text x="320" y="200" font-size="62" font-family="Inter" font-weight="bold" text-anchor="middle" fill="#fff">${words}</text></svg>`

interface Studio {
  folder: string
  tools: Tools
  files: Record<string, MediaFile>
}

async function studio(folder: string): Promise<Studio> {
  const found = await findFfmpeg({ ffmpeg: 'ffmpeg', ffprobe: 'ffprobe' }, process.env.PATH ?? '')
  if (!found) throw new Error('The frames need ffmpeg.')
  const tools: Tools = { ...found, jpegtran: null }
  const files: Record<string, MediaFile> = {}
  const add = async (name: string, path: string): Promise<void> => {
    files[name] = { ...(await probe(path, limits, tools, probeRecording)), path }
  }
  const film = async (name: string, draw: (at: number) => string, seconds: number, sound: string): Promise<void> => {
    const raw = join(folder, `${name}.raw`)
    const frames: Buffer[] = []
    for (let i = 0; i < seconds * FPS; i++)
      frames.push(
        await sharp(Buffer.from(draw(i / FPS)))
          .flatten()
          .removeAlpha()
          .raw()
          .toBuffer(),
      )
    await writeFile(raw, Buffer.concat(frames))
    const path = join(folder, `${name}.mp4`)
    const tags = ['-color_primaries', 'bt709', '-color_trc', 'bt709', '-colorspace', 'bt709', '-color_range', 'tv']
    ffmpeg(
      '-f',
      'rawvideo',
      '-pix_fmt',
      'rgb24',
      '-s',
      `${WIDTH}x${HEIGHT}`,
      '-r',
      String(FPS),
      '-i',
      raw,
      '-f',
      'lavfi',
      '-i',
      sound,
      '-shortest',
      '-vf',
      'scale=out_color_matrix=bt709',
      '-c:v',
      'libx264',
      '-preset',
      'veryfast',
      '-crf',
      '14',
      '-g',
      '12',
      '-pix_fmt',
      'yuv420p',
      ...tags,
      '-c:a',
      'aac',
      path,
    )
    await add(name, path)
  }
  const voice = `aevalsrc='0.25*sin(2*PI*220*t)*gt(sin(2*PI*1.6*t),0)':s=48000:d=${SECONDS}`
  await film('guest', at => scene(at, evening), SECONDS, voice)
  await film('guest-before-a-screen', at => scene(at, screen), 1, voice)
  const person = await softlyDrawn()
  await film('guest-before-a-wall', at => beforeWall(person, at), 1, voice)
  await film(
    'event-intro',
    at => card(at < 0.5 ? 'Summer' : 'Summer party', '#264653'),
    1,
    "aevalsrc='0.2*sin(2*PI*330*t)':s=48000:d=1",
  )
  await film('event-outro', () => card('Thank you', '#2a9d8f'), 1, "aevalsrc='0.2*sin(2*PI*330*t)':s=48000:d=1")
  for (const [name, text] of Object.entries({ beach, 'event-logo': logo, photo: scene(0.1, evening) })) {
    const path = join(folder, `${name}.png`)
    await sharp(Buffer.from(text)).png().toFile(path)
    await add(name, path)
  }
  const quiet = join(folder, 'quiet.m4a')
  ffmpeg('-i', files.guest!.path, '-vn', '-af', 'volume=-14dB', '-c:a', 'aac', quiet)
  await add('quiet', quiet)
  const music = join(folder, 'music.m4a')
  ffmpeg(
    '-f',
    'lavfi',
    '-i',
    "aevalsrc='0.3*sin(2*PI*(440+110*floor(mod(t*4,4)))*t)*exp(-3*mod(t,0.25))':s=48000:d=6",
    '-c:a',
    'aac',
    music,
  )
  await add('event-music', music)
  return { folder, tools, files }
}

const ffmpeg = (...args: string[]): Buffer =>
  execFileSync('ffmpeg', ['-hide_banner', '-nostdin', '-v', 'error', '-y', ...args], { maxBuffer: 1e9 })

const inputs: Record<string, string> = {
  video_chroma_key: 'guest-before-a-screen',
  video_cutout: 'guest-before-a-wall',
  photo_to_video: 'photo',
  audio_normalize: 'quiet',
}

async function example(name: string, page: string, { folder, tools, files }: Studio): Promise<[MediaFile, MediaFile]> {
  const adapter = adapters.get(name)
  const json = /```json\n([\s\S]*?)```/.exec(page)?.[1]
  if (!adapter || !json) throw new Error(`${name} has no adapter or no example`)
  const { defaults } = (JSON.parse(json) as { adapter_config: { defaults: JsonObject } }).adapter_config
  const options = withDefaults(adapter.options, defaults) as JsonObject
  const assets: Record<string, MediaFile[]> = {}
  for (const { parameter, name: asset } of assetUses(adapter, options)) {
    const file = files[asset]
    if (!file) throw new Error(`${name}: there is no sample called "${asset}"`)
    assets[parameter] = [...(assets[parameter] ?? []), file]
  }
  const input = files[inputs[name] ?? 'guest']!
  const work = join(folder, name)
  await mkdir(work)
  const entries = [{ index: 0, adapter: name, options, assets, context: {} }]
  const { output } = await runVideo(
    { kind: 'segment', form: 'video', input, entries, folder: work, limits, tools, threads: 1 },
    adapters,
    () => {},
  )
  return [input, output]
}

/** Frames at even distances, from the first to the last. */
async function frames(file: MediaFile, count: number): Promise<Buffer[]> {
  if (file.medium === 'image' && file.frames === null) return [await readFile(file.path)]
  const length = file.duration ?? 0
  const times = Array.from({ length: count }, (_, i) => (length - 0.12) * (count === 1 ? 0.5 : i / (count - 1)) + 0.04)
  if (file.mime === 'image/webp' || file.mime === 'image/gif')
    return Promise.all(
      times.map(at =>
        sharp(file.path, { page: Math.floor((at / length) * (file.frames ?? 1)) })
          .png()
          .toBuffer(),
      ),
    )
  return times.map(at =>
    ffmpeg(
      '-ss',
      at.toFixed(3),
      '-i',
      file.path,
      '-frames:v',
      '1',
      '-vf',
      'scale=in_color_matrix=bt709,format=rgb24',
      '-f',
      'image2pipe',
      '-c:v',
      'png',
      '-',
    ),
  )
}

const wave = (file: MediaFile): Buffer =>
  ffmpeg(
    '-i',
    file.path,
    '-filter_complex',
    'aformat=channel_layouts=mono,showwavespic=s=640x150:colors=0x264653:scale=sqrt',
    '-frames:v',
    '1',
    '-f',
    'image2pipe',
    '-c:v',
    'png',
    '-',
  )

async function strip(parts: Buffer[], height: number): Promise<Buffer> {
  const sized = await Promise.all(
    parts.map(part =>
      sharp(part)
        .flatten({ background: '#ffffff' })
        .resize({ height, width: height * 2, fit: 'inside' })
        .png()
        .toBuffer({ resolveWithObject: true }),
    ),
  )
  const gap = 8
  const width = sized.reduce((sum, { info }) => sum + info.width + gap, -gap)
  let left = 0
  const placed = sized.map(({ data, info }) => {
    const at = { input: data, left, top: Math.round((height - info.height) / 2) }
    left += info.width + gap
    return at
  })
  return sharp({ create: { width, height, channels: 3, background: '#ffffff' } })
    .composite(placed)
    .jpeg({ quality: 80 })
    .toBuffer()
}

const sounding = new Set(['video_add_audio', 'audio_convert', 'audio_normalize'])
const compared = new Set([
  'video_flip',
  'video_resize',
  'video_convert',
  'video_chroma_key',
  'video_cutout',
  'video_thumbnail',
])

/** The picture of every page, by the adapter's name. */
export async function adapterFrames(each: (name: string, picture: Buffer) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-frames-'))
  try {
    const made = await studio(folder)
    const names = (await readdir(pages))
      .map(file => basename(file, '.md'))
      .filter(name => /^(video|audio)_|^photo_to_video$/.test(name))
    for (const name of names) {
      const [input, output] = await example(name, await readFile(`${pages}${name}.md`, 'utf8'), made)
      if (sounding.has(name)) await each(name, await strip([wave(input), wave(output)], 120))
      else if (compared.has(name))
        await each(name, await strip([...(await frames(input, 1)), ...(await frames(output, 1))], 300))
      else await each(name, await strip(await frames(output, SHOWN), STRIP))
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  await adapterFrames(async (name, picture) => {
    await writeFile(`${pages}images/${name}.jpg`, picture)
    console.log(`docs/adapters/images/${name}.jpg`)
  })
}
