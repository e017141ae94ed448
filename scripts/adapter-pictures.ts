// Makes the pictures of the adapter pages: each page's own example, run by the real code on the photo of the README.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { transformers as adapters } from '#adapters/transformers.ts'
import { assetUses } from '#engine/adapter.ts'
import { fillPlaceholders } from '#engine/placeholders.ts'
import type { JsonObject } from '#kit/json.ts'
import { withDefaults } from '#kit/schema.ts'
import type { MediaFile } from '#media/file/file.ts'
import { openPicture, runPicture } from './run-picture.ts'

const pages = fileURLToPath(new URL('../docs/adapters/', import.meta.url))
const HEIGHT = 300
/** Pages whose pictures are made by adapter-frames.ts, or by people-sheets.ts: the models take no cartoon for a person. */
const others = new Set(['photo_to_video.md', 'photo_cutout.md', 'photo_blur_faces.md', 'photo_pick.md'])

/** A guest with a party hat; `ground` is what is behind. */
const guest = (
  ground: string,
  hat = '#f4b400',
  coat = '#7b2cbf',
): string => `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="600">
  ${ground}
  <path d="M250 600 C250 430 380 400 450 400 C520 400 650 430 650 600 Z" fill="${coat}"/>
  <circle cx="450" cy="290" r="110" fill="#e0a981"/>
  <path d="M340 270 C340 180 560 180 560 270 C540 230 360 230 340 270 Z" fill="#3b2417"/>
  <path d="M385 205 L460 40 L520 205 Z" fill="${hat}"/><circle cx="460" cy="42" r="20" fill="#ffffff"/>
  <circle cx="412" cy="290" r="11" fill="#2a1a12"/><circle cx="490" cy="290" r="11" fill="#2a1a12"/>
  <path d="M405 335 C425 370 478 370 498 335" fill="none" stroke="#8c3b2e" stroke-width="9" stroke-linecap="round"/>
  <path d="M650 520 L720 380" stroke="#e0a981" stroke-width="46" stroke-linecap="round"/>
  <path d="M700 300 h70 l-12 80 h-46 Z" fill="#ffffff" fill-opacity="0.85"/><path d="M708 340 h54 l-6 40 h-42 Z" fill="#ffb703"/></svg>`

const evening = `<defs><linearGradient id="g" x2="0" y2="1"><stop stop-color="#1d3557"/><stop offset="1" stop-color="#e76f51"/></linearGradient></defs>
  <rect width="900" height="600" fill="url(#g)"/>${[
    [80, 90, 34],
    [200, 180, 22],
    [730, 80, 40],
    [830, 210, 26],
    [620, 130, 18],
    [120, 330, 28],
    [790, 380, 20],
  ]
    .map(([x, y, r]) => `<circle cx="${x}" cy="${y}" r="${r}" fill="#ffe8a3" fill-opacity="0.55"/>`)
    .join('')}`
const screen = '<rect width="900" height="600" fill="#00b140"/>'
const beach = `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="600"><rect width="900" height="330" fill="#8ecae6"/><rect y="330" width="900" height="120" fill="#219ebc"/><rect y="450" width="900" height="150" fill="#f2d0a4"/><circle cx="720" cy="120" r="70" fill="#ffb703"/></svg>`
const frame = `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="600"><rect x="12" y="12" width="876" height="576" fill="none" stroke="#ffffff" stroke-width="24"/><rect y="500" width="900" height="100" fill="#d62828" fill-opacity="0.85"/><text x="450" y="568" font-size="54" font-family="Inter" text-anchor="middle" fill="#ffffff">Summer party</text></svg>`
const logo = `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200"><circle cx="100" cy="100" r="96" fill="#d62828"/><path d="M60 140 V60 L140 140 V60" fill="none" stroke="#ffffff" stroke-width="22" stroke-linejoin="round"/></svg>`

/** A warm look: shadows to blue, lights to orange. */
function warmLook(): string {
  const steps = [0, 0.25, 0.5, 0.75, 1]
  const rows = steps.flatMap(b =>
    steps.flatMap(g =>
      steps.map(r => [r * 0.95 + 0.05 * g, g * 0.92 + 0.02, b * 0.7 + 0.1].map(value => value.toFixed(4)).join(' ')),
    ),
  )
  return `TITLE "warm"\nLUT_3D_SIZE 5\n${rows.join('\n')}\n`
}

