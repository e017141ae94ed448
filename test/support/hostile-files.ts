// Files made to harm whoever looks at them: cut off, lying about sizes, leading round in circles, growing without end.
import { deflateSync, gzipSync } from 'node:zlib'

/** What is asked of a file decides by which step it is worked on. */
export type Kind = 'picture' | 'video' | 'sound'

export interface HostileFile {
  name: string
  kind: Kind
  bytes: Buffer
}

const be32 = (n: number): Buffer => Buffer.from(Uint32Array.of(n).buffer).reverse()
const le32 = (n: number): Buffer => Buffer.from(Uint32Array.of(n).buffer)
const be64 = (n: bigint): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(n)
  return bytes
}
const latin = (text: string): Buffer => Buffer.from(text, 'latin1')

// Matroska: an id, a size, a body.

const element = (id: string, body: Buffer, size?: Buffer): Buffer =>
  Buffer.concat([Buffer.from(id, 'hex'), size ?? Buffer.concat([Buffer.from([0x08]), be32(body.length)]), body])
const webmHead = element(
  '1a45dfa3',
  Buffer.concat([
    element('4286', Buffer.from([1])),
    element('42f7', Buffer.from([1])),
    element('4282', latin('webm')),
    element('4287', Buffer.from([4])),
    element('4285', Buffer.from([2])),
  ]),
)
const claimed = Buffer.from([0x01, 0, 0, 0, 0xff, 0xff, 0xff, 0xff])
const endless = Buffer.from([0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])
const webmInfo = element('1549a966', element('2ad7b1', Buffer.from([0x0f, 0x42, 0x40])))
const webmTrack = element(
  '1654ae6b',
  element(
    'ae',
    Buffer.concat([
      element('d7', Buffer.from([1])),
      element('73c5', Buffer.from([1])),
      element('83', Buffer.from([1])),
      element('86', latin('V_VP8')),
      element('e0', Buffer.concat([element('b0', Buffer.from([0, 64])), element('ba', Buffer.from([0, 64]))])),
    ]),
  ),
)

const webm = (name: string, segment: Buffer, size: Buffer = claimed): HostileFile => ({
  name: `webm: ${name}`,
  kind: 'video',
  bytes: Buffer.concat([webmHead, element('18538067', segment, size)]),
})

/** A segment that claims far more bytes than there are, with nothing in it that could be a track. */
export const segmentWithoutEnd = (): HostileFile =>
  webm('no tracks, a segment larger than the file', Buffer.alloc(4_000))

const matroska = (): HostileFile[] => [
  segmentWithoutEnd(),
  webm('the same behind its facts', Buffer.concat([webmInfo, Buffer.alloc(4_000, 0x11)])),
  webm('noise of ones', Buffer.alloc(4_000, 0xff)),
  webm(
    'unknown sizes inside of unknown sizes',
    Buffer.alloc(3_000, Buffer.from('1f43b67501ffffffffffffff', 'hex')),
    endless,
  ),
  webm(
    'clusters of nothing',
    Buffer.concat([webmInfo, webmTrack, element('1f43b675', Buffer.alloc(3_000, 0xa3), claimed)]),
  ),
  webm(
    'a seek head that points to itself',
    element('114d9b74', Buffer.alloc(2_000, Buffer.from('4dbb8b53ab8418538067', 'hex'))),
  ),
  webm('a thousand tracks', Buffer.concat(Array.from({ length: 1_000 }, () => webmTrack))),
  webm('only a head', Buffer.alloc(0)),
]

// ISO media: a size, a name, a body.

const box = (name: string, ...bodies: Buffer[]): Buffer => {
  const body = Buffer.concat(bodies)
  return Buffer.concat([be32(body.length + 8), latin(name), body])
}
const lyingBox = (size: number, name: string, body: Buffer): Buffer => Buffer.concat([be32(size), latin(name), body])
const brand = (name: string): Buffer => box('ftyp', latin(name), be32(512), latin(`${name}iso2avc1mp41`))
const mp4Head = brand('isom')
const full = (...numbers: number[]): Buffer => Buffer.concat([0, ...numbers].map(be32))

