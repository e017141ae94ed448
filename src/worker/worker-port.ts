// The health port of a worker: who may read its metrics is decided as at the API.
import { newGate } from '#access/gate.ts'
import type { Db } from '#db/database.ts'
import { takesWrites } from '#db/ping.ts'
import type { Log } from '#kit/log.ts'
import { openHealthPort } from '#kit/net/health-port.ts'
import { newRate } from '#kit/rate.ts'
import type { Settings } from '#kit/settings.ts'
import type { ExposedMeters } from '#kit/telemetry/meters.ts'

interface Health {
  settings: Settings
  db: Db
  log: Log
  meters: ExposedMeters
  adminToken: string
  version: string
  /** False before the worker takes jobs, and while it drains. */
  takesWork(): boolean
  off(): string[]
}

/** How long the database may take to answer while the worker reports ready. */
const DATABASE_MS = 2_000
const MINUTE_MS = 60_000

export async function openWorkerPort(port: number, health: Health): Promise<{ url: string; close(): Promise<void> }> {
  const { settings, db, log, meters, version } = health
  const gate = newGate(db, health.adminToken, log)
  const badTokens = newRate(settings.maxBadTokens, MINUTE_MS)
  meters.onRead(async () => meters.set('up', {}, (await takesWrites(db, DATABASE_MS)) ? 1 : 0))
  meters.onRead(() => meters.set('off', {}, health.off().length))
  const opened = await openHealthPort(
    { host: settings.host, port },
    {
      async ready() {
        const isReady = health.takesWork() && (await takesWrites(db, DATABASE_MS))
        return { status: isReady ? 'ready' : 'not_ready', version, off: health.off() }
      },
      async mayRead({ headers, socket }) {
        if (settings.openMetrics) return { status: 200 }
        const address = socket.remoteAddress ?? ''
        const token = /^Bearer +([\x21-\x7e]{1,512}) *$/i.exec(headers.authorization ?? '')?.[1]
        if (token === undefined)
          return { status: 401, sentence: 'A token is needed. Send "Authorization: Bearer TOKEN".' }
        if (badTokens.over(address) > 0 && !gate.knows({ token }))
          return { status: 429, sentence: 'Too many tokens that are not valid came from your address.' }
        const access = await gate.bearer(token)
        if (access?.experiences === null) return { status: 200 }
        if (access) return { status: 403, sentence: 'Metrics are of all experiences; your token is limited to some.' }
        badTokens.count(address)
        return { status: 401, sentence: 'The token is not valid. Send "Authorization: Bearer TOKEN".' }
      },
      metrics: async () => ({ type: meters.contentType, text: await meters.read() }),
    },
  ).catch(error => {
    throw Object.assign(error, { setting: 'KEEPSAKE_WORKER_PORT' })
  })
  log.info({ url: opened.url }, 'the health port of the worker is open')
  return opened
}
