// Asks a process of this machine whether it lives.
import { get } from 'node:http'

const ANSWER_MS = 4_000
const everywhere: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }

/** Where a process that listens on `host` is reached from its own machine. */
export function localUrl(host: string, port: number): string {
  const name = everywhere[host] ?? (host.includes(':') ? `[${host}]` : host)
  return `http://${name}:${port}`
}

/** Whether `/healthz` there answers 200 in time. */
export const isAlive = (url: string, answerMs = ANSWER_MS): Promise<boolean> =>
  new Promise(resolve => {
    const request = get(`${url}/healthz`, { timeout: answerMs, agent: false }, response => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.once('timeout', () => request.destroy())
    request.once('error', () => resolve(false))
  })
