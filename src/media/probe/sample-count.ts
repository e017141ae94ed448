// Refuses MP4 and QuickTime files whose tables name more samples than the file has bytes: a few bytes could ask for gigabytes.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { Problem } from '#kit/errors.ts'

/** Boxes that lead to the tables. */
const containers = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'moof', 'traf'])
/** Tables with one sample count, and the offset of that count after the box header. */
const counted: Record<string, number> = { stsz: 8, stz2: 8, trun: 4 }
/** Tables whose entries each state how many samples they cover. */
const runs = new Set(['stts', 'ctts'])

/** A box is at least as long as its header, so a useful file has far fewer. */
const MOST_BOXES = 100_000
/** The tables lie five boxes deep. */
const DEEPEST = 8
const PIECE = 64 * 1024
/** Empty samples are legal, but only up to this number. */
const EMPTY = 10_000

export function checkSampleCount(path: string): void {
  const file = openSync(path, 'r')
  try {
    const bytes = fstatSync(file).size
    let boxes = 0

    function read(at: number, length: number): Buffer {
      const piece = Buffer.alloc(length)
      return piece.subarray(0, readSync(file, piece, 0, length, at))
    }

    function check(samples: number): void {
      if (samples > bytes + EMPTY)
        throw new Problem(
          'corrupt_input',
          'The recording is damaged: its index names more pieces than the file has bytes.',
        )
    }

    /** Sums the counts of all entries, read piece by piece. */
    function sum(from: number, end: number): void {
      const entries = read(from + 4, 4)
      const last = entries.length < 4 ? from : Math.min(end, from + 8 + entries.readUInt32BE() * 8)
      let samples = 0
      for (let at = from + 8; at + 8 <= last; at += PIECE) {
        const piece = read(at, Math.min(PIECE, last - at))
        for (let i = 0; i + 8 <= piece.length; i += 8) samples += piece.readUInt32BE(i)
        check(samples)
      }
    }

    function walk(from: number, end: number, depth: number): void {
      for (let at = from; at + 8 <= end && boxes++ < MOST_BOXES; ) {
        const head = read(at, 16)
        if (head.length < 8) return
        const small = head.readUInt32BE(0)
        const isLarge = small === 1 && head.length === 16
        const size = isLarge ? Number(head.readBigUInt64BE(8)) : small === 0 ? end - at : small
        const type = head.toString('latin1', 4, 8)
        const [inner, next] = [at + (isLarge ? 16 : 8), Math.min(at + size, end)]
        if (size < inner - at) return
        if (containers.has(type) && depth < DEEPEST) walk(inner, next, depth + 1)
        else if (runs.has(type)) sum(inner, next)
        else if (Object.hasOwn(counted, type)) {
          const count = read(inner + counted[type]!, 4)
          if (count.length === 4) check(count.readUInt32BE())
        }
        at = next
      }
    }

    walk(0, bytes, 0)
  } finally {
    closeSync(file)
  }
}
