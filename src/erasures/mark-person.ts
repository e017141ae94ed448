// Finds what belongs to a person, and marks it: from then on nobody else runs, retries or deletes it.
import { sortExtras } from '#configurations/options.ts'
import type { Trx } from '#db/database.ts'
import {
  type Candidate,
  closeKeepsakes,
  forgetKeepsakeLookups,
  type HeldKeepsake,
  keepsakesOf,
  keepsakesOfTasks,
  lockCandidates,
  lockKeepsakes,
  markTasks,
  tasksNaming,
} from '#db/erasures/erased-tasks.ts'
import { addCounts, type ErasureRow, insertLines } from '#db/erasures/erasure-rows.ts'
import { among, findProfiles, type Lookup } from '#db/nouns/profiles-lookup.ts'
import type { Visible } from '#db/visible.ts'
import { knownBy, lockProfile, type ProfileRow, readProfile } from '#profiles/profiles.ts'

interface Marked {
  /** Tasks that go. */
  tasks: string[]
  /** A task that stays still runs: it has to end before the person can be forgotten in it. */
  waits: boolean
}

/** Whom a task names: the person, and others. */
interface Naming {
  person: boolean
  others: boolean
}

/** What a person is known by, the tasks that name them, and their keepsakes, locked. */
async function holdKeepsakesOf(
  trx: Trx,
  visible: Visible,
  profile: ProfileRow,
): Promise<{ own: Lookup[]; named: string[]; keepsakes: HeldKeepsake[] }> {
  const { profile_id, experience_id } = profile
  const own = await knownBy(trx, profile)
  const named = await tasksNaming(trx, visible, profile_id, own)
  const ids = [...(await keepsakesOf(trx, visible, experience_id, own)), ...(await keepsakesOfTasks(trx, named))]
  return { own, named, keepsakes: await lockKeepsakes(trx, ids) }
}

/** Locks what is known of a person, in the order that all keep to: the keepsakes, the look-ups, the profile. */
export async function holdPerson(trx: Trx, visible: Visible, profileId: string): Promise<ProfileRow> {
  await holdKeepsakesOf(trx, visible, await readProfile(trx, visible, profileId))
  return lockProfile(trx, visible, profileId)
}

/** The caller holds the person. Keepsakes that came since then are locked here. */
export async function markPerson(trx: Trx, erasure: ErasureRow, profile: ProfileRow): Promise<Marked> {
  const { erasure_id, covers, takes_shared } = erasure
  const { profile_id } = profile
  const { own, named, keepsakes } = await holdKeepsakesOf(trx, covers, profile)
  const ids = keepsakes.map(({ keepsake_id }) => keepsake_id)
  const candidates = await lockCandidates(trx, named, ids)
  const naming = new Map<string, Naming>()
  for (const task of candidates) naming.set(task.task_id, await whoIsNamed(trx, task, profile_id, own))
  const of = ({ task_id }: Candidate): Naming => naming.get(task_id) as Naming

  const theirs = keepsakes.filter(keepsake => {
    const tasks = candidates.filter(task => task.keepsake_id === keepsake.keepsake_id)
    const isAlone = tasks.every(task => !of(task).others || (takes_shared && of(task).person))
    return isAlone && (takes_shared || !hasOthers(keepsake, own))
  })
  const closed = new Set(theirs.map(({ keepsake_id }) => keepsake_id))
  const goes = (task: Candidate): boolean => {
    const { person, others } = of(task)
    return person ? !others || takes_shared : !others && task.keepsake_id !== null && closed.has(task.keepsake_id)
  }
  const going = candidates.filter(goes).map(({ task_id }) => task_id)
  const shared = candidates.filter(task => of(task).person && !goes(task))
  await markTasks(trx, erasure_id, going)
  await closeKeepsakes(trx, [...closed])
  await forgetKeepsakeLookups(
    trx,
    ids.filter(id => !closed.has(id)),
    own,
  )
  await addCounts(trx, erasure_id, { pages: closed.size })
  await insertLines(
    trx,
    shared.map(({ task_id }) => sharedLine(erasure_id, task_id)),
  )
  return { tasks: going, waits: shared.some(({ ended_at }) => ended_at === null) }
}

const sharedLine = (erasure_id: string, task_id: string): Parameters<typeof insertLines>[1][number] => ({
  erasure_id,
  what: 'task',
  task_id,
  index: 0,
  configuration: null,
  adapter_name: null,
  receiver: null,
  state: 'kept',
  code: 'shared',
  reason: 'It names other guests too, so its media stays. The person is no longer named in it.',
  sealed: null,
  tries: 0,
  next_at: null,
})

/** The look-ups of an open task have found nobody yet, so they are looked up here. */
async function whoIsNamed(trx: Trx, task: Candidate, profileId: string, own: readonly Lookup[]): Promise<Naming> {
  const lookups = task.extras.flatMap(extras => sortExtras(extras, 'extras').sorted.lookups)
  const found = (await findProfiles(trx, lookups, task.experience_id)).flatMap(profile => profile?.profile_id ?? [])
  const guests = new Set([...task.guests, ...found])
  const person = guests.delete(profileId)
  return { person, others: guests.size > 0 || (person && hasForeign(lookups, own)) }
}

/** A second value of the same kind is another guest; a wristband beside an e-mail address may be the same one. */
function hasForeign(lookups: readonly Lookup[], own: readonly Lookup[]): boolean {
  const isMine = among(own)
  const kinds = new Set(lookups.filter(isMine).map(({ kind }) => kind))
  return lookups.some(lookup => kinds.has(lookup.kind) && !isMine(lookup))
}

const hasOthers = ({ lookups }: HeldKeepsake, own: readonly Lookup[]): boolean => hasForeign(lookups, own)

/** The caller has locked the keepsake: all that was made with it goes, whomever it names. */
export async function markKeepsake(trx: Trx, erasure: ErasureRow, keepsakeId: string): Promise<void> {
  const tasks = await lockCandidates(trx, [], [keepsakeId])
  await markTasks(
    trx,
    erasure.erasure_id,
    tasks.map(({ task_id }) => task_id),
  )
  await closeKeepsakes(trx, [keepsakeId])
  await addCounts(trx, erasure.erasure_id, { pages: 1 })
}
