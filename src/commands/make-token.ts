// keepsake token: makes a token without the API, for scripts, or after the admin token was lost.
import { type LimitName, type Limits, limitNames, mostOf } from '#access/limits.ts'
import { operatorAccess, type Scope, scopes } from '#access/scopes.ts'
import { createToken } from '#access/tokens.ts'
import { openDatabase } from '#db/database.ts'
import { migrate } from '#db/migrate.ts'
import { commandLine } from '#kit/actor.ts'
import { BadCommand } from '#kit/cannot-start.ts'
import { newLog } from '#kit/log.ts'
import type { Settings } from '#kit/settings.ts'
import { withDatabase } from '#postgres/with-database.ts'
import type { Given } from './commands.ts'

/** Returns the token, which is not stored in this form. */
export async function token(settings: Settings, { values }: Given<'token'>): Promise<string> {
  const { name, experience = null, limit = [] } = values
  if (!name) throw new BadCommand('--name must say what the token is for')
  const scope = scopeOf(values.scope ?? 'tasks')
  const expiresAt = timeOf(values.expires)
  const limits = limitsOf(limit)
  return withDatabase(settings, async url => {
    await migrate(url)
    const database = openDatabase(url, newLog(settings.logLevel, 'token'), { max: 1 })
    try {
      const wanted = { name, scopes: [scope], experiences: experience, expiresAt, limits }
      const made = await createToken(database.db, operatorAccess, wanted, commandLine('token'))
      return made.token
    } finally {
      await database.close()
    }
  })
}

export function scopeOf(text: string): Scope {
  const scope = scopes.find(name => name === text)
  if (scope === undefined) throw new BadCommand(`--scope must be one of ${scopes.join(', ')}, not "${text}"`)
  return scope
}

export function timeOf(text: string | undefined): Date | null {
  if (text === undefined) return null
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new BadCommand('--expires must be a time, for example 2027-01-31T18:00:00Z')
  return time
}

/** Parses NAME=NUMBER. */
export function limitsOf(texts: readonly string[]): Limits | null {
  const limits: Limits = {}
  for (const text of texts) {
    const [, name = '', digits = ''] = /^(\w+)=(\d{1,16})$/.exec(text) ?? []
    if (!isLimit(name)) throw new BadCommand(`--limit must be NAME=NUMBER with one of ${limitNames.join(', ')}`)
    const most = Number(digits)
    if (most < 1 || most > mostOf[name])
      throw new BadCommand(`--limit ${name} must be a whole number from 1 to ${mostOf[name]}, not ${digits}`)
    limits[name] = most
  }
  return texts.length === 0 ? null : limits
}

const isLimit = (text: string): text is LimitName => (limitNames as readonly string[]).includes(text)
