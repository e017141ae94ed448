// Counts the scans of a JPEG before it is decoded: each one of a few bytes makes the decoder go over the whole picture again.
import { closeSync, openSync, readSync } from 'node:fs'
import { Problem } from '#kit/errors.ts'
import { readWhole } from '../file/read-whole.ts'

/** Cameras write one, and about 10 in progressive pictures. libtiff has the same bound. */
const MOST_SCANS = 100
const MOST_MIB = 256
const SCAN = 0xda
const END = 0xd9

export function checkScans(path: string): void {
  if (hasOneScan(path) || scansIn(readWhole(path, MOST_MIB, 'A JPEG of several scans')) <= MOST_SCANS) return
  throw new Problem(
    'policy_blocked',
    `The JPEG has more than ${MOST_SCANS} scans, which no camera writes: it is made to keep its reader busy.`,
  )
}

/** Baseline, and the first scan holds all colours: no decoder looks for another one. Only the head is read, marker by marker. */
function hasOneScan(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const marker = Buffer.alloc(10)
    let colours = 0
    for (let at = 2; readSync(file, marker, 0, 10, at) === 10 && marker[0] === 0xff; ) {
      const kind = marker[1] ?? 0
      if (kind === 0xc0 || kind === 0xc1) colours = marker[9] ?? 0
      if (kind === SCAN) return marker[4] === colours
      at += kind === 0xff ? 1 : 2 + marker.readUInt16BE(2)
    }
    return false
  } finally {
    closeSync(file)
  }
}

/** Markers within the data of a scan: zero stands for 0xff itself, the others have no length. */
const isBare = (kind: number): boolean => kind <= 1 || (kind >= 0xd0 && kind <= 0xd7)

/** Stops counting above the most. */
function scansIn(jpeg: Buffer): number {
  let scans = 0
  for (let at = jpeg.indexOf(0xff, 2); at >= 0 && at + 4 <= jpeg.length; at = jpeg.indexOf(0xff, at)) {
    const kind = jpeg[at + 1] ?? 0
    if (kind === END) break
    if (kind === SCAN && ++scans > MOST_SCANS) break
    at += kind === 0xff ? 1 : isBare(kind) ? 2 : 2 + jpeg.readUInt16BE(at + 2)
  }
  return scans
}
