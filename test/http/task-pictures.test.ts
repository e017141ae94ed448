// What a list of tasks is shown with: the file that was sent in, small pictures, and events of the whole list.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sharp from 'sharp'
import { newId } from '#kit/ids.ts'
import { newClient } from '../support/client.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { said, soon } from '../support/until.ts'

let server: TestServer
let photo: Buffer
const headers = () => ({ authorization: `Bearer ${server.token}` })

before(async () => {
  server = await startTestServer()
  photo = await sharp({ create: { width: 900, height: 600, channels: 3, background: '#c04020' } })
    .jpeg()
    .toBuffer()
  const admin = newClient(server)
  for (const experience_id of ['seen', 'hidden'])
    await admin.post('/api/configuration/', {
      configuration_name: `flip ${experience_id}`,
      experience_id,
      adapter_name: 'photo_flip',
      adapter_config: { defaults: { method: 'ROTATE_180' } },
    })
})
after(() => server.stop())

async function send(configuration: string, bytes = photo): Promise<string> {
  const body = new FormData()
  body.set('configuration_name', configuration)
  body.set('data', new Blob([new Uint8Array(bytes)]))
  const answer = await fetch(`${server.url}/api/task/`, { method: 'POST', headers: headers(), body })
  assert.equal(answer.status, 202, await answer.clone().text())
  return ((await answer.json()) as { task_id: string }).task_id
}

const fetched = (path: string) => fetch(`${server.url}${path}`, { headers: headers() })

test('the file that was sent in can be fetched, byte for byte', async () => {
  const id = await send('flip seen')
  const answer = await fetched(`/api/task/${id}/input/`)
  assert.equal(answer.headers.get('content-type'), 'image/jpeg')
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), photo)
})

test('a thumbnail of it is a small JPEG; what has no picture and what is not there yet is a 404', async () => {
  const id = await send('flip seen')
  const answer = await fetched(`/api/task/${id}/thumbnail/input/`)
  assert.equal(answer.status, 200)
  const { format, width, height } = await sharp(await answer.arrayBuffer()).metadata()
  assert.deepEqual({ format, width, height }, { format: 'jpeg', width: 160, height: 160 })
  for (const path of ['thumbnail/0/', 'thumbnail/9/', 'thumbnail/x/'])
    assert.equal((await fetched(`/api/task/${id}/${path}`)).status, 404, path)
  const text = await send('flip seen', Buffer.from('no picture at all'))
  assert.equal((await fetched(`/api/task/${text}/thumbnail/input/`)).status, 404)
  assert.equal((await fetched(`/api/task/${newId()}/thumbnail/input/`)).status, 404)
})

test('a picture for a screen is made of what no browser shows, in its own shape, and only in the sizes there are', async () => {
  const tiff = await sharp({ create: { width: 500, height: 1000, channels: 3, background: '#2060c0' } })
    .tiff()
    .toBuffer()
  const id = await send('flip seen', tiff)
  const sized = async (size: string) => fetched(`/api/task/${id}/thumbnail/input/?size=${size}`)
  const answer = await sized('640')
  assert.equal(answer.status, 200)
  const { format, width, height } = await sharp(await answer.arrayBuffer()).metadata()
  assert.deepEqual({ format, width, height }, { format: 'jpeg', width: 320, height: 640 })
  const etag = answer.headers.get('etag') ?? ''
  const again = await fetch(`${server.url}/api/task/${id}/thumbnail/input/?size=640`, {
    headers: { ...headers(), 'if-none-match': etag },
  })
  assert.equal(again.status, 304)
  const whole = await sharp(await (await sized('2048')).arrayBuffer()).metadata()
  assert.equal(whole.height, 1000, 'never larger than it is')
  for (const size of ['', '641', '1e3', '640,1280']) assert.equal((await sized(size)).status, 400, size)
  const text = await send('flip seen', Buffer.from('no picture at all'))
  assert.equal((await fetched(`/api/task/${text}/thumbnail/input/?size=640`)).status, 404)
  const bound = await newClient(server).post('/api/token/', {
    name: 'bound',
    scopes: ['read'],
    experiences: ['hidden'],
  })
  const foreign = await fetch(`${server.url}/api/task/${id}/thumbnail/input/?size=640`, {
    headers: { authorization: `Bearer ${bound.body.token}` },
  })
  assert.equal(foreign.status, 404)
})

test('a file that was never sent in is seen as a picture too; what has none in it is refused in words', async () => {
  const drawn = async (bytes: Buffer | string, query = '', name = 'data') => {
    const body = new FormData()
    body.set(name, new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)]))
    const answer = await fetch(`${server.url}/api/picture/${query}`, { method: 'POST', headers: headers(), body })
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) }
  }
  const tiff = await sharp({ create: { width: 3000, height: 1500, channels: 3, background: '#2060c0' } })
    .tiff()
    .toBuffer()
  const { format, width, height } = await sharp((await drawn(tiff)).bytes).metadata()
  assert.deepEqual({ format, width, height }, { format: 'jpeg', width: 1280, height: 640 })
  assert.equal((await sharp((await drawn(tiff, '?size=640')).bytes).metadata()).width, 640)
  const refused = async (...of: Parameters<typeof drawn>): Promise<[number, string]> => {
    const { status, bytes } = await drawn(...of)
    return [status, JSON.parse(bytes.toString()).code]
  }
  assert.deepEqual(await refused('no picture at all'), [400, 'unsupported_format'])
  assert.deepEqual(await refused(tiff.subarray(0, 2000)), [400, 'corrupt_input'])
  assert.equal((await refused('', ''))[0], 400)
  assert.equal((await refused(tiff, '', 'file'))[0], 400)
  assert.equal((await refused(tiff, '?size=5'))[0], 400)
})

test('the events of the list name changed tasks, and to a bound token only its own', async () => {
  const admin = newClient(server)
  const made = await admin.post('/api/token/', { name: 'bound', scopes: ['read'], experiences: ['seen'] })
  const stop = new AbortController()
  const stream = await fetch(`${server.url}/api/task/events/`, {
    headers: { authorization: `Bearer ${made.body.token}` },
    signal: stop.signal,
  })
  assert.equal(stream.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
  assert.ok(reader)
  await soon('the stream has begun', reader.read())
  const hidden = await send('flip hidden')
  const seen = await send('flip seen')
  for (const id of [hidden, seen]) await admin.post(`/api/task/${id}/cancel/`)
  const text = await said('the change is told', reader, so => so.includes(seen))
  assert.match(text, new RegExp(`event: changed\\ndata: {"task_ids":\\[[^\\]]*"${seen}"`))
  assert.ok(!text.includes(hidden))
  stop.abort()
})
