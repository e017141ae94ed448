// The pages of guests: a link before the media, the page itself, its files, and codes that open nothing.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import jsqr from 'jsqr'
import sharp from 'sharp'
import { openDatabase } from '#db/database.ts'
import { qrPng } from '#guests/link-code.ts'
import { newLog } from '#kit/log.ts'
import type { Answer, Client } from '../support/client.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, photoOf, png, rawSharp } from '../support/pictures.ts'

const readQr = jsqr as unknown as typeof jsqr.default
const PUBLIC = 'http://guests.example'

let keepsake: Keepsake
let admin: Client
let photo: Blob

before(async () => {
  keepsake = await startKeepsake({ settings: { publicUrl: PUBLIC }, waits: { guestPageMs: 50 } })
  admin = keepsake.client
  photo = await photoOf(640, 480)
  await keepsake.configure(single('turn', 'photo_flip', { method: 'ROTATE_180' }, { experience_id: 'expo' }))
  await keepsake.configure(
    single('with link', 'photo_add_qr', { data: '{{guest_url}}', size: 240 }, { experience_id: 'expo' }),
  )
  await keepsake.configure(
    single('without page', 'photo_add_qr', { data: '{{guest_url}}' }, { experience_id: 'plain' }),
  )
  const { status, body } = await admin.patch('/api/experience/expo/', {
    guest_page: { enabled: true, title: 'Expo <2026>' },
  })
  assert.equal(status, 200, JSON.stringify(body))
})
after(() => keepsake.stop())

/** A guest's request: no token, and the address that guests see. */
const guest = (url: string, init: RequestInit = {}) =>
  fetch(url.replace(PUBLIC, keepsake.url), {
    redirect: 'manual',
    ...init,
    headers: { accept: 'text/html,*/*', ...init.headers },
  })

async function accepted(parts: Record<string, string | Blob>): Promise<Answer['body']> {
  const { status, body } = await keepsake.send('/api/task/', { data: photo, ...parts })
  assert.equal(status, 202, JSON.stringify(body))
  return body
}

const reserved = async (): Promise<Answer['body']> =>
  (await admin.post('/api/keepsake/', { experience_id: 'expo' })).body

describe('a keepsake', () => {
  test('is reserved before there is media, and its page answers at once', async () => {
    const { status, body, headers } = await admin.post('/api/keepsake/', { experience_id: 'expo' })
    assert.equal(status, 201, JSON.stringify(body))
    assert.match(body.code, /^[\w-]{22}$/)
    assert.deepEqual([body.url, body.qr_url], [`${PUBLIC}/k/${body.code}`, `${PUBLIC}/k/${body.code}/qr.svg`])
    assert.equal(headers.get('location'), `/api/keepsake/${body.keepsake_id}/`)
    const page = await guest(body.url)
    const text = await page.text()
    assert.equal(page.status, 200)
    assert.match(text, /being made/)
    assert.match(text, /Expo &#60;2026&#62;/)
    assert.equal(page.headers.get('x-robots-tag'), 'noindex, nofollow')
    assert.doesNotMatch(page.headers.get('content-security-policy') ?? '', /'self'|unsafe-inline/)
    assert.ok(Buffer.byteLength(text) < 20_000)
    const known = (await admin.get(`/api/keepsake/${body.keepsake_id}/`)).body
    assert.deepEqual([known.url, known.files, known.experience_id], [body.url, [], 'expo'])
  })

  test('needs an experience with pages, and one of the token', async () => {
    const none = await admin.post('/api/keepsake/', { experience_id: 'plain' })
    assert.deepEqual([none.status, none.body.errors[0].field], [400, 'experience_id'])
    const { body } = await admin.post('/api/token/', { name: 'l', scopes: ['write', 'tasks'], experiences: ['plain'] })
    const limited = admin.as(body.token)
    assert.equal((await limited.post('/api/keepsake/', { experience_id: 'expo' })).status, 403)
    const { keepsake_id } = await reserved()
    assert.equal((await limited.get(`/api/keepsake/${keepsake_id}/`)).status, 404)
    assert.equal((await admin.post('/api/keepsake/', {})).status, 400)
    for (const id of ['x', '%00x', '0'.repeat(36)])
      assert.ok([400, 404].includes((await admin.get(`/api/keepsake/${id}/`)).status), id)
    assert.equal((await admin.post('/api/keepsake/x/reissue/', {})).status, 404)
  })

  test('gets another code when the first one is lost', async () => {
    const { keepsake_id, code, url } = await reserved()
    const { task_id } = await accepted({ configuration_name: 'turn', keepsake: code })
    await keepsake.ended(`/api/task/${task_id}/`)
    const { status, body } = await admin.post(`/api/keepsake/${keepsake_id}/reissue/`, {})
    assert.deepEqual([status, body.keepsake_id, body.code === code], [200, keepsake_id, false])
    assert.equal((await guest(url)).status, 404)
    assert.equal((await guest(`${body.url}/file/0`)).status, 200)
    assert.equal((await admin.get(`/api/keepsake/${keepsake_id}/`)).body.url, body.url)
    const { items } = (await admin.get('/api/audit/?object=keepsake&action=reissue')).body
    assert.equal(items[0].object_id, keepsake_id)
  })

  test('its QR codes lead to its page', async () => {
    const { url } = await reserved()
    for (const ending of ['svg', 'png']) {
      const answer = await guest(`${url}/qr.${ending}`)
      const bytes = Buffer.from(await answer.arrayBuffer())
      const picture = sharp(bytes).resize(600, 600, { kernel: 'nearest' })
      const { data } = await picture
        .flatten({ background: '#fff' })
        .ensureAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true })
      assert.equal(readQr(new Uint8ClampedArray(data), 600, 600)?.data, url, ending)
      if (ending === 'png') assert.equal(bytes[24], 1, 'a pixel is a bit: written without an encoder')
    }
    assert.equal(qrPng(url), qrPng(url), 'drawn once')
  })
})

