// The ways in which text can be written in other letters (percent signs, escapes, base64, hex), read back byte by byte.
import { own } from '../json.ts'

/** Bytes that were read out of a text, and where in it each of them is written. */
export interface View {
  bytes: Uint8Array
  /** Where the writing of each byte begins, and where it ends. */
  from: Int32Array
  to: Int32Array
}

/** Collects bytes one by one; there are never more than `most`. */
function collector(most: number) {
  const bytes = new Uint8Array(most)
  const from = new Int32Array(most)
  const to = new Int32Array(most)
  let size = 0
  return {
    add(byte: number, start: number, end: number): void {
      bytes[size] = byte
      from[size] = start
      to[size] = end
      size++
    },
    view: (): View => ({ bytes: bytes.subarray(0, size), from: from.subarray(0, size), to: to.subarray(0, size) }),
  }
}

type Collector = ReturnType<typeof collector>

function addCodePoint(out: Collector, code: number, start: number, end: number): void {
  if (code < 0x80) out.add(code, start, end)
  else for (const byte of Buffer.from(String.fromCodePoint(code))) out.add(byte, start, end)
}

/** The UTF-8 of a text, with the places of its UTF-16 units. */
export function viewOf(text: string): View {
  const out = collector(text.length * 3)
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i) as number
    const end = code > 0xffff ? i + 2 : i + 1
    addCodePoint(out, code, i, end)
    i = end - 1
  }
  return out.view()
}

const hexValue = new Int8Array(256).fill(-1)
for (const [value, signs] of [...'0123456789'].entries()) hexValue[signs.charCodeAt(0)] = value
for (const [at, sign] of [...'abcdef'].entries()) {
  hexValue[sign.charCodeAt(0)] = 10 + at
  hexValue[sign.toUpperCase().charCodeAt(0)] = 10 + at
}

const base64Value = new Int8Array(256).fill(-1)
for (const [value, sign] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries())
  base64Value[sign.charCodeAt(0)] = value
base64Value[0x2d] = 62
base64Value[0x5f] = 63

const hexAt = (bytes: Uint8Array, at: number): number => hexValue[bytes[at] ?? 0] as number

/** A number of exactly so many hexadecimal digits, or -1. */
function hexNumber(bytes: Uint8Array, at: number, digits: number): number {
  let value = 0
  for (let i = at; i < at + digits; i++) {
    const digit = hexAt(bytes, i)
    if (digit < 0) return -1
    value = value * 16 + digit
  }
  return value
}

/** A decoder of one kind of escape: what stands at a place, and how many bytes it takes there; null: no escape. */
type Escape = (bytes: Uint8Array, at: number) => { code: number; length: number } | null

const plainEscapes: Record<string, number> = { n: 10, r: 13, t: 9, b: 8, f: 12, v: 11, '0': 0 }

