// Clients that hold on to a connection: by sending slowly, by going on after a refusal, by reading nothing.
import assert from 'node:assert/strict'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import Fastify from 'fastify'
import { operatorAccess } from '#access/scopes.ts'
import { newTokenLimiter } from '#access/token-limiter.ts'
import { type Database, openDatabase } from '#db/database.ts'
import type { App } from '#http/route/route.ts'
import { boundPatience } from '#http/wire/client-deadlines.ts'
import { openEventStream, readerOf } from '#http/wire/event-stream.ts'
import { newLog } from '#kit/log.ts'
import { testDatabase } from '../support/postgres.ts'

import { event } from '../support/until.ts'

const log = newLog('silent', 'test')
const KiB = 1024
/** More than the network takes in for a reader that does not read. */
const ENDLESS = 256 * KiB ** 2

let app: App
let port: number
let database: Database
/** How much a stream of events has sent before it was given up. */
let sent = Promise.withResolvers<number>()

before(async () => {
  database = openDatabase((await testDatabase()).url, log)
  const limiter = newTokenLimiter(database.db, log, 100)
  app = Fastify({ forceCloseConnections: true }) as unknown as App
  const brief = { silentMs: 400, smallBodyMs: 400, unreadMs: 400, lingerMs: 400 }
  boundPatience(app, { maxConnections: 40, trustProxy: ['127.0.0.2'] }, brief)
  app.post('/', { config: { scope: null } }, async () => 'taken')
  app.post('/no', {
    config: { scope: null },
    onRequest: async (_request, reply) => reply.code(403).send('no'),
    handler: async () => 'taken',
  })
  app.get('/long', { config: { scope: null } }, async (_request, reply) =>
    reply.send(
      Readable.from(
        (function* () {
          for (let bytes = 0; bytes < ENDLESS; bytes += 64 * KiB) yield Buffer.alloc(64 * KiB)
        })(),
      ),
    ),
  )
  app.get('/slow', { config: { scope: null } }, async () => {
    await new Promise(resolve => setTimeout(resolve, 1_000))
    return 'here'
  })
  app.get('/events', { config: { scope: null } }, async (request, reply) => {
    request.access = operatorAccess
    request.recheckAccess = async () => operatorAccess
    using stream = openEventStream({ log }, readerOf({ limiter }, request, reply, new AbortController().signal))
    let bytes = 0
    for (; !stream.gone.aborted && bytes < ENDLESS; bytes += 64 * KiB) {
      stream.send('much', { text: 'x'.repeat(64 * KiB) })
      await new Promise(setImmediate)
    }
    sent.resolve(bytes)
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  port = (app.server.address() as AddressInfo).port
})
after(async () => {
  await app.close()
  await database.close()
})

interface Opened {
  socket: Socket
  said(): string
  closed: Promise<unknown>
}

function opened(text: string, from = '127.0.0.1'): Opened {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from })
  let said = ''
  socket.setEncoding('utf8').on('data', chunk => (said += chunk))
  socket.on('error', () => {})
  const closed = closing(socket)
  socket.write(text)
  return { socket, said: () => said, closed }
}

/** However it is closed; bounded, so that a connection that never is fails the test. */
function closing(socket: Socket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const late = setTimeout(() => reject(new Error('the connection was still there after 20 s')), 20_000)
  socket.once('close', () => {
    clearTimeout(late)
    resolve()
  })
  return promise
}

/** One byte every now and then, so that there is never silence. */
function drip({ socket }: Opened): void {
  const timer = setInterval(() => socket.write(' '), 100)
  socket.once('close', () => clearInterval(timer))
}

const post = (path: string, length = 1_000, type = 'application/json') =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`

test('a sender that falls silent is dropped, and so is a body that is never complete', async () => {
  const silent = opened(post('/'))
  const slow = opened(post('/'))
  drip(slow)
  await Promise.all([silent.closed, slow.closed])
  assert.doesNotMatch(slow.said(), /taken/)
})

test('a refused sender gets its answer, and may not go on sending for ever', async () => {
  const refused = opened(post('/no', 1e9, 'multipart/form-data; boundary=b'))
  drip(refused)
  await refused.closed
  assert.match(refused.said(), /^HTTP\/1\.1 403 /)
})

test('a reader that takes nothing of a long answer is dropped', async () => {
  const served = event('the server has the connection', app.server, 'connection') as Promise<[Socket]>
  const { socket } = opened('GET /long HTTP/1.1\r\nhost: x\r\n\r\n')
  socket.pause()
  const [connection] = await served
  await closing(connection)
  socket.destroy()
})

test('an answer that takes long to make is waited for', async () => {
  const { said, socket } = opened('GET /slow HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  await event('the answer has ended', socket, 'end')
  assert.match(said(), /here$/)
})

test('a reader of events that does not read is dropped once a little is unread', async () => {
  sent = Promise.withResolvers()
  const { socket } = opened('GET /events HTTP/1.1\r\nhost: x\r\n\r\n')
  socket.pause()
  const bytes = await sent.promise
  socket.destroy()
  assert.ok(bytes < ENDLESS / 2, `${bytes} bytes were sent`)
})

test('one address gets a quarter of the connections, a trusted proxy more', async () => {
  const open = async (from: string): Promise<Opened[]> => {
    const all = Array.from({ length: 14 }, () => opened('GET /none HTTP/1.1\r\nhost: x\r\n\r\n', from))
    const told = ({ socket }: Opened) => new Promise<void>(resolve => socket.once('data', () => resolve()))
    await Promise.all(all.map(each => Promise.race([told(each), each.closed])))
    return all
  }
  const [one, proxy] = [await open('127.0.0.3'), await open('127.0.0.2')]
  const answered = (all: Opened[]) => all.filter(({ said }) => said().startsWith('HTTP/1.1 404')).length
  assert.deepEqual([answered(one), answered(proxy)], [10, 14])
  for (const { socket } of [...one, ...proxy]) socket.destroy()
  await Promise.all([...one, ...proxy].map(({ closed }) => closed))
})
