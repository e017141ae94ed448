// Makes the sheets of the pages about people: drawn guests, and what the real code makes of them. node scripts/people-sheets.ts
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import type { JsonObject } from '#kit/json.ts'
import type { MediaFile } from '#media/file/file.ts'
import { openPicture, runPicture, type Wish } from './run-picture.ts'

const images = fileURLToPath(new URL('../docs/adapters/images/', import.meta.url))
const [WIDTH, HEIGHT] = [960, 640]
const CELL = { width: 360, height: 240 }

interface Person {
  x: number
  y: number
  size: number
  coat: string
  hair: string
  hasClosedEyes?: boolean
}

/** Drawn as softly as a photo: the models take no cartoon for a person. */
function drawn({ x, y, size, coat, hair, hasClosedEyes = false }: Person): string {
  const eyes = hasClosedEyes
    ? '<path d="M73 88q7 3 14 0M105 88q7 3 14 0" stroke="#5a3826" stroke-width="2.6" fill="none"/>'
    : `<ellipse cx="80" cy="87" rx="7" ry="3.8" fill="#f3ece6"/><ellipse cx="112" cy="87" rx="7" ry="3.8" fill="#f3ece6"/>
      <circle cx="80" cy="87" r="3.4" fill="#2a1a12"/><circle cx="112" cy="87" r="3.4" fill="#2a1a12"/>`
  return `<g transform="translate(${x} ${y}) scale(${size / 192})" filter="url(#soft)">
    <path d="M14 400C18 190 40 148 96 148C152 148 174 190 178 400Z" fill="${coat}"/><rect x="82" y="120" width="28" height="36" fill="#b07a58"/>
    <ellipse cx="96" cy="90" rx="36" ry="47" fill="url(#skin)"/>
    <path d="M58 92C52 40 78 34 96 34C114 34 140 40 134 92C130 66 118 58 96 58C74 58 62 66 58 92Z" fill="${hair}"/>
    <path d="M70 78q10-6 18-1M104 77q9-5 18 1" stroke="#3a2417" stroke-width="3" fill="none"/>${eyes}
    <path d="M96 88L92 106Q96 110 101 106" stroke="#8d5a40" stroke-width="2.4" fill="#b9805e"/>
    <path d="M83 119Q96 126 109 119Q96 115 83 119Z" fill="#a34e45"/></g>`
}

/** A room with a window, a lamp and a picture on the wall. */
const room = `<rect width="960" height="640" fill="#9aa3ad"/><rect y="470" width="960" height="170" fill="#7a6a5d"/>
  <rect x="60" y="60" width="200" height="260" fill="#dfe9f2"/><path d="M160 60v260M60 190h200" stroke="#b7a48f" stroke-width="12"/>
  <rect x="700" y="70" width="190" height="130" fill="#c7b199"/><rect x="714" y="84" width="162" height="102" fill="#6c8f7d"/>`

