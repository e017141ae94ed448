// Writes and reads IPP messages (RFC 8010), and believes nothing that a printer says of lengths and numbers.

export type IppValue = number | boolean | string | null | Range | Collection
interface Range {
  low: number
  high: number
}
export interface Collection {
  [member: string]: IppValue[]
}

export type Attributes = ReadonlyMap<string, IppValue[]>

/** A value to send, with its tag. */
export type Sent =
  | { tag: 'integer' | 'enum'; value: number }
  | { tag: 'boolean'; value: boolean }
  | { tag: 'keyword' | 'name' | 'uri' | 'charset' | 'language' | 'mime'; value: string }
  | { tag: 'collection'; value: Record<string, Sent[]> }

export interface Message {
  /** The operation of a request, the status of an answer. */
  code: number
  requestId: number
  /** Attributes of the operation, then one map for each job or printer. */
  operation: Attributes
  groups: readonly Attributes[]
}

const TAGS = {
  integer: 0x21,
  boolean: 0x22,
  enum: 0x23,
  range: 0x33,
  begin: 0x34,
  textWithLanguage: 0x35,
  nameWithLanguage: 0x36,
  end: 0x37,
  name: 0x42,
  keyword: 0x44,
  uri: 0x45,
  charset: 0x47,
  language: 0x48,
  mime: 0x49,
  member: 0x4a,
} as const

const OPERATION = 0x01
const JOB = 0x02
const END = 0x03
/** Values before it part the message, values from it on are values. */
const FIRST_VALUE = 0x10

/** Far above what printers have: 500 jobs with six attributes each, 300 media. */
const MOST_VALUES = 50_000
const MOST_GROUPS = 5_000
const DEEPEST = 8

/** The answer is no IPP, or ends too early. The message is a few words for a sentence. */
export class BadIpp extends Error {}

export function encode(
  code: number,
  requestId: number,
  operation: Record<string, Sent[]>,
  job: Record<string, Sent[]> = {},
): Buffer {
  const groups: Group[] = Object.keys(job).length === 0 ? [] : [[JOB, job]]
  return encodeGroups(code, requestId, [[OPERATION, operation], ...groups])
}

type Group = [tag: number, attributes: Record<string, Sent[]>]

export function encodeGroups(code: number, requestId: number, groups: readonly Group[]): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt16BE(0x0200, 0)
  head.writeUInt16BE(code, 2)
  head.writeUInt32BE(requestId, 4)
  const body = groups.flatMap(([tag, attributes]) => [Buffer.of(tag), ...attributesOf(attributes)])
  return Buffer.concat([head, ...body, Buffer.of(END)])
}

const attributesOf = (attributes: Record<string, Sent[]>): Buffer[] =>
  Object.entries(attributes).flatMap(([name, values]) =>
    values.flatMap((value, index) => valueFields(index === 0 ? name : '', value)),
  )

/** A value without a name is a further value of the attribute before it. */
function valueFields(name: string, sent: Sent): Buffer[] {
  if (sent.tag !== 'collection') return [field(TAGS[sent.tag], name, bytesOf(sent))]
  const members = Object.entries(sent.value).flatMap(([member, values]) => [
    field(TAGS.member, '', Buffer.from(member)),
    ...values.flatMap(value => valueFields('', value)),
  ])
  return [field(TAGS.begin, name, Buffer.alloc(0)), ...members, field(TAGS.end, '', Buffer.alloc(0))]
}

function bytesOf(sent: Exclude<Sent, { tag: 'collection' }>): Buffer {
  if (sent.tag === 'boolean') return Buffer.of(sent.value ? 1 : 0)
  if (typeof sent.value === 'string') return Buffer.from(sent.value)
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(sent.value)
  return bytes
}

function field(tag: number, name: string, value: Buffer): Buffer {
  const label = Buffer.from(name)
  const bytes = Buffer.alloc(5 + label.length + value.length)
  bytes.writeUInt8(tag, 0)
  bytes.writeUInt16BE(label.length, 1)
  label.copy(bytes, 3)
  bytes.writeUInt16BE(value.length, 3 + label.length)
  value.copy(bytes, 5 + label.length)
  return bytes
}

