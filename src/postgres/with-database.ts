// Gives a short command a database: the external one, that of a running Keepsake, or the embedded one, started for the command.
import { CannotStart } from '#kit/cannot-start.ts'
import { lockFolder, makeFolder } from '#kit/folder-lock.ts'
import { newLog } from '#kit/log.ts'
import type { Settings } from '#kit/settings.ts'
import { embeddedUrl, startEmbedded } from './embedded.ts'

export async function withDatabase<T>(
  settings: Pick<Settings, 'data' | 'databaseUrl' | 'databaseSessionUrl'>,
  work: (url: string) => Promise<T>,
): Promise<T> {
  if (settings.databaseUrl !== null) return work(settings.databaseSessionUrl ?? settings.databaseUrl)
  makeFolder(settings.data)
  if (!mineAlone(settings.data)) return work(embeddedUrl(settings.data))
  const database = await startEmbedded(settings.data, newLog('warn', 'database'))
  try {
    return await work(database.url)
  } finally {
    await database.stop()
  }
}

function mineAlone(folder: string): boolean {
  try {
    lockFolder(folder)
    return true
  } catch (error) {
    if (error instanceof CannotStart) return false
    throw error
  }
}
