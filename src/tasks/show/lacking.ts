// Tells what the workers lack: for probes, metrics and what needs a hand.
import type { Able } from '#db/tables.ts'

interface Worker {
  able: Able | null
}

/** What each of these workers lacks, a sentence each: what it says itself, and what another one of them has. */
export function offOf<W extends Worker>(workers: readonly W[]): (W & { off: string[] })[] {
  const all = new Set(workers.flatMap(({ able }) => able?.has ?? []))
  return workers.map(worker => {
    const { able } = worker
    const lacking = able ? [...all].filter(name => !able.has.includes(name)) : []
    const sentences = lacking.map(name => able?.lacks[name] ?? `${name} is not installed`)
    return { ...worker, off: [...new Set([...(able?.off ?? []), ...sentences])] }
  })
}

/** What the workers lack together: with how many of them, where it is not all. */
export function offTogether(workers: readonly Worker[]): string[] {
  const counts = new Map<string, number>()
  for (const { off } of offOf(workers))
    for (const sentence of off) counts.set(sentence, (counts.get(sentence) ?? 0) + 1)
  return [...counts].map(([sentence, count]) =>
    count === workers.length ? sentence : `${count} of ${workers.length} workers: ${sentence}`,
  )
}
