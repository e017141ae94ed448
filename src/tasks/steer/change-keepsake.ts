// Changes whom a keepsake belongs to and what they agreed to, before or after its tasks have run.
import { sortExtras } from '#configurations/options.ts'
import {
  endedTasksOf,
  holdKeepsake,
  listKeepsakeLookups,
  replaceKeepsakeLookups,
  setKeepsakeConsent,
} from '#db/guests/keepsake-lookups.ts'
import { recordChange } from '#db/nouns/audit-rows.ts'
import { readKeepsake, requireThere, type WholeKeepsake } from '#db/nouns/keepsake-rows.ts'
import { type Lookup, lockLookups, lookupName } from '#db/nouns/profiles-lookup.ts'
import { wholeTask } from '#db/tasks/task-rows.ts'
import { transact } from '#db/transact.ts'
import type { Visible } from '#db/visible.ts'
import type { Actor } from '#kit/actor.ts'
import { badField } from '#kit/errors.ts'
import { type ConsentPatch, patchedConsent } from '#kit/guest/consent.ts'
import type { JsonObject } from '#kit/json.ts'
import { recordLater, withdrawGuests } from '../end/record-activities.ts'
import { loadStored } from '../entry/loaded.ts'
import type { TaskServices } from '../task-services.ts'
import { wakeForConsent } from './wake.ts'

interface KeepsakePatch {
  /** Replace those that are stored. */
  lookups?: readonly Lookup[] | undefined
  consent?: ConsentPatch | null | undefined
}

/**
 * A guest who is told later gets the activities of all tasks that the keepsake has: of those that ended here, of the others when they end.
 * Locks: the keepsake, then the lookups, then the tasks.
 */
export async function changeKeepsake(
  services: TaskServices & { actor: Actor },
  visible: Visible,
  id: string,
  { lookups, consent }: KeepsakePatch,
): Promise<WholeKeepsake> {
  return transact(services.db, async trx => {
    const before = await readKeepsake(trx, visible, id)
    await holdKeepsake(trx, id)
    const row = await readKeepsake(trx, visible, id)
    requireThere(row)
    const said = patchedConsent(row.consent, consent)
    if (consent !== undefined) await setKeepsakeConsent(trx, id, said)
    if (lookups) {
      const stored = await listKeepsakeLookups(trx, id)
      await lockLookups(trx, [...lookups, ...stored])
      await replaceKeepsakeLookups(trx, id, lookups)
      for (const taskId of await endedTasksOf(trx, id)) {
        const task = await wholeTask(trx, taskId)
        if (!task) continue
        const loaded = await loadStored(trx, services.adapters, task)
        await withdrawGuests(trx, loaded, stored)
        await recordLater(trx, loaded, lookups)
      }
    }
    await recordChange(trx, services.actor, {
      action: 'update',
      object: 'keepsake',
      object_id: id,
      experience_id: row.experience_id,
      before: { consent: before.consent },
      // The values themselves are of the person, and would outlive them here.
      after: { consent: said, known_by: (lookups ?? (await listKeepsakeLookups(trx, id))).map(({ kind }) => kind) },
    })
    await wakeForConsent(services, trx, [{ kind: 'keepsake', key: id }])
    return { ...row, consent: said }
  })
}

/** What a request says of the guest, read as the extras of a task are. Two spellings of one value are one. */
export function namedLookups(written: object | null | undefined): Lookup[] {
  const { sorted, errors } = sortExtras((written ?? {}) as JsonObject, 'lookups')
  const [error] = errors
  if (error) throw badField(error.field, error.message)
  return [...new Map(sorted.lookups.map(lookup => [lookupName(lookup), lookup])).values()]
}
