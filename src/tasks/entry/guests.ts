// Finds the guest of each chain, the first profile that the chain's own lookups find, and the link to their page.
import type { Queries } from '#db/database.ts'
import { type FoundProfile, findProfiles } from '#db/nouns/profiles-lookup.ts'
import { type GuestServices, guestUrlOf } from '#guests/keepsakes.ts'
import type { Task } from './loaded.ts'

export interface Guests {
  /** By chain id: a delivery that one guest of a group ordered never goes to another guest. */
  profiles: ReadonlyMap<string, FoundProfile>
  /** The link to the guest's page; null where there is none. */
  url: string | null
}

export const noGuests: Guests = { profiles: new Map(), url: null }

/**
 * The guests whose values placeholders may use. Only unrestricted tokens may read a guest who belongs to no experience. So a task that
 * a limited token made or changed sees nothing of such a guest. It does not fall back to the next lookup: that may be another person.
 */
export async function guestsOf(
  services: { db: Queries } & Omit<GuestServices, 'db'>,
  { experience_id, limited, chains, keepsake_id }: Task,
): Promise<Guests> {
  const profiles = new Map<string, FoundProfile>()
  for (const chain of chains) {
    const found = await findProfiles(services.db, chain.sorted.lookups, experience_id)
    const guest = found.find(profile => profile !== null)
    if (guest && (!limited || guest.experience_id !== null)) profiles.set(chain.chain_id, guest)
  }
  return { profiles, url: await guestUrlOf(services, { keepsake_id }) }
}
