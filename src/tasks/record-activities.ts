// What the end of a run leaves on the profiles of its guests, and the ids of that in the results of destinations.
import { sortExtras } from '#configurations/options.ts'
import { insertActivities, keepLookups, type NewActivity } from '#db/activities-write.ts'
import type { Trx } from '#db/database.ts'
import { type FoundProfile, findProfiles, type Lookup, lockLookups, lookupKey } from '#db/profiles-lookup.ts'
import type { Snapshot } from '#db/tables.ts'
import { keepGuests } from '#db/task-guests.ts'
import type { ChainRow, EntryRow, TaskRow, WholeTask } from '#db/tasks.ts'
import { type Adapters, isDestination } from '#engine/adapter.ts'
import type { JsonObject } from '#kit/json.ts'

export interface Recorded {
  /** With the ids of the activities in the results of destinations. */
  chains: WholeTask['chains']
  /** That are new. */
  warnings: string[]
}

const lookupsOf = (chain: ChainRow): Lookup[] => sortExtras(chain.extras, 'extras').sorted.lookups

export const hasGuests = (task: WholeTask): boolean => task.chains.some(chain => lookupsOf(chain).length > 0)

export const withoutGuests = (adapters: Adapters, task: WholeTask): Recorded => ({
  chains: task.chains.map(chain => ({ ...chain, entries: chain.entries.map(entry => withIds(adapters, entry, [])) })),
  warnings: [],
})

function withIds(adapters: Adapters, entry: EntryRow, ids: string[]): EntryRow {
  const adapter = adapters.get(entry.adapter_name)
  const delivered = entry.status === 'Succeeded' && adapter && isDestination(adapter)
  return delivered ? { ...entry, result: { ...entry.result, activity: ids } } : entry
}

/** One activity per guest found and per succeeded entry that asks for one. */
export async function recordActivities(
  adapters: Adapters,
  trx: Trx,
  task: WholeTask,
  snapshots: ReadonlyMap<string, Snapshot>,
): Promise<Recorded> {
  const warnings = new Set<string>()
  const chains: WholeTask['chains'] = []
  for (const chain of task.chains) {
    const asking = chain.entries.some(entry => configOf(snapshots, chain.snapshot_id, entry)?.activity_config)
    const guests = await guestsFor(trx, task, lookupsOf(chain))
    if (asking)
      for (const lookup of guests.missing)
        warnings.add(`No profile has the ${lookup.kind} "${lookup.value}" yet; its activity is made when one does.`)
    const entries: EntryRow[] = []
    for (const entry of chain.entries) {
      const config = configOf(snapshots, chain.snapshot_id, entry)
      entries.push(withIds(adapters, entry, await activitiesOf(trx, task, chain.configuration, entry, config, guests)))
    }
    chains.push({ ...chain, entries })
  }
  return { chains, warnings: [...warnings].filter(warning => !task.warnings.includes(warning)) }
}

const configOf = (snapshots: ReadonlyMap<string, Snapshot>, snapshotId: string, entry: EntryRow) =>
  snapshots.get(snapshotId)?.entries[entry.index]

interface Guests {
  found: FoundProfile[]
  missing: Lookup[]
}

async function guestsFor(trx: Trx, { task_id, experience_id }: TaskRow, lookups: readonly Lookup[]): Promise<Guests> {
  if (lookups.length === 0) return { found: [], missing: [] }
  await lockLookups(
    trx,
    lookups.map(lookup => ({ kind: lookup.kind, key: lookupKey(lookup) })),
  )
  const profiles = await findProfiles(trx, lookups, experience_id)
  const found = new Map(profiles.filter(profile => profile !== null).map(profile => [profile.profile_id, profile]))
  await keepGuests(trx, task_id, [...found.keys()])
  return { found: [...found.values()], missing: lookups.filter((_lookup, index) => !profiles[index]) }
}

async function activitiesOf(
  trx: Trx,
  task: TaskRow,
  triggered: string,
  entry: EntryRow,
  config: Snapshot['entries'][number] | undefined,
  guests: Guests,
): Promise<string[]> {
  const wanted = config?.activity_config
  if (!wanted || entry.status !== 'Succeeded') return []
  const { activity: _ids, ...adapter_response } = entry.result ?? {}
  const payload: JsonObject = {
    ...wanted.payload,
    souvenir_data: { adapter_response },
    vcc_config_name: triggered,
    chain_id: entry.chain_id,
    task_id: task.task_id,
  }
  const activity: NewActivity = {
    task_id: task.task_id,
    chain_id: entry.chain_id,
    entry: entry.index,
    experience_id: wanted.experience_id,
    activity_type: wanted.activity_type,
    flow_id: task.flow_id,
    payload,
  }
  await keepLookups(
    trx,
    guests.missing
      .filter(({ kind }) => kind !== 'profile_id')
      .map(lookup => ({ ...activity, kind: lookup.kind, key: lookupKey(lookup) })),
  )
  return insertActivities(
    trx,
    guests.found.map(({ profile_id }) => ({ ...activity, owner_id: profile_id })),
  )
}
