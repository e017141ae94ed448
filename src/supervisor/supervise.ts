// `npm start` runs this: starts the database, the API and the worker as processes, keeps them alive and stops them in order.
import { setTimeout as sleep } from 'node:timers/promises'
import { isConnectionError } from '#db/away.ts'
import { migrate } from '#db/migrate.ts'
import { CannotStart } from '#kit/cannot-start.ts'
import { lockFolder, makeFolder } from '#kit/folder-lock.ts'
import { type Log, newLog } from '#kit/log.ts'
import { adminTokenFile, type Keys, loadKeys } from '#kit/secret/keys.ts'
import { BadSetting, type Settings } from '#kit/settings.ts'
import { keepDatabase } from './kept-database.ts'
import { isService, notify } from './service-manager.ts'
import { onStopSignal } from './stop-signal.ts'
import { type Part, type Ready, type SupervisedProcess, superviseProcess } from './supervised-process.ts'

const DATABASE_WAIT_MS = 60_000

const partsOf: Record<Settings['role'], Part[]> = { all: ['api', 'worker'], api: ['api'], worker: ['worker'] }

/** Runs until it is asked to stop; returns the exit code. */
export async function supervise(settings: Settings): Promise<number> {
  if (settings.role !== 'all' && settings.databaseUrl === null) {
    throw new BadSetting(
      `DATABASE_URL must be set when KEEPSAKE_ROLE is ${settings.role}: every process of a deployment shares one database`,
    )
  }
  process.title = 'keepsake'
  const log = newLog(settings.logLevel, 'supervisor')
  const kept: SupervisedProcess[] = []
  const stop = Promise.withResolvers<void>()
  onStopSignal(stop.resolve, () => {
    if (kept.length === 0) process.exit(1)
    for (const part of kept) part.kill()
  })

  makeFolder(settings.data)
  // Machines of one deployment may share a data folder; an all-in-one Keepsake has its own.
  if (settings.role === 'all') lockFolder(settings.data)
  const keys = loadKeys(settings)
  const renewAll = (): void => {
    for (const part of kept) part.renew()
  }
  const database = settings.databaseUrl === null ? await keepDatabase(settings.data, log, renewAll) : null
  let orderly = true
  try {
    const external = settings.databaseSessionUrl ?? settings.databaseUrl ?? ''
    await migrateWhenReachable(database?.url ?? external, log, stop.promise)
    kept.push(...partsOf[settings.role].map(part => superviseProcess(part, log)))
    const ready = await Promise.race([Promise.all(kept.map(part => part.ready)), stop.promise])
    // Unlike a stream, the console does not fail when nobody can read it.
    if (ready) {
      console.log(greeting(settings, keys, Object.assign({}, ...ready)))
      notify('READY=1', 'STATUS=Ready.')
    }
    await stop.promise
    notify('STOPPING=1', 'STATUS=Finishing what is in hand.')
    log.info('stopping')
  } finally {
    orderly = await drainAll(kept)
    await database?.stop()
  }
  log.info('stopped')
  return orderly ? 0 : 1
}

/** Drains the API last: while the worker drains, the API still tells every caller that this Keepsake stops. */
async function drainAll(kept: readonly SupervisedProcess[]): Promise<boolean> {
  for (const part of kept) part.announce()
  const [doors, others] = [kept.filter(({ part }) => part === 'api'), kept.filter(({ part }) => part !== 'api')]
  const drained = await Promise.all(others.map(part => part.drain()))
  return [...drained, ...(await Promise.all(doors.map(part => part.drain())))].every(Boolean)
}

/** An external database may come up later than we do. */
async function migrateWhenReachable(url: string, log: Log, stop: Promise<void>): Promise<void> {
  const end = Date.now() + DATABASE_WAIT_MS
  let stopped = false
  stop.then(() => {
    stopped = true
  })
  for (let attempt = 1; !stopped; attempt++) {
    try {
      const applied = await migrate(url)
      if (applied.length > 0) log.info({ applied }, 'the database is up to date')
      return
    } catch (error) {
      const { code, message } = error as { code?: string; message?: string }
      const isAway = isConnectionError(error)
      if (!code && !isAway) throw error
      if (!isAway || Date.now() > end) throw new CannotStart(`DATABASE_URL cannot be used: ${message || code}`)
      if (attempt === 1) log.warn({ code, reason: message }, 'waiting for the database')
      await Promise.race([sleep(500, undefined, { ref: false }), stop])
    }
  }
}

function greeting(settings: Settings, keys: Keys, ready: Ready): string {
  const lines = ['', 'Keepsake is ready.']
  if (ready.url) {
    lines.push(`  Console      ${ready.url}`)
    if (ready.signInUrl && !isService()) lines.push(`  Sign in      ${ready.signInUrl}  (works once)`)
  }
  lines.push(`  Data folder  ${settings.data}`)
  if (ready.url) {
    const file = adminTokenFile(settings)
    const kept = settings.adminToken === null ? file : 'KEEPSAKE_ADMIN_TOKEN'
    lines.push(
      `  Admin token  ${keys.madeAdminToken && !isService() ? `${keys.adminToken}  (shown this once; kept in ${file})` : `as in ${kept}`}`,
    )
  }
  return `${lines.join('\n')}\n`
}
