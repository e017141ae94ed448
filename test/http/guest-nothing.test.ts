// The pages of guests where there is nothing to show, or nothing any more: a page in the guest's language, and the truth.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import sharp from 'sharp'
import type { JsonObject } from '#kit/json.ts'
import type { Answer, Client } from '../support/client.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, photoOf, rawSharp } from '../support/pictures.ts'
import { until } from '../support/until.ts'

const PUBLIC = 'http://guests.example'

let keepsake: Keepsake
let admin: Client
let photo: Blob

before(async () => {
  keepsake = await startKeepsake({ settings: { publicUrl: PUBLIC }, waits: { guestPageMs: 50 } })
  admin = keepsake.client
  photo = await photoOf(640, 480)
  for (const [experience_id, guest_page] of [
    ['expo', { enabled: true, erase: true }],
    ['souq', { enabled: true, erase: true, language: 'ar', color: '#0a6e5c' }],
    ['shop', { enabled: true, language: 'de' }],
  ] as [string, JsonObject][]) {
    const flip = (name: string, more: JsonObject) =>
      keepsake.configure(single(name, 'photo_flip', { method: 'ROTATE_180' }, { experience_id, ...more }))
    await flip(`turn ${experience_id}`, {})
    await flip(`skips ${experience_id}`, { needs_consent: ['marketing'] })
    const { status, body } = await admin.patch(`/api/experience/${experience_id}/`, { guest_page })
    assert.equal(status, 200, JSON.stringify(body))
  }
})
after(() => keepsake?.stop())

const person = { accept: 'text/html,*/*' }
const program = { accept: 'application/json' }
const PROBLEM = 'application/problem+json'
const asked = (url: string, headers: Record<string, string> = person, init: RequestInit = {}) =>
  fetch(url.replace(PUBLIC, keepsake.url), { redirect: 'manual', ...init, headers })
const form = (value: Record<string, string>): RequestInit => ({ method: 'POST', body: new URLSearchParams(value) })

async function reserved(experience_id = 'expo', more: JsonObject = {}): Promise<Answer['body']> {
  const { status, body } = await admin.post('/api/keepsake/', { experience_id, ...more })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}
async function sent(configuration_name: string, code: string): Promise<Answer['body']> {
  const { status, body } = await keepsake.send('/api/task/', { data: photo, configuration_name, keepsake: code })
  assert.equal(status, 202, JSON.stringify(body))
  return keepsake.ended(`/api/task/${body.task_id}/`)
}
/** A page, and the words that are on it. */
async function page(answer: Response): Promise<string> {
  const text = await answer.text()
  assert.match(answer.headers.get('content-type') ?? '', /^text\/html/, text)
  return text
}

describe('a page of which nothing was made', () => {
  const isHonest =
    /data-state="empty"[\s\S]*There is nothing here[\s\S]*Nothing was made for this page, or it was deleted/

  test('says so where its guest agreed to nothing of it, and the API leaves the file out everywhere', async () => {
    const { url, code, keepsake_id } = await reserved()
    assert.match(await page(await asked(url)), /being made/, 'before anything was sent')
    await sent('skips expo', code)
    const text = await page(await asked(url))
    assert.match(text, isHonest)
    assert.doesNotMatch(text, /being made/)
    const { items } = (await admin.get('/api/keepsake/?experience_id=expo')).body
    const listed = items.find((each: JsonObject) => each.keepsake_id === keepsake_id)
    assert.deepEqual([listed.files, (await admin.get(`/api/keepsake/${keepsake_id}/`)).body.files], [[], []])
  })

  test('says so where its only task was deleted, also to who looks at it', async () => {
    const { url, code } = await reserved()
    const { task_id } = await sent('turn expo', code)
    const stream = await asked(`${url}/events`)
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader()
    let said = ''
    const read = (async () => {
      for (;;) {
        const { value, done } = await reader.read()
        if (done) return
        said += new TextDecoder().decode(value)
      }
    })()
    await until('the state is told', () => said.includes('"state":"ready"'))
    assert.equal((await admin.delete(`/api/task/${task_id}/`)).status, 204)
    await until('the page is told to renew itself', () => /"mark":"empty","files":\[\]/.test(said))
    await reader.cancel()
    await read
    assert.match(await page(await asked(url)), isHonest)
  })

  test('says so among the keepsakes of a visit, and is a picture there while one is ready', async () => {
    const lookups = { rfid: 'visitor' }
    const { url } = await reserved('expo', { lookups })
    const empty = await reserved('expo', { lookups })
    await sent('skips expo', empty.code)
    const both = await reserved('expo', { lookups })
    await sent('turn expo', both.code)
    await sent('skips expo', both.code)
    await reserved('expo', { lookups })
    const answer = await asked(url, person, form({ value: 'visitor' }))
    const shown = await asked(url, { ...person, cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '' })
    const others = [...(await page(shown)).matchAll(/<li><a [^>]+>(.*?)<\/a>/g)].map(([, inside]) => inside ?? '')
    assert.deepEqual(
      others.map(inside => /being made|nothing here|<img/.exec(inside)?.[0]),
      ['being made', '<img', 'nothing here'],
    )
  })
})

