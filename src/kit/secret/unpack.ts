// Reads texts out of the codes that pack bytes into signs: each of them tried wherever it could begin.
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib'

/** No decoded run is longer, and no more is unfolded from compressed bytes. */
const MOST_BYTES = 16 * 1024
/** Shorter runs hold nothing that anybody looks for. */
const LEAST_SIGNS = 8
/** Numbers of more digits than this are no numbers of a base; working one out takes the square of its length. */
const MOST_DIGITS = 96

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const small = letters.toLowerCase()
const digits = '0123456789'
const signs85 = '!#$%&()*+-;<=>?@^_`{|}~'

type Decode = (run: string) => Iterable<Buffer>

/** The value of each sign by its code, all of ASCII; `other`: of signs that are not in the alphabet. */
function valuesOf(alphabet: string, other: number): Uint8Array {
  const values = new Uint8Array(128).fill(other)
  for (let value = 0; value < alphabet.length; value++) values[alphabet.charCodeAt(value)] = value
  return values
}

/** Signs of so many bits each, at every place where a byte could begin. */
function ofBits(alphabet: string, bits: number): Decode {
  const values = valuesOf(alphabet, 0)
  return function* (run) {
    for (let first = 0; first < 8 && first < run.length; first++) {
      const bytes = Buffer.alloc(Math.floor(((run.length - first) * bits) / 8))
      let kept = 0
      let held = 0
      let at = 0
      for (let i = first; i < run.length; i++) {
        kept = ((kept << bits) | (values[run.charCodeAt(i)] as number)) & 0xffff
        held += bits
        if (held < 8) continue
        held -= 8
        bytes[at++] = (kept >> held) & 0xff
      }
      yield bytes
    }
  }
}

/** Five signs for four bytes. */
function of85(alphabet: string): Decode {
  const values = valuesOf(alphabet, 84)
  return function* (run) {
    for (let first = 0; first < 5; first++) {
      const bytes = Buffer.alloc(4 * Math.ceil(run.length / 5))
      let length = 0
      let at = 0
      for (let i = first; i + 1 < run.length; i += 5) {
        let value = 0
        for (let k = i; k < i + 5; k++)
          value = value * 85 + (k < run.length ? (values[run.charCodeAt(k)] as number) : 84)
        // Five signs may stand for more than four bytes hold; what is above them is dropped.
        bytes[at++] = value >>> 24
        bytes[at++] = value >>> 16
        bytes[at++] = value >>> 8
        bytes[at++] = value >>> 0
        length += Math.min(4, run.length - i - 1)
      }
      yield bytes.subarray(0, length)
    }
  }
}

/** One large number. */
function ofBase(alphabet: string): Decode {
  const base = BigInt(alphabet.length)
  const values = new Map([...alphabet].map((sign, value) => [sign, BigInt(value)]))
  return function* (run) {
    if (run.length > MOST_DIGITS) return
    let value = 0n
    for (const sign of run) value = value * base + (values.get(sign) as bigint)
    const hex = value.toString(16)
    yield Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex')
  }
}

/** So many digits for each byte, without anything between them. */
function ofGroups(width: number, base: number): Decode {
  return function* (run) {
    for (let first = 0; first < width; first++) {
      const bytes = Buffer.alloc(Math.max(0, Math.floor((run.length - first) / width)))
      for (let at = 0; at < bytes.length; at++) {
        let value = 0
        for (let k = 0; k < width; k++) value = value * base + run.charCodeAt(first + at * width + k) - 48
        bytes[at] = value
      }
      yield bytes
    }
  }
}

const ofUuencode = ofBits(Array.from({ length: 64 }, (_, value) => String.fromCharCode(32 + value)).join(''), 6)
const base58 = `${digits.slice(1)}ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz`
const ascii85 = Array.from({ length: 85 }, (_, value) => String.fromCharCode(33 + value)).join('')
const z85 = `${digits}${small}${letters}.-:+=^!/*?&<>()[]{}@%$#`

const base64: Decode = run => [0, 1, 2, 3].map(first => Buffer.from(run.slice(first), 'base64'))
const hex: Decode = run => [0, 1].map(first => Buffer.from(run.slice(first), 'hex'))
const base32Bits = ofBits(`${letters}234567`, 5)
const base32: Decode = run => base32Bits(run.toUpperCase())
/** What compressed bytes are usually written in. */
const wrapping: ReadonlySet<Decode> = new Set([base64, hex, base32])

