// Tells a destination which experience has a place at a target that experiences share, and takes places.
import type { Db } from '#db/database.ts'
import { ownerOf, takeLocalPlace } from '#db/nouns/local-places.ts'
import { retryWhileAway } from '#db/retry-while-away.ts'
import type { PathOwners } from '#engine/adapter.ts'

export const pathOwnersOf = (db: Db, experienceId: string): PathOwners => ({
  async owner(place) {
    const owner = await retryWhileAway(() => ownerOf(db, place))
    if (owner === null) return null
    return owner === experienceId ? 'ours' : 'others'
  },
  take: place => retryWhileAway(() => takeLocalPlace(db, place, experienceId)),
})
