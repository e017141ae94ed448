// Links to the pages of guests that are passed on: they show the same, and can do no more.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Answer, Client } from '../support/client.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { photoOf } from '../support/pictures.ts'
import { partsOf, startSmtp } from '../support/smtp.ts'

const PUBLIC = 'http://guests.example'

let keepsake: Keepsake
let admin: Client
let photo: Blob

before(async () => {
  keepsake = await startKeepsake({ settings: { publicUrl: PUBLIC }, waits: { guestPageMs: 50 } })
  admin = keepsake.client
  photo = await photoOf(900, 600)
  await keepsake.configure(single('turn', 'photo_flip', { method: 'ROTATE_180' }, { experience_id: 'expo' }))
  await page({ enabled: true, title: 'Expo' })
})
after(() => keepsake.stop())

async function page(guest_page: object): Promise<void> {
  const { status, body } = await admin.patch('/api/experience/expo/', { guest_page })
  assert.equal(status, 200, JSON.stringify(body))
}

/** A guest's request: no token, and the address that guests see. */
const guest = (url: string, init: RequestInit = {}) =>
  fetch(url.replace(PUBLIC, keepsake.url), {
    redirect: 'manual',
    ...init,
    headers: { accept: 'text/html,*/*', ...init.headers },
  })
const textOf = async (url: string): Promise<string> => (await guest(url)).text()
const statusOf = async (url: string): Promise<number> => (await guest(url)).status

/** A keepsake with one picture on its page. */
async function made(): Promise<Answer['body']> {
  const reserved = (await admin.post('/api/keepsake/', { experience_id: 'expo' })).body
  const { status, body } = await keepsake.send('/api/task/', {
    data: photo,
    configuration_name: 'turn',
    keepsake: reserved.code,
  })
  assert.equal(status, 202, JSON.stringify(body))
  await keepsake.ended(`/api/task/${body.task_id}/`)
  return reserved
}

const shareOf = (text: string): string => /<main[^>]* data-share="([^"]+)"/.exec(text)?.[1] ?? ''

describe('the link to pass on', () => {
  test('opens the same page and files, and names the own code nowhere', async () => {
    const { url, code } = await made()
    const own = await textOf(url)
    const share = shareOf(own)
    assert.match(share, /^http:\/\/guests\.example\/k\/[\w-]{22}$/)
    assert.notEqual(share, url)
    assert.equal(shareOf(await textOf(url)), share, 'it stays the same')
    const answer = await guest(share)
    const text = await answer.text()
    assert.equal(answer.status, 200)
    assert.match(text, /<figure id="file-0" data-state="ready"/)
    assert.ok(!text.includes(code) && !JSON.stringify([...answer.headers]).includes(code))
    assert.ok(text.includes(`<meta property="og:image" content="${share}/file/0">`))
    assert.ok(own.includes(`<meta property="og:image" content="${share}/file/0">`), 'previews go to others')
    assert.equal(shareOf(text), share, 'who got it may pass it on')
    const [first, second] = await Promise.all(
      [url, share].map(async each => Buffer.from(await (await guest(`${each}/file/0`)).arrayBuffer())),
    )
    assert.deepEqual(first, second)
    assert.equal(await statusOf(`${share}/file/0?size=640`), 200)
    assert.equal(await statusOf(`${share}/qr.svg`), 200)
    const main = await textOf(`${share}?part=main`)
    assert.ok(main.includes('data-share') && !main.includes(code))
    const stream = await guest(`${share}/events`)
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader()
    const said = new TextDecoder().decode((await reader.read()).value)
    assert.ok(/event: state/.test(said) && !said.includes(code), said)
    await reader.cancel()
  })

  test('is the key of no task, and what is told of a keepsake does not hold it', async () => {
    const { url, keepsake_id } = await made()
    const share = shareOf(await textOf(url))
    const shareCode = share.split('/').at(-1) ?? ''
    const parts = { data: photo, configuration_name: 'turn', keepsake: shareCode }
    const { status, body } = await keepsake.send('/api/task/', parts)
    assert.deepEqual([status, body.errors[0].field], [400, 'keepsake'])
    assert.ok(!JSON.stringify((await admin.get(`/api/keepsake/${keepsake_id}/`)).body).includes(shareCode))
  })

  test('opens nothing where guests may not pass on, and again where they may', async () => {
    const { url } = await made()
    const share = shareOf(await textOf(url))
    await page({ share: false })
    try {
      const text = await textOf(url)
      assert.deepEqual([shareOf(text), text.includes('name="share"'), await statusOf(share)], ['', false, 404])
      for (const below of ['/file/0', '/qr.svg', '/events', '/logo']) assert.equal(await statusOf(share + below), 404)
    } finally {
      await page({ share: true })
    }
    assert.equal(await statusOf(share), 200)
  })

  test('is another one once the guest has another code', async () => {
    const { url, keepsake_id } = await made()
    const share = shareOf(await textOf(url))
    const { body } = await admin.post(`/api/keepsake/${keepsake_id}/reissue/`, {})
    assert.deepEqual([await statusOf(url), await statusOf(share)], [404, 404])
    const next = shareOf(await textOf(body.url))
    assert.notEqual(next, share)
    assert.equal(await statusOf(next), 200)
    assert.equal(await statusOf(share), 404, 'the first one stays closed')
  })

  test('ends its streams with the code', async () => {
    const { url, keepsake_id } = await made()
    const stream = await guest(`${shareOf(await textOf(url))}/events`)
    await admin.post(`/api/keepsake/${keepsake_id}/reissue/`, {})
    assert.match(await stream.text(), /event: gone/)
  })
})

