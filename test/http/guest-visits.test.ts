// All of a guest's visit on one page: who is asked, what is shown, and what is never told.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openDatabase } from '#db/database.ts'
import { newLog } from '#kit/log.ts'
import { cleanUp } from '../support/clean-up.ts'
import type { Answer, Client } from '../support/client.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { photoOf } from '../support/pictures.ts'

const PUBLIC = 'http://guests.example'

let keepsake: Keepsake
let admin: Client
let database: ReturnType<typeof openDatabase>
let photo: Blob

before(async () => {
  keepsake = await startKeepsake({ settings: { publicUrl: PUBLIC }, waits: { guestPageMs: 50 } })
  database = openDatabase(keepsake.databaseUrl, newLog('silent', 'test'), { max: 2 })
  admin = keepsake.client
  photo = await photoOf(900, 600)
  for (const experience_id of ['expo', 'other']) {
    await keepsake.configure(single(`turn ${experience_id}`, 'photo_flip', { method: 'ROTATE_180' }, { experience_id }))
    const { status } = await admin.patch(`/api/experience/${experience_id}/`, { guest_page: { enabled: true } })
    assert.equal(status, 200)
  }
})
after(() =>
  cleanUp(
    () => database?.close(),
    () => keepsake?.stop(),
  ),
)

const guest = (url: string, init: RequestInit = {}) =>
  fetch(url.replace(PUBLIC, keepsake.url), {
    redirect: 'manual',
    ...init,
    headers: { accept: 'text/html,*/*', ...init.headers },
  })
const say = (url: string, value: string, init: RequestInit = {}) =>
  guest(url, { method: 'POST', body: new URLSearchParams({ value }), ...init })

/** A keepsake with a picture, known by values, or by the profile that its task finds. */
async function made(
  names: Record<string, string> = {},
  extras: object = {},
  experience_id = 'expo',
): Promise<Answer['body']> {
  const { body } = await admin.post('/api/keepsake/', { experience_id })
  await known(body.keepsake_id, names)
  const sent = await keepsake.send('/api/task/', {
    data: photo,
    configuration_name: `turn ${experience_id}`,
    keepsake: body.code,
    extras: JSON.stringify(extras),
  })
  assert.equal(sent.status, 202, JSON.stringify(sent.body))
  await keepsake.ended(`/api/task/${sent.body.task_id}/`)
  return body
}

async function known(keepsake_id: string, names: Record<string, string>): Promise<void> {
  const rows = Object.entries(names).map(([kind, value], position) => ({
    keepsake_id,
    position,
    kind: kind as 'email',
    key: kind === 'email' ? value.toLowerCase() : value,
    value,
  }))
  if (rows.length > 0) await database.db.insertInto('keepsake_lookups').values(rows).execute()
}

const linksOf = (text: string): string[] => [...text.matchAll(/<li><a href="([^"]+)"/g)].map(match => match[1] ?? '')