/** What a run is made of, and how it is read. */
const codes: [signs: RegExp, decode: Decode][] = [
  [/[\w+/-]{8,}/g, base64],
  [/[\da-f]{8,}/gi, hex],
  [/[A-Z2-7]{8,}/gi, base32],
  [/[\dA-V]{8,}/gi, run => ofBits(`${digits}${letters.slice(0, 22)}`, 5)(run.toUpperCase())],
  [/[\dA-HJKMNP-TV-Z]{8,}/gi, run => ofBits(`${digits}ABCDEFGHJKMNPQRSTVWXYZ`, 5)(run.toUpperCase())],
  [/[!-`]{8,}/g, run => ofUuencode(run.replaceAll('`', ' '))],
  [/[01]{8,}/g, ofBits('01', 1)],
  [/[0-7]{8,}/g, ofGroups(3, 8)],
  [/\d{8,}/g, ofGroups(3, 10)],
  [/\d{8,}/g, ofGroups(2, 10)],
  [/[!-u]{8,}/g, of85(ascii85)],
  [/[!#-&(-+\-0-9;-Z^-z{-~]{8,}/g, of85(`${digits}${letters}${small}${signs85}`)],
  [/[\w.\-:+=^!/*?&<>()[\]{}@%$#]{8,}/g, of85(z85)],
  [/[1-9A-HJ-NP-Za-km-z]{8,}/g, ofBase(base58)],
  [/[\dA-Za-z]{8,}/g, ofBase(`${digits}${letters}${small}`)],
  [/[\dA-Za-z]{8,}/g, ofBase(`${digits}${small}${letters}`)],
  [/[\da-z]{8,}/gi, run => ofBase(`${digits}${small}`)(run.toLowerCase())],
  [/\d{8,}/g, ofBase(digits)],
]

/** Everything that runs of a text could stand for, one step down. */
export function* unpacked(text: string): Generator<Buffer> {
  for (const [signs, decode] of codes)
    for (const [run] of text.matchAll(signs))
      for (const bytes of decode(run.slice(0, MOST_BYTES))) {
        if (bytes.length < LEAST_SIGNS / 2) continue
        yield bytes
        const open = wrapping.has(decode) ? opener(bytes) : null
        if (open)
          try {
            yield open(bytes)
          } catch {
            // It only looked like it.
          }
      }
}

const bound = { maxOutputLength: MOST_BYTES }

/** By how compressed bytes begin. Of those without a mark of their own, only what the usual settings make of a short text. */
function opener([first = 0, second = 0, third = 0]: Buffer): ((bytes: Buffer) => Buffer) | null {
  if (first === 0x1f && second === 0x8b) return bytes => gunzipSync(bytes, bound)
  if (first === 0x28 && second === 0xb5) return bytes => zstdDecompressSync(bytes, bound)
  if ((first & 15) === 8 && (first * 256 + second) % 31 === 0) return bytes => inflateSync(bytes, bound)
  if ((first & 15) === 11 && (second < 8 || third === 0)) return bytes => brotliDecompressSync(bytes, bound)
  return (first & 7) === 3 ? bytes => inflateRawSync(bytes, bound) : null
}

/** The pieces of text in it, of so many letters at least; also with two bytes for each. */
export function textsIn(bytes: Buffer, least: number): string[] {
  if (!hasLetters(bytes)) return []
  const narrow = bytes.includes(0) ? bytes.filter(byte => byte !== 0) : bytes
  const text = (narrow.length * 3 < bytes.length * 2 ? narrow : bytes).toString('utf8')
  return (text.match(/[\t\n\r -~\u00a1-\ufffc]+/g) ?? []).filter(piece => piece.length >= least)
}

/** A quick look: a few letters together, or every second byte. */
function hasLetters(bytes: Buffer): boolean {
  let run = 0
  for (const byte of bytes) {
    if (byte >= 32 && byte < 127) run++
    else if (byte !== 0) run = 0
    if (run >= 4) return true
  }
  return false
}
