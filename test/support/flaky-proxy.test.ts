// The relay that the tests put before servers: what is forgotten is dead without a word, and nothing else is.
import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { startProxy } from './flaky-proxy.ts'
import { event } from './until.ts'

test('forgotten connections stay open and carry nothing; new ones work', async t => {
  const atServer: Socket[] = []
  const server = createServer(socket => {
    atServer.push(socket)
    socket.on('data', bytes => socket.write(`echo ${bytes}`)).on('error', () => {})
  }).listen(0, '127.0.0.1')
  await event('the server listens', server, 'listening')
  const proxy = await startProxy({ port: (server.address() as AddressInfo).port })
  const open = async (): Promise<Socket> => {
    const socket = connect(proxy.port, '127.0.0.1')
    await event('it is connected', socket, 'connect')
    return socket
  }
  t.after(() => {
    for (const socket of atServer) socket.destroy()
    server.close()
  })
  t.after(proxy.stop)
  const answer = async (socket: Socket): Promise<string> => {
    socket.write('a')
    return String((await event('there is an answer', socket, 'data'))[0])
  }

  const old = await open()
  assert.equal(await answer(old), 'echo a')
  proxy.forget()
  const heard: string[] = []
  for (const name of ['data', 'end', 'close']) old.on(name, () => heard.push(name))
  old.write('a')
  // The server hangs up, and nobody hears of it.
  atServer[0]?.end('bye')
  const fresh = await open()
  for (let time = 0; time < 3; time++) assert.equal(await answer(fresh), 'echo a')
  assert.deepEqual(heard, [])
  assert.equal(atServer[0]?.bytesRead, 1, 'nor does the server hear anything')
  assert.equal(old.destroyed, false)
  old.destroy()
  fresh.destroy()
})