describe('all of my visit', () => {
  test('shows the other keepsakes of the guest by links that can do no more', async () => {
    const own = await made({ email: 'Mia@x.org', rfid: 'mia-1' })
    const others = [await made({ email: 'mia@x.org' }), await made({ rfid: 'mia-1' })]
    await made({ email: 'else@x.org' })
    await made({ email: 'mia@x.org' }, {}, 'other')
    const page = await (await guest(own.url)).text()
    assert.ok(page.includes(`<form method="post" action="${own.url}">`))
    const answer = await say(own.url, ' MIA@X.org ')
    const text = await answer.text()
    assert.equal(answer.status, 200)
    assert.equal(linksOf(text).length, 1, 'known by the e-mail address alone')
    assert.ok(
      [own, ...others].every(({ code }) => code === own.code || !text.includes(code)),
      'no code of another page',
    )
    const [link = ''] = linksOf(text)
    const other = await guest(link)
    const shown = await other.text()
    assert.equal(other.status, 200)
    assert.ok(!shown.includes('id="visit"') && !shown.includes(others[0].code))
    const picture = /<img src="([^"]+)" alt="Another/.exec(text)?.[1]?.replaceAll('&#38;', '&') ?? ''
    assert.match((await guest(picture)).headers.get('cache-control') ?? '', /immutable/)
    assert.equal((await say(link, 'mia@x.org')).status, 404)

    const cookie = answer.headers.get('set-cookie') ?? ''
    assert.match(cookie, /^visit=[\w-]+; Path=\/k\/[\w-]{22}; Max-Age=3600; HttpOnly; SameSite=Strict$/)
    const kept = { headers: { cookie: cookie.split(';')[0] ?? '' } }
    assert.deepEqual(linksOf(await (await guest(own.url, kept)).text()), [link])
    assert.deepEqual(linksOf(await (await guest(own.url)).text()), [], 'who has not said it sees none')
    assert.deepEqual(linksOf(await (await guest(link, kept)).text()), [])
    const second = await made({ email: 'mia@x.org' })
    assert.deepEqual(linksOf(await (await guest(second.url, kept)).text()), [], 'it proves nothing on another page')
    const changed = kept.headers.cookie.replace(/..$/, end => (end === 'AA' ? 'BB' : 'AA'))
    const forged = { headers: { cookie: changed } }
    assert.deepEqual(linksOf(await (await guest(own.url, forged)).text()), [])
    assert.equal(linksOf(await (await guest(own.url, kept)).text()).length, 2, 'the second one is there too')
  })

  test('finds the guest by the profile that tasks found, with all its names', async () => {
    const profile = { experience_id: 'expo', email: 'ada@x.org', rfid: 'ada-band' }
    assert.equal((await admin.post('/api/profile/', profile)).status, 201)
    const own = await made({}, { rfid: 'ada-band' })
    await made({}, { email: 'ada@x.org' })
    await made({ rfid: 'ada-band' })
    assert.equal(linksOf(await (await say(own.url, 'ada@x.org')).text()).length, 2)
  })

  test('leaves out what is over, and works where guests may not pass on', async () => {
    const own = await made({ rfid: 'leo' })
    const other = await made({ rfid: 'leo' })
    await admin.patch('/api/experience/expo/', { guest_page: { share: false } })
    try {
      const [link = ''] = linksOf(await (await say(own.url, 'leo')).text())
      assert.equal((await guest(link)).status, 200)
    } finally {
      await admin.patch('/api/experience/expo/', { guest_page: { share: true } })
    }
    await database.db
      .updateTable('keepsakes')
      .set({ used_at: new Date(0) })
      .where('keepsake_id', '=', other.keepsake_id)
      .execute()
    const text = await (await say(own.url, 'leo')).text()
    assert.deepEqual([linksOf(text), text.includes('That is all so far')], [[], true])
  })

  test('is told by events once it is confirmed', async () => {
    const own = await made({ rfid: 'eve' })
    const answer = await say(own.url, 'eve')
    await answer.body?.cancel()
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    const stream = await guest(`${own.url}/events`, { headers: { cookie } })
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader()
    const decoder = new TextDecoder()
    let said = ''
    const marks = async (wanted: number): Promise<void> => {
      while (new Set([...said.matchAll(/"mark":"([^"]*)"/g)].map(match => match[1])).size < wanted) {
        const { value, done } = await reader.read()
        assert.ok(!done, said)
        said += decoder.decode(value, { stream: true })
      }
    }
    await marks(1)
    await made({ rfid: 'eve' })
    await marks(2)
    await reader.cancel()
  })

  test('tells nothing of a wrong value, and ends after five tries an hour', async () => {
    await made({ email: 'known@x.org' })
    const own = await made({ email: 'own@x.org' })
    const texts = new Set<string>()
    for (const value of ['nobody@x.org', 'known@x.org', "' or true --", '😀'.repeat(50)]) {
      const answer = await say(own.url, value)
      assert.deepEqual([answer.status, answer.headers.get('set-cookie')], [403, null], value)
      texts.add((await answer.text()).replace(/nonce="[^"]*"/, ''))
    }
    assert.equal(texts.size, 1, 'known to somebody else or to nobody: the same')
    assert.match([...texts][0] ?? '', /<p role="alert">This page is not known by that/)
    for (const value of ['', '   ', 'x'.repeat(300)]) assert.equal((await say(own.url, value)).status, 403)
    assert.equal((await say(own.url, 'own@x.org')).status, 200, 'what can be no value was not counted')
    const late = await say(own.url, 'own@x.org')
    assert.equal(late.status, 429)
    assert.ok(Number(late.headers.get('retry-after')) > 3000)
    assert.match(await late.text(), /Too many tries. Try again in (59|60) min/)
    const program = await say(own.url, 'own@x.org', { headers: { accept: 'application/json' } })
    assert.match(program.headers.get('content-type') ?? '', /problem\+json/)
    const old = [new Date(Date.now() - 3_700_000), new Date(Date.now() - 3_700_000)]
    await database.db.updateTable('visit_tries').set({ tried_at: old }).execute()
    assert.equal((await say(own.url, 'own@x.org')).status, 200, 'an hour later')
  })

  test('counts tries that come at once', async () => {
    const own = await made({ email: 'burst@x.org' })
    const statuses = await Promise.all(Array.from({ length: 12 }, async () => (await say(own.url, 'wrong')).status))
    assert.equal(statuses.filter(status => status === 403).length, 5)
    assert.equal(statuses.filter(status => status === 429).length, 7)
  })

  test('is not asked where nothing is known of the guest, and refuses what is no form', async () => {
    const own = await made()
    assert.ok(!(await (await guest(own.url)).text()).includes('id="visit"'))
    for (const [body, type, status] of [
      ['{"value": 5}', 'application/json', 400],
      ['{', 'application/json', 400],
      ['[]', 'application/json', 400],
      ['other=1', 'application/x-www-form-urlencoded', 400],
      ['', 'application/x-www-form-urlencoded', 400],
      [`value=${'x'.repeat(9000)}`, 'application/x-www-form-urlencoded', 413],
      ['value=%00', 'application/x-www-form-urlencoded', 403],
      ['value=%FF%FE', 'application/x-www-form-urlencoded', 403],
      ['<value/>', 'text/xml', 415],
      ['value=a&value=b', 'application/x-www-form-urlencoded', 403],
    ] as const) {
      const answer = await guest(own.url, { method: 'POST', body, headers: { 'content-type': type } })
      assert.equal(answer.status, status, `${type} ${body.slice(0, 20)}`)
      assert.ok((await answer.text()).length > 50)
    }
    assert.equal((await guest(own.url, { method: 'POST' })).status, 400)
    assert.equal((await say(`${PUBLIC}/k/${'A'.repeat(22)}`, 'x')).status, 404)
  })
})

