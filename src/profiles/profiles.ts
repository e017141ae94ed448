// The rules of profiles: a lookup value belongs to one guest of an experience, and a new one brings the activities that waited for it.

import { type Db, type Queries, type Trx, violatedConstraint } from '#db/database.ts'
import { unnameLeftActivities, unnameTasks } from '#db/erasures/unnamed-tasks.ts'
import { forgetKeepsakeGuest } from '#db/guests/keepsake-lookups.ts'
import { aliasesOf, keptId } from '#db/guests/profile-aliases.ts'
import { emptyAuditOf, recordChange } from '#db/nouns/audit-rows.ts'
import { ensureExperience } from '#db/nouns/experience-rows.ts'
import * as rows from '#db/nouns/profile-rows.ts'
import { keyed, type Lookup, lockLookups, lookupName, ofProfile, spellings } from '#db/nouns/profiles-lookup.ts'
import type { Page, PageRequest } from '#db/page.ts'
import { forgetGuest } from '#db/tasks/task-guests.ts'
import { transact } from '#db/transact.ts'
import { isVisible, requireVisible, type Visible } from '#db/visible.ts'
import { type Adapters, isDestination } from '#engine/adapter.ts'
import type { Actor } from '#kit/actor.ts'
import { badField, Problem } from '#kit/errors.ts'
import { anything, type Expect } from '#kit/expect.ts'
import { failpoint } from '#kit/failpoint.ts'
import { type ConsentPatch, patchedConsent } from '#kit/guest/consent.ts'
import { reachedAt, unnaming } from '#kit/guest/unnamed.ts'
import { isId, newId } from '#kit/ids.ts'
import { type JsonObject, stableJson } from '#kit/json.ts'
import { mergePatch } from '#kit/merge-patch.ts'
import type { SecretBox } from '#kit/secret/secrets.ts'

export type { ProfileRow } from '#db/nouns/profile-rows.ts'

export interface ProfileServices {
  db: Db
  secretBox: SecretBox
  actor: Actor
  /** Gives a profile the activities that waited for one of its values. */
  claim(trx: Trx, profileId: string, lookups: readonly Lookup[]): Promise<unknown>
  /** Wakes the tasks that wait for the consent of one of these. */
  wake(trx: Trx, waiters: readonly { kind: string; key: string }[]): Promise<void>
}

export const waitersOf = (profileId: string, lookups: readonly Lookup[]): { kind: string; key: string }[] => [
  { kind: 'profile_id', key: profileId },
  ...lookups.map(keyed),
]

/** A profile from a request: each lookup is one value, a list, or null for none. */
export interface Written extends Partial<Record<rows.ProfileLookup, string | string[] | null>> {
  experience_id?: string | null
  attributes?: JsonObject
  consent?: ConsentPatch | null
}

export async function createProfile(
  services: ProfileServices,
  visible: Visible,
  written: Written,
): Promise<rows.ProfileRow> {
  const { experience_id = null, attributes = {} } = written
  const consent = patchedConsent(null, written.consent)
  checkExperience(visible, experience_id)
  const profile = { profile_id: newId(), experience_id }
  const lookups = lookupsIn(written)
  return write(services, async (trx, tried) => {
    tried({ profile, lookups })
    await lockLookups(trx, lookups)
    if (experience_id !== null) await ensureExperience(trx, services.secretBox, experience_id)
    const now = new Date()
    await rows.insertProfile(trx, { ...profile, attributes, consent, created_at: now, updated_at: now })
    await giveLookups(trx, profile, [], lookups)
    await services.claim(trx, profile.profile_id, lookups)
    if (consent) await services.wake(trx, waitersOf(profile.profile_id, lookups))
    return { profileId: profile.profile_id, before: null }
  })
}

