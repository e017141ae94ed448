// The experience that sends floods, with its configurations and tokens, and what its tasks are sent to.
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Service } from './service.ts'

const DRIP_MS = 500
const LINKS = Array.from({ length: 80 }, (_, at) => `https://cdn.example.com/photos/${'x'.repeat(70)}/${at}`)
const answers: Record<string, RequestListener> = {
  '/long': (_request, response) =>
    void response.setHeader('content-type', 'application/json').end(JSON.stringify({ links: LINKS })),
  '/hang': () => {},
  '/drip': (_request, response) => {
    response.setHeader('content-type', 'image/jpeg').write('\xff', 'latin1')
    const drops = setInterval(() => response.write('\xd8', 'latin1'), DRIP_MS)
    response.once('close', () => clearInterval(drops))
  },
}

export interface Targets {
  url: string
  stop(): void
}

/** A server that answers at length, never, or drop by drop. */
export async function startTargets(): Promise<Targets> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => answers[request.url ?? '']?.(request, response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const NAME = 'crowd'
const POLL_MS = 50
const made = (name: string, adapter_name: string, defaults: object = {}, auth: object = {}): object => ({
  configuration_name: name,
  experience_id: NAME,
  adapter_name,
  adapter_config: { auth, defaults },
})

async function configure(service: Service, url: string): Promise<string[]> {
  for (const configuration of [
    made('turn', 'photo_flip', { method: 'ROTATE_180' }),
    made('frame', 'photo_add_overlay'),
    made('keep', 'http_post', { url: `${url}/long` }, { bearer: 'a-bearer-of-the-crowd' }),
    made('hang', 'http_post', { url: `${url}/hang` }),
  ])
    await service.make('/api/configuration/', configuration)
  await service.change(`/api/experience/${NAME}/`, { guest_page: { enabled: true } })
  const tokens: string[] = []
  for (const name of ['one', 'two', 'three']) {
    const token = { name, scopes: ['tasks'], experiences: [NAME] }
    tokens.push((await service.make<{ token: string }>('/api/token/', token)).token)
  }
  return tokens
}

export interface Crowd {
  /** The headers of one of its tokens. */
  by(at: number): { authorization: string }
  /** Sends a task, and answers the address of its page. */
  send(parts: Record<string, string | Buffer>): Promise<string>
  /** How many of its tasks have not ended. */
  left(): Promise<number>
  /** Resolves when all of them have ended. */
  idle(): Promise<void>
  cancelAll(): Promise<void>
}

export async function newCrowd(service: Service, { url }: Targets): Promise<Crowd> {
  const tokens = await configure(service, url)
  const by = (at: number) => ({ authorization: `Bearer ${tokens[at % tokens.length]}` })
  async function ask<T>(path: string, headers: Record<string, string>, body: string | FormData): Promise<T> {
    const answer = await fetch(service.url + path, { method: 'POST', body, headers: { ...by(0), ...headers } })
    if (!answer.ok) throw new Error(await answer.text())
    return (await answer.json()) as T
  }
  async function cancel(more: object): Promise<number> {
    const body = JSON.stringify({ experience_id: NAME, ...more })
    return (await ask<{ count: number }>('/api/task/cancel/', { 'content-type': 'application/json' }, body)).count
  }
  const left = () => cancel({ dry_run: true })
  async function idle(): Promise<void> {
    while ((await left()) > 0) await new Promise(resolve => setTimeout(resolve, POLL_MS))
  }
  return {
    by,
    async send(parts) {
      const form = new FormData()
      for (const [name, part] of Object.entries(parts))
        form.append(name, typeof part === 'string' ? part : new Blob([new Uint8Array(part)]))
      const { guest_url } = await ask<{ guest_url: string }>('/api/task/', {}, form)
      return service.url + new URL(guest_url).pathname
    },
    left,
    idle,
    async cancelAll() {
      await cancel({})
      await idle()
    },
  }
}