const png = (svg: string): Promise<Buffer> => sharp(Buffer.from(svg)).png().toBuffer()

async function samples(folder: string): Promise<Record<string, MediaFile>> {
  const files: Record<string, Buffer | string> = {
    guest: await readFile(new URL('../docs/images/guest.jpg', import.meta.url)),
    'guest-before-a-screen': await png(guest(screen)),
    'photo-2': await png(guest(evening, '#2a9d8f', '#264653')),
    'photo-3': await png(guest(evening, '#d62828', '#1d3557')),
    'event-frame': frame,
    'event-logo': logo,
    beach,
    'warm-look': warmLook(),
  }
  const made: Record<string, MediaFile> = {}
  for (const [name, bytes] of Object.entries(files)) {
    const path = join(folder, name)
    await writeFile(path, bytes)
    made[name] = await openPicture(path)
  }
  return made
}

async function after(
  name: string,
  page: string,
  files: Record<string, MediaFile>,
  folder: string,
): Promise<[MediaFile, string]> {
  const adapter = adapters.get(name)
  const example = /```json\n([\s\S]*?)```/.exec(page)?.[1]
  if (!adapter || !example) throw new Error(`${name} has no adapter or no example`)
  const { defaults } = (JSON.parse(example) as { adapter_config: { defaults: JsonObject } }).adapter_config
  const known = { task_id: '0198f0c2-77aa-7cc3-9d3b-2f1f5f0c9a11', ...(defaults.context as JsonObject | undefined) }
  const options = fillPlaceholders(withDefaults(adapter.options, defaults) as JsonObject, known).value
  const assets: Record<string, MediaFile[]> = {}
  for (const { parameter, name: asset } of assetUses(adapter, options)) {
    const file = files[asset]
    if (!file) throw new Error(`${name}: there is no sample called "${asset}"`)
    assets[parameter] = [...(assets[parameter] ?? []), file]
  }
  const input = files[name === 'photo_chroma_key' ? 'guest-before-a-screen' : 'guest']!
  const { path } = await runPicture(folder, { adapter: name, options, input, assets })
  return [input, path]
}

/** Before and after side by side, on a chequered ground that shows what is transparent. */
async function sideBySide(before: string, result: string): Promise<Buffer> {
  const halves = await Promise.all(
    [before, result].map(path =>
      sharp(path).resize({ height: HEIGHT, width: 520, fit: 'inside' }).png().toBuffer({ resolveWithObject: true }),
    ),
  )
  const [left, right] = halves as [(typeof halves)[0], (typeof halves)[0]]
  const width = left.info.width + right.info.width + 60
  const ground = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}"><defs><pattern id="p" width="20" height="20" patternUnits="userSpaceOnUse"><rect width="20" height="20" fill="#ffffff"/><path d="M0 0h10v10H0zM10 10h10v10H10z" fill="#dddddd"/></pattern></defs><rect width="${width}" height="${HEIGHT}" fill="#ffffff"/><rect x="${left.info.width + 60}" y="${(HEIGHT - right.info.height) / 2}" width="${right.info.width}" height="${right.info.height}" fill="url(#p)"/><path d="M${left.info.width + 12} ${HEIGHT / 2} h30 m-12 -12 l12 12 l-12 12" fill="none" stroke="#555555" stroke-width="5"/></svg>`
  const middle = (height: number): number => Math.round((HEIGHT - height) / 2)
  return sharp(Buffer.from(ground))
    .composite([
      { input: left.data, left: 0, top: middle(left.info.height) },
      { input: right.data, left: left.info.width + 60, top: middle(right.info.height) },
    ])
    .jpeg({ quality: 82 })
    .toBuffer()
}

const folder = await mkdtemp(join(tmpdir(), 'keepsake-pictures-'))
try {
  const files = await samples(folder)
  for (const file of (await readdir(pages)).filter(
    page => page.startsWith('photo_') && page.endsWith('.md') && !others.has(page),
  )) {
    const name = basename(file, '.md')
    const [input, result] = await after(name, await readFile(pages + file, 'utf8'), files, folder)
    await writeFile(`${pages}images/${name}.jpg`, await sideBySide(input.path, result))
    console.log(`docs/adapters/images/${name}.jpg`)
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
