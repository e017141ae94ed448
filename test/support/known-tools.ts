// What this machine has for work on media: looked for once in a run, and then known to every service and test of it, as after a restart.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findTools } from '#engine/children/tools.ts'
import { newLog } from '#kit/log.ts'
import { loadSettings } from '#kit/settings.ts'
import type { Jail } from '#media/process/jail.ts'
import { onceInRun, SHARED } from './once-in-run.ts'

const child = fileURLToPath(new URL('../../src/child.ts', import.meta.url))
const FILE = 'tools.json'

const dataIn = (shared: string): string => join(shared, 'tools')

/** Looks for them, for all data folders of the run. */
export async function lookForTools(shared: string): Promise<void> {
  const data = dataIn(shared)
  mkdirSync(data)
  const { found } = await findTools({ ...loadSettings({}, join(data, '.env')), data }, child, {
    log: newLog('silent', 'test'),
  })
  await found
}

/** Puts what was found into the data folder of a new service. One with other settings looks itself. */
export function bringTools(data: string): void {
  const shared = process.env[SHARED]
  if (!shared || !existsSync(join(dataIn(shared), FILE))) return
  const found = readFileSync(join(dataIn(shared), FILE), 'utf8')
  writeFileSync(join(data, FILE), found.replaceAll(dataIn(shared), data))
}

/** The jail that `find` finds, once in a run. */
export const knownJail = async (find: () => Promise<Jail>): Promise<Jail> =>
  JSON.parse(await onceInRun('jail.json', async () => JSON.stringify(await find())))
