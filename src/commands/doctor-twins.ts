// Names for `npm run doctor` what two guests, or two names, share since more spellings of it are the same.
import { openDatabase } from '#db/database.ts'
import { sharedLookups, twinNames } from '#db/now/twin-rows.ts'
import { newLog } from '#kit/log.ts'

const MOST = 1000

/** One sentence each. */
export async function twins(databaseUrl: string): Promise<string[]> {
  const database = openDatabase(databaseUrl, newLog('silent', 'doctor'), { max: 1 })
  try {
    const names = (await twinNames(database.db)).map(
      ({ noun, names }) =>
        `${names.length} ${noun}s look like "${names[0]}" (${names.map(name => encodeURIComponent(name)).join(', ')}); each is found by its very bytes alone: delete one, or make it anew under another name`,
    )
    const shared = await sharedLookups(database.db, null, MOST)
    const guests = shared.map(({ kind, experience_id, profiles }) => {
      const who = profiles.map(({ profile_id, value }) => `"${value}" of ${profile_id}`).join(', ')
      const where = experience_id === null ? 'no experience' : `the experience "${experience_id}"`
      return `the same ${kind} in ${where}: ${who}; each is found by its own spelling alone, until they are merged or one is changed`
    })
    return [...names, ...guests]
  } finally {
    await database.close()
  }
}
