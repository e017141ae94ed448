// The guests a task is for: of each chain the first profile that its own lookups find.
import { sortExtras } from '#configurations/options.ts'
import type { Queries } from '#db/database.ts'
import { type FoundProfile, findProfiles } from '#db/profiles-lookup.ts'
import type { ChainRow, WholeTask } from '#db/tasks.ts'

/** By the id of the chain: what one guest of a group ordered is never delivered to another. */
export type Guests = ReadonlyMap<string, FoundProfile>

export async function guestsOf(queries: Queries, { experience_id, chains }: WholeTask): Promise<Guests> {
  const guests = new Map<string, FoundProfile>()
  for (const chain of chains) {
    const guest = await guestOf(queries, experience_id, chain.extras)
    if (guest) guests.set(chain.chain_id, guest)
  }
  return guests
}

export async function guestOf(
  queries: Queries,
  experienceId: string,
  extras: ChainRow['extras'],
): Promise<FoundProfile | null> {
  const found = await findProfiles(queries, sortExtras(extras, 'extras').sorted.lookups, experienceId)
  return found.find(profile => profile !== null) ?? null
}
