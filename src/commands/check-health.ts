// keepsake health: tells whether the service of this machine lives. Health checks of containers run it.
import { CannotStart } from '#kit/cannot-start.ts'
import { isAlive, localUrl } from '#kit/net/ask-health.ts'
import type { Settings } from '#kit/settings.ts'
import type { Terminal } from './terminal.ts'

/** Returns the exit code: 1 if it does not answer. */
export async function health(
  { role, host, port, workerPort }: Settings,
  terminal: Terminal,
  answerMs?: number,
): Promise<number> {
  const asked = role === 'worker' ? workerPort : port
  if (asked === null) throw new CannotStart('a worker answers only where KEEPSAKE_WORKER_PORT names a port')
  const url = localUrl(host, asked)
  const alive = await isAlive(url, answerMs)
  terminal.print(alive ? `It answers at ${url}.` : `Nothing answers at ${url}.`)
  return alive ? 0 : 1
}
