// The receiver of callbacks, the same for all: notes when each task was told, and whether more was told than there is.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Receiver {
  url: string
  /** When the first callback of each task came. */
  came: Map<string, number>
  /** By what each callback was known: its task and its own id. */
  ids: Set<string>
  /** That came once more, with the same id, as at-least-once delivery may. */
  again(): number
  reset(): void
  /** False when the time is up. */
  until(done: () => boolean, ms: number): Promise<boolean>
  stop(): void
}

export async function startReceiver(): Promise<Receiver> {
  const came = new Map<string, number>()
  const ids = new Set<string>()
  let [again, failed] = [0, 0]
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request
      .on('data', piece => pieces.push(piece))
      .on('end', () => {
        response.end()
        const { task_id, status } = JSON.parse(Buffer.concat(pieces).toString()) as { task_id: string; status: string }
        if (status !== 'Succeeded') failed++
        const id = `${task_id} ${request.headers['webhook-id']}`
        if (ids.has(id)) again++
        ids.add(id)
        if (!came.has(task_id)) came.set(task_id, performance.now())
        server.emit('callback')
      })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    came,
    ids,
    again: () => again,
    reset() {
      came.clear()
      ids.clear()
      again = 0
    },
    async until(done, ms) {
      const signal = AbortSignal.timeout(ms)
      while (!done() && !signal.aborted) await once(server, 'callback', { signal }).catch(() => {})
      if (failed > 0) throw new Error(`${failed} tasks were told as failed`)
      return done()
    },
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