/** The link to pass on, as the page tells it. */
const sharedOf = (text: string): string => /data-share="([^"]+)"/.exec(text)?.[1] ?? ''

describe('what a guest can’t do', () => {
  test('is not offered by a link that only shows, and says why in a page', async () => {
    const lookups = { rfid: 'taker' }
    const { url } = await reserved('expo', { lookups })
    const other = await reserved('expo', { lookups })
    await sent('turn expo', other.code)
    const own = await page(await asked(url))
    assert.match(own, /\/erase">Take back</)
    const visit = await page(await asked(url, person, form({ value: 'taker' })))
    const visited = /<li><a href="([^"]+)"/.exec(visit)?.[1] ?? ''
    for (const link of [sharedOf(own), visited]) {
      assert.doesNotMatch(await page(await asked(link)), /erase|Take back/)
      const refused = await asked(`${link}/erase`)
      assert.equal(refused.status, 403)
      assert.match(await page(refused), /This link cannot do that/)
    }
    assert.equal((await asked(`${sharedOf(own)}/erase`, program)).headers.get('content-type')?.slice(0, 24), PROBLEM)
  })

  test('is told as a page to people and as a problem to programs, on every path', async () => {
    const { url, code } = await reserved('shop')
    const gone = await reserved('expo', { lookups: { rfid: 'gone' } })
    assert.equal((await asked(`${gone.url}/erase`, program, { method: 'POST' })).status, 202)
    const cases: [string, number, RegExp, RequestInit?][] = [
      [`${url}/erase`, 403, /Das geht mit diesem Link nicht/],
      [`${url}/erase`, 403, /Das geht mit diesem Link nicht/, form({ confirm: 'yes' })],
      [gone.url, 410, /This keepsake is gone/, form({ value: 'gone' })],
      [`${gone.url}/erase`, 410, /This keepsake is gone/, form({ confirm: 'yes' })],
      [`${gone.url}/file/0`, 410, /This keepsake is gone/],
      [`${gone.url}/events`, 410, /This keepsake is gone/],
      [`${url}/file/7`, 404, /Hier ist nichts/],
      [`${PUBLIC}/k/-/receipt/none`, 404, /There is nothing here/],
      [`${PUBLIC}/k/`, 404, /There is nothing here/],
      [`${PUBLIC}/k/${code}/nothing/of/this`, 404, /There is nothing here/],
      [`${PUBLIC}/k/%zz`, 400, /That did not work/],
      [`${PUBLIC}/k/${code}`, 405, /That did not work/, { method: 'PUT' }],
      [url, 400, /That did not work/, form({ other: 'x' })],
      [url, 413, /That did not work/, form({ value: 'x'.repeat(5_000) })],
    ]
    for (const [address, status, words, init] of cases) {
      const told = await asked(address, person, init)
      assert.equal(told.status, status, address)
      assert.match(await page(told), words, address)
      const problem = await asked(address, program, init)
      assert.deepEqual([problem.status, problem.headers.get('content-type')?.slice(0, 24)], [status, PROBLEM], address)
      await problem.body?.cancel()
    }
  })

  test('what was taken back is told as that, and not as a file', async () => {
    const { url } = await reserved()
    await asked(`${url}/erase`, program, { method: 'POST' })
    const { title, detail, code } = (await (await asked(url, program)).json()) as JsonObject
    assert.deepEqual([title, detail, code], ['It is no longer there', 'This keepsake was taken back.', 'gone'])
  })

  test('what was taken back can’t be put on the wall, taken off it, or wait for it', async () => {
    const { url, keepsake_id } = await reserved()
    await asked(`${url}/erase`, program, { method: 'POST' })
    for (const word of ['approve', 'hide', 'wait']) {
      const { status, body } = await admin.post(`/api/keepsake/${keepsake_id}/${word}/`, {})
      assert.deepEqual(
        [status, body.code, body.detail],
        [409, 'wrong_state', 'The keepsake was taken back: nothing of it can be changed.'],
        word,
      )
    }
  })

  test('a form that is too long is told its own limit', async () => {
    const { url } = await reserved()
    for (const address of [url, `${url}/erase`]) {
      const answer = await asked(address, program, form({ value: 'x'.repeat(5_000) }))
      const { detail } = (await answer.json()) as JsonObject
      assert.deepEqual([answer.status, detail], [413, 'The body may have 4,096 bytes at most here.'])
    }
  })
})

