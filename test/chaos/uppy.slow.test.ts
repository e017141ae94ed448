// Uppy in a real browser, on a page of another origin: its upload comes through although the API is killed meanwhile.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { build, type Rolldown } from 'vite'
import { launch, PATIENCE_MS, skip } from '../console/browser.ts'
import { configure, type Grounds, newGrounds } from '../support/chaos.ts'
import type { Part } from '../support/chaos-process.ts'
import { cleanUp } from '../support/clean-up.ts'
import { freePort } from '../support/free-port.ts'
import { idOf, sha256 } from '../support/tus.ts'
import { event, soon, until } from '../support/until.ts'

const BYTES = 9 * 1024 ** 2 + 5
const entry = fileURLToPath(new URL('../support/uppy-booth.ts', import.meta.url))

describe('Uppy', { skip }, () => {
  let grounds: Grounds
  let browser: Browser
  let api: Part
  const page = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>booth</title>'),
  )

  before(async () => {
    page.listen(0, '127.0.0.1')
    await event('the page is served', page, 'listening')
    const origin = `http://127.0.0.1:${(page.address() as AddressInfo).port}`
    const PORT = String(await freePort())
    grounds = await newGrounds({
      env: { PORT, KEEPSAKE_CORS_ORIGINS: origin, FFMPEG_PATH: 'none', FFPROBE_PATH: 'none' },
    })
    api = await grounds.start('api')
    await configure(grounds, grounds.client(api.url))
    browser = await launch()
  })
  after(() =>
    cleanUp(
      () => browser?.close(),
      () => grounds?.stop(),
      () => page.close(),
    ),
  )

  async function script(): Promise<string> {
    const made = (await build({
      configFile: false,
      logLevel: 'silent',
      build: { write: false, minify: false, lib: { entry, formats: ['iife'], name: 'booth' } },
    })) as Rolldown.RolldownOutput[]
    const [output] = made.flatMap(each => each.output)
    return output && 'code' in output ? output.code : assert.fail('nothing was built')
  }

  it('uploads a file whose name is no ASCII, through a kill of the API, for a task', async () => {
    const tab = await browser.newPage()
    tab.setDefaultTimeout(PATIENCE_MS)
    await tab.goto(`http://127.0.0.1:${(page.address() as AddressInfo).port}/`)
    await tab.addScriptTag({ content: await script() })
    const booth = { endpoint: `${api.url}/api/upload/`, token: grounds.token, bytes: BYTES, chunkSize: 300_000 }
    const uploading = tab.evaluate(given => globalThis.uploadWithUppy(given), booth)
    for (const enough of [1, BYTES / 2]) {
      await until('as much is there', async () => {
        const [row] = await grounds.query<{ received: string }>('select received from resumable_uploads')
        return Number(row?.received) >= enough
      })
      api.kill('SIGKILL')
      await api.exit()
      api = await grounds.start('api')
    }
    const id = idOf(new URL(await soon('Uppy is done', uploading)).pathname)
    const client = grounds.client(api.url)
    const form = new FormData()
    form.append('configuration_name', 'park')
    form.append('data_upload', id)
    const task = await client.send('POST', '/api/task/', { body: form })
    assert.equal(task.status, 202, JSON.stringify(task.body))
    const answer = await fetch(`${api.url}/api/task/${task.body.task_id}/input/`, {
      headers: { authorization: `Bearer ${grounds.token}` },
    })
    const expected = Uint8Array.from({ length: BYTES }, (_, place) => place % 251)
    assert.equal(sha256(new Uint8Array(await answer.arrayBuffer())), sha256(expected))
  })
})
