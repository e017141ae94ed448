// The command that makes a token without the API: for scripts, and for whoever lost the admin token.
import { parseArgs } from 'node:util'
import { operatorAccess, type Scope, scopes } from '#access/scopes.ts'
import { createToken } from '#access/tokens.ts'
import { openDatabase } from '#db/database.ts'
import { migrate } from '#db/migrate.ts'
import { withDatabase } from '#db/with-database.ts'
import { CannotStart } from '#kit/cannot-start.ts'
import { newLog } from '#kit/log.ts'
import type { Settings } from '#kit/settings.ts'

/** Answers the token, which is stored nowhere in this form. */
export async function token(settings: Settings, args: string[]): Promise<string> {
  const { values } = parseArgs({
    args,
    options: {
      name: { type: 'string' },
      scope: { type: 'string', default: 'tasks' },
      experience: { type: 'string', multiple: true },
      expires: { type: 'string' },
    },
  })
  const { name, scope, experience = null, expires } = values
  if (!name) throw new CannotStart('--name must say what the token is for')
  if (!isScope(scope)) throw new CannotStart(`--scope must be one of ${scopes.join(', ')}, not "${scope}"`)
  const expiresAt = expires === undefined ? null : new Date(expires)
  if (expiresAt && Number.isNaN(expiresAt.getTime()))
    throw new CannotStart('--expires must be a time, for example 2027-01-31T18:00:00Z')
  return withDatabase(settings, async url => {
    await migrate(url)
    const database = openDatabase(url, newLog(settings.logLevel, 'token'), { max: 1 })
    try {
      const made = await createToken(database.db, operatorAccess, {
        name,
        scopes: [scope],
        experiences: experience,
        expiresAt,
      })
      return made.token
    } finally {
      await database.close()
    }
  })
}

const isScope = (text: string): text is Scope => (scopes as readonly string[]).includes(text)