function mp4Track(tables: Buffer): Buffer {
  const entry = Buffer.concat([
    Buffer.alloc(6),
    Buffer.from([0, 1]),
    Buffer.alloc(16),
    Buffer.from([0, 64, 0, 64]),
    Buffer.alloc(50),
    box('avcC', Buffer.from('0164000affe1000467640000010004680000', 'hex')),
  ])
  const stsd = box('stsd', full(1), box('avc1', entry))
  const handler = box('hdlr', full(0), latin('vide'), Buffer.alloc(12), latin('v\0'))
  const media = box('mdia', box('mdhd', full(0, 0, 1_000, 10_000, 0)), handler, box('minf', box('stbl', stsd, tables)))
  return box(
    'moov',
    box('mvhd', full(0, 0, 1_000, 10_000), Buffer.alloc(80)),
    box('trak', box('tkhd', full(0, 0, 1, 0, 10_000), Buffer.alloc(60)), media),
  )
}

const mp4 = (name: string, ...parts: Buffer[]): HostileFile => ({
  name: `mp4: ${name}`,
  kind: 'video',
  bytes: Buffer.concat([mp4Head, ...parts]),
})

/** Boxes in boxes: each holds no more than the next one. Written from the outside, since to wrap them takes the square. */
const nested = (name: string, depth: number): Buffer =>
  Buffer.concat(Array.from({ length: depth }, (_, i) => lyingBox(8 * (depth - i), name, Buffer.alloc(0))))

const isoMedia = (): HostileFile[] => {
  const most = 0xffffffff
  const sizes = box('stsz', full(0, most))
  const chunks = box('stco', full(1, 0))
  const map = box('stsc', full(1, 1, most, 1))
  return [
    mp4('a box of no size', lyingBox(0, 'moov', Buffer.alloc(64))),
    mp4('boxes of one byte', ...Array.from({ length: 200 }, () => lyingBox(1, 'free', be64(0n)))),
    mp4('a box of 2^63 bytes', lyingBox(1, 'moov', be64(2n ** 63n))),
    mp4('boxes smaller than their head', ...Array.from({ length: 200 }, () => lyingBox(4, 'moov', Buffer.alloc(0)))),
    mp4('2^32 samples without a table', mp4Track(Buffer.concat([sizes, chunks, map, box('stts', full(1, most, 1))]))),
    mp4(
      '2^32 samples of one size',
      mp4Track(Buffer.concat([box('stsz', full(1, most)), chunks, map, box('stts', full(1, most, 1))])),
      box('mdat', Buffer.alloc(100)),
    ),
    mp4(
      '2^32 entries of times',
      mp4Track(Buffer.concat([box('stsz', full(8, 10)), chunks, map, box('stts', full(most, 1, 1))])),
    ),
    mp4(
      'key frames beyond the end',
      mp4Track(
        Buffer.concat([box('stsz', full(8, 10)), chunks, map, box('stts', full(1, 10, 1)), box('stss', full(most, 1))]),
      ),
    ),
    mp4('boxes in boxes', nested('moov', 20_000)),
    mp4('tracks in tracks', box('moov', nested('trak', 20_000))),
    mp4(
      'fragments without end',
      ...Array.from({ length: 500 }, () => box('moof', box('traf', box('tfhd', full(1)), box('trun', full(most, 0))))),
    ),
    {
      name: 'heic: no items',
      kind: 'picture',
      bytes: Buffer.concat([brand('heic'), box('meta', full(), Buffer.alloc(500))]),
    },
    {
      name: 'heic: items in items',
      kind: 'picture',
      bytes: Buffer.concat([brand('heic'), box('meta', full(), nested('iprp', 5_000))]),
    },
    {
      name: 'avif: 2^32 extents',
      kind: 'picture',
      bytes: Buffer.concat([brand('avif'), box('meta', full(), box('iloc', full(most, most)))]),
    },
  ]
}

// Pictures.

