// The blob store in S3 beside a server that takes files and then falls silent: who calls work off waits for nothing.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { newId } from '#kit/ids.ts'
import { newBlobs } from '#storage/blobs.ts'
import { flip } from '../support/configurations.ts'
import { startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { event, soon } from '../support/until.ts'

const keys = { accessKey: 'a', secretKey: 'b', sessionToken: null }

/** A server that keeps what it is given, and does with each `GET` what `read` says. */
async function startServer(t: TestContext, read: (answer: ServerResponse, bytes: Buffer) => void) {
  const stored = new Map<string, Buffer>()
  const hung: ServerResponse[] = []
  const server = createServer(async (request, answer) => {
    const { method, url = '' } = request
    const bytes = await buffer(request)
    const path = url.split('?', 1)[0] as string
    if (method === 'PUT' && hangs.puts) hung.push(answer)
    else if (method === 'PUT') {
      stored.set(path, bytes)
      answer.writeHead(200, { etag: '"x"' }).end()
    } else if (method === 'GET') {
      read(answer, stored.get(path) ?? Buffer.alloc(9))
      server.emit('asked')
    } else answer.writeHead(204).end()
    if (method === 'PUT') server.emit('put')
  })
  const hangs = { puts: false }
  await event('the server listens', server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    setting: `s3://files?endpoint=http://127.0.0.1:${port}`,
    hangs,
    asked: () => event('a file is asked for', server, 'asked'),
    put: () => event('a file is sent', server, 'put'),
  }
}

const answers = {
  'does not answer': () => {},
  'stops in the middle': (answer: ServerResponse, bytes: Buffer) =>
    void answer.writeHead(200, { 'content-length': bytes.length }).write(bytes.subarray(0, 1)),
}

for (const [what, read] of Object.entries(answers))
  test(`a file that is fetched from a server that ${what} is called off at once`, async t => {
    const { setting, asked, hangs, put } = await startServer(t, read)
    const folder = await mkdtemp(join(tmpdir(), 'keepsake-s3-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    const blobs = await newBlobs(setting, '/nowhere', keys)
    const enough = new Error('enough')
    const local = new AbortController()
    const fetching = blobs.local(newId(), folder, local.signal)
    await asked()
    local.abort(enough)
    await soon(
      'it is called off',
      assert.rejects(fetching, error => error === enough),
    )
    assert.deepEqual(await readdir(folder), [])

    const path = join(folder, 'made')
    await writeFile(path, 'made')
    hangs.puts = true
    const store = new AbortController()
    const storing = blobs.putFile({ path, bytes: 4, sha256: '' }, { signal: store.signal })
    await put()
    store.abort(enough)
    await soon(
      'it is called off',
      assert.rejects(storing, error => error === enough),
    )
  })

test('a task whose file does not come is cancelled', async t => {
  const { setting, asked } = await startServer(t, answers['stops in the middle'])
  const keepsake = await startKeepsake({ settings: { blobs: setting, s3AccessKey: 'a', s3SecretKey: 'b' } })
  t.after(() => keepsake.stop())
  await keepsake.configure(flip('turn'))
  const data = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
  const fetched = asked()
  const { body } = await keepsake.send('/api/task/', { configuration_name: 'turn', data })
  await fetched
  await keepsake.client.post(`/api/task/${body.task_id}/cancel/`)
  assert.equal((await keepsake.ended(`/api/task/${body.task_id}/`)).status, 'Cancelled')
})
