// What the end of a run leaves on the profiles of its guests, and the ids of that in the results of destinations.
import { sortExtras } from '#configurations/options.ts'
import type { Trx } from '#db/database.ts'
import {
  type FoundProfile,
  findProfiles,
  keepProfiles,
  type Lookup,
  lockLookups,
  lookupKey,
} from '#db/nouns/profiles-lookup.ts'
import type { Snapshot } from '#db/tables.ts'
import { insertActivities, keepLookups, type NewActivity } from '#db/tasks/task-activities.ts'
import { keepGuests } from '#db/tasks/task-guests.ts'
import type { ChainRow, EntryRow, TaskRow, WholeTask } from '#db/tasks/task-rows.ts'
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
  held: ReadonlyMap<string, Guests>,
): Promise<Recorded> {
  await keepGuests(trx, task.task_id, [...new Set([...held.values()].flatMap(({ found }) => idsOf(found)))])
  const warnings = new Set<string>()
  const chains: WholeTask['chains'] = []
  for (const chain of task.chains) {
    const asking = chain.entries.some(entry => configOf(snapshots, chain.snapshot_id, entry)?.activity_config)
    const guests = held.get(chain.chain_id) ?? nobody
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

/** Whom the lookups of a chain find. */
export interface Guests {
  found: FoundProfile[]
  missing: Lookup[]
}

const nobody: Guests = { found: [], missing: [] }
const idsOf = (profiles: readonly FoundProfile[]): string[] => profiles.map(({ profile_id }) => profile_id)

/** The guests of each chain by its id. Until the transaction ends nobody else is found, and none of them goes. Before any other lock. */
export async function holdGuests(trx: Trx, { chains, experience_id }: WholeTask): Promise<ReadonlyMap<string, Guests>> {
  const lookups = chains.flatMap(lookupsOf)
  await lockLookups(trx, lookups)
  const profiles = await findProfiles(trx, lookups, experience_id)
  await keepProfiles(trx, idsOf(profiles.filter(profile => profile !== null)))
  let position = 0
  const guests = new Map<string, Guests>()
  for (const chain of chains) {
    const own = lookupsOf(chain).map(lookup => ({ lookup, profile: profiles[position++] ?? null }))
    const found = new Map(own.flatMap(({ profile }) => (profile ? [[profile.profile_id, profile]] : [])))
    const missing = own.flatMap(({ lookup, profile }) => (profile ? [] : [lookup]))
    guests.set(chain.chain_id, { found: [...found.values()], missing })
  }
  return guests
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
