// Finds the guest of each chain: the first profile that the chain's own lookups find.
import type { Queries } from '#db/database.ts'
import { type FoundProfile, findProfiles } from '#db/nouns/profiles-lookup.ts'
import type { Task } from './loaded.ts'

/** By chain id: a delivery that one guest of a group ordered never goes to another guest. */
export type Guests = ReadonlyMap<string, FoundProfile>

/**
 * The guests whose values placeholders may use. Only unrestricted tokens may read a guest who belongs to no experience. So a task that
 * a limited token made or changed sees nothing of such a guest. It does not fall back to the next lookup: that may be another person.
 */
export async function guestsOf(queries: Queries, { experience_id, limited, chains }: Task): Promise<Guests> {
  const guests = new Map<string, FoundProfile>()
  for (const chain of chains) {
    const found = await findProfiles(queries, chain.sorted.lookups, experience_id)
    const guest = found.find(profile => profile !== null)
    if (guest && (!limited || guest.experience_id !== null)) guests.set(chain.chain_id, guest)
  }
  return guests
}
