// Connections that are used again: only by what may arrive twice, and never one that is dead, old or another server's.
import assert from 'node:assert/strict'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { newOutbound, Unreachable } from '#kit/net/outbound.ts'
import { newAuthority, trust } from '../support/certificates.ts'
import { type ReceiverOptions, startReceiver } from '../support/https-receiver.ts'
import { event, until } from '../support/until.ts'

const post = { method: 'POST', body: 'told' }

async function receiving(t: TestContext, options: ReceiverOptions = {}) {
  const receiver = await startReceiver(options)
  t.after(() => receiver.stop())
  const outbound = newOutbound({
    allowHosts: ['127.0.0.1', 'other.test'],
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  })
  t.after(() => outbound.close())
  const tell = async (url = receiver.url): Promise<number> => {
    const { status, discard } = await outbound.repeatable(url, post)
    await discard()
    return status
  }
  const allClosed = () => until('all connections are closed', () => receiver.open() === 0)
  return { receiver, outbound, tell, allClosed }
}

/** A server that does with each request, on whichever connection, what it is told. */
async function rawServer(t: TestContext, act: (socket: Socket, request: number) => void) {
  let requests = 0
  let connections = 0
  let open = 0
  const server = createServer(socket => {
    connections++
    open++
    socket
      .on('error', () => {})
      .on('data', () => act(socket, ++requests))
      .once('close', () => open--)
  })
  server.listen(0, '127.0.0.1')
  await event('it listens', server, 'listening')
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return { url, counts: () => ({ requests, connections }), open: () => open }
}

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'

test('one connection serves one request after the other, over TLS', async t => {
  const authority = await newAuthority()
  trust(authority)
  const tls = await authority.issue(['127.0.0.1'])
  const { receiver, tell, outbound } = await receiving(t, { tls })
  for (let i = 0; i < 10; i++) assert.equal(await tell(), 200)
  assert.equal(receiver.received.length, 10)
  assert.equal(receiver.connections(), 1)
  const others = [outbound.repeatable(receiver.url, post), outbound.repeatable(receiver.url, post)]
  for (const { discard } of await Promise.all(others)) await discard()
  assert.equal(receiver.connections(), 2, 'two at once need two')
})

test('a connection that dies under a request is replaced, and the request is sent again', async t => {
  const { outbound, tell } = await receiving(t)
  const server = await rawServer(t, (socket, request) => {
    if (request === 2) socket.resetAndDestroy()
    else socket.write(OK)
  })
  assert.equal(await tell(server.url), 200)
  assert.equal(await tell(server.url), 200)
  assert.deepEqual(server.counts(), { requests: 3, connections: 2 })
  await outbound.close()
})

test('a new connection that dies is no reason to try once more', async t => {
  const { tell } = await receiving(t)
  const server = await rawServer(t, socket => socket.destroy())
  await assert.rejects(tell(server.url), (error: unknown) => error instanceof Unreachable && error.sent)
  assert.deepEqual(server.counts(), { requests: 1, connections: 1 })
})

test('one that the server closed meanwhile is not used, nor one that it says it will close', async t => {
  const { tell } = await receiving(t)
  const closing = await rawServer(t, socket => socket.end(OK))
  const saying = await rawServer(t, socket =>
    socket.write(OK.replace('content-length', 'connection: close\r\ncontent-length')),
  )
  for (const server of [closing, saying]) {
    await tell(server.url)
    await until('both sides know that it is closed', () => server.open() === 0)
    await tell(server.url)
    assert.deepEqual(server.counts(), { requests: 2, connections: 2 })
  }
})

test('one that the server had enough of, as the request came, is replaced', async t => {
  const { tell } = await receiving(t)
  const timedOut = 'HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'
  const server = await rawServer(t, (socket, request) => {
    if (request === 2) socket.end(timedOut)
    else socket.write(OK)
  })
  assert.deepEqual([await tell(server.url), await tell(server.url)], [200, 200])
  assert.deepEqual(server.counts(), { requests: 3, connections: 2 })
})

test('a server that would leave it open for ten minutes does not decide', async t => {
  const { receiver, tell, allClosed } = await receiving(t, {
    answer: (_request, response) => void response.setHeader('keep-alive', 'timeout=600').end(),
  })
  await tell()
  await allClosed()
  await tell()
  assert.equal(receiver.connections(), 2)
})

test('what is discarded twice is free once', async t => {
  const { outbound } = await receiving(t)
  const server = await rawServer(t, (socket, request) => {
    if (request !== 2) socket.write(OK)
  })
  const first = await outbound.repeatable(server.url, post)
  await first.discard()
  const enough = new AbortController()
  const second = outbound.repeatable(server.url, { ...post, signal: enough.signal })
  const failed = assert.rejects(second, /enough/)
  await until('the second has arrived', () => server.counts().requests === 2)
  await first.discard()
  await (await outbound.repeatable(server.url, post)).discard()
  assert.deepEqual(server.counts(), { requests: 3, connections: 2 })
  enough.abort(new Error('enough'))
  await failed
})

test('one with an answer too long to read is closed', async t => {
  const answer: ReceiverOptions['answer'] = (_request, response) => void response.end(Buffer.alloc(12_000_000))
  const { receiver, tell, allClosed } = await receiving(t, { answer })
  assert.equal(await tell(), 200)
  await allClosed()
  assert.equal(receiver.connections(), 1)
})

test('one with an answer that never ends is closed before the next is opened', async t => {
  const { receiver, outbound, allClosed } = await receiving(t, {
    answer: (_request, response) => {
      response.write('a')
      const drip = setInterval(() => response.write('a'), 20)
      response.once('close', () => clearInterval(drip))
    },
  })
  for (let i = 0; i < 3; i++) {
    const { discard } = await outbound.repeatable(receiver.url, post)
    await discard()
    await discard()
    await allClosed()
  }
})

test('what nobody needs is closed after some seconds, and with the rest', async t => {
  const { receiver, outbound, tell, allClosed } = await receiving(t)
  await tell()
  assert.equal(receiver.open(), 1)
  await allClosed()
  await tell()
  assert.equal(receiver.open(), 1)
  await outbound.close()
  await allClosed()
})

test('another name is another server, though it leads to the same address', async t => {
  const { receiver, tell } = await receiving(t)
  await tell()
  await tell(receiver.url.replace('127.0.0.1', 'other.test'))
  assert.deepEqual([receiver.received.length, receiver.connections()], [2, 2])
  await tell()
  assert.equal(receiver.connections(), 2)
})
