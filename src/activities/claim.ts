// Activities that waited for their guest: when a profile brings a lookup value, they become that profile's.

import type { Trx } from '#db/database.ts'
import { type Lookup, lookupKey } from '#db/nouns/profiles-lookup.ts'
import { claimLookups } from '#db/tasks/task-activities.ts'

/** Call with every lookup value a profile was given, in the transaction that gives it. Answers how many activities were made. */
export const claimActivities = (trx: Trx, profileId: string, lookups: readonly Lookup[]): Promise<number> =>
  claimLookups(
    trx,
    profileId,
    lookups.map(lookup => ({ kind: lookup.kind, key: lookupKey(lookup) })),
  )
