// The composition root: builds the services and starts the API, the worker or what a command needs.
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { issueCode } from '#access/sessions.ts'
import { adapterList } from '#adapters/index.ts'
import { type Database, type DatabaseUse, type Db, openDatabase } from '#db/database.ts'
import { isKnownStore, rememberStore } from '#db/known-store.ts'
import { migrate, refuseNewer } from '#db/migrate.ts'
import { usualPace } from '#db/pace.ts'
import { takesWrites } from '#db/ping.ts'
import { connectionName } from '#db/running.ts'
import { proveSecretKey } from '#db/secret-key.ts'
import { newUploadLocks } from '#db/upload-locks.ts'
import { type Adapter, isDestination } from '#engine/adapter.ts'
import { type Media, newMedia } from '#engine/children/media.ts'
import { findTools } from '#engine/children/tools.ts'
import { withForeign } from '#engine/foreign.ts'
import type { Waits } from '#http/route/waits.ts'
import { armFailpoint } from '#kit/failpoint.ts'
import { newId } from '#kit/ids.ts'
import { type Log, newLog } from '#kit/log.ts'
import { newOutbound } from '#kit/net/outbound.ts'
import { loadKeys } from '#kit/secret/keys.ts'
import { secretBox } from '#kit/secret/secrets.ts'
import type { Settings } from '#kit/settings.ts'
import { type ExposedMeters, noMeters } from '#kit/telemetry/meters.ts'
import { openTracer, tracesUrl } from '#kit/telemetry/open-tracer.ts'
import { version } from '#kit/telemetry/own-version.ts'
import { noTracer, type Tracer } from '#kit/telemetry/trace.ts'
import { fontFamilies } from '#media/text/installed-fonts.ts'
import { embeddedUrl } from '#postgres/embedded.ts'
import { withDatabase } from '#postgres/with-database.ts'
import type { Lane } from '#queue/lanes.ts'
import { startQueue } from '#queue/queue.ts'
import { type Blobs, newBlobs, type S3Keys, storeFolder } from '#storage/blobs.ts'
import { roomsFolder } from '#storage/work-folders.ts'
import type { Running } from '#supervisor/run-process.ts'
import { newChanges } from '#tasks/show/changes.ts'
import { visionOff } from '#vision/runtime.ts'

/** How long uploads may still take when the API stops. Then they are cut off, and clients send them again. */
const UPLOADS_MS = 15_000
/** So long a process that stops waits for the database: for a long statement, or until it is back. A stop has 30 s. */
const DATABASE_PATIENCE_MS = 20_000
/** How long the database may take to answer while the API reports ready. */
const DATABASE_MS = 2_000

type Part = 'api' | 'worker' | 'command'

/** How each part uses the database. The API has no slow statements, so its callers learn soon when the database hangs. */
export const databaseUse: Record<Part, DatabaseUse> = {
  api: {},
  command: { sweeps: true },
  worker: { max: 27, alike: true, sweeps: true },
}

const mediaChild = fileURLToPath(import.meta.resolve('#child.ts'))

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
  const looking = new AbortController()
  const [blobs, queue, { programs, jail, found, off: videoOff }] = await Promise.all([
    openStore(settings, database.db, { accessKey, secretKey, sessionToken }, log),
    startQueue(database, log, part === 'worker'),
    findTools(settings, mediaChild, { log, signal: looking.signal }),
  ])
  const adapters = await withForeign(adapterList(settings), settings.adapters, settings.data)
  const exposed = await exposedMeters(part, settings, [...adapters.values()])
  const meters = exposed ?? noMeters
  const media = newMedia({
    settings,
    programs,
    jail,
    tools: found.then(({ tools }) => tools),
    stopLooking: () => looking.abort(),
    rooms: await roomsFolder(settings.data),
    script: mediaChild,
    keepWarm: part === 'worker' ? 1 : 0,
    adapters,
    log,
    meters,
  })
  if (exposed) watchProcess(exposed, settings, database, media)
  const outbound = newOutbound({ allowHosts: settings.allowHosts, log })
  const { db } = database
  const tracer = part === 'command' ? noTracer : await tracerOf(settings, part, log)
  const services = {
    settings,
    log,
    db,
    queue,
    blobs,
    secretBox: box,
    adapters,
    outbound,
    media,
    meters,
    tracer,
  }
  return { services, database, sessionUrl, keys, found, videoOff, exposed }
}

export async function runApi(settings: Settings, pace = usualPace, waits: Partial<Waits> = {}): Promise<Running> {
  // Each process loads only its own half.
  const { buildServer } = await import('#http/server.ts')
  const { services, database, sessionUrl, keys, videoOff, exposed } = await foundation(settings, 'api', pace)
  const { db, queue, media, log, outbound } = services
  const changes = newChanges(sessionUrl, log)
  const uploadLocks = newUploadLocks(sessionUrl, log, pace)
  let stoppingSince: number | null = null
  const refuse = (): void => {
    stoppingSince ??= Date.now()
  }
  const server = await buildServer({
    ...services,
    changes,
    uploadLocks,
    probe: media.probe,
    adminToken: keys.adminToken,
    version: version(),
    meters: exposed as ExposedMeters,
    ready: () => stoppingSince === null && takesWrites(db, DATABASE_MS),
    stopping: () => stoppingSince !== null,
    off: () => [...videoOff(), ...peopleOff()],
    videoOff,
    checkVision: media.checkVision,
    fonts: fontFamilies,
    waits,
  })
  const url = await server.listen({ host: settings.host, port: settings.port })
  log.info({ url }, 'the API is ready')
  return {
    url,
    signInUrl: `${url}/#code=${await issueCode(db)}`,
    refuse,
    async drain() {
      refuse()
      const impatient = setTimeout(database.giveUp, DATABASE_PATIENCE_MS)
      await changes.close()
      const left = UPLOADS_MS - (Date.now() - (stoppingSince ?? 0))
      const late = setTimeout(() => server.server.closeAllConnections(), Math.max(0, left))
      await server.close()
      clearTimeout(late)
      await uploadLocks.close()
      await services.tracer.close()
      await media.drain()
      await outbound.close()
      await queue.stop()
      await database.close()
      clearTimeout(impatient)
    },
  }
}

