// Ends a run: final state, activities and the frozen callback in one transaction.

import { sortExtras } from '#configurations/options.ts'
import { insertActivities, keepLookups, type NewActivity } from '#db/activities-write.ts'
import { insertCallback } from '#db/callbacks.ts'
import type { Trx } from '#db/database.ts'
import { LeaseLost } from '#db/entries.ts'
import { type FoundProfile, findProfiles, type Lookup, lockLookups, lookupKey } from '#db/profiles-lookup.ts'
import type { Snapshot, TaskStatus } from '#db/tables.ts'
import { nextParked, setJob } from '#db/task-claims.ts'
import { endTask, saveResults } from '#db/task-ends.ts'
import { keepGuests } from '#db/task-guests.ts'
import type { EntryRow, TaskRow, WholeTask } from '#db/tasks.ts'
import { together } from '#db/transact.ts'
import { isDestination } from '#engine/adapter.ts'
import { failpoint } from '#kit/failpoint.ts'
import { newId } from '#kit/ids.ts'
import type { JsonObject } from '#kit/json.ts'
import type { TaskLane } from '#queue/lanes.ts'
import { callbackBody } from './results.ts'
import type { TaskServices } from './services.ts'

export interface Ending {
  /** As it stands now: all its entries have ended. */
  task: WholeTask
  snapshots: ReadonlyMap<string, Snapshot>
  /** Siblings may wait for it to end. */
  counted: boolean
  spentSeconds: number
}

/** Ends the task if the lease it was read with still holds. */
export async function finishTask(services: TaskServices, ending: Ending): Promise<WholeTask> {
  const { db, queue } = services
  const { task_id, lease, webhook_url } = ending.task
  const ticket = webhook_url === null ? null : await queue.turn('callback', receiverOf(webhook_url))
  const finished = await db.transaction().execute(async trx => {
    const chains = ending.task.chains.map(chain => ({ ...chain, status: chainStatus(chain.entries) }))
    const status = finalStatus(chains)
    const { lane, job_id } = ending.task
    const [ended] = await together([
      endTask(trx, { task_id, lease, status, spentSeconds: ending.spentSeconds, chains }),
      job_id ? queue.discard(lane as TaskLane, job_id, trx) : null,
    ])
    if (!ended) throw new LeaseLost()
    const { entries, warnings } = await recordActivities(services, trx, { ...ended, chains }, ending.snapshots)
    await saveResults(trx, task_id, entries, warnings.length > 0 ? [...ended.warnings, ...warnings] : [])
    const task: WholeTask = {
      ...ended,
      warnings: [...ended.warnings, ...warnings],
      chains: chains.map(chain => ({ ...chain, entries: entries.filter(entry => entry.chain_id === chain.chain_id) })),
    }
    if (webhook_url !== null && ticket) {
      const callback_id = newId()
      const callback = {
        callback_id,
        job_id: ticket.id,
        task_id,
        run: task.run,
        experience_id: task.experience_id,
        url: webhook_url,
        receiver: ticket.share,
        body: callbackBody(task),
      }
      await together([insertCallback(trx, callback), queue.send(trx, { ...ticket, lane: 'callback' }, { callback_id })])
    }
    if (ending.counted) await wakeSibling(services, trx, task.experience_id)
    failpoint('finish.before')
    return task
  })
  failpoint('finish.after')
  return finished
}

export const receiverOf = (url: string): string => new URL(url).host

export function chainStatus(entries: readonly EntryRow[]): TaskStatus {
  if (entries.some(entry => entry.status === 'Cancelled')) return 'Cancelled'
  return entries.every(entry => entry.status === 'Succeeded') ? 'Succeeded' : 'Failed'
}

function finalStatus(chains: readonly { status: TaskStatus }[]): TaskStatus {
  const statuses = chains.map(chain => chain.status)
  if (statuses.includes('Cancelled')) return 'Cancelled'
  return statuses.every(status => status === 'Succeeded') ? 'Succeeded' : 'Failed'
}

/** A task of the same experience may have been turned away while this one ran. */
export async function wakeSibling({ queue }: TaskServices, trx: Trx, experienceId: string): Promise<void> {
  const sibling = await nextParked(trx, experienceId)
  if (!sibling) return
  const ticket = await queue.turn(sibling.lane as TaskLane, experienceId, trx)
  await setJob(
    trx,
    sibling.task_id,
    await queue.send(trx, { ...ticket, lane: sibling.lane as TaskLane }, { task_id: sibling.task_id }),
  )
}

/** One activity per guest found and per succeeded entry that asks for one; their ids go into the results of destinations. */
async function recordActivities(
  { adapters }: TaskServices,
  trx: Trx,
  task: WholeTask,
  snapshots: ReadonlyMap<string, Snapshot>,
): Promise<{ entries: EntryRow[]; warnings: string[] }> {
  const warnings = new Set<string>()
  const entries: EntryRow[] = []
  for (const chain of task.chains) {
    const { lookups } = sortExtras(chain.extras, 'extras').sorted
    const asking = chain.entries.some(entry => configOf(snapshots, chain.snapshot_id, entry)?.activity_config)
    const guests = await guestsFor(trx, task.task_id, lookups)
    if (asking)
      for (const lookup of guests.missing)
        warnings.add(`No profile has the ${lookup.kind} "${lookup.value}" yet; its activity is made when one does.`)
    for (const entry of chain.entries) {
      const adapter = adapters.get(entry.adapter_name)
      const config = configOf(snapshots, chain.snapshot_id, entry)
      const ids = await activitiesOf(trx, task, chain.configuration, entry, config, guests)
      const delivered = entry.status === 'Succeeded' && adapter && isDestination(adapter)
      entries.push(delivered ? { ...entry, result: { ...entry.result, activity: ids } } : entry)
    }
  }
  return { entries, warnings: [...warnings].filter(warning => !task.warnings.includes(warning)) }
}

const configOf = (snapshots: ReadonlyMap<string, Snapshot>, snapshotId: string, entry: EntryRow) =>
  snapshots.get(snapshotId)?.entries[entry.index]

interface Guests {
  found: FoundProfile[]
  missing: Lookup[]
}

async function guestsFor(trx: Trx, taskId: string, lookups: readonly Lookup[]): Promise<Guests> {
  if (lookups.length === 0) return { found: [], missing: [] }
  await lockLookups(
    trx,
    lookups.map(lookup => ({ kind: lookup.kind, key: lookupKey(lookup) })),
  )
  const profiles = await findProfiles(trx, lookups)
  const found = new Map(profiles.filter(profile => profile !== null).map(profile => [profile.profile_id, profile]))
  await keepGuests(trx, taskId, [...found.keys()])
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
