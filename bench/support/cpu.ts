// Measures variants against each other: interleaved in one run, processor time of the whole process tree, medians of ratios.
import { readFileSync } from 'node:fs'

/** Milliseconds of processor time so far, ours and that of children that have ended. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000 + childrenMs()
}

/** The kernel counts in ticks of 10 ms, so a variant with children needs several runs a round. */
function childrenMs(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[13]) + Number(fields[14])) * 10
  } catch {
    return 0
  }
}

export type Variant = () => Promise<unknown>

export interface Measured {
  cpu: number[]
  wall: number[]
}

/** Every variant once per round, in turn; the first round only warms up. */
export async function interleaved<Name extends string>(
  variants: Record<Name, Variant>,
  rounds: number,
  runs = 1,
): Promise<Record<Name, Measured>> {
  const names = Object.keys(variants) as Name[]
  const measured = Object.fromEntries(names.map(name => [name, { cpu: [], wall: [] }])) as unknown as Record<
    Name,
    Measured
  >
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const [cpu, wall] = [cpuMs(), performance.now()]
      for (let i = 0; i < runs; i++) await variants[name]()
      if (round === 0) continue
      measured[name].cpu.push((cpuMs() - cpu) / runs)
      measured[name].wall.push((performance.now() - wall) / runs)
    }
  }
  return measured
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** The median of one variant's cost over another's, round by round. */
export const ratio = (of: readonly number[], to: readonly number[]): number =>
  median(of.map((value, i) => value / to[i]!))

export interface Row {
  what: string
  value: number
  goal: number
  unit?: string
}

/** A Markdown table; a goal that is missed fails the run. */
export function table(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ what, value, goal, unit = '' }) =>
      `| ${what} | ${value.toFixed(2)}${unit} | ≤ ${goal}${unit} | ${value <= goal ? 'yes' : '**no**'} |`,
  )
  return ['| what | measured | goal | met |', '|---|---|---|---|', ...lines].join('\n')
}
