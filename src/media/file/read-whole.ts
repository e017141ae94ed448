// Reads a whole file into memory, unless it is larger than such a file needs to be.
import { readFileSync, statSync } from 'node:fs'
import { Problem } from '#kit/errors.ts'

const MIB = 1024 ** 2

/** `what`: start of the error message ("An SVG"). */
export function readWhole(path: string, mostMib: number, what: string): Buffer {
  const { size } = statSync(path)
  if (size <= mostMib * MIB) return readFileSync(path)
  throw new Problem('memory_limit', `${what} of ${Math.ceil(size / MIB)} MiB is not taken; at most ${mostMib} MiB are.`)
}