function crc(bytes: Buffer): number {
  let sum = 0xffffffff
  for (const byte of bytes) {
    sum ^= byte
    for (let i = 0; i < 8; i++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1
  }
  return (sum ^ 0xffffffff) >>> 0
}
const chunk = (type: string, body: Buffer): Buffer => {
  const named = Buffer.concat([latin(type), body])
  return Buffer.concat([be32(body.length), named, be32(crc(named))])
}
const pngOf = (width: number, height: number, ...chunks: Buffer[]): Buffer =>
  Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', Buffer.concat([be32(width), be32(height), Buffer.from([8, 0, 0, 0, 0])])),
    ...chunks,
    chunk('IEND', Buffer.alloc(0)),
  ])
const pngData = (rows: number, bytes: number): Buffer => chunk('IDAT', deflateSync(Buffer.alloc(rows * (bytes + 1))))
/** 100 MB, packed once for all that bring them. */
const zeros = deflateSync(Buffer.alloc(1e8), { level: 9 })

const gifOf = (frames: number): Buffer => {
  const frame = Buffer.from('21f90400010000002c0000000001000100000202440100', 'hex')
  return Buffer.concat([
    Buffer.from('47494638396101000100800000000000ffffff', 'hex'),
    ...Array.from({ length: frames }, () => frame),
    Buffer.from([0x3b]),
  ])
}

const tiffOf = (next: number): Buffer => {
  const entries = [
    [256, 4, 1, 8],
    [257, 4, 1, 8],
    [258, 3, 1, 8],
    [259, 3, 1, 1],
    [262, 3, 1, 1],
    [273, 4, 1, 200],
    [277, 3, 1, 1],
    [278, 4, 1, 8],
    [279, 4, 1, 64],
  ] as const
  const head = Buffer.alloc(300)
  head.write('II*\0', 'latin1')
  head.writeUInt32LE(8, 4)
  head.writeUInt16LE(entries.length, 8)
  for (const [i, [tag, type, count, value]] of entries.entries()) {
    const at = 10 + i * 12
    head.writeUInt16LE(tag, at)
    head.writeUInt16LE(type, at + 2)
    head.writeUInt32LE(count, at + 4)
    head.writeUInt32LE(value, at + 8)
  }
  head.writeUInt32LE(next, 10 + entries.length * 12)
  return head
}

const picture = (name: string, bytes: Buffer): HostileFile => ({ name, kind: 'picture', bytes })

const pictures = (): HostileFile[] => [
  picture('png: 2^31 pixels a side', pngOf(0x7fffffff, 0x7fffffff, pngData(1, 1))),
  picture('png: a million rows of which one is there', pngOf(1, 1_000_000, pngData(1, 1))),
  picture(
    'png: 100 MB behind a text',
    pngOf(1, 1, chunk('zTXt', Buffer.concat([latin('a\0\0'), zeros])), pngData(1, 1)),
  ),
  picture(
    'png: 100 MB behind a profile',
    pngOf(1, 1, chunk('iCCP', Buffer.concat([latin('a\0\0'), zeros])), pngData(1, 1)),
  ),
  picture('png: 100 MB of pixels in one', pngOf(1, 1, chunk('IDAT', zeros))),
  picture(
    'png: ten thousand chunks',
    pngOf(1, 1, ...Array.from({ length: 10_000 }, () => chunk('tEXt', latin('a\0b'))), pngData(1, 1)),
  ),
  picture('gif: 100,000 frames of one pixel', gifOf(100_000)),
  picture('gif: cut off', gifOf(3).subarray(0, 40)),
  picture('tiff: a directory that leads to itself', tiffOf(8)),
  picture('tiff: a directory beyond the end', tiffOf(0xfffffff0)),
  picture('tiff: only a head', Buffer.from('II*\0\xff\xff\xff\xff', 'latin1')),
  picture(
    'jpeg: segments of no length',
    Buffer.concat([Buffer.from('ffd8', 'hex'), Buffer.alloc(60_000, Buffer.from('ffe10000', 'hex'))]),
  ),
  picture('jpeg: 65,500 pixels a side', Buffer.from('ffd8ffc0000b08ffdcffdc01011100ffda0008010100003f0000ffd9', 'hex')),
  picture(
    'webp: larger than it is',
    Buffer.concat([
      latin('RIFF'),
      le32(0x7ffffff0),
      latin('WEBPVP8L'),
      le32(0x7fffff00),
      Buffer.from('2fffffffffff', 'hex'),
      Buffer.alloc(40),
    ]),
  ),
]

