// The guests a task is for: of each chain the first profile that its own lookups find.
import type { Queries } from '#db/database.ts'
import { type FoundProfile, findProfiles } from '#db/nouns/profiles-lookup.ts'
import type { Task } from './loaded.ts'

/** By the id of the chain: what one guest of a group ordered is never delivered to another. */
export type Guests = ReadonlyMap<string, FoundProfile>

/**
 * Whose values placeholders may use. What is known of a guest of no experience is for unrestricted tokens only: a task that a limited
 * one had a hand in is told nothing of them, not even by the next of its lookups, which may be for somebody else.
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
