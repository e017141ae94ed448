// The composition root: the only file that imports from every folder.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { issueCode } from '#access/sessions.ts'
import { adapterList } from '#adapters/index.ts'
import { type DatabaseUse, type Db, openDatabase } from '#db/database.ts'
import { isKnownStore, rememberStore } from '#db/known-store.ts'
import { migrate, refuseNewer } from '#db/migrate.ts'
import { usualPace } from '#db/pace.ts'
import { answers } from '#db/ping.ts'
import { connectionName } from '#db/running.ts'
import { proveSecretKey } from '#db/secret-key.ts'
import { newUploadLocks } from '#db/upload-locks.ts'
import { newMedia } from '#engine/children/media.ts'
import { findTools } from '#engine/children/tools.ts'
import { withForeign } from '#engine/foreign.ts'
import { armFailpoint } from '#kit/failpoint.ts'
import { newId } from '#kit/ids.ts'
import { type Log, newLog } from '#kit/log.ts'
import { newOutbound } from '#kit/net/outbound.ts'
import { loadKeys } from '#kit/secret/keys.ts'
import { secretBox } from '#kit/secret/secrets.ts'
import type { Settings } from '#kit/settings.ts'
import { embeddedUrl } from '#postgres/embedded.ts'
import { withDatabase } from '#postgres/with-database.ts'
import { startQueue } from '#queue/queue.ts'
import { type Blobs, newBlobs, type S3Keys, storeFolder } from '#storage/blobs.ts'
import { roomsFolder } from '#storage/work-folders.ts'
import type { Running } from '#supervisor/run-process.ts'
import { newChanges } from '#tasks/show/changes.ts'

/** How long uploads may still take when the API stops. Then they are cut off, and clients send them again. */
const UPLOADS_MS = 15_000
/** How long the database may take to answer while the API reports ready. */
const DATABASE_MS = 2_000

type Part = 'api' | 'worker' | 'command'

/** How each part uses the database. The API has no slow statements, so its callers learn soon when the database hangs. */
export const databaseUse: Record<Part, DatabaseUse> = {
  api: {},
  command: { sweeps: true },
  worker: { max: 20, alike: true, sweeps: true },
}

const mediaChild = fileURLToPath(new URL('./child.ts', import.meta.url))

export type Services = Awaited<ReturnType<typeof foundation>>['services']

/** A known folder is never created again: its disk, once mounted, would hide all files stored meanwhile. */
async function openStore(settings: Settings, db: Db, keys: S3Keys, log: Log): Promise<Blobs> {
  const folder = storeFolder(settings.blobs, settings.data)
  const isKnown = folder !== null && (await isKnownStore(db, folder))
  const blobs = await newBlobs(settings.blobs, settings.data, keys, !isKnown)
  if (folder !== null && !isKnown) await rememberStore(db, folder)
  if (folder !== null && !existsSync(folder)) log.error('the file store is not there: is its disk mounted?')
  return blobs
}

/** The services that all parts share. */
async function foundation(settings: Settings, part: Part, pace = usualPace) {
  armFailpoint(settings.failpoint)
  const log = newLog(part === 'command' ? 'warn' : settings.logLevel, part)
  const keys = loadKeys(settings)
  const databaseUrl = settings.databaseUrl ?? embeddedUrl(settings.data)
  const sessionUrl = settings.databaseSessionUrl ?? databaseUrl
  await refuseNewer(sessionUrl)
  const box = secretBox(keys.secretKeys)
  const name = connectionName(part, box.keyIds)
  const pooled = settings.databaseSessionUrl !== null
  const database = openDatabase(databaseUrl, log, { ...databaseUse[part], name, pooled, pace })
  await proveSecretKey(database.db, box)
  const { s3AccessKey: accessKey, s3SecretKey: secretKey, s3SessionToken: sessionToken } = settings
  const [blobs, queue] = await Promise.all([
    openStore(settings, database.db, { accessKey, secretKey, sessionToken }, log),
    startQueue(database, log, part === 'worker'),
  ])
  const found = findTools(settings, mediaChild)
  const tools = found.then(({ tools }) => tools)
  const adapters = await withForeign(adapterList(settings), settings.adapters, settings.data)
  const media = newMedia({
    settings,
    tools,
    jail: found.then(({ jail }) => jail),
    rooms: await roomsFolder(settings.data),
    script: mediaChild,
    keepWarm: part === 'worker' ? 1 : 0,
    adapters,
    log,
  })
  const outbound = newOutbound({ allowHosts: settings.allowHosts, log })
  const { db, unsynced } = database
  const services = { settings, log, db, unsynced, queue, blobs, secretBox: box, adapters, outbound, media }
  return { services, database, sessionUrl, keys, found }
}