/** A written lookup replaces the list of its kind; attributes are merged. What changes nothing leaves the profile as it is. */
export async function changeProfile(
  services: ProfileServices,
  visible: Visible,
  profileId: string,
  written: Written,
  expect: Expect<rows.ProfileRow> = anything,
): Promise<rows.ProfileRow> {
  const given = lookupsIn(written)
  const kinds = rows.profileLookups.filter(kind => written[kind] !== undefined)
  return write(services, async (trx, tried) => {
    const stored = await lockProfile(trx, visible, profileId, given)
    expect(stored)
    const { profile_id } = stored
    const { experience_id = stored.experience_id } = written
    checkExperience(visible, experience_id)
    const moves = experience_id !== stored.experience_id
    const kept = lookupsIn(stored).filter(({ kind }) => !(kinds as string[]).includes(kind))
    // In another experience any of its values may be taken already, or activities may wait for it.
    const lookups = moves ? [...kept, ...given] : given
    const attributes = mergePatch(stored.attributes, written.attributes ?? {}) as JsonObject
    const consent = patchedConsent(stored.consent, written.consent)
    const valuesOf = (all: readonly Lookup[]) => kinds.map(kind => all.filter(each => each.kind === kind))
    const isSame =
      stableJson([attributes, consent, valuesOf(given)]) ===
      stableJson([stored.attributes, stored.consent, valuesOf(lookupsIn(stored))])
    if (isSame && !moves && stored.erased_at === null) return { profileId: profile_id, before: 'same' }
    tried({ profile: { profile_id, experience_id }, lookups })
    if (experience_id !== null) await ensureExperience(trx, services.secretBox, experience_id)
    await rows.updateProfile(trx, profile_id, { experience_id, attributes, consent })
    await giveLookups(trx, { profile_id, experience_id }, moves ? rows.profileLookups : kinds, lookups)
    await services.claim(trx, profile_id, lookups)
    const aliases = (await aliasesOf(trx, profile_id)).map((value): Lookup => ({ kind: 'profile_id', value }))
    if (consent) await services.wake(trx, waitersOf(profile_id, [...kept, ...given, ...aliases]))
    return { profileId: profile_id, before: stored }
  })
}

export const listProfiles = (
  db: Queries,
  visible: Visible,
  filters: rows.ProfileFilters,
  page: PageRequest,
): Promise<Page<rows.ProfileRow>> => rows.listProfiles(db, visible, filters, page)

export async function readProfile(db: Queries, visible: Visible, profileId: string): Promise<rows.ProfileRow> {
  const row = isId(profileId) ? await rows.findProfile(db, visible, await keptId(db, profileId)) : undefined
  if (!row) throw unknownProfile(profileId)
  return row
}

/** Deletes only what the caller may see: data of the person in other experiences stays. */
export async function deleteProfile(
  { db, ...services }: Pick<ProfileServices, 'db'> & Deleting,
  visible: Visible,
  profileId: string,
  expect: Expect<rows.ProfileRow> = anything,
): Promise<void> {
  await transact(db, async trx => {
    const stored = await lockProfile(trx, visible, profileId)
    expect(stored)
    await deleteHeld(trx, services, visible, stored)
  })
}

interface Deleting {
  actor: Actor
  adapters: Adapters
}

/** Deletes a profile that the transaction holds, and what tasks say of it. */
export async function deleteHeld(
  trx: Trx,
  { actor, adapters }: Deleting,
  visible: Visible,
  stored: rows.ProfileRow,
): Promise<void> {
  const { profile_id } = stored
  const own = await knownBy(trx, stored)
  const unnamed = unnaming([...own.flatMap(spellings), ...reachedAt(stored.attributes)])
  const tasks = await forgetGuest(trx, visible, profile_id, own, unnamed)
  await unnameTasks(trx, visible, tasks, {
    unnamed,
    canTakeBack(name) {
      const adapter = adapters.get(name)
      // One that is not installed now may be again.
      return adapter === undefined || (isDestination(adapter) && adapter.retract !== undefined)
    },
  })
  await unnameLeftActivities(trx, visible, profile_id, { unnamed })
  await forgetKeepsakeGuest(trx, visible, stored.experience_id, own)
  if (visible !== null && (await rows.isKnownElsewhere(trx, visible, profile_id)))
    await rows.emptyProfile(trx, visible, profile_id)
  else await rows.deleteProfile(trx, profile_id)
  await emptyAuditOf(trx, 'profile', profile_id)
  // What was known of the person is not kept here either.
  await recordChange(trx, actor, { ...audited(stored), action: 'delete', before: null, after: null })
}

