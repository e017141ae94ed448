// Detects the type of a file from its first bytes. The file name plays no part.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { fileTypeFromBuffer } from 'file-type'
import type { Medium } from '#kit/file-facts.ts'
import { own } from '#kit/json.ts'

interface Sniffed {
  mime: string
  /** With the dot. */
  ext: string
  medium: Medium
  bytes: number
}

const HEAD = 64 * 1024

type Kind = [mime: string, ext: string, medium: Medium]

/** The types we work on, each under one name. All other types are plain files. */
const known: Record<string, Kind> = {
  'image/jpeg': ['image/jpeg', '.jpg', 'image'],
  'image/png': ['image/png', '.png', 'image'],
  'image/apng': ['image/apng', '.png', 'image'],
  'image/webp': ['image/webp', '.webp', 'image'],
  'image/gif': ['image/gif', '.gif', 'image'],
  'image/avif': ['image/avif', '.avif', 'image'],
  'image/tiff': ['image/tiff', '.tif', 'image'],
  'image/heic': ['image/heic', '.heic', 'image'],
  'image/heif': ['image/heif', '.heif', 'image'],
  'image/heic-sequence': ['image/heic', '.heic', 'image'],
  'image/heif-sequence': ['image/heif', '.heif', 'image'],
  'video/mp4': ['video/mp4', '.mp4', 'video'],
  'video/x-m4v': ['video/mp4', '.mp4', 'video'],
  'video/quicktime': ['video/quicktime', '.mov', 'video'],
  'video/3gpp': ['video/3gpp', '.3gp', 'video'],
  'video/3gpp2': ['video/3gpp2', '.3g2', 'video'],
  'video/webm': ['video/webm', '.webm', 'video'],
  'video/matroska': ['video/matroska', '.mkv', 'video'],
  'video/vnd.avi': ['video/vnd.avi', '.avi', 'video'],
  'video/x-flv': ['video/x-flv', '.flv', 'video'],
  'video/mpeg': ['video/mpeg', '.mpg', 'video'],
  'video/mp2t': ['video/mp2t', '.ts', 'video'],
  'video/x-ms-asf': ['video/x-ms-asf', '.wmv', 'video'],
  'video/ogg': ['video/ogg', '.ogv', 'video'],
  'audio/mpeg': ['audio/mpeg', '.mp3', 'audio'],
  'audio/mp4': ['audio/mp4', '.m4a', 'audio'],
  'audio/x-m4a': ['audio/mp4', '.m4a', 'audio'],
  'audio/wav': ['audio/wav', '.wav', 'audio'],
  'audio/ogg': ['audio/ogg', '.ogg', 'audio'],
  'audio/flac': ['audio/flac', '.flac', 'audio'],
  'audio/x-flac': ['audio/flac', '.flac', 'audio'],
  'audio/aac': ['audio/aac', '.aac', 'audio'],
  'audio/aiff': ['audio/aiff', '.aiff', 'audio'],
  'font/ttf': ['font/ttf', '.ttf', 'file'],
  'font/otf': ['font/otf', '.otf', 'file'],
}

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
  const [mime, ext, medium] = (await binary(head)) ?? textual(head) ?? ['application/octet-stream', '', 'file']
  return { mime, ext, medium }
}

async function binary(head: Buffer): Promise<Kind | null> {
  // A long ID3 tag (cover art) may push the audio data out of the head.
  if (head.subarray(0, 3).toString('latin1') === 'ID3') return known['audio/mpeg'] ?? null
  const found = await fileTypeFromBuffer(head).catch(() => undefined)
  // `file-type` tells TIFF kinds apart by a directory that may lie anywhere in the file, or be cut off.
  if (!found && /^(?:II\*\0|MM\0\*)/.test(head.toString('latin1', 0, 4))) return known['image/tiff'] ?? null
  const mime = found?.mime.split(';')[0]?.trim()
  if (!found || !mime || mime === 'application/xml') return null
  return own(known, mime) ?? [mime, `.${found.ext}`, 'file']
}

/** Text has no magic bytes. Only the types that are used as assets are recognised. */
function textual(head: Buffer): Kind | null {
  const text = head.toString('utf8').replace(/^\ufeff/, '')
  // Only the last character may be invalid: the end of the head may cut it in two.
  if (text === '' || text.includes('\0') || text.slice(0, -1).includes('\ufffd')) return null
  if (isSvg(text)) return ['image/svg+xml', '.svg', 'image']
  if (/^\s*[[{]/.test(text)) return ['application/json', '.json', 'file']
  if (text.split(/[\r\n]/).some(isCubeSize)) return ['application/x-cube', '.cube', 'file']
  return ['text/plain', '.txt', 'file']
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
