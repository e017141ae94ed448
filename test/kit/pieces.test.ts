// The buffer of a body in pieces is used again only when nobody needs its bytes any more.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { chunksOf } from '#kit/net/body-parts.ts'
import { event } from '../support/until.ts'

suite('a body in pieces', () => {
  const bytes = randomBytes(8 * 1024 ** 2)
  let folder: string
  let path: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keepsake-pieces-'))
    path = join(folder, 'file')
    await writeFile(path, bytes)
  })
  after(() => rm(folder, { recursive: true }))

  test('arrives whole on a server that is slow to read, whoever writes it', async () => {
    const got: Buffer[] = []
    const server = createServer(socket => {
      socket.on('data', chunk => {
        got.push(chunk)
        socket.pause()
        setImmediate(() => socket.resume())
      })
    }).listen(0, '127.0.0.1')
    await event('it listens', server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    await event('we are connected', socket, 'connect')
    // Written without ever waiting for the socket to be empty: nothing may be overwritten all the same.
    for await (const chunk of chunksOf([{ path, start: 0, end: bytes.length }], socket)) socket.write(chunk)
    socket.end()
    await event('all is sent', socket, 'close')
    server.close()
    await event('all has arrived', server, 'close')
    assert.ok(Buffer.concat(got).equals(bytes))
  })

  test('a file that became shorter is an error, not a shorter body', async () => {
    const idle = connect({ host: '127.0.0.1', port: 1 }).on('error', () => {})
    await assert.rejects(
      Array.fromAsync(chunksOf([{ path, start: 0, end: bytes.length + 1 }], idle)),
      /shorter than it was/,
    )
  })
})
