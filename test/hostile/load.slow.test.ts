// Attacks by load: clients that leave others to do work for nobody, and floods of one experience beside the photo of another.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { request, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import { cleanUp } from '../support/clean-up.ts'
import { type Client, statusOf } from '../support/client.ts'
import { svgOfFilters, withEmptyScans } from '../support/hostile-files.ts'
import { type Receiver, startReceiver } from '../support/https-receiver.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { photoOf, png, scene } from '../support/pictures.ts'
import { below } from '../support/processes.ts'
import { soon, until } from '../support/until.ts'
import { clip, withFfmpeg } from '../support/videos.ts'
import { counted, formOf } from './support/forms.ts'

const ffmpegs = () => below('ffmpeg').length

function stopTools(): void {
  for (const pid of below('ffmpeg'))
    try {
      process.kill(pid, 'SIGSTOP')
    } catch {
      // It has ended meanwhile.
    }
}

/** Makes the tools that run stand still: they come to no end by themselves, but can be killed. */
async function halt(): Promise<void> {
  await until('ffmpeg runs', () => {
    stopTools()
    return ffmpegs() > 0
  })
}

describe('work for clients that left', withFfmpeg, () => {
  let keepsake: Keepsake
  let video: Blob
  let taskId: string
  before(async () => {
    keepsake = await startKeepsake()
    const long = await clip({ seconds: 10, size: '854x480', rate: '30' })
    video = new Blob([new Uint8Array(await readFile(long.path))])
    await keepsake.configure(single('turn', 'video_flip', { method: 'FLIP_LEFT_RIGHT' }))
    await keepsake.configure(single('mirror', 'video_flip', { method: 'FLIP_TOP_BOTTOM' }))
    await keepsake.configure(single('small', 'video_resize', { width: 160, height: 90 }))
    await keepsake.configure(single('fine', 'video_convert', { preset: 'medium', crf: 10 }))
    await keepsake.configure(single('photo', 'photo_flip', { method: 'ROTATE_180' }, { experience_id: 'pier' }))
    await keepsake.configure(
      chain('melting', [
        ['turn', null],
        ['mirror', 0],
        ['small', 1],
      ]),
    )
    const { body } = await keepsake.send('/api/task/', { configuration_name: 'melting', data: video })
    taskId = body.task_id
    assert.equal((await keepsake.ended(`/api/task/${taskId}/`)).status, 'Succeeded')
  })
  after(() => keepsake.stop())

  const headers = () => ({ authorization: `Bearer ${keepsake.token}` })
  const output = async (index: number, more: { signal?: AbortSignal; headers?: Record<string, string> } = {}) => {
    const response = await fetch(`${keepsake.url}/api/task/${taskId}/output/${index}/`, {
      ...more,
      headers: { ...headers(), ...more.headers },
    })
    return { status: response.status, headers: response.headers, bytes: (await response.arrayBuffer()).byteLength }
  }
  const folders = async () => (await readdir(join(keepsake.settings.data, 'work'))).sort()
  const preview = (configuration: string, data: Blob, signal: AbortSignal | null = null, token = keepsake.token) =>
    fetch(`${keepsake.url}/api/configuration/${configuration}/preview/`, {
      method: 'POST',
      body: formOf({ data }),
      headers: { authorization: `Bearer ${token}` },
      signal,
    })

  /** Starts requests, hangs all of them up in the midst of the work, and waits for the end of the tools. */
  async function hangUp(begin: (signal: AbortSignal) => Promise<unknown>[]): Promise<void> {
    const stop = new AbortController()
    const all = Promise.allSettled(begin(stop.signal))
    await halt()
    stop.abort()
    await all
    await until('no ffmpeg runs', () => ffmpegs() === 0)
  }

  it('outputs of melted entries end when all who asked for them have hung up', async () => {
    const before = await folders()
    await hangUp(signal => Array.from({ length: 10 }, () => output(0, { signal })))
    await until('their folders are gone', async () => (await folders()).length <= before.length)
  })

  it('previews end when their client hangs up', async () => {
    await hangUp(signal => [preview('fine', video, signal), preview('fine', video, signal)])
  })

  it('an output of a melted entry is made once for all who ask, and kept for who asks next', async () => {
    const before = await folders()
    const answers = await Promise.all([output(0), output(0), output(0)])
    assert.deepEqual(counted(answers), { 200: 3 })
    const kept = (await folders()).filter(name => !before.includes(name))
    assert.equal(kept.length, 1, 'one folder, so it was made once')
    const [first] = answers
    const part = await output(0, { headers: { range: 'bytes=10-19' } })
    assert.deepEqual([part.status, part.bytes], [206, 10])
    const etag = first?.headers.get('etag') ?? ''
    assert.equal((await output(0, { headers: { 'if-none-match': etag } })).status, 304)
    assert.deepEqual(await output(0).then(({ bytes }) => bytes), first?.bytes)
    assert.deepEqual(
      (await folders()).filter(name => !before.includes(name)),
      kept,
      'it was not made again',
    )
  })

  it('one who leaves does not end it for the others', async () => {
    // Another run would have another key, so another task is needed for another file.
    const { body } = await keepsake.send('/api/task/', { configuration_name: 'melting', data: video })
    assert.equal((await keepsake.ended(`/api/task/${body.task_id}/`)).status, 'Succeeded')
    const get = (signal: AbortSignal | null = null) =>
      fetch(`${keepsake.url}/api/task/${body.task_id}/output/0/`, { headers: headers(), signal })
    const stop = new AbortController()
    const leaves = get(stop.signal).catch(() => null)
    const stays = get()
    await until('ffmpeg runs', () => ffmpegs() > 0)
    // Whatever was sent before this was received before it is answered.
    await keepsake.client.get('/api/session/')
    stop.abort()
    await leaves
    assert.equal((await stays).status, 200)
  })

  it('tokens of an experience that ask for many previews wait for it alone, and are refused when too many wait', async () => {
    const other = (await keepsake.client.post('/api/token/', { name: 'other', scopes: ['tasks'] })).body.token
    const stop = new AbortController()
    const refused: Response[] = []
    let waiting = 24
    const greedy = Array.from({ length: waiting }, (_, at) =>
      preview('fine', video, stop.signal, at % 2 ? other : keepsake.token)
        .then(
          answer => answer.status !== 200 && refused.push(answer),
          () => {},
        )
        .finally(() => waiting--),
    )
    await until('some are refused', () => refused.length >= 7)
    assert.equal(refused[0]?.status, 429, await refused[0]?.text())
    assert.ok(Number(refused[0]?.headers.get('retry-after')) >= 1)
    assert.ok(ffmpegs() <= 1, `${ffmpegs()} at once`)
    await halt()
    const photo = new Blob([new Uint8Array(await png(scene(400, 300)))])
    assert.equal((await preview('photo', photo)).status, 200)
    const { body } = await keepsake.send('/api/task/', { configuration_name: 'photo', data: photo })
    assert.equal((await keepsake.ended(`/api/task/${body.task_id}/`)).status, 'Succeeded')
    assert.ok(waiting > 0, 'the many were still at work')
    stop.abort()
    await Promise.all(greedy)
    await until('no ffmpeg runs', () => ffmpegs() === 0)
  })
})

