// A whole Keepsake inside the test's own process: API and worker on a database and a folder of their own.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { usualPace } from '#db/pace.ts'
import type { Waits } from '#http/route/waits.ts'
import { newToken } from '#kit/secret/secrets.ts'
import { loadSettings, type Settings } from '#kit/settings.ts'
import { runApi, runWorker } from '../../src/app.ts'
import { cleanUp, startOrCleanUp } from './clean-up.ts'
import { type Answer, type Client, newClient } from './client.ts'
import { bringTools } from './known-tools.ts'
import { assertOneEach, watchConnections } from './one-connection.ts'
import { testDatabase } from './postgres.ts'
import { soon } from './until.ts'

export interface Keepsake {
  url: string
  /** The link that a start prints: it signs in once. */
  signInUrl: string
  token: string
  settings: Settings
  client: Client
  databaseUrl: string
  /** Where the worker answers probes; null: nowhere. */
  workerUrl: string | null
  /** Makes a configuration or fails the test. */
  configure(configuration: object): Promise<void>
  /** Sends a multipart request. */
  send(path: string, parts: Record<string, string | Blob>, headers?: Record<string, string>): Promise<Answer>
  /** Waits until a task (or group) has ended; follows its events, so no time is lost. */
  ended(path: string): Promise<Answer['body']>
  stop(): Promise<void>
}

/** Of a task under test, on a busy machine. */
const END_MS = 240_000

export interface KeepsakeOptions {
  settings?: Partial<Settings>
  worker?: boolean
  waits?: Partial<Waits>
  /** What is to be in the database before anything is started. */
  fill?: (databaseUrl: string) => Promise<void>
}

export async function startKeepsake({
  settings: given = {},
  worker = true,
  waits = {},
  fill = async () => {},
}: KeepsakeOptions = {}): Promise<Keepsake> {
  watchConnections()
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-test-'))
  bringTools(folder)
  const database = await testDatabase()
  const settings: Settings = {
    ...loadSettings({}, join(folder, '.env')),
    data: folder,
    port: 0,
    databaseUrl: database.url,
    adminToken: newToken(),
    logLevel: 'silent',
    allowHosts: ['127.0.0.1', 'localhost'],
    callbackDelays: [0.2, 0.2, 0.2, 0.2, 0.2],
    // Tests sign in more often than people do.
    maxSignIns: 1_000,
    ...given,
  }
  const { api, working } = await startOrCleanUp(async later => {
    later(database.drop)
    await fill(database.url)
    const api = await runApi(settings, usualPace, { pictureMs: END_MS, ...waits })
    later(() => api.drain())
    return { api, working: worker ? await runWorker(settings) : null }
  })
  const url = api.url as string
  const token = settings.adminToken as string
  const client = newClient({ url, token, ...(settings.adapters.length === 0 ? { adapters: 'built-in' } : {}) })

  async function send(
    path: string,
    parts: Record<string, string | Blob>,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const form = new FormData()
    for (const [name, value] of Object.entries(parts)) form.append(name, value)
    return client.send('POST', path, { body: form, headers })
  }

  async function ended(path: string): Promise<Answer['body']> {
    const over = new AbortController()
    const events = await fetch(`${url}${path}events/`, {
      headers: { authorization: `Bearer ${token}` },
      signal: over.signal,
    })
    assert.equal(events.status, 200, await (events.ok ? '' : events.text()))
    await soon(`${path} has ended`, events.text(), END_MS).finally(() => over.abort())
    return (await client.get(path)).body
  }

  return {
    url,
    signInUrl: api.signInUrl as string,
    token,
    settings,
    client,
    databaseUrl: database.url,
    workerUrl: working?.healthUrl ?? null,
    send,
    ended,
    async configure(configuration) {
      const { status, body } = await client.post('/api/configuration/', configuration)
      assert.equal(status, 201, JSON.stringify(body))
    },
    async stop() {
      await cleanUp(
        () => working?.drain(),
        () => api.drain(),
        database.drop,
        () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
        assertOneEach,
      )
    },
  }
}

/** A configuration of one adapter, for the experience `park`. */
export const single = (
  configuration_name: string,
  adapter_name: string,
  defaults: object = {},
  more: object = {},
): object => ({
  configuration_name,
  experience_id: 'park',
  adapter_name,
  adapter_config: { auth: {}, defaults },
  ...more,
})

export const chain = (
  configuration_name: string,
  call_chain: [string, number | null][],
  more: object = {},
): object => ({
  configuration_name,
  experience_id: 'park',
  call_chain,
  ...more,
})