const backslash: Escape = (bytes, at) => {
  const sign = String.fromCharCode(bytes[at + 1] ?? 0)
  if (sign === 'u' || sign === 'U') {
    if (bytes[at + 2] === 0x7b) return braced(bytes, at + 3)
    const code = hexNumber(bytes, at + 2, 4)
    if (code < 0) return null
    const low = bytes[at + 6] === 0x5c && ((bytes[at + 7] ?? 0) | 0x20) === 0x75 ? hexNumber(bytes, at + 8, 4) : -1
    if (code >= 0xd800 && code < 0xdc00 && low >= 0xdc00 && low < 0xe000)
      return { code: 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00), length: 12 }
    return { code, length: 6 }
  }
  if (sign === 'x' || sign === 'X') {
    const code = hexNumber(bytes, at + 2, 2)
    return code < 0 ? null : { code: -code - 1, length: 4 }
  }
  const octal = /^[0-3][0-7]{2}$/.exec(String.fromCharCode(...bytes.subarray(at + 1, at + 4)))
  if (octal) return { code: -Number.parseInt(octal[0], 8) - 1, length: 4 }
  if (Object.hasOwn(plainEscapes, sign)) return { code: plainEscapes[sign] as number, length: 2 }
  return /[!-/:-@[-`{-~]/.test(sign) ? { code: sign.charCodeAt(0), length: 2 } : null
}

function braced(bytes: Uint8Array, at: number): ReturnType<Escape> {
  let digits = 0
  while (digits < 7 && hexAt(bytes, at + digits) >= 0) digits++
  const code = hexNumber(bytes, at, digits)
  return digits > 0 && bytes[at + digits] === 0x7d && code <= 0x10ffff ? { code, length: digits + 4 } : null
}

const percent: Escape = (bytes, at) => {
  const code = hexNumber(bytes, at + 1, 2)
  return code < 0 ? null : { code: -code - 1, length: 3 }
}

/** Entities of the signs that ASCII has; letters and digits have none but their numbers. */
const entities: Record<string, string> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', excl: '!', num: '#', dollar: '$', percnt: '%' },
  ...{ lpar: '(', rpar: ')', ast: '*', plus: '+', comma: ',', period: '.', sol: '/', colon: ':', semi: ';' },
  ...{ equals: '=', quest: '?', commat: '@', lsqb: '[', bsol: '\\', rsqb: ']', hat: '^', lowbar: '_', grave: '`' },
  ...{ lcub: '{', verbar: '|', rcub: '}', hyphen: '-', dash: '-', tab: '\t', newline: '\n' },
}

const entity: Escape = (bytes, at) => {
  const text = String.fromCharCode(...bytes.subarray(at, at + 12))
  const number = /^&#(?:[xX]0*([0-9a-fA-F]{1,6})|0*(\d{1,7}));?/.exec(text)
  if (number) {
    const code = number[1] === undefined ? Number(number[2]) : Number.parseInt(number[1], 16)
    return code <= 0x10ffff ? { code, length: number[0].length } : null
  }
  const name = /^&([a-zA-Z]{2,8});/.exec(text)
  const sign = name && own(entities, (name[1] as string).toLowerCase())
  return sign ? { code: sign.charCodeAt(0), length: name[0].length } : null
}

const quoted: Escape = (bytes, at) => {
  const code = hexNumber(bytes, at + 1, 2)
  if (code >= 0) return { code: -code - 1, length: 3 }
  // A line that goes on in the next one.
  if (bytes[at + 1] === 10) return { code: Number.NaN, length: 2 }
  return bytes[at + 1] === 13 && bytes[at + 2] === 10 ? { code: Number.NaN, length: 3 } : null
}

/** Null when there was nothing to decode. A code below zero is a byte, any other a character, NaN nothing at all. */
function decoded({ bytes, from, to }: View, escapes: ReadonlyMap<number, Escape>): View | null {
  let out: Collector | null = null
  for (let i = 0; i < bytes.length; i++) {
    const found = escapes.get(bytes[i] as number)?.(bytes, i)
    if (!found) {
      out?.add(bytes[i] as number, from[i] as number, to[i] as number)
      continue
    }
    if (!out) {
      out = collector(bytes.length)
      for (let k = 0; k < i; k++) out.add(bytes[k] as number, from[k] as number, to[k] as number)
    }
    const { code, length } = found
    const end = to[i + length - 1] as number
    if (code < 0) out.add(-code - 1, from[i] as number, end)
    else if (!Number.isNaN(code)) addCodePoint(out, code, from[i] as number, end)
    i += length - 1
  }
  return out?.view() ?? null
}

const usual = new Map([
  [0x25, percent],
  [0x26, entity],
  [0x5c, backslash],
])
const inMails = new Map([[0x3d, quoted]])

/** Percent signs, backslashes and entities, one layer of them. */
export const withoutEscapes = (view: View): View | null => decoded(view, usual)
/** Quoted-printable. */
export const withoutQuoting = (view: View): View | null => decoded(view, inMails)

/** Without blanks and line ends, as which long values are wrapped. */
export function withoutBlanks({ bytes, from, to }: View): View | null {
  if (!bytes.some(isBlank)) return null
  const out = collector(bytes.length)
  for (let i = 0; i < bytes.length; i++)
    if (!isBlank(bytes[i] as number)) out.add(bytes[i] as number, from[i] as number, to[i] as number)
  return out.view()
}

const isBlank = (byte: number): boolean => byte === 32 || (byte >= 9 && byte <= 13)

/** What every run of base64 signs stands for. Where its groups of four begin is not known, so all four are tried. */
export function* base64Runs({ bytes, from, to }: View, shortest: number): Generator<View> {
  const least = Math.ceil((shortest * 4) / 3)
  for (let i = 0; i < bytes.length; i++) {
    const start = i
    while (i < bytes.length && (base64Value[bytes[i] as number] as number) >= 0) i++
    for (let first = start; first < start + 4 && i - first >= least; first++) {
      const out = collector(Math.floor(((i - first) * 3) / 4) + 1)
      for (let k = first; k + 1 < i; k++) {
        // The first of four signs begins a byte, the second ends it and begins the next, and so on.
        const place = (k - first) % 4
        if (place === 3) continue
        const value = ((base64Value[bytes[k] as number] as number) << (2 + 2 * place)) & 0xff
        const next = (base64Value[bytes[k + 1] as number] as number) >> (4 - 2 * place)
        out.add(value | next, from[k] as number, to[k + 1] as number)
      }
      yield out.view()
    }
  }
}

/** What every run of hexadecimal digits stands for, also with single signs between the pairs. */
export function* hexRuns({ bytes, from, to }: View, shortest: number): Generator<View> {
  const isPair = (at: number) => hexAt(bytes, at) >= 0 && hexAt(bytes, at + 1) >= 0
  const afterPair = (at: number) => (isBetween(bytes[at + 2]) && isPair(at + 3) ? at + 3 : at + 2)
  for (let i = 0; i + 1 < bytes.length; i++) {
    // A pair from here on, or from the next one, needs that.
    if (hexAt(bytes, i + 1) < 0) continue
    let end = i
    for (const first of [i, i + 1]) {
      let pairs = 0
      let at = first
      for (; isPair(at); at = afterPair(at)) pairs++
      end = Math.max(end, at)
      if (pairs < shortest) continue
      const out = collector(pairs)
      for (let k = first; k < at; k = afterPair(k))
        out.add(hexNumber(bytes, k, 2), from[k] as number, to[k + 1] as number)
      yield out.view()
    }
    i = Math.max(i, end - 1)
  }
}

const isBetween = (byte: number | undefined): boolean => byte === 0x3a || byte === 0x2d || byte === 0x2c || byte === 32
