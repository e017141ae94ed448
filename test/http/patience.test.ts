// Clients that hold on to a connection: by sending slowly, by going on after a refusal, by reading nothing.
import assert from 'node:assert/strict'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { after, before, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import { operatorAccess } from '#access/scopes.ts'
import { newTokenLimiter } from '#access/token-limiter.ts'
import { type Database, openDatabase } from '#db/database.ts'
import type { App } from '#http/route/route.ts'
import { boundPatience } from '#http/wire/client-deadlines.ts'
import { openEventStream, readerOf } from '#http/wire/event-stream.ts'
import { newLog } from '#kit/log.ts'
import { testDatabase } from '../support/postgres.ts'
import { event, soon } from '../support/until.ts'

const log = newLog('silent', 'test')
const KiB = 1024
/** More than the network takes in for a reader that does not read. */
const ENDLESS = 256 * KiB ** 2

const DAY_MS = 86_400_000
const BRIEF_MS = 10
const patient = { silentMs: DAY_MS, smallBodyMs: DAY_MS, unreadMs: DAY_MS, lingerMs: DAY_MS }

let database: Database
before(async () => {
  database = openDatabase((await testDatabase()).url, log)
})
after(() => database.close())

let app: App
let port: number
/** How much a stream of events has sent before it was given up. */
let sent: PromiseWithResolvers<number>

/** A server that waits for no client longer than that. */
async function start(t: TestContext, brief: Partial<typeof patient> = {}): Promise<void> {
  const limiter = newTokenLimiter(database.db, log, 100)
  sent = Promise.withResolvers()
  app = Fastify({ forceCloseConnections: true }) as unknown as App
  t.after(() => app.close())
  boundPatience(app, { maxConnections: 40, trustProxy: ['127.0.0.2'] }, { ...patient, ...brief })
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
    await sleep(50)
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
}

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
  // With an error, too.
  const closed = soon('the connection is closed', new Promise<void>(resolve => socket.once('close', () => resolve())))
  socket.write(text)
  return { socket, said: () => said, closed }
}

/** One byte every now and then, so that there is never silence. */
function drip({ socket }: Opened): void {
  const timer = setInterval(() => socket.write(' '), 20)
  socket.once('close', () => clearInterval(timer))
}

const post = (path: string, length = 1_000, type = 'application/json') =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`

test('a sender that falls silent is dropped', async t => {
  await start(t, { silentMs: BRIEF_MS })
  await opened(post('/')).closed
})

test('a small body that is never complete is given up, although its sender is never silent', async t => {
  await start(t, { smallBodyMs: BRIEF_MS })
  const slow = opened(post('/'))
  drip(slow)
  await slow.closed
  assert.doesNotMatch(slow.said(), /taken/)
})

test('a refused sender gets its answer, and may not go on sending for ever', async t => {
  await start(t, { lingerMs: BRIEF_MS })
  const refused = opened(post('/no', 1e9, 'multipart/form-data; boundary=b'))
  drip(refused)
  await refused.closed
  assert.match(refused.said(), /^HTTP\/1\.1 403 /)
})

test('a reader that takes nothing of a long answer is dropped', async t => {
  await start(t, { unreadMs: BRIEF_MS })
  const served = event('the server has the connection', app.server, 'connection') as Promise<[Socket]>
  const { socket } = opened('GET /long HTTP/1.1\r\nhost: x\r\n\r\n')
  socket.pause()
  const [connection] = await served
  await event('the server has given it up', connection, 'close')
  socket.destroy()
})

test('an answer that takes long to make is waited for', async t => {
  await start(t, { silentMs: BRIEF_MS, smallBodyMs: BRIEF_MS, unreadMs: BRIEF_MS, lingerMs: BRIEF_MS })
  const { said, socket } = opened('GET /slow HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  await event('the answer has ended', socket, 'end')
  assert.match(said(), /here$/)
})

test('a reader of events that does not read is dropped once a little is unread', async t => {
  await start(t)
  const { socket } = opened('GET /events HTTP/1.1\r\nhost: x\r\n\r\n')
  socket.pause()
  const bytes = await soon('it is given up', sent.promise)
  socket.destroy()
  assert.ok(bytes < ENDLESS / 2, `${bytes} bytes were sent`)
})

test('one address gets a quarter of the connections, a trusted proxy more', async t => {
  await start(t)
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
