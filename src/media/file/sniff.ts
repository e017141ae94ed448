// Detects the type of a file from its first bytes. The file name plays no part.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { fileTypeFromBuffer } from 'file-type'
import type { Medium } from '#kit/file-facts.ts'
import { fileTypeOf, fileTypes } from './formats.ts'

interface Sniffed {
  mime: string
  /** With the dot. */
  ext: string
  medium: Medium
  bytes: number
}

const HEAD = 64 * 1024

type Kind = Pick<Sniffed, 'mime' | 'ext' | 'medium'>

export async function sniff(path: string): Promise<Sniffed> {
  // Synchronous: the hops through the thread pool cost more than these few bytes, and a media child has no other work.
  const file = openSync(path, 'r')
  try {
    const head = Buffer.allocUnsafe(HEAD)
    const read = readSync(file, head, 0, HEAD, 0)
    return { ...(await sniffHead(head.subarray(0, read))), bytes: fstatSync(file).size }
  } finally {
    closeSync(file)
  }
}

/** Uses the first bytes alone; some 4 KiB are enough for most types. */
export async function sniffHead(head: Buffer): Promise<Omit<Sniffed, 'bytes'>> {
  const { mime, ext, medium } = (await binary(head)) ?? textual(head) ?? plainFile('application/octet-stream', '')
  return { mime, ext, medium }
}

async function binary(head: Buffer): Promise<Kind | null> {
  // A long ID3 tag (cover art) may push the audio data out of the head.
  if (head.subarray(0, 3).toString('latin1') === 'ID3') return fileTypes.mp3
  const found = await fileTypeFromBuffer(head).catch(() => undefined)
  // `file-type` tells TIFF kinds apart by a directory that may lie anywhere in the file, or be cut off.
  if (!found && /^(?:II\*\0|MM\0\*)/.test(head.toString('latin1', 0, 4))) return fileTypes.tiff
  const mime = found?.mime.split(';')[0]?.trim()
  if (!found || !mime || mime === 'application/xml') return null
  return fileTypeOf(mime) ?? plainFile(mime, `.${found.ext}`)
}

const plainFile = (mime: string, ext: string): Kind => ({ mime, ext, medium: 'file' })

/** Text has no magic bytes. Only the types that are used as assets are recognised. */
function textual(head: Buffer): Kind | null {
  const text = head.toString('utf8').replace(/^\ufeff/, '')
  // Only the last character may be invalid: the end of the head may cut it in two.
  if (text === '' || text.includes('\0') || text.slice(0, -1).includes('\ufffd')) return null
  if (isSvg(text)) return { mime: 'image/svg+xml', ext: '.svg', medium: 'image' }
  if (/^\s*[[{]/.test(text)) return plainFile('application/json', '.json')
  if (text.split(/[\r\n]/).some(isCubeSize)) return plainFile('application/x-cube', '.cube')
  return plainFile('text/plain', '.txt')
}

const isCubeSize = (line: string): boolean => /^LUT_3D_SIZE\s+\d/.test(line.trimStart())

/** True for an `svg` element after only white space, instructions, comments and a document type. */
function isSvg(text: string): boolean {
  let at = 0
  for (;;) {
    at = afterBlanks(text, at)
    const next = text.startsWith('<?', at)
      ? behind(text, '?>', at + 2)
      : text.startsWith('<!--', at)
        ? behind(text, '-->', at + 4)
        : /^<!DOCTYPE/i.test(text.slice(at, at + 9))
          ? afterDocumentType(text, at + 9)
          : -1
    if (next < 0) return /^<svg[\s>]/i.test(text.slice(at, at + 5))
    at = next
  }
}

/** The position after the next mark; -1 when there is none. */
function behind(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at < 0 ? -1 : at + mark.length
}

function afterBlanks(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at]!.trim() === '') at++
  return at
}

/** A document type may hold declarations in brackets. */
function afterDocumentType(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== '>' && text[at] !== '[') at++
  if (text[at] !== '[') return at < text.length ? at + 1 : -1
  const declared = behind(text, ']', at + 1)
  const end = declared < 0 ? -1 : afterBlanks(text, declared)
  return end >= 0 && text[end] === '>' ? end + 1 : -1
}