const photo = (people: readonly Person[], blurred = 0): Promise<Buffer> => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><defs>
    <radialGradient id="skin" cx=".45" cy=".4" r=".7"><stop stop-color="#eec2a0"/><stop offset=".7" stop-color="#c98f6b"/><stop offset="1" stop-color="#7d4f38"/></radialGradient>
    <filter id="soft"><feGaussianBlur stdDeviation="1.2"/></filter></defs>${room}${people.map(drawn).join('')}</svg>`
  const picture = sharp(Buffer.from(svg)).removeAlpha()
  return (blurred ? picture.blur(blurred) : picture).jpeg({ quality: 94 }).toBuffer()
}

const front: Person[] = [
  { x: 250, y: 110, size: 300, coat: '#2b3a55', hair: '#2d1c12' },
  { x: 480, y: 130, size: 290, coat: '#7a3b4a', hair: '#5b3a21' },
]
const behind: Person[] = [
  { x: 30, y: 210, size: 150, coat: '#4c5b4a', hair: '#20150f' },
  { x: 800, y: 200, size: 150, coat: '#5b5470', hair: '#3a2a1d' },
]
const beach = `<svg xmlns="http://www.w3.org/2000/svg" width="960" height="640"><rect width="960" height="360" fill="#8ecae6"/><rect y="360" width="960" height="120" fill="#219ebc"/><rect y="480" width="960" height="160" fill="#f2d0a4"/><circle cx="790" cy="110" r="70" fill="#ffb703"/></svg>`

const folder = await mkdtemp(join(tmpdir(), 'keepsake-sheets-'))
let count = 0

async function stored(bytes: Buffer | string): Promise<MediaFile> {
  const path = join(folder, `file-${++count}`)
  await writeFile(path, bytes)
  return openPicture(path)
}

async function made(wish: Wish): Promise<{ picture: Buffer; decisions: string[] }> {
  const { path, decisions } = await runPicture(folder, wish)
  console.log(wish.adapter, JSON.stringify(wish.options), decisions)
  return { picture: await sharp(path).png().toBuffer(), decisions }
}

/** Cells with their words below, on a chequered ground that shows what is transparent. */
async function sheet(name: string, columns: number, cells: { picture: Buffer; words: string }[]): Promise<void> {
  const [gap, line] = [14, 30]
  const rows = Math.ceil(cells.length / columns)
  const width = columns * (CELL.width + gap) + gap
  const height = rows * (CELL.height + line + gap) + gap
  const at = (index: number) => ({
    left: gap + (index % columns) * (CELL.width + gap),
    top: gap + Math.floor(index / columns) * (CELL.height + line + gap),
  })
  const words = cells.map((cell, index) => {
    const { left, top } = at(index)
    return `<rect x="${left}" y="${top}" width="${CELL.width}" height="${CELL.height}" fill="url(#p)"/>
      <text x="${left + CELL.width / 2}" y="${top + CELL.height + 21}" font-size="17" font-family="Inter" text-anchor="middle" fill="#333333">${cell.words}</text>`
  })
  const ground = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><defs><pattern id="p" width="20" height="20" patternUnits="userSpaceOnUse"><rect width="20" height="20" fill="#ffffff"/><path d="M0 0h10v10H0zM10 10h10v10H10z" fill="#dddddd"/></pattern></defs><rect width="${width}" height="${height}" fill="#ffffff"/>${words.join('')}</svg>`
  const pictures = cells.map(async ({ picture }, index) => ({
    input: await sharp(picture)
      .resize({ ...CELL, fit: 'contain', background: '#ffffff' })
      .png()
      .toBuffer(),
    ...at(index),
  }))
  await sharp(Buffer.from(ground))
    .composite(await Promise.all(pictures))
    .jpeg({ quality: 82 })
    .toFile(join(images, `${name}.jpg`))
  console.log(`docs/adapters/images/${name}.jpg`)
}

try {
  const group = await photo([...behind, ...front])
  const guests = await photo(front)
  const [groupFile, guestFile, beachFile] = [await stored(group), await stored(guests), await stored(beach)]

  const cut = async (words: string, options: JsonObject, assets = {}) => ({
    picture: (await made({ adapter: 'photo_cutout', options, input: guestFile, assets })).picture,
    words,
  })
  await sheet('photo_cutout', 3, [
    { picture: guests, words: 'the photo' },
    await cut(
      'asset, shadow 0.4',
      { background_file_name: 'beach', shadow: 0.4 },
      { background_file_name: [beachFile] },
    ),
    await cut('color', { background: 'color', color: '#ffd166' }),
    await cut('gradient', { background: 'gradient', color: '#264653', color_to: '#e76f51' }),
    await cut('blur', { background: 'blur', blur: 3 }),
    await cut('mask', { background: 'mask' }),
  ])

  const hidden = async (words: string, options: JsonObject) => ({
    picture: (await made({ adapter: 'photo_blur_faces', options, input: groupFile })).picture,
    words,
  })
  await sheet('photo_blur_faces', 3, [
    { picture: group, words: 'the photo' },
    await hidden('keep largest', { keep: 'largest' }),
    await hidden('keep none, pixelate', { keep: 'none', method: 'pixelate' }),
  ])

  const aside = await photo([
    { ...front[0]!, x: 40, y: 220, size: 190 },
    { ...front[1]!, x: 190, y: 230, size: 190 },
  ])
  const asideFile = await stored(aside)
  const cropped = async (words: string, gravity: string) => ({
    picture: (await made({ adapter: 'photo_crop', options: { aspect: '3:4', gravity }, input: asideFile })).picture,
    words,
  })
  await sheet('photo_crop_faces', 3, [
    { picture: aside, words: 'the photo' },
    await cropped('gravity center', 'center'),
    await cropped('gravity faces', 'faces'),
  ])

  const burst = [
    await photo(front, 5),
    await photo(front.map(person => ({ ...person, hasClosedEyes: true }))),
    guests,
    await sharp(guests).modulate({ brightness: 0.35 }).jpeg({ quality: 94 }).toBuffer(),
  ]
  const files = await Promise.all(burst.map(stored))
  const picked = await made({
    adapter: 'photo_pick',
    options: { prefer: 'balanced' },
    input: files[0]!,
    assets: { photo_file_names: files.slice(1) },
  })
  const number = Number(/(\d+)/.exec(picked.decisions[0] ?? '')?.[1])
  const words = ['out of focus', 'eyes closed', 'sharp, eyes open', 'too dark']
  await sheet(
    'photo_pick',
    2,
    burst.map((picture, at) => ({ picture, words: at + 1 === number ? `${words[at]}: picked` : words[at]! })),
  )
} finally {
  await rm(folder, { recursive: true, force: true })
}
