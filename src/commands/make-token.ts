// keepsake token: makes a token without the API, for scripts, or after the admin token was lost.
import { parseArgs } from 'node:util'
import { type LimitName, type Limits, limitNames, mostOf } from '#access/limits.ts'
import { operatorAccess, type Scope, scopes } from '#access/scopes.ts'
import { createToken } from '#access/tokens.ts'
import { openDatabase } from '#db/database.ts'
import { migrate } from '#db/migrate.ts'
import { commandLine } from '#kit/actor.ts'
import { CannotStart } from '#kit/cannot-start.ts'
import { newLog } from '#kit/log.ts'
import type { Settings } from '#kit/settings.ts'
import { withDatabase } from '#postgres/with-database.ts'

/** Returns the token, which is not stored in this form. */
export async function token(settings: Settings, args: string[]): Promise<string> {
  const { values } = parseArgs({
    args,
    options: {
      name: { type: 'string' },
      scope: { type: 'string', default: 'tasks' },
      experience: { type: 'string', multiple: true },
      expires: { type: 'string' },
      limit: { type: 'string', multiple: true },
    },
  })
  const { name, scope, experience = null, expires, limit = [] } = values
  if (!name) throw new CannotStart('--name must say what the token is for')
  if (!isScope(scope)) throw new CannotStart(`--scope must be one of ${scopes.join(', ')}, not "${scope}"`)
  const expiresAt = expires === undefined ? null : new Date(expires)
  if (expiresAt && Number.isNaN(expiresAt.getTime()))
    throw new CannotStart('--expires must be a time, for example 2027-01-31T18:00:00Z')
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

const isScope = (text: string): text is Scope => (scopes as readonly string[]).includes(text)

/** Parses NAME=NUMBER. */
function limitsOf(texts: readonly string[]): Limits | null {
  const limits: Limits = {}
  for (const text of texts) {
    const [, name = '', digits = ''] = /^(\w+)=(\d{1,16})$/.exec(text) ?? []
    if (!isLimit(name)) throw new CannotStart(`--limit must be NAME=NUMBER with one of ${limitNames.join(', ')}`)
    const most = Number(digits)
    if (most < 1 || most > mostOf[name])
      throw new CannotStart(`--limit ${name} must be a whole number from 1 to ${mostOf[name]}, not ${digits}`)
    limits[name] = most
  }
  return texts.length === 0 ? null : limits
}

const isLimit = (text: string): text is LimitName => (limitNames as readonly string[]).includes(text)
