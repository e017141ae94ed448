// keepsake token, on a server: makes, lists and deletes tokens.
import type { Scope } from '#access/scopes.ts'
import { BadCommand } from '#kit/cannot-start.ts'
import type { Given } from '../commands.ts'
import { limitsOf, scopeOf, timeOf } from '../make-token.ts'
import { type Terminal, table } from '../terminal.ts'
import { type Login, newClient } from './named-server.ts'

export async function tokenRemote(
  { values, positionals: [verb, id] }: Given<'token'>,
  server: Login,
  terminal: Terminal,
): Promise<number> {
  const { tokens } = newClient(server)
  if (verb === 'list') {
    const all = await tokens.list({ limit: 500 }).take(10_000)
    if (values.json) terminal.print(JSON.stringify(all, null, 2))
    else
      for (const line of table(
        ['token_id', 'name', 'scopes', 'experiences', 'expires_at'],
        all.map(each => [
          each.token_id,
          each.name,
          each.scopes.join(', '),
          each.experiences?.join(', ') ?? 'all',
          each.expires_at,
        ]),
      ))
        terminal.print(line)
    return 0
  }
  if (verb === 'delete') {
    if (id === undefined) throw new BadCommand('token delete needs the id of a token')
    await tokens.delete(id)
    return 0
  }
  if (verb !== undefined) throw new BadCommand(`token knows list and delete, not "${verb}"`)
  if (!values.name) throw new BadCommand('--name must say what the token is for')
  const scope: Scope = scopeOf(values.scope ?? 'tasks')
  const made = await tokens.create({
    name: values.name,
    scopes: [scope],
    experiences: values.experience ?? null,
    expires_at: timeOf(values.expires)?.toISOString() ?? null,
    limits: limitsOf(values.limit ?? []),
  })
  terminal.print(values.json ? JSON.stringify(made, null, 2) : made.token)
  return 0
}
