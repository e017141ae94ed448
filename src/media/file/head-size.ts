// Reads the size of a JPEG or PNG from its first bytes, so that memory can be reserved without asking a media child.
import { closeSync, openSync, readSync } from 'node:fs'
import type { Size } from './geometry.ts'

/** One shared buffer: it is filled and parsed without an await in between. */
const head = Buffer.allocUnsafeSlow(64 * 1024)

/** Size as stored, before orientation. Null when the head does not hold it or cannot be read. Nothing but the two numbers is trusted. */
export function sizeFromHead(path: string): Size | null {
  // Synchronous: the hops through the thread pool cost more than reading these few bytes.
  const read = firstBytes(path)
  return read && (pngSize(read) ?? jpegSize(read))
}

/** Whether a PNG has 16 bits per channel. */
export function isDeepPng(path: string): boolean {
  const read = firstBytes(path)
  return read !== null && pngSize(read) !== null && read[24] === 16
}

function firstBytes(path: string): Buffer | null {
  try {
    const file = openSync(path, 'r')
    try {
      return head.subarray(0, readSync(file, head, 0, head.length, 0))
    } finally {
      closeSync(file)
    }
  } catch {
    return null
  }
}

function pngSize(head: Buffer): Size | null {
  if (head.length < 24 || head.toString('latin1', 1, 4) !== 'PNG' || head.toString('latin1', 12, 16) !== 'IHDR')
    return null
  // An animated PNG holds many pictures.
  if (head.includes('acTL')) return null
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) }
}

/** Walks the segments up to the one that begins a frame. */
function jpegSize(head: Buffer): Size | null {
  if (head.length < 4 || head.readUInt16BE(0) !== 0xffd8) return null
  let at = 2
  while (at + 9 <= head.length && head[at] === 0xff) {
    const marker = head[at + 1] as number
    if (isFrame(marker)) return { width: head.readUInt16BE(at + 7), height: head.readUInt16BE(at + 5) }
    at += 2 + head.readUInt16BE(at + 2)
  }
  return null
}

/** SOF0 to SOF15. DHT, JPG and DAC lie in the same range. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
