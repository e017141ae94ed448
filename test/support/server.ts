// The real HTTP server on a real database, for tests: a free port, a folder and a database of its own.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RouteOptions } from 'fastify'
import { type Db, openDatabase } from '#db/database.ts'
import { newUploadLocks } from '#db/upload-locks.ts'
import { newMedia } from '#engine/children/media.ts'
import type { Services } from '#http/route/http-services.ts'
import type { App } from '#http/route/route.ts'
import { buildServer } from '#http/server.ts'
import { newLog } from '#kit/log.ts'
import { newOutbound } from '#kit/net/outbound.ts'
import { newToken, secretBox } from '#kit/secret/secrets.ts'
import { loadSettings, type Settings, searchPath } from '#kit/settings.ts'
import { newExposedMeters } from '#kit/telemetry/prometheus.ts'
import { noTracer } from '#kit/telemetry/trace.ts'
import { which } from '#media/process/which.ts'
import { fontFamilies } from '#media/text/installed-fonts.ts'
import { startQueue } from '#queue/queue.ts'
import { newBlobs } from '#storage/blobs.ts'
import { newChanges } from '#tasks/show/changes.ts'
import { cleanUp } from './clean-up.ts'
import { assertOneEach, watchConnections } from './one-connection.ts'
import { testDatabase } from './postgres.ts'
import { jail } from './rooms.ts'
import { sampleAdapters } from './sample-adapters.ts'

const child = fileURLToPath(new URL('../../src/child.ts', import.meta.url))

export interface TestServer {
  url: string
  /** The operator's admin token. */
  token: string
  /** Of those that publish the same document. */
  adapters?: 'samples'
  db: Db
  services: Services
  app: App
  /** Every route, as it was declared. */
  routes: RouteOptions[]
  stop(): Promise<void>
}

export type Overrides = Partial<Omit<Services, 'settings'>> & { settings?: Partial<Settings> }

export async function startTestServer({ settings: given = {}, ...overrides }: Overrides = {}): Promise<TestServer> {
  watchConnections()
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-test-server-'))
  const settings: Settings = { ...loadSettings({}, join(folder, '.env')), data: folder, ...given }
  const log = newLog('silent', 'test')
  const database = await testDatabase()
  const opened = openDatabase(database.url, log)
  const { db, close } = opened
  const token = newToken()
  const queue = await startQueue(opened, log, false)
  const changes = newChanges(database.url, log)
  const uploadLocks = newUploadLocks(database.url, log)
  const found = (program: string) => which(program, searchPath())
  const tools = { ffmpeg: await found(settings.ffmpeg), ffprobe: await found(settings.ffprobe), jpegtran: null }
  const media = newMedia({
    settings,
    programs: tools,
    tools: Promise.resolve(tools),
    jail: Promise.resolve(jail),
    rooms: join(folder, 'rooms'),
    script: child,
    keepWarm: 0,
    adapters: sampleAdapters,
    log,
  })
  const services: Services = {
    settings,
    log,
    db,
    blobs: await newBlobs(null, folder, { accessKey: null, secretKey: null, sessionToken: null }),
    secretBox: secretBox([randomBytes(32)]),
    adapters: sampleAdapters,
    outbound: newOutbound({ allowHosts: settings.allowHosts }),
    queue,
    changes,
    uploadLocks,
    media,
    async probe(path) {
      // Loaded late: most tests of the API never look into a file.
      const [{ probe }, { probeRecording }] = await Promise.all([
        import('#media/probe/probe.ts'),
        import('#media/probe/video-probe.ts'),
      ])
      return probe(path, settings, tools, probeRecording)
    },
    adminToken: token,
    version: '0.0.0-test',
    tracer: noTracer,
    meters: newExposedMeters({ part: 'api', version: '0.1.0', known: {} }),
    ready: () => true,
    off: () => [],
    videoOff: () => [],
    checkVision: async () => 'People are found.',
    fonts: fontFamilies,
    ...overrides,
    // On a busy machine a media child takes long to begin.
    waits: { pictureMs: 240_000, ...overrides.waits },
  }
  const routes: RouteOptions[] = []
  const app = await buildServer(services, server => server.addHook('onRoute', route => void routes.push(route)))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    token: services.adminToken,
    ...(services.adapters === sampleAdapters ? { adapters: 'samples' as const } : {}),
    db,
    services,
    app,
    routes,
    async stop() {
      await cleanUp(
        () => app.close(),
        () =>
          Promise.all([services.outbound.close(), changes.close(), uploadLocks.close(), queue.stop(), media.drain()]),
        close,
        database.drop,
        () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
        assertOneEach,
      )
    },
  }
}
