// Says for `keepsake doctor` what the database knows: what living workers lack, steps that fail for every file, and what two guests or names share.
import { type Db, openDatabase } from '#db/database.ts'
import { listFailingSteps, listLivingWorkers } from '#db/now/trouble-rows.ts'
import { knowsTwins, sharedLookups, twinNames } from '#db/now/twin-rows.ts'
import { newLog } from '#kit/log.ts'
import { offOf } from '#tasks/show/lacking.ts'

type Line = ['ok' | 'warn', what: string, said: string]

const MOST = 1000

export async function checkRows(databaseUrl: string): Promise<Line[]> {
  const { db, close } = openDatabase(databaseUrl, newLog('silent', 'doctor'), { max: 1 })
  try {
    // A database that the next start brings up to date.
    if (!(await knowsTwins(db))) return []
    const workers = await listLivingWorkers(db)
    const ready: Line = ['ok', 'workers', workers.length > 0 ? String(workers.length) : 'none runs now']
    const lines = linesOf({ alive: offOf(workers), failing: await listFailingSteps(db, null) })
    return [ready, ...lines, ...(await twins(db)).map((said): Line => ['warn', 'twins', said])]
  } finally {
    await close()
  }
}

/** A server of an earlier version says less. */
interface Told {
  alive: { host: string; off?: string[] }[]
  failing?: { adapter_name: string; error_code: string; message: string | null }[]
}

export const linesOf = ({ alive, failing = [] }: Told): Line[] => [
  ...alive.flatMap(({ host, off = [] }) => off.map((sentence): Line => ['warn', 'workers', `${host}: ${sentence}`])),
  ...failing.map(
    ({ adapter_name, error_code, message }): Line => [
      'warn',
      'steps',
      `${adapter_name} failed five times in a row: ${message ?? error_code}`,
    ],
  ),
]

/** One sentence each. */
async function twins(db: Db): Promise<string[]> {
  const names = (await twinNames(db)).map(
    ({ noun, names }) =>
      `${names.length} ${noun}s look like "${names[0]}" (${names.map(name => encodeURIComponent(name)).join(', ')}); each is found by its very bytes alone: delete one, or make it anew under another name`,
  )
  const shared = await sharedLookups(db, null, MOST)
  const guests = shared.map(({ kind, experience_id, profiles }) => {
    const who = profiles.map(({ profile_id, value }) => `"${value}" of ${profile_id}`).join(', ')
    const where = experience_id === null ? 'no experience' : `the experience "${experience_id}"`
    return `the same ${kind} in ${where}: ${who}; each is found by its own spelling alone, until they are merged or one is changed`
  })
  return [...names, ...guests]
}
