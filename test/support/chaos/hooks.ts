// The receivers of callbacks: one that fails now and then, several that never answer, one that refuses, one that says 410.
import type { ServerResponse } from 'node:http'
import { cleanUp, startOrCleanUp } from '../clean-up.ts'
import { startProxy } from '../flaky-proxy.ts'
import { type Received, type Receiver, startReceiver } from '../https-receiver.ts'

const HOLES = 10

export interface Hooks {
  /** Name to address. */
  urls: Map<string, string>
  /** webhook-id to every body that came with it. */
  arrived: Map<string, Set<string>>
  /** Attempts that came, repeated ones too. */
  attempts(): number
  /** Called for every callback that comes for the first time. */
  onArrival(hear: (body: { task_id: string; status: string }) => void): void
  /** Gone for a while: connections are refused. */
  down(): Promise<void>
  up(): Promise<void>
  /** From now on everybody answers. */
  heal(): Promise<void>
  stop(): Promise<void>
}

type Mood = 'fine' | 'flaky' | 'hole' | 'gone'

/** Which one a request names: most of them the ordinary one. */
export function hookFor(luck: number): string {
  if (luck < 0.7) return 'flaky'
  if (luck < 0.9) return `hole-${Math.floor((luck - 0.7) * 5 * HOLES)}`
  return luck < 0.95 ? 'away' : 'gone'
}

export async function startHooks(next: () => number): Promise<Hooks> {
  const arrived: Hooks['arrived'] = new Map()
  const hanging = new Set<ServerResponse>()
  let healed = false
  let attempts = 0
  let heard: Parameters<Hooks['onArrival']>[0] = () => {}

  function arrive({ headers, body }: Received): void {
    attempts++
    const id = String(headers['webhook-id'])
    const text = body.toString()
    const known = arrived.get(id)
    arrived.set(id, (known ?? new Set()).add(text))
    if (!known) heard(JSON.parse(text) as { task_id: string; status: string })
  }

  function answer(mood: Mood, response: ServerResponse): unknown {
    if (healed || mood === 'fine') return response.end()
    if (mood === 'hole') return hanging.add(response)
    const luck = next()
    if (mood === 'gone') return response.writeHead(luck < 0.5 ? 410 : 200).end()
    // Sometimes it has understood and only its answer is lost.
    if (luck < 0.1) return response.destroy()
    return response.writeHead(luck < 0.35 ? 500 : 200).end()
  }

  return startOrCleanUp(async later => {
    const start = async (mood: Mood) => {
      const receiver = await startReceiver({
        answer: (request, response) => {
          arrive(request)
          answer(mood, response)
          receiver.received.length = 0
        },
      })
      later(receiver.stop)
      return receiver
    }
    const urls = new Map<string, string>()
    const receivers: Receiver[] = []
    for (let hole = 0; hole < HOLES; hole++) {
      const receiver = await start('hole')
      receivers.push(receiver)
      urls.set(`hole-${hole}`, `${receiver.url}/hook`)
    }
    const behind = async (name: string, mood: Mood) => {
      const receiver = await start(mood)
      const proxy = await startProxy({ port: receiver.port })
      later(proxy.stop)
      receivers.push(receiver)
      urls.set(name, `http://127.0.0.1:${proxy.port}/hook`)
      return proxy
    }
    const [flaky, away, gone] = [
      await behind('flaky', 'flaky'),
      await behind('away', 'fine'),
      await behind('gone', 'gone'),
    ]
    await away.down()
    return {
      urls,
      arrived,
      attempts: () => attempts,
      onArrival(hear) {
        heard = hear
      },
      down: flaky.down,
      up: flaky.up,
      async heal() {
        healed = true
        for (const response of hanging) response.end()
        await away.up()
      },
      stop: () =>
        cleanUp(
          () => {
            for (const response of hanging) response.destroy()
          },
          ...[flaky, away, gone].map(proxy => proxy.stop),
          ...receivers.map(receiver => receiver.stop),
        ),
    }
  })
}
