// Reads (and renames) TrueType and OpenType fonts: which characters they have and what their family is called.

export interface Table {
  tag: string
  offset: number
  length: number
}

const TRUETYPE = 0x00010000
const OPENTYPE = 0x4f54544f
const APPLE = 0x74727565
const COLLECTION = 0x74746366
const NAME_RECORD = 12

export const isFont = (font: Buffer): boolean =>
  font.length > 12 && [TRUETYPE, OPENTYPE, APPLE, COLLECTION].includes(font.readUInt32BE(0))

/** The tables of a font; of the first one in a collection. */
export function tablesOf(font: Buffer): Table[] {
  const start = font.readUInt32BE(0) === COLLECTION ? font.readUInt32BE(12) : 0
  const count = font.readUInt16BE(start + 4)
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
    if (found.has(id) || (platform !== 0 && platform !== 3)) continue
    found.set(
      id,
      Buffer.from(names.subarray(strings + offset, strings + offset + length))
        .swap16()
        .toString('utf16le'),
    )
  }
  return found.get(16) ?? found.get(1) ?? null
}

/** Ranges of characters that have a glyph, as [first, last] pairs. */
export function coverageOf(font: Buffer): [first: number, last: number][] {
  const cmap = tableOf(font, 'cmap')
  if (!cmap) return []
  const ranges: [number, number][] = []
  for (let i = 0; i < cmap.readUInt16BE(2); i++) {
    const at = cmap.readUInt32BE(4 + i * 8 + 4)
    const format = cmap.readUInt16BE(at)
    if (format === 4) ranges.push(...segments(cmap.subarray(at)))
    else if (format === 12) ranges.push(...groups(cmap.subarray(at)))
  }
  return ranges
}

/** Format 4: segments of the first plane. */
function segments(table: Buffer): [number, number][] {
  const count = table.readUInt16BE(6) / 2
  const found: [number, number][] = []
  for (let i = 0; i < count; i++) {
    const last = table.readUInt16BE(14 + i * 2)
    const first = table.readUInt16BE(16 + count * 2 + i * 2)
    if (first <= last && first !== 0xffff) found.push([first, last])
  }
  return found
}

/** Format 12: groups of any plane. */
function groups(table: Buffer): [number, number][] {
  return Array.from({ length: table.readUInt32BE(12) }, (_, i) => [
    table.readUInt32BE(16 + i * 12),
    table.readUInt32BE(20 + i * 12),
  ])
}

/** The same font under a family name of ours, so that it cannot be mistaken for another of the same name. */
export function renamed(font: Buffer, family: string): Buffer {
  const names = nameTable(family)
  const tables = tablesOf(font)
  const bodies = tables.map(({ tag, offset, length }) =>
    tag === 'name' ? names : font.subarray(offset, offset + length),
  )
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