export async function runWorker(settings: Settings, pace = usualPace): Promise<Running> {
  const { startWorker } = await import('#worker/worker.ts')
  const { services, database, sessionUrl, keys, found, videoOff, exposed } = await foundation(settings, 'worker', pace)
  const { log, db } = services
  const broken = Promise.withResolvers<void>()
  const stuck = (): void => {
    log.fatal('the database answers others but not this worker, also over new connections; it ends, to be started anew')
    broken.resolve()
  }
  const worker = await startWorker(
    { ...services, workerId: newId() },
    { sessionUrl, pace, stuck, off: { video: videoOff, people: peopleOff } },
  )
  let draining = false
  found.then(
    ({ guards }) => log.info({ off: worker.off(), guards }, 'the worker is ready'),
    error => draining || log.error({ err: error }, 'the tools of this machine could not be looked for'),
  )
  const health =
    exposed &&
    (await (
      await import('#worker/worker-port.ts')
    ).openWorkerPort(settings.workerPort as number, {
      settings,
      db,
      log,
      meters: exposed,
      adminToken: keys.adminToken,
      version: version(),
      takesWork: () => !draining,
      off: worker.off,
    }))
  exposed?.onRead(() => {
    for (const [lane, jobs] of Object.entries(worker.inHand())) exposed.set('inHand', { lane: lane as Lane }, jobs)
  })
  return {
    broken: broken.promise,
    ...(health ? { healthUrl: health.url } : {}),
    async drain() {
      draining = true
      const impatient = setTimeout(database.giveUp, DATABASE_PATIENCE_MS)
      await worker.drain()
      await services.tracer.close()
      await health?.close()
      await services.media.drain()
      await services.outbound.close()
      await services.queue.stop()
      await database.close()
      clearTimeout(impatient)
    },
  }
}

/** Null where nobody can read them: then nothing of Prometheus is loaded. */
async function exposedMeters(part: Part, { workerPort }: Settings, adapters: Adapter[]): Promise<ExposedMeters | null> {
  if (part === 'command' || (part === 'worker' && workerPort === null)) return null
  const { newExposedMeters } = await import('#kit/telemetry/prometheus.ts')
  const known = {
    adapter: adapters.map(({ name }) => name),
    destination: adapters.filter(isDestination).map(({ name }) => name),
  }
  return newExposedMeters({ part, version: version(), known })
}

/** The collector is the operator's own, so its host may be private. */
async function tracerOf(settings: Settings, part: Part, log: Log): Promise<Tracer> {
  const url = tracesUrl(settings)
  if (url === null) return noTracer
  const outbound = newOutbound({ allowHosts: [new URL(url).hostname], log })
  const tracer = await openTracer(settings, {
    part,
    version: version(),
    log,
    async post(to, request) {
      const answer = await outbound.repeatable(to, { method: 'POST', ...request })
      await answer.discard()
      return answer.status
    },
  })
  return {
    ...tracer,
    async close() {
      await tracer.close()
      await outbound.close()
    },
  }
}

/** What each process tells of itself whenever its metrics are read. */
function watchProcess(meters: ExposedMeters, { data }: Settings, database: Database, media: Media): void {
  const crashes = { pictures: 0, videos: 0 }
  meters.onRead(async () => {
    const { busy, idle, waiting, max } = database.use()
    meters.set('poolConnections', { state: 'busy' }, busy)
    meters.set('poolConnections', { state: 'idle' }, idle)
    meters.set('poolWaiting', {}, waiting)
    meters.set('poolMax', {}, max)
    for (const [name, stats] of Object.entries(media.stats())) {
      const pool = name as 'pictures' | 'videos'
      meters.set('mediaChildren', { pool, state: 'busy' }, stats.busy)
      meters.set('mediaChildren', { pool, state: 'idle' }, stats.children - stats.busy)
      meters.set('mediaChildren', { pool, state: 'waiting' }, stats.waiting)
      meters.count('mediaCrashes', { pool }, stats.crashes - crashes[pool])
      crashes[pool] = stats.crashes
    }
    const disk = await statfs(data).catch(() => null)
    if (!disk) return
    meters.set('free', {}, disk.bavail * disk.bsize)
    meters.set('diskSize', {}, disk.blocks * disk.bsize)
  })
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

/** What this machine lacks to look for people, as a list of no or one sentence. */
function peopleOff(): string[] {
  const sentence = visionOff()
  return sentence === null ? [] : [sentence]
}
