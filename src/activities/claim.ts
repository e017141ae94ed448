// Gives a profile the activities that waited for one of its lookup values.

import type { Trx } from '#db/database.ts'
import { keyed, type Lookup, ofProfile } from '#db/nouns/profiles-lookup.ts'
import { claimWaitingActivities } from '#db/tasks/task-activities.ts'

/** Call it with every new lookup value of a profile, in the transaction that writes it. Returns how many activities were made. */
export const claimActivities = async (trx: Trx, profileId: string, lookups: readonly Lookup[]): Promise<number> =>
  claimWaitingActivities(trx, profileId, (await ofProfile(trx, profileId, lookups)).map(keyed))
