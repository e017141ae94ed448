// Writes how entries ended, fenced by the claim, and counts them.
import { retryWhileAway } from '#db/retry-while-away.ts'
import { type Claim, type EntryEnd, endEntries } from '#db/tasks/entry-rows.ts'
import type { Chain, Entry } from '../entry/loaded.ts'
import type { TaskServices } from '../task-services.ts'

type EndServices = Pick<TaskServices, 'db' | 'meters'>

/** `blobs`: those that the entries own from now on. */
export async function writeEnds(
  services: EndServices,
  claim: Claim,
  chain: Chain,
  ends: EntryEnd[],
  blobs: string[] = [],
): Promise<void> {
  await retryWhileAway(() => endEntries(services.db, claim, { chain_id: chain.chain_id, ends, blobs }))
  countEnds(services, chain, ends)
}

const outcomes = { Succeeded: 'succeeded', Failed: 'failed', Skipped: 'skipped', Cancelled: 'cancelled' } as const

export function countEnds({ meters }: EndServices, { entries }: Chain, ends: readonly EntryEnd[]): void {
  for (const { index, status } of ends)
    meters.count('entries', { adapter: adapterOf(entries[index]), outcome: outcomes[status] })
}

export const countRetry = ({ meters }: EndServices, entry: Entry): void =>
  meters.count('entries', { adapter: adapterOf(entry), outcome: 'retried' })

/** Anything may stand in a stored row; only names of this process may become labels. */
const adapterOf = (entry: Entry | undefined): string => entry?.adapter?.name ?? 'unknown'

/** The entry as it is stored once its end is written. */
export const ended = (entry: Entry, { index: _index, forgets: _forgets, ...end }: EntryEnd): Entry => ({
  ...entry,
  result: null,
  error: null,
  warnings: [],
  output: null,
  explanation: null,
  retry_at: null,
  ...end,
})
