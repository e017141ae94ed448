// Says for `keepsake doctor` what the living workers lack, and which steps fail for every file.
import { openDatabase } from '#db/database.ts'
import { listFailingSteps, listLivingWorkers } from '#db/now/trouble-rows.ts'
import { newLog } from '#kit/log.ts'
import { offOf } from '#tasks/show/lacking.ts'

type Line = ['ok' | 'warn', what: string, said: string]

export async function checkWorkers(databaseUrl: string): Promise<Line[]> {
  const { db, close } = openDatabase(databaseUrl, newLog('silent', 'doctor'), { max: 1 })
  try {
    const workers = await listLivingWorkers(db)
    const ready: Line = ['ok', 'workers', workers.length > 0 ? String(workers.length) : 'none runs now']
    return [ready, ...linesOf({ alive: offOf(workers), failing: await listFailingSteps(db, null) })]
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
