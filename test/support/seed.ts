// Chance that can be repeated: the seed of a random run is printed, and KEEPSAKE_TEST_SEED takes it.
import { randomInt } from 'node:crypto'

/** Uniform numbers in [0, 1), the same ones for the same seed. */
export function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The seed of this run, printed with the test: the one that was asked for, else `usual`, else a new one. */
export function seedOf(t: { diagnostic(line: string): void }, usual?: number): number {
  const seed = Number(process.env.KEEPSAKE_TEST_SEED) || (usual ?? randomInt(1, 2 ** 31))
  t.diagnostic(`seed ${seed}; KEEPSAKE_TEST_SEED=${seed} repeats it`)
  return seed
}

/** The same things in another order. */
export function shuffled<T>(things: readonly T[], next: () => number): T[] {
  const left = [...things]
  return things.map(() => left.splice(Math.floor(next() * left.length), 1)[0] as T)
}