/** More than the worker begins of one experience at once, in each lane. */
const MANY = 40
/** As many requests as one token may have under way. */
const UPLOADS = 150
const LONG = JSON.stringify({
  links: Array.from({ length: 100 }, (_, at) => `https://cdn.example/${'x'.repeat(60)}/${at}`),
})

describe('the photo of another experience is served while a flood waits', withFfmpeg, () => {
  let keepsake: Keepsake
  /** Of the flood. */
  let token: string
  let crowd: Client
  let web: Receiver
  let photo: Blob
  /** Answers that are held back. */
  const held: ServerResponse[] = []
  let answered = 0

  before(async () => {
    photo = await photoOf(160, 120)
    const start = Buffer.from(await photo.arrayBuffer()).subarray(0, 100)
    web = await startReceiver({
      answer({ url }, response) {
        if (url === '/long' && answered < 24) {
          answered++
          return void response.setHeader('content-type', 'application/json').end(LONG)
        }
        if (url === '/taken') return void response.end()
        if (url === '/begun') response.write(start)
        held.push(response)
      },
    })
    keepsake = await startKeepsake({ settings: { concurrency: 1, maxRequests: UPLOADS } })
    const limited = { name: 'crowd', scopes: ['tasks'], experiences: ['crowd'] }
    token = (await keepsake.client.post('/api/token/', limited)).body.token
    crowd = keepsake.client.as(token)
    for (const experience_id of ['crowd', 'guest']) {
      const own = { experience_id }
      await keepsake.configure(single(`${experience_id}-turn`, 'photo_flip', { method: 'ROTATE_180' }, own))
      await keepsake.configure(single(`${experience_id}-frame`, 'photo_add_overlay', {}, own))
      for (const path of ['long', 'hang', 'taken']) {
        const adapter_config = { auth: { bearer: 'a-bearer-of-theirs' }, defaults: { url: `${web.url}/${path}` } }
        await keepsake.configure(single(`${experience_id}-${path}`, 'http_post', {}, { ...own, adapter_config }))
      }
      const { status } = await keepsake.client.patch(`/api/experience/${experience_id}/`, {
        guest_page: { enabled: true },
      })
      assert.equal(status, 200)
    }
  })
  after(() =>
    cleanUp(
      () => keepsake?.stop(),
      () => web?.stop(),
    ),
  )

  async function send(client: Client, parts: Record<string, string | Blob>) {
    const { status, body } = await client.send('POST', '/api/task/', { body: formOf(parts) })
    assert.equal(status, 202, JSON.stringify(body))
    return body as { task_id: string; guest_url: string }
  }

  /** Fails unless it succeeds; answers the path of its page. */
  async function served(client: Client, parts: Record<string, string | Blob>): Promise<string> {
    const { task_id, guest_url } = await send(client, parts)
    const task = await keepsake.ended(`/api/task/${task_id}/`)
    assert.equal(task.status, 'Succeeded', JSON.stringify(task.entries))
    return keepsake.url + new URL(guest_url).pathname
  }
  const another = () => served(keepsake.client, { configuration_name: 'guest-turn', data: photo })

  const steer = async (more: object): Promise<number> => {
    const { status, body } = await crowd.post('/api/task/cancel/', { experience_id: 'crowd', ...more })
    assert.ok(status === 200 || status === 202, JSON.stringify(body))
    return body.count
  }
  const tasksLeft = () => steer({ dry_run: true })

  async function besideTasks(
    count: number,
    parts: (at: number) => Record<string, string | Blob>,
    ready: () => boolean | Promise<boolean>,
  ) {
    for (let at = 0; at < count; at++) await send(crowd, parts(at))
    await until('the flood is at work', ready)
    await another()
    const left = await tasksLeft()
    assert.ok(left > 0, 'the flood was not over')
    await steer({})
    for (const response of held.splice(0)) response.destroy()
    await until('the flood is over', async () => (await tasksLeft()) === 0)
  }
  const runs = async () => (await crowd.get('/api/task/?experience_id=crowd&status=Running')).body.items.length > 0
  const isHeld = () => held.length > 0

  it('of deliveries to a receiver that answers at length, and in the end not at all', async () => {
    await besideTasks(
      MANY,
      () => ({ configuration_name: 'crowd-long', data: photo }),
      () => answered === 24 && isHeld(),
    )
  })

  it('of deliveries to a receiver that never answers', async () => {
    await besideTasks(MANY, () => ({ configuration_name: 'crowd-hang', data: photo }), isHeld)
  })

  for (const [what, path] of [
    ['never answer', 'hang'],
    ['never come to their end', 'begun'],
  ] as const)
    it(`of addresses of files that ${what}`, async () => {
      await besideTasks(MANY, () => ({ configuration_name: 'crowd-turn', data_url: `${web.url}/${path}` }), isHeld)
    })

  it('of JPEGs of as many empty scans as are taken', async () => {
    const side = 8_000
    const plain = sharp({ create: { width: side, height: side, channels: 3, background: '#246' } })
    const jpeg = withEmptyScans(await plain.jpeg({ progressive: true }).toBuffer(), side, side, 85)
    const data = new Blob([new Uint8Array(jpeg)])
    await besideTasks(12, () => ({ configuration_name: 'crowd-turn', data }), runs)
  })

  it('of drawings that are made to cost much', async () => {
    const drawing = new Blob([new Uint8Array(svgOfFilters(2))])
    const parts = { configuration_name: 'crowd-frame', data: photo, overlay_file_name_data: drawing }
    await besideTasks(12, () => parts, runs)
  })

  it('of pictures for pages of guests, which are served their own as well', async () => {
    const long = await clip({ seconds: 10, size: '854x480', rate: '30' })
    const video = new Blob([new Uint8Array(await readFile(long.path))])
    const pages = [0, 1].map(() => served(crowd, { configuration_name: 'crowd-taken', data: video }))
    const stop = new AbortController()
    let waiting = 0
    const asked = (await Promise.all(pages)).flatMap(page =>
      [640, 1280, 2048].map(size => {
        waiting++
        const asking = fetch(`${page}/file/0?size=${size}`, { signal: stop.signal })
        return asking
          .then(answer => answer.arrayBuffer())
          .catch(() => {})
          .finally(() => waiting--)
      }),
    )
    await halt()
    // Whichever begins later stands still as well, so that the flood keeps all places that it gets.
    const halting = setInterval(stopTools, 20)
    try {
      const page = await another()
      // Sooner than the pictures of the flood are given up.
      assert.equal(await soon('the picture is served', statusOf(`${page}/file/0?size=640`)), 200)
    } finally {
      clearInterval(halting)
    }
    assert.ok(waiting > 0, 'the pictures of the flood were still being made')
    stop.abort()
    await Promise.all(asked)
    await until('no ffmpeg runs', () => ffmpegs() === 0)
  })

  it('of QR codes of one guest, asked for again and again', async () => {
    const page = await served(crowd, { configuration_name: 'crowd-turn', data: photo })
    let isServed = false
    const asker = async (): Promise<void> => {
      while (!isServed) assert.equal(await statusOf(`${page}/qr.png`), 200)
    }
    const askers = Array.from({ length: 50 }, asker)
    await another()
    isServed = true
    await Promise.all(askers)
  })

  it('of uploads that stand still', async () => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': 1_000,
    }
    let over = 0
    const uploads = Array.from({ length: UPLOADS }, () => {
      const upload = request(`${keepsake.url}/api/task/`, { method: 'POST', headers })
      upload.on('error', () => {}).once('close', () => over++)
      upload.write('--')
      return upload
    })
    await until('all of them are under way', async () => (await crowd.get('/api/session/')).status === 429)
    await another()
    assert.equal(over, 0, 'all of them were still under way')
    for (const upload of uploads) upload.destroy()
  })
})