/** Locks the profile. No task that ends can find it by its lookup values or by `given` until the transaction ends. */
export async function lockProfile(
  trx: Trx,
  visible: Visible,
  profileId: string,
  given: readonly Lookup[] = [],
): Promise<rows.ProfileRow> {
  if (!isId(profileId)) throw unknownProfile(profileId)
  const id = await keptId(trx, profileId)
  await lockLookups(trx, [{ kind: 'profile_id', value: id }])
  const found = await rows.findProfile(trx, visible, id)
  if (!found) throw unknownProfile(profileId)
  await lockLookups(trx, [...lookupsIn(found), ...given])
  const stored = await rows.lockProfile(trx, visible, id)
  if (!stored) throw unknownProfile(profileId)
  return stored
}

export const audited = ({ profile_id, experience_id }: rows.ProfileRow) =>
  ({ object: 'profile', object_id: profile_id, experience_id }) as const

export const auditView = ({ email, qr_code, rfid, experience_id, attributes }: rows.ProfileRow) => ({
  email,
  qr_code,
  rfid,
  experience_id,
  attributes,
})

export const unknownProfile = (profileId: string): Problem =>
  new Problem('not_found', `There is no profile "${profileId}".`)

function checkExperience(visible: Visible, experienceId: string | null): void {
  if (experienceId !== null) requireVisible(visible, experienceId)
  else if (!isVisible(visible, null))
    throw badField('experience_id', `is needed: your token is limited to ${visible?.join(', ')}`)
}

/** Every value once, in the spelling that comes first. */
export function lookupsIn(written: Partial<Record<rows.ProfileLookup, string | string[] | null>>): Lookup[] {
  const found = new Map<string, Lookup>()
  for (const kind of rows.profileLookups)
    for (const value of [written[kind] ?? []].flat()) {
      const lookup: Lookup = { kind, value }
      const key = lookupName(lookup)
      if (!found.has(key)) found.set(key, lookup)
    }
  return [...found.values()]
}

/** All that leads to a person: their values, their id, and the ids of profiles that were merged into theirs. */
export async function knownBy(db: Queries, profile: rows.ProfileRow): Promise<Lookup[]> {
  const ids = [profile.profile_id, ...(await aliasesOf(db, profile.profile_id))]
  const values = await ofProfile(db, profile.profile_id, lookupsIn(profile))
  return [...values, ...ids.map((value): Lookup => ({ kind: 'profile_id', value }))]
}

/** What was about to be written, for the error that names the taken values. */
interface Tried {
  profile: Pick<rows.ProfileRow, 'profile_id' | 'experience_id'>
  lookups: readonly Lookup[]
}

interface WrittenProfile {
  profileId: string
  /** What it was; null: there was none. */
  before: rows.ProfileRow | 'same' | null
}

async function write(
  { db, actor }: ProfileServices,
  work: (trx: Trx, tried: (what: Tried) => void) => Promise<WrittenProfile>,
): Promise<rows.ProfileRow> {
  let tried: Tried | undefined
  try {
    const written = await transact(db, async trx => {
      const { profileId, before } = await work(trx, what => {
        tried = what
      })
      const row = (await rows.findProfile(trx, null, profileId)) as rows.ProfileRow
      if (before !== 'same')
        await recordChange(trx, actor, {
          ...audited(row),
          action: before ? 'update' : 'create',
          before: before && auditView(before),
          after: auditView(row),
        })
      failpoint('profile.before')
      return row
    })
    failpoint('profile.after')
    return written
  } catch (error) {
    if (violatedConstraint(error) !== 'profile_lookups_value' || !tried) throw error
    throw taken(await rows.takenLookups(db, tried.profile, tried.lookups), error)
  }
}

/** The caller holds the lookups: nobody else is given one of them meanwhile, in no spelling. */
export async function giveLookups(
  trx: Trx,
  profile: Pick<rows.ProfileRow, 'profile_id' | 'experience_id'>,
  kinds: readonly rows.ProfileLookup[],
  lookups: readonly Lookup[],
): Promise<void> {
  const others = await rows.takenLookups(trx, profile, lookups)
  if (others.length > 0) throw taken(others)
  await rows.setLookups(trx, profile, kinds, lookups)
}

export function taken(lookups: readonly Lookup[], cause?: unknown): Problem {
  const errors = lookups.map(({ kind, value }) => ({ field: kind, message: `"${value}" belongs to another profile` }))
  const detail = errors.map(({ field, message }) => `${field}: ${message}`).join('; ')
  return new Problem('lookup_taken', detail || 'A value was just given to another profile.', { errors, cause })
}