describe('a task', () => {
  test('prints the link of its own page, where the very same bytes are', async () => {
    const { task_id, guest_url, keepsake_id } = await accepted({ configuration_name: 'with link' })
    assert.match(guest_url, /^http:\/\/guests\.example\/k\/[\w-]{22}$/)
    assert.match(await (await guest(guest_url)).text(), /being made|data-file/)
    const done = await keepsake.ended(`/api/task/${task_id}/`)
    assert.deepEqual([done.status, done.entries[0].warnings, done.keepsake_id], ['Succeeded', [], keepsake_id])
    assert.ok(!('guest_url' in done), 'the link is told once')
    const output = Buffer.from(
      await (
        await fetch(`${keepsake.url}/api/task/${task_id}/output/0/`, {
          headers: { authorization: `Bearer ${keepsake.token}` },
        })
      ).arrayBuffer(),
    )
    const { data, info } = await sharp(output).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
    assert.equal(readQr(new Uint8ClampedArray(data), info.width, info.height)?.data, guest_url)
    const page = await (await guest(guest_url)).text()
    assert.ok(page.includes(`<img src="${guest_url}/file/0"`), 'a picture that fits the screen is shown as it is')
    assert.deepEqual(Buffer.from(await (await guest(`${guest_url}/file/0`)).arrayBuffer()), output)
    const part = await guest(`${guest_url}/file/0`, { headers: { range: 'bytes=0-9' } })
    assert.deepEqual([part.status, (await part.arrayBuffer()).byteLength], [206, 10])
    const saved = await guest(`${guest_url}/file/0?save=1`)
    assert.match(saved.headers.get('content-disposition') ?? '', /attachment; filename="keepsake-1\.jpg"/)
    await saved.body?.cancel()
    assert.equal((await guest(`${guest_url}/file/1`)).status, 404)
  })

  test('has its large pictures made smaller for screens, once, and what browsers can’t show made a picture', async () => {
    const large = await rawSharp(pattern(3000, 2000, 3))
      .jpeg()
      .toBuffer()
    const { task_id, guest_url } = await accepted({
      configuration_name: 'turn',
      data: new Blob([new Uint8Array(large)]),
    })
    await keepsake.ended(`/api/task/${task_id}/`)
    const page = await (await guest(guest_url)).text()
    const set = /srcset="([^"]+)"/.exec(page)?.[1]?.replaceAll('&#38;', '&').split(', ') ?? []
    assert.deepEqual(
      set.map(each => each.split(' ')[1]),
      ['640w', '1280w', '2048w', '3000w'],
    )
    const small = await guest(set[0]?.split(' ')[0] ?? '')
    assert.match(small.headers.get('cache-control') ?? '', /immutable/)
    const { width, height, format } = await sharp(Buffer.from(await small.arrayBuffer())).metadata()
    assert.deepEqual([width, height, format], [640, 427, 'jpeg'])
    assert.equal((await guest(`${guest_url}/file/0?size=7`)).status, 400)
    const scan = await rawSharp(pattern(800, 600, 3))
      .tiff()
      .toBuffer()
    const tiff = await accepted({ configuration_name: 'turn', data: new Blob([new Uint8Array(scan)]) })
    await keepsake.ended(`/api/task/${tiff.task_id}/`)
    assert.match(await (await guest(tiff.guest_url)).text(), /<img src="[^"]+\?size=1280[^"]+" srcset="[^"]*640w"/)
  })

  test('puts its file behind those of earlier ones, in the order of acceptance', async () => {
    const { code, url, keepsake_id } = await reserved()
    const first = await accepted({ configuration_name: 'turn', keepsake: code })
    assert.equal(first.guest_url, url)
    const broken = await accepted({ configuration_name: 'turn', keepsake: code, data: new Blob(['no picture']) })
    const { body: group } = await keepsake.send('/api/taskgroup/', {
      configuration_names: '["turn", "with link"]',
      turn_data: photo,
      'with link_input': 'turn',
      keepsake: code,
    })
    assert.equal(group.guest_url, url)
    for (const { task_id } of [first, broken]) await keepsake.ended(`/api/task/${task_id}/`)
    await keepsake.ended(`/api/taskgroup/${group.task_id}/`)
    const { files } = (await admin.get(`/api/keepsake/${keepsake_id}/`)).body
    assert.deepEqual(
      files.map((file: Answer['body']) => [file.number, file.state]),
      [
        [3, 'ready'],
        [2, 'ready'],
        [1, 'failed'],
        [0, 'ready'],
      ],
    )
    assert.equal((await guest(`${url}/file/1`)).status, 404)
    assert.equal((await guest(`${url}/file/3`)).status, 200)
  })

  test('is refused a code that is none of its experience', async () => {
    const { code } = await reserved()
    for (const [configuration_name, keepsakeCode] of [
      ['turn', 'nonsense'],
      ['turn', 'A'.repeat(22)],
      ['without page', code],
    ] as const) {
      const { status, body } = await keepsake.send('/api/task/', {
        data: photo,
        configuration_name,
        keepsake: keepsakeCode,
      })
      assert.deepEqual([status, body.errors[0].field], [400, 'keepsake'])
      assert.ok(!JSON.stringify(body).includes(code), 'no answer repeats a code')
    }
  })

  test('of an experience without pages leaves the QR code out, with a warning', async () => {
    const { task_id, keepsake_id, ...task } = await accepted({ configuration_name: 'without page' })
    assert.ok(!('guest_url' in task) && keepsake_id === null)
    const { entries } = await keepsake.ended(`/api/task/${task_id}/`)
    assert.match(entries[0].warnings.join(), /no value for \{\{guest_url\}\}.*nothing to put into the QR code/)
  })
})