describe('the keepsakes of a guest, for who works at the event', () => {
  test('are those that a task found the guest for, and those that are known by a value of the guest', async () => {
    const profile = (await admin.post('/api/profile/', { email: 'Ida@x.org', rfid: 'ida-1', experience_id: 'expo' }))
      .body
    const found = await made({}, { email: 'ida@x.org' })
    const named = [
      await made({ email: 'IDA@x.org' }),
      await made({ rfid: 'ida-1' }),
      await made({ profile_id: profile.profile_id }),
    ]
    const nobodys = await made()
    const elsewhere = await made({ email: 'ida@x.org' }, {}, 'other')
    const list = async (query: string, client = admin) => (await client.get(`/api/keepsake/?${query}`)).body
    const idsOf = ({ items }: Answer['body']) => items.map((each: Answer['body']) => each.keepsake_id)
    const own = `profile_id=${profile.profile_id}`
    const ids = [...named.toReversed(), found].map(({ keepsake_id }) => keepsake_id)
    assert.deepEqual(idsOf(await list(own)), ids)
    assert.ok((await list(own)).items.every((each: Answer['body']) => each.has_guest))
    assert.deepEqual(idsOf(await list(`${own}&experience_id=other`)), [], 'a guest of one experience alone')
    const first = await list(`${own}&limit=3`)
    assert.deepEqual(idsOf(await list(`${own}&limit=3&cursor=${first.next_cursor}`)), ids.slice(3))
    const [other] = (await list('experience_id=other&limit=1')).items
    assert.deepEqual([other.keepsake_id, other.has_guest], [elsewhere.keepsake_id, true])

    const [newest] = (await list('experience_id=expo&limit=1')).items
    assert.deepEqual([newest.keepsake_id, newest.has_guest], [nobodys.keepsake_id, false])
    const given = { lookups: { profile_id: profile.profile_id } }
    assert.equal((await admin.patch(`/api/keepsake/${nobodys.keepsake_id}/`, given)).status, 200)
    assert.deepEqual(idsOf(await list(`${own}&limit=1`)), [nobodys.keepsake_id])
    const tasks = (await admin.get(`/api/task/?${own}`)).body.items
    assert.ok(tasks.some((task: Answer['body']) => task.keepsake_id === nobodys.keepsake_id))

    assert.equal((await admin.get('/api/keepsake/?profile_id=ida')).body.errors[0].field, 'profile_id')
    assert.deepEqual(idsOf(await list('profile_id=019a8424-5d3e-7c31-9d0b-5a2f3e0c7b11')), [])
    const { body } = await admin.post('/api/token/', { name: 'other', scopes: ['read'], experiences: ['other'] })
    assert.deepEqual(idsOf(await list(own, admin.as(body.token))), [])
  })
})