describe('the receipt of what was taken back', () => {
  test('is told again to whoever has the code, whatever became of the first answer, and to nobody else', async () => {
    const { url, code } = await reserved()
    await sent('turn expo', code)
    const shared = sharedOf(await page(await asked(url)))
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => asked(`${url}/erase`, program, { method: 'POST' })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [202, ...Array(5).fill(410)])
    const links = await Promise.all(answers.map(async each => ((await each.json()) as JsonObject).receipt_url))
    const [link] = links as string[]
    assert.deepEqual([...new Set(links)], [link])
    const receipt = (await (await asked(String(link), program)).json()) as { receipt: string }
    assert.equal(JSON.parse(receipt.receipt).counts.tasks, 1)
    const late = await asked(`${url}/erase`, person, form({ confirm: 'yes' }))
    assert.equal(late.status, 410)
    for (const text of [await page(late), await page(await asked(url))]) assert.ok(text.includes(`href="${link}"`))
    assert.doesNotMatch(await page(await asked(shared)), /receipt/)
    assert.doesNotMatch(await (await asked(`${shared}/erase`, program, { method: 'POST' })).text(), /receipt/)
  })
})

/** A second of silence. */
function wav(): Buffer {
  const rate = 8_000
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + rate, 4)
  header.write('WAVEfmt ', 8)
  for (const [at, value] of [
    [16, 16],
    [24, rate],
    [28, rate],
    [40, rate],
  ] as const)
    header.writeUInt32LE(value, at)
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const)
    header.writeUInt16LE(value, at)
  header.write('data', 36)
  return Buffer.concat([header, Buffer.alloc(rate, 128)])
}