// Sound.

const sound = (name: string, bytes: Buffer): HostileFile => ({ name, kind: 'sound', bytes })

const wavOf = (claims: number, rate: number, samples: number): Buffer =>
  Buffer.concat([
    latin('RIFF'),
    le32(claims),
    latin('WAVEfmt '),
    le32(16),
    Buffer.from([1, 0, 2, 0]),
    le32(rate),
    le32(rate * 4),
    Buffer.from([4, 0, 16, 0]),
    latin('data'),
    le32(claims),
    Buffer.alloc(samples * 4),
  ])

const sounds = (): HostileFile[] => [
  sound('wav: 4 GB that are not there', wavOf(0xffffffff, 48_000, 100)),
  sound('wav: one sample a second', wavOf(0x7fffffff, 1, 100)),
  sound(
    'wav: chunks of no length',
    Buffer.concat([latin('RIFF\xff\xff\xff\xffWAVE'), Buffer.alloc(40_000, latin('LIST\0\0\0\0'))]),
  ),
  sound(
    'flac: a length of 2^36 samples',
    Buffer.concat([
      latin('fLaC'),
      Buffer.from('80000022', 'hex'),
      Buffer.from('10001000000000000000', 'hex'),
      Buffer.from('0bb802ffffffffff', 'hex'),
      Buffer.alloc(16),
      Buffer.alloc(3_000, 0xff),
    ]),
  ),
  sound('flac: tags without end', Buffer.concat([latin('fLaC'), Buffer.alloc(4_000, Buffer.from('04000000', 'hex'))])),
  sound(
    'ogg: pages without end',
    Buffer.alloc(20_000, Buffer.from('4f67675300000000000000000000010000000000000000000000', 'hex')),
  ),
  sound('mp3: a tag of 256 MB', Buffer.concat([latin('ID3\x03\0\0\x7f\x7f\x7f\x7f'), Buffer.alloc(2_000)])),
  sound('mp3: heads and nothing else', Buffer.alloc(40_000, Buffer.from('fffb9000', 'hex'))),
  sound('aac: frames of no length', Buffer.alloc(20_000, Buffer.from('fff15080000000', 'hex'))),
]

const others = (): HostileFile[] => [
  {
    name: 'avi: lists in lists',
    kind: 'video',
    bytes: Buffer.concat([latin('RIFF\xff\xff\xff\x7fAVI '), Buffer.alloc(30_000, latin('LIST\xff\xff\xff\x7fhdrl'))]),
  },
  {
    name: 'asf: objects of no size',
    kind: 'video',
    bytes: Buffer.concat([Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex'), Buffer.alloc(4_000)]),
  },
  {
    name: 'flv: tags of no size',
    kind: 'video',
    bytes: Buffer.concat([Buffer.from('464c56010500000009', 'hex'), Buffer.alloc(20_000)]),
  },
  {
    name: 'ts: packets of nothing',
    kind: 'video',
    bytes: Buffer.alloc(188 * 200, Buffer.concat([Buffer.from([0x47]), Buffer.alloc(187)])),
  },
  { name: 'gzip: 100 MB of nothing', kind: 'picture', bytes: gzipSync(Buffer.alloc(1e8)) },
]

export const hostileFiles = (): HostileFile[] => [...matroska(), ...isoMedia(), ...pictures(), ...sounds(), ...others()]

/** A drawing of a few bytes in which every group is used ten times by the next. */
export function svgOfUses(depth: number): Buffer {
  const group = (i: number): string => `<g id="g${i}">${`<use href="#g${i - 1}"/>`.repeat(10)}</g>`
  const groups = Array.from({ length: depth }, (_, i) => group(i + 1)).join('')
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200"><g id="g0"><rect width="9" height="9"/></g>${groups}<use href="#g${depth}"/></svg>`,
  )
}

/** A progressive JPEG with so many scans more, each of a few bytes that change nothing: its reader goes over all blocks for each. */
export function withEmptyScans(jpeg: Buffer, width: number, height: number, count: number): Buffer {
  // One code of one bit, for a run of 2^14 blocks or more; the 14 bits behind it say how many more.
  const [table, run] = [[0xff, 0xc4, 0, 20, 0x10, 1, ...Array(15).fill(0), 0xe0], '010101010101010']
  const runs = Math.ceil((Math.ceil(width / 8) * Math.ceil(height / 8)) / (2 ** 14 + 0b10101010101010))
  const bits = run.repeat(runs)
  const bytes = bits.match(/.{1,8}/g)?.map(byte => Number.parseInt(byte.padEnd(8, '1'), 2)) ?? []
  const scan = Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 1, 63, 0, ...bytes])
  const end = jpeg.length - 2
  return Buffer.concat([
    jpeg.subarray(0, end),
    Buffer.from(table),
    ...Array.from({ length: count }, () => scan),
    jpeg.subarray(end),
  ])
}

