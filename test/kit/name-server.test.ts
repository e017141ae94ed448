// Looking names up: those that hang take nothing from others, and the machine's own names are known.
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { newResolver } from '#kit/net/name-server.ts'
import { newOutbound, Unreachable } from '#kit/net/outbound.ts'
import { event, soon, until } from '../support/until.ts'

/** A name server that knows `good.example` (192.0.2.7), answers nothing for names with `hang`, and does not know the rest. */
async function startNameServer(t: TestContext): Promise<{ server: string; asked: string[] }> {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (query, { port, address }) => {
    const labels: string[] = []
    let at = 12
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length))
      at += length + 1
    }
    const name = labels.join('.')
    asked.push(name)
    if (name.includes('hang')) return
    const type = query.readUInt16BE(at + 1)
    const known = name === 'good.example'
    const isFound = known && type === 1
    const head = Buffer.from(query.subarray(0, 12))
    head.writeUInt16BE(known ? 0x8180 : 0x8183, 2)
    head.writeUInt16BE(isFound ? 1 : 0, 6)
    head.writeUInt32BE(0, 8)
    const answer = isFound ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7]) : Buffer.alloc(0)
    socket.send(Buffer.concat([head, query.subarray(12, at + 5), answer]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await event('the name server listens', socket, 'listening')
  t.after(() => void socket.close())
  return { server: `127.0.0.1:${socket.address().port}`, asked }
}

const found = [{ address: '192.0.2.7', family: 4 }]

test('names that hang, however many, hold up no other and are given up', async t => {
  const { server } = await startNameServer(t)
  const resolve = newResolver({ servers: [server], timeoutMs: 1_000, hostsFile: '/nowhere' })
  const hanging = Array.from({ length: 60 }, (_each, index) =>
    resolve(`hang${index}.example`).then(
      () => 'found',
      error => error.code,
    ),
  )
  let over = 0
  for (const one of hanging) void one.then(() => over++)
  assert.deepEqual(await resolve('good.example'), found)
  assert.equal(over, 0, 'all others hang still')
  assert.deepEqual([...new Set(await soon('they are given up', Promise.all(hanging)))], ['EAI_AGAIN'])
})

test('a name of the machine is the machine’s, and one that no server knows is asked of the system', async t => {
  const { server, asked } = await startNameServer(t)
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-hosts-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const hostsFile = join(folder, 'hosts')
  writeFileSync(hostsFile, '# good.example\n10.0.0.1 Camera camera.lan # booth\n')
  const own = [{ address: '10.0.0.1', family: 4 }]
  const system: string[] = []
  const resolve = newResolver({
    servers: [server],
    hostsFile,
    async system(host) {
      system.push(host)
      return own
    },
  })
  assert.deepEqual(await resolve('camera.LAN'), own)
  assert.deepEqual(asked, [], 'nobody else is asked')
  assert.deepEqual(await resolve('good.example'), found)
  assert.deepEqual(await resolve('minio'), own)
  assert.deepEqual(system, ['camera.LAN', 'minio'])
})

test('names that hang in the system wait for one another and not for ever, and nobody else waits for them', async t => {
  const { server } = await startNameServer(t)
  let running = 0
  let most = 0
  const system = (): Promise<never> => {
    most = Math.max(most, ++running)
    return new Promise(() => {})
  }
  const resolve = newResolver({ servers: [server], hostsFile: '/nowhere', system, systemWaitMs: 100 })
  void resolve('unknown.example')
  await until('the system looks for the first', () => running === 1)
  const late = Promise.allSettled(Array.from({ length: 20 }, (_each, index) => resolve(`unknown${index}.example`)))
  assert.deepEqual(await resolve('good.example'), found)
  const ends = await soon('they are given up', late)
  assert.deepEqual([...new Set(ends.map(({ status }) => status))], ['rejected'])
  assert.equal(most, 1)
})

test('a receiver whose name hangs is unreachable within its time, and nothing was sent', async t => {
  const { server } = await startNameServer(t)
  const outbound = newOutbound({
    allowHosts: [],
    resolve: newResolver({ servers: [server], timeoutMs: 5_000 }),
    connectTimeoutMs: 400,
  })
  t.after(() => outbound.close())
  const failed = outbound.request('https://hang.example/')
  await assert.rejects(soon('it is given up', failed), (error: unknown) => {
    assert.ok(error instanceof Unreachable && !error.sent)
    assert.match(error.message, /no answer within 0\.4 s/)
    return true
  })
})