interface Field {
  tag: number
  name: string
  value: Buffer
}

/** Reads an answer from its first byte to its end tag. What lies behind that is no concern of ours. */
export function decode(bytes: Buffer): Message {
  if (bytes.length < 9) throw new BadIpp('it is too short for IPP')
  if (bytes.readUInt8(0) > 2 || bytes.readUInt8(0) < 1) throw new BadIpp('it is no IPP 1 or 2')
  const reader = readerOf(bytes, 8)
  const operation = new Map<string, IppValue[]>()
  const groups: Map<string, IppValue[]>[] = []
  let here: Map<string, IppValue[]> | null = null
  let values: IppValue[] | null = null
  for (;;) {
    const tag = reader.tag()
    if (tag === END) break
    if (tag < FIRST_VALUE) {
      if (groups.length >= MOST_GROUPS) throw new BadIpp('it has too many groups')
      here = tag === OPERATION ? operation : new Map()
      if (tag !== OPERATION) groups.push(here)
      values = null
      continue
    }
    const next = reader.field(tag)
    if (next.name !== '') {
      // CUPS' own printer tells some attributes twice, each time in part.
      values = here?.get(next.name) ?? []
      here?.set(next.name, values)
    }
    if (!here || !values) throw new BadIpp('it has a value without an attribute')
    values.push(readValue(reader, next, 0))
  }
  return { code: bytes.readUInt16BE(2), requestId: bytes.readUInt32BE(4), operation, groups }
}

interface Reader {
  tag(): number
  field(tag: number): Field
}

function readerOf(bytes: Buffer, start: number): Reader {
  let at = start
  let count = 0
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new BadIpp('it ends in the middle')
    at += length
    return bytes.subarray(at - length, at)
  }
  const counted = (): Buffer => take(take(2).readUInt16BE(0))
  return {
    tag: () => take(1).readUInt8(0),
    field(tag) {
      if (++count > MOST_VALUES) throw new BadIpp('it has too many values')
      const name = counted().toString('utf8')
      return { tag, name, value: counted() }
    },
  }
}

function readValue(reader: Reader, { tag, value }: Field, depth: number): IppValue {
  if (tag === TAGS.begin) return readCollection(reader, depth + 1)
  if (tag === TAGS.integer || tag === TAGS.enum) return sized(value, 4).readInt32BE(0)
  if (tag === TAGS.boolean) return sized(value, 1).readUInt8(0) !== 0
  if (tag === TAGS.range) return { low: sized(value, 8).readInt32BE(0), high: value.readInt32BE(4) }
  if (tag === TAGS.textWithLanguage || tag === TAGS.nameWithLanguage) return withoutLanguage(value)
  // Dates and resolutions are not asked for; other values out of band (unknown, no-value) are none.
  if (tag < 0x20 || (tag >= 0x30 && tag < 0x40)) return null
  return value.toString('utf8')
}

function readCollection(reader: Reader, depth: number): Collection {
  if (depth > DEEPEST) throw new BadIpp('its collections are too deep')
  const members: Collection = Object.create(null)
  let values: IppValue[] | null = null
  for (;;) {
    const next = reader.field(reader.tag())
    if (next.tag === TAGS.end) return members
    if (next.tag < FIRST_VALUE || next.name !== '') throw new BadIpp('a collection has no end')
    if (next.tag === TAGS.member) {
      values = []
      members[next.value.toString('utf8')] = values
    } else {
      if (!values) throw new BadIpp('a collection has a value without a name')
      values.push(readValue(reader, next, depth))
    }
  }
}

function sized(value: Buffer, length: number): Buffer {
  if (value.length !== length) throw new BadIpp('a value has the wrong length')
  return value
}

/** Two counted texts: the language, then the text. */
function withoutLanguage(value: Buffer): string {
  const language = value.length < 2 ? value.length : value.readUInt16BE(0)
  if (value.length < language + 4) throw new BadIpp('a text with a language has the wrong length')
  return value.subarray(language + 4).toString('utf8')
}