/** Filters one behind the other, each of which looks at thousands of pixels for every pixel. */
export function svgOfFilters(count: number): Buffer {
  const filter = '<feMorphology operator="dilate" radius="900"/><feTurbulence baseFrequency="0.9" numOctaves="500"/>'
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="3000" height="3000"><filter id="f" x="0" y="0" width="1" height="1">${filter.repeat(count)}</filter><rect width="3000" height="3000" filter="url(#f)"/></svg>`,
  )
}

/** A font (of the tables of a real one) with another list of characters. */
export function fontWith(font: Buffer, cmap: Buffer): Buffer {
  const count = font.readUInt16BE(4)
  const tables = Array.from({ length: count }, (_, i) => {
    const at = 12 + i * 16
    const [offset, length] = [font.readUInt32BE(at + 8), font.readUInt32BE(at + 12)]
    const tag = font.toString('latin1', at, at + 4)
    return { tag, body: tag === 'cmap' ? cmap : font.subarray(offset, offset + length) }
  })
  const head = Buffer.alloc(12 + count * 16)
  font.copy(head, 0, 0, 12)
  const parts: Buffer[] = [head]
  let at = head.length
  for (const [i, { tag, body }] of tables.entries()) {
    head.write(tag, 12 + i * 16, 'latin1')
    head.writeUInt32BE(at, 12 + i * 16 + 8)
    head.writeUInt32BE(body.length, 12 + i * 16 + 12)
    const padding = Buffer.alloc(-body.length & 3)
    parts.push(body, padding)
    at += body.length + padding.length
  }
  return Buffer.concat(parts)
}

/** One character that shows a glyph of the font. */
export const oneCharacter = (code: number, glyph: number): Buffer =>
  Buffer.concat([
    Buffer.from('00000001', 'hex'),
    Buffer.from('0003000a', 'hex'),
    be32(12),
    Buffer.from('000c0000', 'hex'),
    be32(28),
    be32(0),
    be32(1),
    be32(code),
    be32(code),
    be32(glyph),
  ])

/** Lists of characters that claim to have no end, one for each of 65,535 platforms. */
export function charactersWithoutEnd(): Buffer {
  const cmap = Buffer.alloc(4 + 65_535 * 8 + 64)
  cmap.writeUInt16BE(65_535, 2)
  const at = 4 + 65_535 * 8
  for (let i = 0; i < 65_535; i++) cmap.writeUInt32BE(at, 4 + i * 8 + 4)
  cmap.writeUInt16BE(12, at)
  cmap.writeUInt32BE(0xffffffff, at + 12)
  return cmap
}

/** A font whose tables all claim the whole file. */
export function overlappingFont(font: Buffer): Buffer {
  const bytes = Buffer.alloc(12 + 200 * 16 + font.length)
  font.copy(bytes, 0, 0, 4)
  bytes.writeUInt16BE(200, 4)
  for (let i = 0; i < 200; i++) {
    bytes.write(`t${String(i).padStart(3, '0')}`, 12 + i * 16, 'latin1')
    bytes.writeUInt32BE(0, 12 + i * 16 + 8)
    bytes.writeUInt32BE(bytes.length, 12 + i * 16 + 12)
  }
  return bytes
}
