// Hands fonts to the drawing library: Inter, which is shipped, uploaded fonts, and installed fonts for other scripts.
import { createHash, randomUUID } from 'node:crypto'
import { openSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Problem } from '#kit/errors.ts'
import type { MediaFile } from '../file/file.ts'
import { readWhole } from '../file/read-whole.ts'
import { drawn } from '../pixels/vips.ts'
import { type InstalledFont, installedFonts, shipped } from './installed-fonts.ts'
import { coverageOf, covers, isFont, renamed } from './sfnt.ts'

/** The font, weight and style that text is set in. */
export interface Face {
  family: string
  weight: number
  italic: boolean
}

export const weights = {
  Thin: 100,
  ExtraLight: 200,
  Light: 300,
  Regular: 400,
  Medium: 500,
  SemiBold: 600,
  Bold: 700,
  ExtraBold: 800,
  Black: 900,
} as const

const registered = new Set<string>()

/** Fontconfig learns of a font when libvips first draws with its file. */
async function register(path: string): Promise<void> {
  if (registered.has(path)) return
  registered.add(path)
  await drawn({ text: { text: '.', font: 'Inter 8', fontfile: path, dpi: 72 } })
    .raw()
    .toBuffer()
}

/** `Inter`, `Inter Bold Italic`, or the name of an installed family. */
export async function faceOf(font: string): Promise<{ face: Face; missing: string | null }> {
  const words = font.trim().split(/\s+/)
  const italic = words.at(-1) === 'Italic' && words.length > 1 && words.pop() === 'Italic'
  const name =
    words.length > 1 && Object.hasOwn(weights, words.at(-1)!) ? (words.pop() as keyof typeof weights) : 'Regular'
  const family = words.join(' ')
  const weight = weights[name]
  const known = family === 'Inter' || (await installedFonts()).some(other => other.family === family)
  const style = `${weight}${name}${italic ? '_Italic' : ''}`
  await register(join(shipped, '400Regular', 'Inter_400Regular.ttf'))
  if (family === 'Inter' || !known) await register(join(shipped, style, `Inter_${style}.ttf`))
  else for (const { path } of (await installedFonts()).filter(other => other.family === family)) await register(path)
  return { face: { family: known ? family : 'Inter', weight, italic }, missing: known ? null : family }
}

const uploaded = new Map<string, Face>()
/** Font collections for Chinese, Japanese and Korean are the largest. */
const MOST_FONT_MIB = 128

/** A font from an asset. It keeps its glyphs and gets a unique family name. */
export async function uploadedFace({ path }: MediaFile): Promise<Face> {
  const font = readWhole(path, MOST_FONT_MIB, 'A font')
  const family = `Keepsake ${createHash('sha256').update(font).digest('hex').slice(0, 24)}`
  const known = uploaded.get(family)
  if (known) return known
  const face: Face = { family, weight: 400, italic: false }
  try {
    if (!isFont(font)) throw new Error('not a font')
    const ranges = coverageOf(font)
    await register(keepOpen(renamed(font, family)))
    own.push({ family, path, ranges })
  } catch (cause) {
    throw new Problem(
      'unsupported_format',
      'The font is not a TrueType or OpenType font (.ttf, .otf) that can be read.',
      { cause },
    )
  }
  uploaded.set(family, face)
  return face
}

/** Unlinks the file but keeps it open: it lives as long as this process and leaves nothing behind, however the process ends. */
function keepOpen(font: Buffer): string {
  const path = join(tmpdir(), `keepsake-font-${randomUUID()}.ttf`)
  writeFileSync(path, font, { flag: 'wx', mode: 0o600 })
  if (process.platform !== 'linux') return path
  const descriptor = openSync(path, 'r')
  unlinkSync(path)
  return `/proc/self/fd/${descriptor}`
}

const own: InstalledFont[] = []

/** Joiners, selectors, marks and spaces need no glyph. */
const invisible = /^[\p{Cc}\p{Cf}\p{Z}\p{Variation_Selector}\u{e0020}-\u{e007f}]$/u

/** Registers a font for each character with the drawing library. Returns the characters that no font has. */
export async function missingCharacters(text: string): Promise<string[]> {
  const fonts = [...own, ...(await installedFonts())]
  const missing = new Set<string>()
  for (const character of new Set(text)) {
    if (invisible.test(character)) continue
    const font = fonts.find(({ ranges }) => covers(ranges, character.codePointAt(0)!))
    if (!font) missing.add(character)
    else if (!own.includes(font) && !font.path.startsWith(shipped)) await register(font.path)
  }
  return [...missing]
}
