// Reads and renames TrueType and OpenType fonts: which characters they have, and their family name.

interface Table {
  tag: string
  offset: number
  length: number
}

const TRUETYPE = 0x00010000
const OPENTYPE = 0x4f54544f
const APPLE = 0x74727565
const COLLECTION = 0x74746366
const NAME_RECORD = 12
/** Name ids of the family, the better one first. */
const FAMILY_NAMES = [16, 1]
/** Fonts have one or two dozen tables. */
const MOST_TABLES = 1_000
/** Several times what fonts for all of Unicode need. */
const MOST_RANGES = 100_000

export const isFont = (font: Buffer): boolean =>
  font.length > 12 && [TRUETYPE, OPENTYPE, APPLE, COLLECTION].includes(font.readUInt32BE(0))

/** The tables of a font; in a collection, those of its first font. */
export function tablesOf(font: Buffer): Table[] {
  const start = font.readUInt32BE(0) === COLLECTION ? font.readUInt32BE(12) : 0
  const count = font.readUInt16BE(start + 4)
  if (count > MOST_TABLES) throw new RangeError('the font has too many tables')
  return Array.from({ length: count }, (_, i) => {
    const at = start + 12 + i * 16
    return {
      tag: font.toString('latin1', at, at + 4),
      offset: font.readUInt32BE(at + 8),
      length: font.readUInt32BE(at + 12),
    }
  })
}

function tableOf(font: Buffer, tag: string): Buffer | null {
  const table = tablesOf(font).find(other => other.tag === tag)
  return table ? font.subarray(table.offset, table.offset + table.length) : null
}

export function familyOf(font: Buffer): string | null {
  const names = tableOf(font, 'name')
  if (!names) return null
  const strings = names.readUInt16BE(4)
  const found = new Map<number, string>()
  for (let i = 0; i < names.readUInt16BE(2); i++) {
    const at = 6 + i * NAME_RECORD
    const [platform, id, length, offset] = [0, 6, 8, 10].map(field => names.readUInt16BE(at + field)) as [
      number,
      number,
      number,
      number,
    ]
    if (!FAMILY_NAMES.includes(id) || found.has(id) || (platform !== 0 && platform !== 3)) continue
    found.set(
      id,
      Buffer.from(names.subarray(strings + offset, strings + offset + length))
        .swap16()
        .toString('utf16le'),
    )
  }
  return FAMILY_NAMES.map(id => found.get(id)).find(name => name !== undefined) ?? null
}

/** The first and the last of a range of characters that have a glyph. */
export type CharacterRange = [first: number, last: number]

/** The characters that have a glyph: sorted ranges that do not overlap. */
export function coverageOf(font: Buffer): CharacterRange[] {
  const cmap = tableOf(font, 'cmap')
  if (!cmap) return []
  const ranges: CharacterRange[] = []
  const tables = new Set(Array.from({ length: cmap.readUInt16BE(2) }, (_, i) => cmap.readUInt32BE(4 + i * 8 + 4)))
  for (const at of tables) {
    const format = cmap.readUInt16BE(at)
    const found = format === 4 ? segments(cmap.subarray(at)) : format === 12 ? groups(cmap.subarray(at)) : []
    for (const range of found) {
      ranges.push(range)
      // Tables may overlap, so that a small font could be read for ever.
      if (ranges.length > MOST_RANGES) throw new RangeError('the font has too many ranges of characters')
    }
  }
  return merged(ranges)
}

/** Format 4: segments of the first plane. */
function* segments(table: Buffer): Generator<CharacterRange> {
  const count = table.readUInt16BE(6) / 2
  for (let i = 0; i < count; i++) {
    const last = table.readUInt16BE(14 + i * 2)
    const first = table.readUInt16BE(16 + count * 2 + i * 2)
    if (first <= last && first !== 0xffff) yield [first, last]
  }
}

/** Format 12: groups of any plane. */
function* groups(table: Buffer): Generator<CharacterRange> {
  const count = table.readUInt32BE(12)
  for (let i = 0; i < count; i++) yield [table.readUInt32BE(16 + i * 12), table.readUInt32BE(20 + i * 12)]
}

function merged(ranges: CharacterRange[]): CharacterRange[] {
  const whole: CharacterRange[] = []
  for (const [first, last] of ranges.sort(([a], [b]) => a - b)) {
    const before = whole.at(-1)
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else whole.push([first, last])
  }
  return whole
}

/** `ranges` must come from `coverageOf`. */
export function covers(ranges: readonly CharacterRange[], code: number): boolean {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (ranges[middle]![1] < code) low = middle + 1
    else high = middle
  }
  return low < ranges.length && ranges[low]![0] <= code
}

/** The same font under a family name of ours, so that it cannot be confused with another font of the same name. */
export function renamed(font: Buffer, family: string): Buffer {
  const names = nameTable(family)
  const tables = tablesOf(font)
  const bodies = tables.map(({ tag, offset, length }) =>
    tag === 'name' ? names : font.subarray(offset, offset + length),
  )
  // Tables may overlap, so that copying each could take many times the size of the font.
  if (bodies.reduce((sum, body) => sum + body.length, 0) > 2 * font.length + names.length)
    throw new RangeError('the tables of the font are larger than the font')
  const directory = Buffer.alloc(12 + tables.length * 16)
  directory.writeUInt32BE(font.readUInt32BE(0) === COLLECTION ? TRUETYPE : font.readUInt32BE(0), 0)
  directory.writeUInt16BE(tables.length, 4)
  let at = directory.length
  const parts: Buffer[] = [directory]
  for (const [i, body] of bodies.entries()) {
    directory.write(tables[i]!.tag, 12 + i * 16, 'latin1')
    directory.writeUInt32BE(at, 12 + i * 16 + 8)
    directory.writeUInt32BE(body.length, 12 + i * 16 + 12)
    const padding = Buffer.alloc(-body.length & 3)
    parts.push(body, padding)
    at += body.length + padding.length
  }
  return Buffer.concat(parts)
}

function nameTable(family: string): Buffer {
  const texts: [id: number, text: string][] = [
    [1, family],
    [2, 'Regular'],
    [4, family],
    [6, family],
  ]
  const strings = texts.map(([, text]) => Buffer.from(text, 'utf16le').swap16())
  const head = Buffer.alloc(6 + texts.length * NAME_RECORD)
  head.writeUInt16BE(texts.length, 2)
  head.writeUInt16BE(head.length, 4)
  let offset = 0
  for (const [i, [id]] of texts.entries()) {
    const values = [3, 1, 0x409, id, strings[i]!.length, offset]
    for (const [j, value] of values.entries()) head.writeUInt16BE(value, 6 + i * NAME_RECORD + j * 2)
    offset += strings[i]!.length
  }
  return Buffer.concat([head, ...strings])
}
