// Reports for `npm run doctor` how many sealed values need an earlier secret key.
import { openDatabase } from '#db/database.ts'
import { hasProof, proveSecretKey } from '#db/secret-key.ts'
import { CannotStart } from '#kit/cannot-start.ts'
import { newLog } from '#kit/log.ts'
import { loadKeys } from '#kit/secret/keys.ts'
import { secretBox } from '#kit/secret/secrets.ts'
import type { Settings } from '#kit/settings.ts'
import { countEarlier } from './rotate-key.ts'

export async function checkSecrets(
  settings: Settings,
  databaseUrl: string,
): Promise<['ok' | 'warn' | 'fail', said: string]> {
  const database = openDatabase(databaseUrl, newLog('silent', 'doctor'), { max: 1 })
  try {
    if (!(await hasProof(database.db))) return ['ok', 'nothing is sealed yet']
    const box = secretBox(loadKeys(settings).secretKeys)
    await proveSecretKey(database.db, box)
    const { all, earlier, lost } = await countEarlier(database.db, box)
    if (lost > 0) return ['warn', `${lost} of ${all} are sealed with a key that is not set here; save them anew`]
    if (earlier > 0)
      return ['warn', `${earlier} of ${all} are sealed with an earlier key: \`keepsake rotate-key\` seals them anew`]
    const isLast = box.keyIds.length === 1
    return [
      'ok',
      `all ${all} are sealed with the newest key${isLast ? '' : '; `keepsake rotate-key` gives the others up'}`,
    ]
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error
    return ['fail', error.message]
  } finally {
    await database.close()
  }
}