test('the own link of a guest is told to tokens that make tasks, and not to one that only reads', async () => {
  const { url, code, keepsake_id } = await made()
  const as = async (scope: string): Promise<Client> => {
    const { body } = await admin.post('/api/token/', { name: scope, scopes: [scope], experiences: ['expo'] })
    return admin.as(body.token)
  }
  const [reader, booth] = [await as('read'), await as('tasks')]
  for (const path of [`/api/keepsake/${keepsake_id}/`, '/api/keepsake/', '/api/task/']) {
    const { status, body } = await reader.get(path)
    assert.equal(status, 200, path)
    assert.ok(!JSON.stringify(body).includes(code), path)
  }
  const { body: known } = await reader.get(`/api/keepsake/${keepsake_id}/`)
  assert.deepEqual([known.keepsake_id, known.url, known.files.length], [keepsake_id, null, 1])
  assert.equal((await booth.get(`/api/keepsake/${keepsake_id}/`)).body.url, url)
  assert.equal((await booth.patch(`/api/keepsake/${keepsake_id}/`, { consent: { wall: true } })).body.url, url)
})

test('a mail may link to the page of the guest, by its defaults or by the extras of a task', async t => {
  const user = { name: 'booth', password: 'booth-of-the-park' }
  const server = await startSmtp({ user })
  t.after(() => server.stop())
  const auth = {
    ...{ host: '127.0.0.1', port: server.port, from: 'booth@park.example' },
    ...{ username: user.name, password: user.password },
  }
  const mail = (name: string, experience_id: string, more: object = {}) =>
    keepsake.configure({
      configuration_name: name,
      experience_id,
      adapter_name: 'email_send',
      adapter_config: {
        auth,
        defaults: { to: 'guest@park.example', subject: 'Yours', text: 'Look:', design: 'none', ...more },
      },
    })
  const whole = { attach: 'link', link: '{{guest_url}}' }
  const sent = async (configuration_name: string, extras: object = {}) => {
    const { status, body } = await keepsake.send('/api/task/', {
      data: photo,
      configuration_name,
      extras: JSON.stringify(extras),
    })
    assert.equal(status, 202, JSON.stringify(body))
    return { url: body.guest_url, ended: await keepsake.ended(`/api/task/${body.task_id}/`) }
  }
  const lastText = () =>
    partsOf(server.messages.at(-1)?.raw ?? '')[0]
      ?.body.toString()
      .trim()
  await mail('page', 'expo', whole)
  const first = await sent('page')
  assert.deepEqual([first.ended.status, lastText()], ['Succeeded', `Look:\r\n\r\n${first.url}`])
  await mail('file', 'expo')
  const second = await sent('file', { ...whole, link: '{{guest_url}}/file/0' })
  assert.deepEqual([second.ended.status, lastText()], ['Succeeded', `Look:\r\n\r\n${second.url}/file/0`])
  await mail('no page', 'plain', { link: '{{guest_url}}' })
  const third = await sent('no page')
  assert.deepEqual([third.ended.status, third.ended.entries[0].warnings.length, lastText()], ['Succeeded', 1, 'Look:'])
  const fourth = await sent('no page', { attach: 'link' })
  assert.deepEqual([fourth.ended.status, fourth.ended.entries[0].error.code], ['Failed', 'option_missing'])
})
