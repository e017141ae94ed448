// Reads a file that has to be in memory as a whole, if it is no larger than such a file has any reason to be.
import { readFileSync, statSync } from 'node:fs'
import { Problem } from '#kit/errors.ts'

const MIB = 1024 ** 2

/** `what`: how the sentence begins ("An SVG"). */
export function readWhole(path: string, mostMib: number, what: string): Buffer {
  const { size } = statSync(path)
  if (size <= mostMib * MIB) return readFileSync(path)
  throw new Problem('memory_limit', `${what} of ${Math.ceil(size / MIB)} MiB is not taken; at most ${mostMib} MiB are.`)
}
