// Checks every configuration for `npm run doctor`: would a task of it work right now?
import { adapterList } from '#adapters/index.ts'
import { openDatabase } from '#db/database.ts'
import { outermostConfigurations } from '#db/nouns/configuration-rows.ts'
import { proveSecretKey } from '#db/secret-key.ts'
import { withForeign } from '#engine/foreign.ts'
import { CannotStart } from '#kit/cannot-start.ts'
import { isProblem } from '#kit/errors.ts'
import { newLog } from '#kit/log.ts'
import { newOutbound } from '#kit/net/outbound.ts'
import { loadKeys } from '#kit/secret/keys.ts'
import { secretBox } from '#kit/secret/secrets.ts'
import type { Settings } from '#kit/settings.ts'
import { newBlobs } from '#storage/blobs.ts'
import { type CheckServices, checkConfiguration } from '#tasks/try/check.ts'
import { checkSight } from '#vision/sight-check.ts'

interface Checked {
  ok: boolean
  said: string
}

/** Findings for all configurations that are in no chain; members are checked with their chain. `off`: what keeps videos from being worked on. */
export async function checkConfigurations(settings: Settings, databaseUrl: string, off: string[]): Promise<Checked[]> {
  const log = newLog('silent', 'doctor')
  const database = openDatabase(databaseUrl, log, { max: 2 })
  const outbound = newOutbound({ allowHosts: settings.allowHosts })
  try {
    const all = await outermostConfigurations(database.db)
    if (all.length === 0) return []
    const box = secretBox(loadKeys(settings).secretKeys)
    await proveSecretKey(database.db, box)
    const adapters = await withForeign(adapterList(settings), settings.adapters, settings.data)
    const { s3AccessKey: accessKey, s3SecretKey: secretKey, s3SessionToken: sessionToken } = settings
    const blobs = await newBlobs(settings.blobs, settings.data, { accessKey, secretKey, sessionToken }, false)
    const services = {
      settings,
      log,
      db: database.db,
      blobs,
      secretBox: box,
      adapters,
      outbound,
      videoOff: () => off,
      checkVision: checkSight,
    }
    const checked: Checked[] = []
    for (const each of all) checked.push(...(await linesOf(services, each)))
    return checked
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error
    return [{ ok: false, said: error.message }]
  } finally {
    await outbound.close()
    await database.close()
  }
}

async function linesOf(
  services: CheckServices,
  { configuration: name, experienceId }: { configuration: string; experienceId: string | null },
): Promise<Checked[]> {
  if (experienceId === null) return [{ ok: true, said: `${name}: Shared, and not tried: there is no experience yet.` }]
  try {
    const one = { configuration: name, experienceId }
    const lines = await checkConfiguration(services, one, null, new AbortController().signal)
    return lines.map(({ ok, what, detail }) => ({
      ok,
      said: `${what === name || what.startsWith(`${name}: `) ? '' : `${name}: `}${what}: ${detail}`,
    }))
  } catch (error) {
    return [{ ok: false, said: `${name}: ${isProblem(error) ? error.message : 'The check failed.'}` }]
  }
}
