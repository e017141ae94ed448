// The guest a task is for: the first profile its lookups find.
import { sortExtras } from '#configurations/options.ts'
import type { Queries } from '#db/database.ts'
import { type FoundProfile, findProfiles } from '#db/profiles-lookup.ts'
import type { WholeTask } from '#db/tasks.ts'

export async function guestOf(queries: Queries, task: WholeTask): Promise<FoundProfile | null> {
  const lookups = task.chains.flatMap(chain => sortExtras(chain.extras, 'extras').sorted.lookups)
  const found = await findProfiles(queries, lookups)
  return found.find(profile => profile !== null) ?? null
}