export async function runApi(settings: Settings, pace = usualPace): Promise<Running> {
  // Each process loads only its own half.
  const [{ buildServer }, { Registry }] = await Promise.all([import('#http/server.ts'), import('prom-client')])
  const { services, database, sessionUrl, keys, found } = await foundation(settings, 'api', pace)
  const { db, queue, media, log, outbound } = services
  const changes = newChanges(sessionUrl, log)
  const uploadLocks = newUploadLocks(sessionUrl, log, pace)
  let stoppingSince: number | null = null
  const refuse = (): void => {
    stoppingSince ??= Date.now()
  }
  let off: string[] = []
  void found.then(tools => {
    off = tools.off
  })
  const server = await buildServer({
    ...services,
    changes,
    uploadLocks,
    probe: media.probe,
    adminToken: keys.adminToken,
    version: version(),
    metrics: new Registry(),
    ready: () => stoppingSince === null && answers(db, DATABASE_MS),
    stopping: () => stoppingSince !== null,
    off: () => off,
  })
  const url = await server.listen({ host: settings.host, port: settings.port })
  log.info({ url }, 'the API is ready')
  return {
    url,
    signInUrl: `${url}/#code=${await issueCode(db)}`,
    refuse,
    async drain() {
      refuse()
      await changes.close()
      const left = UPLOADS_MS - (Date.now() - (stoppingSince ?? 0))
      const late = setTimeout(() => server.server.closeAllConnections(), Math.max(0, left))
      await server.close()
      clearTimeout(late)
      await uploadLocks.close()
      await media.drain()
      await outbound.close()
      await queue.stop()
      await database.close()
    },
  }
}

export async function runWorker(settings: Settings, pace = usualPace): Promise<Running> {
  const { startWorker } = await import('#worker/worker.ts')
  const { services, database, sessionUrl, found } = await foundation(settings, 'worker', pace)
  const { log } = services
  const broken = Promise.withResolvers<void>()
  const stuck = (): void => {
    log.fatal('the database answers others but not this worker, also over new connections; it ends, to be started anew')
    broken.resolve()
  }
  const worker = await startWorker({ ...services, workerId: newId() }, { sessionUrl, pace, stuck })
  void found.then(({ off, guards }) => log.info({ off, guards }, 'the worker is ready'))
  return {
    broken: broken.promise,
    async drain() {
      await worker.drain()
      await services.media.drain()
      await services.outbound.close()
      await services.queue.stop()
      await database.close()
    },
  }
}

/** For a short command: uses the database of a running Keepsake, or starts the embedded one for its duration. */
export async function withServices<T>(settings: Settings, work: (services: Services) => Promise<T>): Promise<T> {
  return withDatabase(settings, async databaseUrl => {
    await migrate(databaseUrl)
    const { services, database } = await foundation({ ...settings, databaseUrl, databaseSessionUrl: null }, 'command')
    try {
      return await work(services)
    } finally {
      await services.media.drain()
      await services.outbound.close()
      await services.queue.stop()
      await database.close()
    }
  })
}

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
