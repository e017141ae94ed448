// Records the activities of a run on its guests' profiles, and writes their ids into the results of destinations.
import { claimActivities } from '#activities/claim.ts'
import type { Trx } from '#db/database.ts'
import {
  type FoundProfile,
  findProfiles,
  keyed,
  type Lookup,
  lockLookups,
  lockProfiles,
} from '#db/nouns/profiles-lookup.ts'
import {
  forgetLookups,
  insertActivities,
  insertWaitingActivities,
  type NewActivity,
} from '#db/tasks/task-activities.ts'
import { deleteTaskGuests, insertTaskGuests, insertWaitingGuests } from '#db/tasks/task-guests.ts'
import type { JsonObject } from '#kit/json.ts'
import { type Chain, delivers, type Entry, type Task } from '../entry/loaded.ts'

export interface Recorded {
  /** The chains with activity ids in the results of their destinations. */
  chains: readonly Chain[]
  /** Only those that the task does not have yet. */
  warnings: string[]
}

export const withoutGuests = (task: Task): Recorded => ({
  chains: task.chains.map(chain => ({ ...chain, entries: chain.entries.map(entry => withIds(entry, [])) })),
  warnings: [],
})

const withIds = (entry: Entry, ids: string[]): Entry =>
  entry.status === 'Succeeded' && delivers(entry) ? { ...entry, result: { ...entry.result, activity: ids } } : entry

/** One activity for each guest found and each succeeded entry that asks for one. */
export async function recordActivities(trx: Trx, task: Task, held: ReadonlyMap<string, Guests>): Promise<Recorded> {
  await insertTaskGuests(trx, task.task_id, [...new Set([...held.values()].flatMap(({ found }) => idsOf(found)))])
  const warnings = new Set<string>()
  const chains: Chain[] = []
  for (const chain of task.chains) {
    const asking = chain.entries.some(({ config }) => config?.activity_config)
    const guests = held.get(chain.chain_id) ?? nobody
    if (asking) for (const lookup of guests.missing) warnings.add(missingText(lookup))
    await insertWaitingGuests(trx, chain, guests.missing)
    const entries: Entry[] = []
    for (const entry of chain.entries)
      entries.push(withIds(entry, await activitiesOf(trx, task, chain.configuration, entry, guests)))
    chains.push({ ...chain, entries })
  }
  return { chains, warnings: [...warnings].filter(warning => !task.warnings.includes(warning)) }
}

const missingText = ({ kind, value }: Lookup): string =>
  kind === 'profile_id'
    ? `No profile has the profile_id "${value}", and none will: ids are made together with their profiles. No activity is made for it.`
    : `No profile has the ${kind} "${value}" yet; its activity is made when one does.`

/** The guests that a chain's lookups find. */
interface Guests {
  found: FoundProfile[]
  missing: Lookup[]
}

const nobody: Guests = { found: [], missing: [] }
const idsOf = (profiles: readonly FoundProfile[]): string[] => profiles.map(({ profile_id }) => profile_id)

/** Locks each chain's guests, by chain id: until the transaction ends nobody else is found and none is deleted. Take it before any other lock. */
export async function lockGuests(trx: Trx, { chains, experience_id }: Task): Promise<ReadonlyMap<string, Guests>> {
  const lookups = chains.flatMap(({ sorted }) => sorted.lookups)
  await lockLookups(trx, lookups)
  const profiles = await findProfiles(trx, lookups, experience_id)
  await lockProfiles(trx, idsOf(profiles.filter(profile => profile !== null)))
  let position = 0
  const guests = new Map<string, Guests>()
  for (const chain of chains) {
    const own = chain.sorted.lookups.map(lookup => ({ lookup, profile: profiles[position++] ?? null }))
    const found = new Map(own.flatMap(({ profile }) => (profile ? [[profile.profile_id, profile]] : [])))
    const missing = own.flatMap(({ lookup, profile }) => (profile ? [] : [lookup]))
    guests.set(chain.chain_id, { found: [...found.values()], missing })
  }
  return guests
}

async function activitiesOf(trx: Trx, task: Task, triggered: string, entry: Entry, guests: Guests): Promise<string[]> {
  const activity = activityOf(task, triggered, entry)
  if (!activity) return []
  await insertWaitingActivities(
    trx,
    guests.missing.filter(({ kind }) => kind !== 'profile_id').map(lookup => ({ ...activity, ...keyed(lookup) })),
  )
  return insertActivities(
    trx,
    guests.found.map(({ profile_id }) => ({ ...activity, owner_id: profile_id })),
  )
}

/** What an entry tells of itself to each of its guests; null: nothing. */
function activityOf(task: Task, triggered: string, entry: Entry): NewActivity | null {
  const wanted = entry.config?.activity_config
  if (!wanted || entry.status !== 'Succeeded') return null
  const { activity: _ids, ...adapter_response } = entry.result ?? {}
  const payload: JsonObject = {
    ...wanted.payload,
    souvenir_data: { adapter_response },
    vcc_config_name: triggered,
    chain_id: entry.chain_id,
    task_id: task.task_id,
  }
  return {
    task_id: task.task_id,
    chain_id: entry.chain_id,
    entry: entry.index,
    experience_id: wanted.experience_id ?? task.experience_id,
    activity_type: wanted.activity_type,
    flow_id: task.flow_id,
    payload,
  }
}

/**
 * The guest of the task's keepsake is told or changed after the task had ended; `named` are their values. They get the activities: now if
 * the profile is there, else when one has the value. The caller holds the lookups.
 */
export async function recordLater(trx: Trx, task: Task, named: readonly Lookup[]): Promise<void> {
  const found = await findProfiles(trx, named, task.experience_id)
  const missing = named.filter((_lookup, at) => !found[at])
  const waiting = named.filter(({ kind }, at) => kind !== 'profile_id' || found[at]).map(keyed)
  const activities = task.chains.flatMap(chain =>
    chain.entries.flatMap(entry => activityOf(task, chain.configuration, entry) ?? []),
  )
  await insertWaitingActivities(
    trx,
    activities.flatMap(activity => waiting.map(lookup => ({ ...activity, ...lookup }))),
  )
  for (const chain of task.chains) await insertWaitingGuests(trx, chain, missing)
  const guests = new Set(found.flatMap(profile => profile?.profile_id ?? []))
  await insertTaskGuests(trx, task.task_id, [...guests])
  for (const id of guests)
    await claimActivities(
      trx,
      id,
      named.filter((_lookup, at) => found[at]?.profile_id === id),
    )
}

/**
 * Whom the values of `before` find is no guest of the task any more, unless it still names them. What was recorded on their profile stays;
 * what waits for one of the values does not.
 */
export async function withdrawGuests(trx: Trx, task: Task, before: readonly Lookup[]): Promise<void> {
  if (before.length === 0) return
  for (const { chain_id, sorted } of task.chains) await forgetLookups(trx, chain_id, sorted.lookups)
  const foundBy = async (lookups: readonly Lookup[]): Promise<string[]> =>
    (await findProfiles(trx, lookups, task.experience_id)).flatMap(profile => profile?.profile_id ?? [])
  const still = new Set(await foundBy(task.chains.flatMap(({ sorted }) => sorted.lookups)))
  const gone = (await foundBy(before)).filter(id => !still.has(id))
  await deleteTaskGuests(trx, task.task_id, [...new Set(gone)])
}