describe('the page', () => {
  test('turns into the picture by events', async () => {
    const { code, url } = await reserved()
    const stream = await guest(`${url}/events`)
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader()
    const decoder = new TextDecoder()
    let said = ''
    const wanted = async (words: RegExp) => {
      while (!words.test(said)) {
        const { value, done } = await reader.read()
        assert.ok(!done, said)
        said += decoder.decode(value, { stream: true })
      }
    }
    await wanted(/event: state/)
    await accepted({ configuration_name: 'turn', keepsake: code })
    await wanted(/"state":"ready"/)
    await reader.cancel()
  })

  test('is the same for all codes that open nothing, and limits only those', async t => {
    const { url } = await reserved()
    const bodies = new Set<string>()
    for (const code of ['x', 'A'.repeat(22), 'A'.repeat(500), '..%2f..%2fetc', '%00', 'ünïcode']) {
      const answer = await guest(`${PUBLIC}/k/${code}`)
      assert.equal(answer.status, code === '%00' ? 400 : 404, code)
      if (answer.status === 404) bodies.add((await answer.text()).replace(/nonce="[^"]*"/, ''))
    }
    assert.equal(bodies.size, 1)
    assert.match([...bodies][0] ?? '', /There is nothing here/)
    const program = await guest(`${PUBLIC}/k/${'A'.repeat(22)}`, { headers: { accept: '*/*' } })
    assert.match(program.headers.get('content-type') ?? '', /^application\/problem\+json/)
    // A new minute, which does not end while they are counted.
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 60_000 })
    for (let count = 0; count < 60; count++) assert.equal((await guest(`${PUBLIC}/k/${'B'.repeat(22)}`)).status, 404)
    assert.equal((await guest(`${PUBLIC}/k/${'B'.repeat(22)}`)).status, 429)
    assert.equal((await guest(url)).status, 200, 'who has a code is let in')
  })

  test('is gone when its time is over, in the words of the experience', async () => {
    const { url, code } = await reserved()
    await admin.patch('/api/experience/expo/', { guest_page: { expires_days: 1, language: 'de', color: '#d8412f' } })
    assert.match(await (await guest(url)).text(), /<html lang="de" dir="ltr">[\s\S]*#d8412f[\s\S]*entsteht gerade/)
    const database = openDatabase(keepsake.databaseUrl, newLog('silent', 'test'))
    try {
      await database.db
        .updateTable('keepsakes')
        .set({ used_at: new Date(Date.now() - 2 * 86_400_000) })
        .execute()
    } finally {
      await database.close()
    }
    const answer = await guest(url)
    assert.equal(answer.status, 410)
    assert.equal((await guest(`${url}/qr.svg`)).status, 410)
    const late = await keepsake.send('/api/task/', { data: photo, configuration_name: 'turn', keepsake: code })
    assert.equal(late.body.errors[0].field, 'keepsake')
  })

  test('is refused settings that make no sense', async () => {
    for (const [guest_page, field] of [
      [{ color: 'red' }, 'guest_page.color'],
      [{ language: 'xx' }, 'guest_page.language'],
      [{ logo_file_name: 'none.png' }, 'guest_page.logo_file_name'],
      [{ expires_days: 0 }, 'guest_page.expires_days'],
      [{ title: 5 }, 'guest_page.title'],
      [{ colour: '#000000' }, 'guest_page.colour'],
    ] as const) {
      const { status, body } = await admin.patch('/api/experience/expo/', { guest_page })
      assert.deepEqual([status, body.errors?.[0].field], [400, field], JSON.stringify(body))
    }
    const form = new FormData()
    form.append('name', 'logo.png')
    form.append('experience_id', 'expo')
    form.append('file', new Blob([new Uint8Array(await png(pattern(40, 20, 4)))]))
    assert.equal((await admin.send('POST', '/api/asset/', { body: form })).status, 201)
    const set = await admin.patch('/api/experience/expo/', { guest_page: { logo_file_name: 'logo.png' } })
    assert.deepEqual([set.status, set.body.guest_page.title, set.body.guest_page.language], [200, 'Expo <2026>', 'de'])
    const { url } = await reserved()
    const logo = await guest(`${url}/logo`)
    assert.deepEqual([logo.status, logo.headers.get('content-type')], [200, 'image/png'])
    await logo.body?.cancel()
  })

  test('has an address of its own, where nothing else is served', async () => {
    const { url } = await reserved()
    const status = (path: string) =>
      new Promise<number>((resolve, reject) => {
        const { hostname, port } = new URL(keepsake.url)
        request({ hostname, port, path, headers: { host: 'guests.example' } }, answer => {
          answer.resume()
          resolve(answer.statusCode ?? 0)
        })
          .on('error', reject)
          .end()
      })
    assert.equal(await status(new URL(url).pathname), 200)
    for (const path of ['/', '/api/task/', '/docs/', '/metrics', '/healthz'])
      assert.equal(await status(path), 404, path)
  })
})
