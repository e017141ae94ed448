// Makes one profile of two that are the same person: all of both stays, under the id of one.
import { violatedConstraint } from '#db/database.ts'
import { keepsakesOf, lockKeepsakes } from '#db/erasures/erased-tasks.ts'
import { hasKeepsakeElsewhere, isBeingErased, keptId, moveBelongings } from '#db/guests/profile-aliases.ts'
import { emptyAuditOf, recordChange } from '#db/nouns/audit-rows.ts'
import * as rows from '#db/nouns/profile-rows.ts'
import { type Lookup, lockLookups } from '#db/nouns/profiles-lookup.ts'
import { transact } from '#db/transact.ts'
import type { Visible } from '#db/visible.ts'
import { badField, Problem } from '#kit/errors.ts'
import { anything, type Expect } from '#kit/expect.ts'
import { failpoint } from '#kit/failpoint.ts'
import { type Consent, purposes } from '#kit/guest/consent.ts'
import { isId } from '#kit/ids.ts'
import { deepMerge, type JsonObject } from '#kit/json.ts'
import {
  audited,
  auditView,
  giveLookups,
  lookupsIn,
  type ProfileServices,
  taken,
  unknownProfile,
  waitersOf,
} from './profiles.ts'

/** As many values of one kind as a request may write. */
const MOST_VALUES = 100

interface Merge {
  keptId: string
  goneId: string
  /** Everything is checked and done, and then undone. */
  isDryRun?: boolean
  expect?: Expect<rows.ProfileRow>
}

/** Thrown to end a dry run: nothing of its transaction stays. */
class Undone extends Error {
  readonly row: rows.ProfileRow
  constructor(row: rows.ProfileRow) {
    super('a dry run')
    this.row = row
  }
}

export async function mergeProfiles(
  services: ProfileServices,
  visible: Visible,
  { keptId: wanted, goneId: other, isDryRun = false, expect = anything }: Merge,
): Promise<rows.ProfileRow> {
  const { db, actor } = services
  if (!isId(wanted)) throw unknownProfile(wanted)
  if (!isId(other)) throw badField('profile_id', `is not the id of a profile: "${other}"`)
  let tried: { profile: rows.ProfileRow; lookups: Lookup[] } | undefined
  try {
    const merged = await transact(db, async trx => {
      const [keep, go] = [await keptId(trx, wanted), await keptId(trx, other)]
      if (keep === go) throw badField('profile_id', 'is the same guest: give the id of the other profile')
      const named: Lookup[] = [keep, go].map(value => ({ kind: 'profile_id', value }))
      // The order of locks: keepsakes, look-ups, profiles.
      await lockKeepsakes(trx, await keepsakesOf(trx, null, null, named))
      await lockLookups(trx, named)
      const first = await rows.findProfile(trx, visible, keep)
      if (!first) throw unknownProfile(wanted)
      const second = await rows.findProfile(trx, visible, go)
      if (!second) throw badField('profile_id', `names no profile that you see: "${other}"`)
      await lockLookups(trx, [...lookupsIn(first), ...lookupsIn(second)])
      for (const id of [keep, go].sort()) await rows.lockProfile(trx, visible, id)
      const kept = await rows.findProfile(trx, visible, keep)
      const gone = await rows.findProfile(trx, visible, go)
      if (!kept) throw unknownProfile(wanted)
      if (!gone) throw unknownProfile(other)
      expect(kept)
      await checkMerge(trx, visible, kept, gone)

      const all = joined(kept, gone)
      tried = { profile: kept, lookups: all.lookups }
      const { profile_id, experience_id } = kept
      await rows.setLookups(trx, gone, rows.profileLookups, [])
      await rows.updateProfile(trx, profile_id, { experience_id, attributes: all.attributes, consent: all.consent })
      await giveLookups(trx, kept, rows.profileLookups, all.lookups)
      await moveBelongings(trx, gone.profile_id, profile_id)
      await rows.deleteProfile(trx, gone.profile_id)
      await services.claim(trx, profile_id, all.lookups)
      if (all.consent) await services.wake(trx, waitersOf(profile_id, [...all.lookups, ...named]))
      const row = (await rows.findProfile(trx, null, profile_id)) as rows.ProfileRow
      await recordChange(trx, actor, {
        ...audited(row),
        action: 'update',
        before: auditView(kept),
        after: auditView(row),
      })
      // What was known of the person is kept under one id, so that erasing it finds all of it.
      await emptyAuditOf(trx, 'profile', gone.profile_id)
      await recordChange(trx, actor, {
        ...audited(gone),
        action: 'delete',
        before: null,
        after: { merged_into: profile_id },
      })
      failpoint('profile.before')
      if (isDryRun) throw new Undone(row)
      return row
    })
    failpoint('profile.after')
    return merged
  } catch (error) {
    if (error instanceof Undone) return error.row
    if (violatedConstraint(error) !== 'profile_lookups_value' || !tried) throw error
    const others = await rows.takenLookups(db, tried.profile, tried.lookups)
    throw taken(others, error)
  }
}

/** Merging takes nobody out of sight, and nobody into it. */
async function checkMerge(
  trx: Parameters<typeof isBeingErased>[0],
  visible: Visible,
  kept: rows.ProfileRow,
  gone: rows.ProfileRow,
): Promise<void> {
  if (kept.experience_id !== null && kept.experience_id !== gone.experience_id)
    throw new Problem(
      'wrong_state',
      gone.experience_id === null
        ? `The other profile is of all experiences, this one only of "${kept.experience_id}": merge this one into the other.`
        : `The profiles are of two experiences, "${kept.experience_id}" and "${gone.experience_id}": merge each into one of no experience.`,
    )
  if (await isBeingErased(trx, [kept.profile_id, gone.profile_id]))
    throw new Problem('wrong_state', 'One of the two is being erased.')
  const isElsewhere =
    (await rows.isKnownElsewhere(trx, visible, gone.profile_id)) ||
    (await hasKeepsakeElsewhere(trx, visible, gone.profile_id))
  if (visible !== null && isElsewhere)
    throw new Problem('wrong_state', 'The other profile has belongings that your token may not see.')
}

interface Joined {
  lookups: Lookup[]
  attributes: JsonObject
  consent: Consent | null
}

/** Every value of both, those of the kept one first. An attribute that both have is that of the kept one; a refusal stays a refusal. */
function joined(kept: rows.ProfileRow, gone: rows.ProfileRow): Joined {
  const both = Object.fromEntries(rows.profileLookups.map(kind => [kind, [...kept[kind], ...gone[kind]]]))
  const lookups = lookupsIn(both)
  for (const kind of rows.profileLookups) {
    const count = lookups.filter(lookup => lookup.kind === kind).length
    if (count > MOST_VALUES)
      throw badField('profile_id', `would leave ${count} values of ${kind}: a profile has at most ${MOST_VALUES}`)
  }
  const said = purposes.flatMap(purpose => {
    const words = [kept.consent?.[purpose], gone.consent?.[purpose]].filter(word => word !== undefined)
    return words.length === 0 ? [] : [[purpose, !words.includes(false)] as const]
  })
  return {
    lookups,
    attributes: deepMerge(gone.attributes, kept.attributes),
    consent: said.length === 0 ? null : Object.fromEntries(said),
  }
}
