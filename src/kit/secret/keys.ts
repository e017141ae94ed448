// The key for secrets at rest and the first token: from the settings, else from files made at the first start.
import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CannotStart } from '../cannot-start.ts'
import { type Settings, TOKEN_LENGTH } from '../settings.ts'
import { newToken } from './secrets.ts'

export interface Keys {
  /** 32 bytes each, the newest first. */
  secretKeys: Buffer[]
  adminToken: string
  /** True when this call made the token, so it has never been shown. */
  madeAdminToken: boolean
}

type KeySettings = Pick<Settings, 'data' | 'secretKeys' | 'adminToken'>

export const adminTokenFile = (settings: Pick<Settings, 'data'>): string => join(settings.data, 'admin-token')

export function loadKeys(settings: KeySettings): Keys {
  const secretKeys = settings.secretKeys ?? readSecretKeys(join(settings.data, 'secret-key'))
  if (settings.adminToken !== null) return { secretKeys, adminToken: settings.adminToken, madeAdminToken: false }
  const { text, made } = readOrMake(adminTokenFile(settings), newToken)
  if (text.length < TOKEN_LENGTH)
    throw new CannotStart(
      `The file admin-token in the data folder has less than ${TOKEN_LENGTH} characters: remove it and a new one is made`,
    )
  return { secretKeys, adminToken: text, madeAdminToken: made }
}

function readSecretKeys(file: string): Buffer[] {
  const { text } = readOrMake(file, () => randomBytes(32).toString('base64'))
  const keys = text.split(',').map(item => Buffer.from(item.trim(), 'base64'))
  if (keys.some(key => key.length !== 32))
    throw new CannotStart('The file secret-key in the data folder does not hold 32 bytes in base64')
  return keys
}

/** Written aside and linked into place: of any number of processes one makes it, and none reads half of it. */
function readOrMake(file: string, make: () => string): { text: string; made: boolean } {
  const found = read(file)
  if (found !== null) return { text: found, made: false }
  const text = make()
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 })
  const fd = openSync(draft, 'wx', 0o600)
  try {
    writeFileSync(fd, `${text}\n`)
    fsyncSync(fd)
    linkSync(draft, file)
    return { text, made: true }
  } catch (error) {
    const winner = read(file)
    if (winner === null) throw error
    return { text: winner, made: false }
  } finally {
    closeSync(fd)
    rmSync(draft, { force: true })
  }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
