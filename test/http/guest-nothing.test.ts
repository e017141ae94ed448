// The pages of guests where there is nothing to show, or nothing any more: a page in the guest's language, and the truth.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { JsonObject } from '#kit/json.ts'
import type { Answer, Client } from '../support/client.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, rawSharp } from '../support/pictures.ts'
import { until } from '../support/until.ts'

const PUBLIC = 'http://guests.example'

let keepsake: Keepsake
let admin: Client
let photo: Blob

before(async () => {
  keepsake = await startKeepsake({ settings: { publicUrl: PUBLIC } })
  admin = keepsake.client
  const bytes = await rawSharp(pattern(640, 480, 3))
    .jpeg()
    .toBuffer()
  photo = new Blob([new Uint8Array(bytes)])
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
    await until('the page is told to renew itself', () => /"mark":"empty","files":\[\]/.test(said), 15_000)
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
