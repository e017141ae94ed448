// keepsake health: whether the service of this machine answers, for health checks of containers.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { loadSettings } from '#kit/settings.ts'
import { health } from '../../src/commands/check-health.ts'
import { terminal } from '../../src/commands/terminal.ts'
import { event } from '../support/until.ts'

/** Longer than any machine takes. */
const ANSWER_MS = 60_000

/** The exit code, and what is said. */
async function asked(env: Record<string, string>, answerMs = ANSWER_MS): Promise<[code: number, said: string]> {
  const said: string[] = []
  const code = await health(loadSettings(env), { ...terminal(), print: line => void said.push(line) }, answerMs)
  return [code, said.join()]
}

async function listening(answer: number | null): Promise<{ port: number } & AsyncDisposable> {
  const server = createServer((request, response) => {
    if (answer !== null) response.writeHead(request.url === '/healthz' ? answer : 404).end()
  }).listen(0, '127.0.0.1')
  await event('it listens', server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

test('it is asked where it listens, by its role', async () => {
  await using api = await listening(200)
  const url = `http://127.0.0.1:${api.port}`
  for (const HOST of ['127.0.0.1', '0.0.0.0'])
    assert.deepEqual(await asked({ HOST, PORT: `${api.port}` }), [0, `It answers at ${url}.`])
  const worker = { KEEPSAKE_ROLE: 'worker', DATABASE_URL: 'postgres://x/y', PORT: '9' }
  assert.deepEqual(await asked({ ...worker, KEEPSAKE_WORKER_PORT: `${api.port}` }), [0, `It answers at ${url}.`])
  await assert.rejects(asked(worker), /KEEPSAKE_WORKER_PORT/)
})

test('one that is gone, wrong or silent does not live', async () => {
  const gone = await listening(200)
  await gone[Symbol.asyncDispose]()
  await using wrong = await listening(503)
  await using silent = await listening(null)
  for (const [{ port }, answerMs] of [[gone], [wrong], [silent, 100]] as const)
    assert.deepEqual(await asked({ PORT: `${port}` }, answerMs), [1, `Nothing answers at http://127.0.0.1:${port}.`])
})
