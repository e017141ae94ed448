// Asks before an entry runs whether its guests agreed. Without that the entry is left out, or waits for their word; a no leaves it out.
import { noteConsentWaits, readKeepsakeConsent, type Waiter } from '#db/guests/consent-rows.ts'
import { findProfiles, keyed } from '#db/nouns/profiles-lookup.ts'
import { retryWhileAway } from '#db/retry-while-away.ts'
import type { StoredFile } from '#db/tables.ts'
import { deferEntry, type EntryEnd } from '#db/tasks/entry-rows.ts'
import { isAgreed, isRefused, type Purpose, type Said } from '#kit/guest/consent.ts'
import { type Chain, type Entry, hasEnded } from '../entry/loaded.ts'
import type { Needs } from '../lane.ts'
import { done, retryAt } from './outcome.ts'
import type { Run } from './run.ts'
import type { SegmentEnd } from './run-segment.ts'
import { ended, writeEnds } from './write-ends.ts'

const DAY_MS = 24 * 3_600_000
/** How soon an entry that waits looks again, if nobody wakes it: a fraction of the time it has waited, within these bounds. */
const SOONEST_MS = 15_000
const LATEST_MS = 600_000

interface Refusal {
  /** The entry that may not run. */
  index: number
  /** What somebody said no to, or else what nobody has said yes to. */
  lacks: Purpose[]
  isNo: boolean
  /** When it is left out for good; null: now. */
  until: Date | null
}

/** The open entries that may not run now. */
export async function refusedIn(run: Run, chain: Chain): Promise<ReadonlySet<number>> {
  const open = chain.entries.filter(entry => !hasEnded(entry))
  return new Set((await refusalsIn(run, chain, open)).map(({ index }) => index))
}

/** The first refusal among the entries of a segment; null: they may run. */
export const refusalOf = async (run: Run, chain: Chain, entries: readonly Entry[]): Promise<Refusal | null> =>
  (await refusalsIn(run, chain, entries))[0] ?? null

async function refusalsIn(run: Run, chain: Chain, entries: readonly Entry[]): Promise<Refusal[]> {
  const asking = entries.flatMap(({ index, asks_since, config }) =>
    config?.consent ? [{ index, since: asks_since ?? new Date(), ...config.consent }] : [],
  )
  if (asking.length === 0) return []
  const said = await retryWhileAway(() => saidOf(run, chain))
  return asking.flatMap(({ index, since, needs, without }): Refusal[] => {
    // A no is an answer: there is nothing to wait for any more, whatever is not said yet.
    const refused = needs.filter(purpose => isRefused(purpose, said))
    if (refused.length > 0) return [{ index, lacks: refused, isNo: true, until: null }]
    const lacks = needs.filter(purpose => !isAgreed(purpose, said))
    if (lacks.length === 0) return []
    const over = new Date(since.getTime() + DAY_MS)
    return [{ index, lacks, isNo: false, until: without === 'wait' && over > new Date() ? over : null }]
  })
}

async function saidOf({ services: { db }, task }: Run, chain: Chain): Promise<Said> {
  const found = await findProfiles(db, chain.sorted.lookups, task.experience_id)
  return {
    task: task.consent,
    keepsake: task.keepsake_id === null ? null : await readKeepsakeConsent(db, task.keepsake_id),
    profiles: found.flatMap(profile => (profile ? [profile.consent] : [])),
  }
}

/** Leaves the entry out and hands its file on, or puts it off. */
export async function withoutConsent(
  run: Run,
  chain: Chain,
  entries: readonly Entry[],
  input: StoredFile,
  { index, lacks, isNo, until }: Refusal,
  needs: Needs,
): Promise<SegmentEnd> {
  const { db } = run.services
  const { chain_id } = chain
  const [entry] = entries as [Entry]
  // The word was taken back since the plan was made. It is planned anew, with this entry alone.
  if (entries.length > 1) return { outcome: retryAt(new Date(), needs), entries }
  const words = lacks.join(' and ')
  if (until === null) {
    const message = `Left out, because the guest ${isNo ? 'said no' : 'has not agreed'} to ${words}.`
    const error = { code: 'no_consent', message }
    const end: EntryEnd = { index, status: 'Skipped', error, output: input }
    await writeEnds(run.services, run.claim, chain, [end])
    return { outcome: done, entries: [ended(entry, end)] }
  }
  const waited = DAY_MS - (until.getTime() - Date.now())
  const pause = Math.min(Math.max(waited / 4, SOONEST_MS), LATEST_MS)
  const at = new Date(Math.min(Date.now() + pause, until.getTime()))
  const error = {
    code: 'needs_consent',
    message: `Waits until the guest agrees to ${words}, and is left out after 24 hours.`,
  }
  const waiters: Waiter[] = chain.sorted.lookups.map(keyed)
  const { task_id, keepsake_id } = run.task
  if (keepsake_id !== null) waiters.push({ kind: 'keepsake', key: keepsake_id })
  await retryWhileAway(() => noteConsentWaits(db, task_id, waiters))
  await retryWhileAway(() => deferEntry(db, run.claim, chain_id, entry, at, error))
  return {
    outcome: retryAt(at, needs),
    entries: [{ ...entry, retry_at: at, asks_since: entry.asks_since ?? new Date(), error }],
  }
}
