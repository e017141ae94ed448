// What this machine has for work on media: looked for once in a run, and then known to every service and test of it, as after a restart.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findTools } from '#engine/children/tools.ts'
import { loadSettings } from '#kit/settings.ts'
import type { Jail } from '#media/process/jail.ts'
import { SHARED } from './client.ts'

const child = fileURLToPath(new URL('../../src/child.ts', import.meta.url))
const FILE = 'tools.json'

const dataIn = (shared: string): string => join(shared, 'tools')

/** Looks for them, for all data folders of the run. */
export async function lookForTools(shared: string): Promise<void> {
  const data = dataIn(shared)
  mkdirSync(data)
  await findTools({ ...loadSettings({}, join(data, '.env')), data }, child)
}

/** Puts what was found into the data folder of a new service. One with other settings looks itself. */
export function bringTools(data: string): void {
  const shared = process.env[SHARED]
  const found = shared && kept(join(dataIn(shared), FILE))
  if (found) writeFileSync(join(data, FILE), found.replaceAll(dataIn(shared), data))
}

/** The jail that `find` finds, once in a run. */
export async function knownJail(find: () => Promise<Jail>): Promise<Jail> {
  const shared = process.env[SHARED]
  if (!shared) return find()
  const path = join(shared, 'jail.json')
  const known = kept(path)
  if (known) return JSON.parse(known)
  const jail = await find()
  const writing = `${path}.${process.pid}`
  writeFileSync(writing, JSON.stringify(jail))
  renameSync(writing, path)
  return jail
}

function kept(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
