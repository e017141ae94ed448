// keepsake doctor, of a server: whether it answers, takes work and knows the token, and what it has to do.
import { KeepsakeError, type Trouble } from '#client/node.ts'
import { safe, type Terminal } from '../terminal.ts'
import { exitCodeOf, type Login, newClient, sentencesOf } from './named-server.ts'

const PATIENCE_MS = 10_000
const CLOCK_SECONDS = 60

export async function doctorRemote(server: Login, { print }: Terminal): Promise<number> {
  let isGood = true
  const tell = (verdict: 'ok' | 'warn' | 'fail', what: string, said: string): void => {
    isGood &&= verdict !== 'fail'
    print(safe(`${verdict.padEnd(4)}  ${what.padEnd(12)}  ${said}`))
  }
  const keepsake = newClient(server)
  const ready = await keepsake.connection
    .headers('GET', '/readyz', { retries: 0, timeoutMs: PATIENCE_MS })
    .then(({ headers }) => headers)
    .catch((error: unknown) => {
      if (error instanceof KeepsakeError) return error
      throw error
    })
  if (ready instanceof KeepsakeError) {
    tell('fail', 'Server', `${server.url}: ${sentencesOf(ready)}`)
    return exitCodeOf(ready)
  }
  tell('ok', 'Server', `${server.url} takes work`)
  const skew = Math.abs(Date.now() - Date.parse(ready.get('date') ?? '')) / 1000
  if (skew > CLOCK_SECONDS) tell('warn', 'Clock', `differs from the server's by ${Math.round(skew)} s`)
  try {
    const { scope, experiences, expires_at } = await keepsake.session()
    tell(
      'ok',
      'Token',
      `scope ${scope}, ${experiences?.join(', ') ?? 'all experiences'}${expires_at === null ? '' : `, until ${expires_at}`}`,
    )
    const { workers } = await keepsake.stats()
    if (Array.isArray(workers))
      tell(
        workers.length > 0 ? 'ok' : 'fail',
        'Workers',
        workers.length > 0 ? String(workers.length) : 'none is there: tasks wait',
      )
    const trouble = await keepsake.connection.json<Trouble>('GET', '/api/trouble/')
    const { linesOf } = await import('../doctor-rows.ts')
    for (const line of linesOf({ alive: trouble.workers?.alive ?? [], failing: trouble.failing })) tell(...line)
    const [givenUp] = await keepsake.callbacks.list({ status: 'GivenUp', limit: 1 }).take(1)
    if (givenUp) tell('warn', 'Callbacks', 'some were given up; keepsake resend sends them again')
  } catch (error) {
    if (!(error instanceof KeepsakeError)) throw error
    tell('fail', 'Token', sentencesOf(error))
  }
  return isGood ? 0 : 1
}
