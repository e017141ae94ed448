// A stop of the API while answers are under way: they come whole, and their connections do not hold the stop up.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { test } from 'node:test'
import { startTestServer, type TestServer } from '../support/server.ts'
import { event, soon, until } from '../support/until.ts'

const BYTES = 24 * 1024 ** 2
const DAY_MS = 86_400_000

/** Of this server no connection ends because its time is over. */
async function startPatientServer(): Promise<TestServer> {
  const server = await startTestServer()
  const { server: http } = server.app
  http.keepAliveTimeout = http.headersTimeout = http.requestTimeout = DAY_MS
  return server
}

async function withFile(server: TestServer): Promise<Buffer> {
  const file = randomBytes(BYTES)
  const form = new FormData()
  form.append('name', 'large')
  form.append('experience_id', 'expo')
  form.append('file', new Blob([file]))
  const headers = { authorization: `Bearer ${server.token}` }
  const made = await fetch(`${server.url}/api/asset/`, { method: 'POST', body: form, headers })
  assert.equal(made.status, 201, await made.text())
  return file
}

test('a file that is being sent comes whole, and the connection that was to be kept is closed after it', async () => {
  const server = await startPatientServer()
  const file = await withFile(server)
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.write(`GET /api/asset/large/file/ HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.token}\r\n\r\n`)
  await event('it comes', socket, 'data')
  socket.pause()
  const stopping = server.stop()
  await until('new ones are refused', async () => !server.app.server.listening)
  const over = event('the connection is closed', socket, 'close')
  socket.resume()
  await over
  await soon('the server has stopped', stopping)
  const answer = Buffer.concat(chunks)
  const body = answer.subarray(answer.indexOf('\r\n\r\n') + 4)
  assert.doesNotMatch(answer.subarray(0, 1000).toString('latin1'), /connection: close/i, 'it was promised to be kept')
  assert.equal(body.length, BYTES)
  assert.ok(body.equals(file))
})

test('connections over which nothing, or no whole request, was ever sent do not hold the stop up', async () => {
  const server = await startPatientServer()
  const sockets = ['', 'GET /api/task/ HTTP/1.1\r\nhost: x\r\n'].map(text => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').resume()
    socket.write(text)
    return socket.on('error', () => {})
  })
  const closed = sockets.map(socket => new Promise<void>(resolve => socket.once('close', () => resolve())))
  await until(
    'both are there',
    () => new Promise<boolean>(resolve => server.app.server.getConnections((_error, count) => resolve(count === 2))),
  )
  await soon('the server has stopped', server.stop())
  await soon('the connections are closed', Promise.all(closed))
})