describe('a logo', () => {
  test('is a picture that browsers show, and none where its asset is none any more', async () => {
    const { body: key } = await admin.post('/api/experience/shop/wall-key/', {})
    const { url } = await reserved('shop')
    const wall = key.url.replace('?', '/logo?')
    const store = async (method: 'POST' | 'PUT', path: string, bytes: Buffer, parts: Record<string, string> = {}) => {
      const body = new FormData()
      for (const [name, value] of Object.entries(parts)) body.append(name, value)
      body.append('file', new Blob([new Uint8Array(bytes)]))
      const answer = await admin.send(method, path, { body })
      assert.ok([200, 201].includes(answer.status), JSON.stringify(answer.body))
    }
    const seen = async (): Promise<unknown[]> => {
      const logos = [await asked(`${url}/logo`, program), await asked(wall, program)]
      const pages = [await page(await asked(url)), await page(await asked(key.url))]
      for (const logo of logos) await logo.body?.cancel()
      return [...logos.map(({ status }) => status), ...pages.map(text => /<img src="[^"]*\/logo/.test(text))]
    }
    // Browsers show no TIFF, and a logo is transparent around its edges.
    const tiff = await rawSharp(pattern(1_000, 500, 4))
      .tiff({ compression: 'lzw' })
      .toBuffer()
    await store('POST', '/api/asset/', tiff, { name: 'logo', experience_id: 'shop' })
    const set = await admin.patch('/api/experience/shop/', { guest_page: { logo_file_name: 'logo' } })
    assert.equal(set.status, 200, JSON.stringify(set.body))
    for (const address of [`${url}/logo`, wall]) {
      const logo = await asked(address, { accept: 'image/*' })
      assert.deepEqual([logo.status, logo.headers.get('content-type')], [200, 'image/png'])
      const { format, width, height, hasAlpha } = await sharp(Buffer.from(await logo.arrayBuffer())).metadata()
      assert.deepEqual([format, width, height, hasAlpha], ['png', 640, 320, true])
      const tag = { accept: 'image/*', 'if-none-match': logo.headers.get('etag') ?? '' }
      assert.equal((await asked(address, tag)).status, 304)
    }
    assert.deepEqual(await seen(), [200, 200, true, true])
    await store('PUT', '/api/asset/logo/', wav())
    assert.deepEqual(await seen(), [404, 404, false, false], 'it has become something to listen to')
    await store('PUT', '/api/asset/logo/', tiff)
    assert.deepEqual(await seen(), [200, 200, true, true])
    assert.equal((await admin.delete('/api/asset/logo/')).status, 204)
    assert.deepEqual(await seen(), [404, 404, false, false], 'it was deleted')
  })
})

describe('the language of a page that is gone, or never was', () => {
  test('is that of the event where the code tells it', async () => {
    const { url } = await reserved('souq')
    assert.equal((await asked(`${url}/erase`, person, form({ confirm: 'yes' }))).status, 202)
    for (const path of ['', '/erase', '/file/0']) {
      const answer = await asked(`${url}${path}`, { ...person, 'accept-language': 'de' })
      assert.equal(answer.status, 410)
      assert.match(await page(answer), /<html lang="ar" dir="rtl">[\s\S]*#0a6e5c[\s\S]*هذا التذكار لم يعد موجودًا/, path)
    }
  })

  test('is the browser’s where it tells nothing, and English where there is no such', async () => {
    for (const [accepted, language] of [
      ['de-AT,de;q=0.9,en;q=0.8', 'de'],
      ['nl, fr;q=0.4, ES;q=0.7', 'es'],
      ['ar', 'ar'],
      ['de;q=0, fr;q=x, nl', 'en'],
      [`${'nl,'.repeat(500)}de`, 'en'],
      ['*', 'en'],
    ] as const) {
      const text = await page(await asked(`${PUBLIC}/k/${'A'.repeat(22)}`, { ...person, 'accept-language': accepted }))
      assert.match(text, new RegExp(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`), accepted)
    }
  })

  test('is a page too where codes that open nothing are too many', async t => {
    const miss = () => asked(`${PUBLIC}/k/${'B'.repeat(22)}`, { ...person, 'accept-language': 'fr' })
    // A new minute, which does not end while they are counted.
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 60_000 })
    for (let count = 0; count < 60; count++) assert.equal((await miss()).status, 404)
    const told = await miss()
    assert.equal(told.status, 429)
    assert.ok(Number(told.headers.get('retry-after')) > 0)
    assert.match(await page(told), /lang="fr"[\s\S]*Trop d’essais\. Réessayez dans 1 min\./)
  })
})
