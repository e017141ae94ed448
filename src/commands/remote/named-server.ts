// Which server a command speaks to: named by an option, by the environment, or by `keepsake login`.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { type FieldError, Keepsake, KeepsakeError, ProblemError } from '#client/node.ts'
import { BadCommand } from '#kit/cannot-start.ts'
import { isObject } from '#kit/json.ts'
import { ownEnvironment } from '#kit/settings.ts'

export interface Login {
  url: string
  token: string
}

const loginFile = (): string => {
  const { XDG_CONFIG_HOME } = ownEnvironment()
  return join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'keepsake', 'login.json')
}

export function saveLogin(login: Login): string {
  const file = loginFile()
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const half = `${file}.${process.pid}`
  writeFileSync(half, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 })
  renameSync(half, file)
  return file
}

export const forgetLogin = (): void => rmSync(loginFile(), { force: true })

function readLogin(): Login | null {
  let text: string
  try {
    text = readFileSync(loginFile(), 'utf8')
  } catch {
    return null
  }
  try {
    const { url, token } = JSON.parse(text)
    if (typeof url === 'string' && typeof token === 'string') return { url, token }
  } catch {}
  throw new BadCommand(`${loginFile()} is damaged; keepsake login makes it anew`)
}

/** Null where no server is named. A token of the login is only ever sent to the server of the login. */
export function namedServer(url: string | undefined): Login | null {
  const { KEEPSAKE_URL, KEEPSAKE_TOKEN } = ownEnvironment()
  const named = url ?? (KEEPSAKE_URL || undefined)
  const login = readLogin()
  if (named === undefined) return login && { ...login, token: KEEPSAKE_TOKEN || login.token }
  const fitting = login && sameOrigin(login.url, named) ? login.token : undefined
  const token = KEEPSAKE_TOKEN || fitting
  if (token === undefined || token === '')
    throw new BadCommand(`There is no token for ${named}: set KEEPSAKE_TOKEN, or keepsake login ${named}`)
  return { url: named, token }
}

const sameOrigin = (one: string, other: string): boolean =>
  URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin

const NO_SERVER = 'No server is named: keepsake login URL, or set KEEPSAKE_URL and KEEPSAKE_TOKEN'

export function connect(url: string | undefined): Keepsake {
  const server = namedServer(url)
  if (!server) throw new BadCommand(NO_SERVER)
  return newClient(server)
}

export function newClient(login: Login): Keepsake {
  try {
    return new Keepsake(login)
  } catch (error) {
    if (error instanceof KeepsakeError) throw new BadCommand(error.message)
    throw error
  }
}

/** 3: the server can't be reached; 4: it refused the token; 1: everything else. */
export function exitCodeOf(error: KeepsakeError): number {
  if (error instanceof ProblemError) return [401, 403].includes(error.status) ? 4 : 1
  return ['connection_failed', 'timeout', 'upload_interrupted'].includes(error.code) ? 3 : 1
}

export function sentencesOf(error: KeepsakeError): string {
  if (!(error instanceof ProblemError)) return error.message
  const { detail, errors } = error
  const isSaid = ({ field, message }: FieldError): boolean =>
    detail.includes(message) &&
    (errors.length === 1 || detail.startsWith(`${field} `) || detail.includes(`${field.split('.').at(-1)}: ${message}`))
  const fields = errors.filter(each => each.field !== '' && !isSaid(each))
  return [detail, ...fields.map(({ field, message }) => `  ${field}: ${message}`)].join('\n')
}

/** A JSON object out of an option's text, or out of the file that `@` names. */
export function jsonObject(text: string, option: string, here: (path: string) => string): Record<string, unknown> {
  let source = text
  if (text.startsWith('@')) {
    try {
      source = readFileSync(here(text.slice(1)), 'utf8')
    } catch {
      throw new BadCommand(`${text.slice(1)} cannot be read`)
    }
  }
  try {
    const value: unknown = JSON.parse(source)
    if (isObject(value)) return value
  } catch {}
  throw new BadCommand(`${option} must be a JSON object, for example '{"guest": "Ada"}'`)
}
