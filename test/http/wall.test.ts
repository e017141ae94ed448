// Walls: keys, what is on them, who approves it, who refused it, and what their screens are told.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import jsqr from 'jsqr'
import sharp from 'sharp'
import { openDatabase } from '#db/database.ts'
import { newLog } from '#kit/log.ts'
import { cleanUp } from '../support/clean-up.ts'
import type { Answer, Client } from '../support/client.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { photoOf } from '../support/pictures.ts'
import { until } from '../support/until.ts'

const readQr = jsqr as unknown as typeof jsqr.default
const PUBLIC = 'http://guests.example'
const DAY_MS = 86_400_000

let keepsake: Keepsake
let admin: Client
let photo: Blob

before(async () => {
  // No wall looks by itself, so a screen shows only what the wall was told of.
  keepsake = await startKeepsake({ settings: { publicUrl: PUBLIC }, waits: { wallMs: DAY_MS } })
  admin = keepsake.client
  photo = await photoOf(900, 600)
  for (const experience_id of ['expo', 'open', 'other']) {
    await keepsake.configure(single(`turn ${experience_id}`, 'photo_flip', { method: 'ROTATE_180' }, { experience_id }))
    const approval = experience_id === 'open' ? 'none' : 'required'
    const { status, body } = await admin.patch(`/api/experience/${experience_id}/`, {
      guest_page: { enabled: true, title: `Wall of <${experience_id}>`, approval },
    })
    assert.equal(status, 200, JSON.stringify(body))
  }
})
after(() => cleanUp(...streams.map(each => () => each.close()), () => keepsake?.stop()))

const here = (url: string): string => url.replace(PUBLIC, keepsake.url)
const look = (url: string, headers: Record<string, string> = { accept: 'text/html,*/*' }) =>
  fetch(here(url), { redirect: 'manual', headers })
const at = (url: string, part: string): string => url.replace('?', `/${part}?`)

async function newKey(experience: string, body: object = {}): Promise<Answer['body']> {
  const answer = await admin.post(`/api/experience/${experience}/wall-key/`, body)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

/** A task that has ended, and its keepsake. */
async function made(experience: string, parts: Record<string, string | Blob> = {}): Promise<Answer['body']> {
  const { status, body } = await keepsake.send('/api/task/', {
    data: photo,
    configuration_name: `turn ${experience}`,
    ...parts,
  })
  assert.equal(status, 202, JSON.stringify(body))
  return keepsake.ended(`/api/task/${body.task_id}/`)
}

interface Screen {
  /** Ids of what is on the wall now. */
  ids: Map<string, Answer['body']>
  events: string[]
  look: string
  isOver(): boolean
  close(): Promise<void>
}
const streams: Screen[] = []

/** A screen that follows a wall. */
async function follow(url: string): Promise<Screen> {
  const answer = await look(at(url, 'events'))
  assert.equal(answer.status, 200)
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
  const ids = new Map<string, Answer['body']>()
  let over = false
  const screen: Screen = {
    ids,
    events: [],
    look: '',
    isOver: () => over,
    close: () => reader.cancel().catch(() => {}),
  }
  streams.push(screen)
  const decoder = new TextDecoder()
  let text = ''
  const read = async () => {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) break
      text += decoder.decode(value, { stream: true })
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const [, name = '', data = '{}'] = /^event: (\w+)\ndata: (.*)$/.exec(text.slice(0, end)) ?? []
        text = text.slice(end + 2)
        if (name === '') continue
        const told = JSON.parse(data)
        screen.events.push(name)
        if (name === 'state') {
          ids.clear()
          screen.look = told.look
        }
        for (const item of told.items ?? told.added ?? []) ids.set(item.id, item)
        for (const id of told.removed ?? []) ids.delete(id)
      }
    }
    over = true
  }
  read().catch(() => {
    over = true
  })
  await until('the state is told', async () => screen.events.includes('state'))
  return screen
}

const approve = (id: string, body?: object) => admin.post(`/api/keepsake/${id}/approve/`, body ?? {})
const hide = (id: string) => admin.post(`/api/keepsake/${id}/hide/`, {})
const stateOf = async (id: string) => (await admin.get(`/api/keepsake/${id}/`)).body.wall.state

describe('the key of a wall', () => {
  test('opens the page, which loads nothing but what lies below /wall/', async () => {
    const { key, url, key_id, name } = await newKey('expo', { name: 'Main hall' })
    assert.deepEqual([url, name], [`${PUBLIC}/wall/expo?key=${key}`, 'Main hall'])
    assert.match(key, /^[\w-]{22}$/)
    const page = await look(url)
    const text = await page.text()
    assert.equal(page.status, 200)
    assert.match(text, /Wall of &#60;expo&#62;[\s\S]*The first pictures will appear here/)
    assert.deepEqual(
      ['x-robots-tag', 'referrer-policy', 'cache-control'].map(header => page.headers.get(header)),
      ['noindex, nofollow', 'no-referrer', 'private, no-cache'],
    )
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.doesNotMatch(policy, /'self'|unsafe|\*/)
    for (const source of policy.match(/http:\S+/g) ?? []) assert.ok(source.startsWith(`${PUBLIC}/wall/`), source)
    for (const file of ['wall.css', 'wall.js', 'away.js'])
      assert.equal((await look(`${PUBLIC}/wall/-/${file}`)).status, 200, file)
    const { items } = (await admin.get('/api/experience/expo/wall-key/')).body
    assert.ok(items.some((each: Answer['body']) => each.key_id === key_id && !('key' in each)))
    const audit = (await admin.get(`/api/audit/?object=wall_key&object_id=${key_id}`)).body.items
    assert.deepEqual(
      audit.map((each: Answer['body']) => [each.action, each.after]),
      [['create', { name: 'Main hall' }]],
    )
    assert.ok(!JSON.stringify(audit).includes(key))
  })

  test('wrong, missing or of another experience gets the same answer', async () => {
    const { key } = await newKey('expo')
    const bodies = new Set<string>()
    for (const url of [
      '/wall/expo',
      '/wall/expo?key=',
      `/wall/expo?key=${'A'.repeat(22)}`,
      `/wall/expo?key=${'A'.repeat(3000)}`,
      `/wall/expo?key=${key}x`,
      `/wall/other?key=${key}`,
      `/wall/nowhere?key=${key}`,
      `/wall/%F0%9F%8E%AA?key=${key}`,
    ]) {
      const answer = await look(PUBLIC + url)
      assert.equal(answer.status, 404, url)
      bodies.add((await answer.text()).replace(/nonce="[^"]*"/, ''))
      for (const part of ['events', 'logo', 'qr.svg', 'file/x'])
        assert.equal((await look(PUBLIC + (url.includes('?') ? at(url, part) : `${url}/${part}`))).status, 404, part)
    }
    assert.equal(bodies.size, 1)
    assert.match([...bodies][0] ?? '', /There is no wall here/)
    assert.equal((await look(`${PUBLIC}/wall/expo?key=%00`)).status, 400)
    const program = await look(`${PUBLIC}/wall/expo`, { accept: '*/*' })
    assert.match(program.headers.get('content-type') ?? '', /^application\/problem\+json/)
  })

  test('is revoked alone or with all others, and its screens end at once', async () => {
    const [one, other] = [await newKey('other'), await newKey('other')]
    const [screen, stays] = [await follow(one.url), await follow(other.url)]
    const path = '/api/experience/other/wall-key/'
    assert.equal((await admin.delete(`${path}?key_id=${one.key_id}`)).status, 204)
    await until('the screen is told', async () => screen.events.includes('gone') && screen.isOver())
    assert.equal((await look(one.url)).status, 404)
    assert.equal((await look(other.url)).status, 200)
    assert.ok(!stays.isOver())
    for (const id of [one.key_id, 'x', '0'.repeat(36)])
      assert.equal((await admin.delete(`${path}?key_id=${id}`)).status, 404)
    assert.equal((await admin.delete(path)).status, 204)
    await until('the other screen ends', async () => stays.isOver())
    assert.equal((await admin.delete(path)).status, 204, 'nothing is left to revoke')
    const { items } = (await admin.get('/api/audit/?object=wall_key&action=delete')).body
    assert.deepEqual(items.map((each: Answer['body']) => each.object_id).sort(), [one.key_id, other.key_id].sort())
  })

  test('is made by who may write to the experience, at most twenty of each', async () => {
    const { body } = await admin.post('/api/token/', { name: 'l', scopes: ['write'], experiences: ['expo'] })
    const limited = admin.as(body.token)
    assert.equal((await limited.post('/api/experience/expo/wall-key/', {})).status, 201)
    assert.equal((await limited.post('/api/experience/expo/wall-key/')).status, 201, 'a body may be left out')
    for (const id of ['other', 'nowhere']) {
      assert.equal((await limited.post(`/api/experience/${id}/wall-key/`, {})).status, 404)
      assert.equal((await limited.get(`/api/experience/${id}/wall-key/`)).status, 404)
      assert.equal((await limited.delete(`/api/experience/${id}/wall-key/`)).status, 404)
    }
    const { body: reader } = await admin.post('/api/token/', { name: 'r', scopes: ['tasks'] })
    assert.equal((await admin.as(reader.token).post('/api/experience/expo/wall-key/', {})).status, 403)
    for (const wrong of [{ name: '' }, { name: 5 }, { name: 'x'.repeat(101) }, { key: 'mine' }, []])
      assert.equal((await admin.post('/api/experience/expo/wall-key/', wrong)).status, 400, JSON.stringify(wrong))
    await keepsake.configure(single('full', 'photo_flip', {}, { experience_id: 'full' }))
    for (let count = 0; count < 20; count++) await newKey('full')
    const over = await admin.post('/api/experience/full/wall-key/', {})
    assert.deepEqual([over.status, over.body.code], [400, 'over_limit'])
  })
})

describe('a keepsake', () => {
  test('is on the wall once it is approved, and off it at once when it is hidden', async () => {
    const { url } = await newKey('expo')
    const screens = [await follow(url), await follow(url)]
    const { keepsake_id } = await made('expo')
    assert.equal(await stateOf(keepsake_id), 'waiting')
    const before = screens.map(({ ids }) => ids.size)
    const answer = await approve(keepsake_id)
    assert.deepEqual([answer.status, answer.body], [200, { keepsake_id, wall: { state: 'approved', refused: false } }])
    await until('both screens show it', async () => screens.every(({ ids }, n) => ids.size === (before[n] ?? 0) + 1))
    const item = [...(screens[0]?.ids.values() ?? [])].at(-1)
    assert.deepEqual([item.medium, item.width, item.height, item.as_it_is], ['image', 900, 600, false])
    assert.ok(!JSON.stringify([...(screens[0]?.ids.values() ?? [])]).includes(keepsake_id))
    const file = at(url, `file/${item.id}`)
    const whole = await look(file)
    assert.deepEqual([whole.status, whole.headers.get('cache-control')], [200, 'private, no-cache'])
    const { width } = await sharp(Buffer.from(await whole.arrayBuffer())).metadata()
    assert.equal(width, 900)
    const small = await look(`${file}&size=640&v=${item.version}`)
    assert.match(small.headers.get('cache-control') ?? '', /^private, max-age=\d{1,3}$/)
    assert.equal((await sharp(Buffer.from(await small.arrayBuffer())).metadata()).width, 640)
    assert.equal((await look(`${file}&size=641`)).status, 400)
    assert.equal((await hide(keepsake_id)).body.wall.state, 'hidden')
    assert.equal((await look(file)).status, 404)
    assert.equal((await look(`${file}&size=640`)).status, 404)
    await until('it is off both', async () => screens.every(({ ids }) => !ids.has(item.id)))
    await approve(keepsake_id)
    await until('it is back', async () => screens.every(({ ids }) => ids.has(item.id)))
    const back = await admin.post(`/api/keepsake/${keepsake_id}/wait/`, { numbers: [0] })
    assert.deepEqual([back.status, back.body.wall.state], [200, 'waiting'])
    await until('it waits again', async () => screens.every(({ ids }) => !ids.has(item.id)))
    await hide(keepsake_id)
    assert.equal((await admin.post(`/api/keepsake/${keepsake_id}/wait/`)).body.wall.state, 'waiting')
    const { items } = (await admin.get(`/api/audit/?object=keepsake&object_id=${keepsake_id}`)).body
    assert.deepEqual(
      items.map((each: Answer['body']) => each.action).filter((action: string) => action !== 'create'),
      ['update', 'hide', 'update', 'approve', 'hide', 'approve'],
    )
  })

  test('without approval is on the wall by itself, unless it is hidden', async () => {
    const { url } = await newKey('open')
    const screen = await follow(url)
    const { keepsake_id } = await made('open')
    await until('it is on the wall', async () => screen.ids.size === 1)
    await hide(keepsake_id)
    await until('it is off', async () => screen.ids.size === 0)
    const { code } = (await admin.post('/api/keepsake/', { experience_id: 'open' })).body
    await made('open', { keepsake: code })
    await until('another one comes', async () => screen.ids.size === 1)
    await admin.patch('/api/experience/open/', { guest_page: { approval: 'required' } })
    await until('now somebody must approve it', async () => screen.ids.size === 0)
    await admin.patch('/api/experience/open/', { guest_page: { approval: 'none', enabled: false } })
    await until('the settings are told', async () => screen.events.filter(name => name === 'state').length > 2)
    assert.equal(screen.ids.size, 0, 'without pages there is nothing on the wall')
    await admin.patch('/api/experience/open/', { guest_page: { enabled: true } })
    await until('it is back', async () => screen.ids.size === 1)
  })

  test('gets a later file, which waits on its own', async () => {
    const { url } = await newKey('expo')
    const { keepsake_id, code } = (await admin.post('/api/keepsake/', { experience_id: 'expo' })).body
    const none = await approve(keepsake_id)
    assert.deepEqual([none.status, none.body.code], [409, 'wrong_state'])
    const screen = await follow(url)
    const before = screen.ids.size
    await made('expo', { keepsake: code })
    await approve(keepsake_id, { numbers: [0] })
    await until('the first is shown', async () => screen.ids.size === before + 1)
    await made('expo', { keepsake: code })
    assert.equal(await stateOf(keepsake_id), 'waiting')
    const { files } = (await admin.get(`/api/keepsake/${keepsake_id}/`)).body
    assert.deepEqual(
      files.map((file: Answer['body']) => [file.number, file.wall]),
      [
        [1, 'waiting'],
        [0, 'approved'],
      ],
    )
    const again = await follow(url)
    assert.equal(again.ids.size, before + 1)
    for (const numbers of [[2], [0, 7], [-1], [], ['1'], [1.5], 1])
      assert.equal((await approve(keepsake_id, { numbers: numbers as number[] })).status, 400, JSON.stringify(numbers))
    assert.equal((await approve(keepsake_id, { numbers: [1] })).body.wall.state, 'approved')
    await until('both are shown', async () => screen.ids.size === before + 2)
    await hide(keepsake_id)
    await made('expo', { keepsake: code })
    assert.equal(await stateOf(keepsake_id), 'hidden')
    assert.equal((await approve(keepsake_id, { numbers: [2] })).body.wall.state, 'waiting', 'the others wait again')
    await until('only that one is shown', async () => screen.ids.size === before + 1)
  })

  test('that is made anew has to be approved anew', async () => {
    const { url } = await newKey('expo')
    const broken = await made('expo', { data: new Blob(['no picture']) })
    assert.equal(broken.status, 'Failed')
    const { keepsake_id } = broken
    assert.equal((await approve(keepsake_id)).status, 409)
    const screen = await follow(url)
    const before = screen.ids.size
    const form = new FormData()
    form.append('data', photo)
    assert.equal((await admin.send('POST', `/api/task/${broken.task_id}/retry/`, { body: form })).status, 202)
    await keepsake.ended(`/api/task/${broken.task_id}/`)
    assert.equal(await stateOf(keepsake_id), 'waiting')
    await approve(keepsake_id)
    await until('it is shown', async () => screen.ids.size === before + 1)
    assert.equal((await admin.delete(`/api/task/${broken.task_id}/`)).status, 204)
    await until('a deleted one is off', async () => screen.ids.size === before)
  })

  test('of a limited token, of nobody and with nonsense', async () => {
    const { keepsake_id } = await made('expo')
    const { body } = await admin.post('/api/token/', { name: 'o', scopes: ['tasks'], experiences: ['other'] })
    const limited = admin.as(body.token)
    const { body: reading } = await admin.post('/api/token/', { name: 'r', scopes: ['read'] })
    for (const action of ['approve', 'hide', 'wait']) {
      assert.equal((await limited.post(`/api/keepsake/${keepsake_id}/${action}/`, {})).status, 404)
      assert.equal((await admin.as(reading.token).post(`/api/keepsake/${keepsake_id}/${action}/`, {})).status, 403)
      for (const id of ['x', '0'.repeat(36), '%00'])
        assert.ok([400, 404].includes((await admin.post(`/api/keepsake/${id}/${action}/`, {})).status), id)
    }
    assert.equal((await limited.get(`/api/keepsake/${keepsake_id}/file/0/`)).status, 404)
    assert.equal((await admin.post(`/api/keepsake/${keepsake_id}/approve/`)).status, 200, 'a body may be left out')
    assert.equal((await hide(keepsake_id)).status, 200)
  })
})

describe('consent', () => {
  test('a no of the keepsake, the task or a guest keeps it off the wall, also when it is said later', async () => {
    const { url } = await newKey('open')
    const screen = await follow(url)
    const before = screen.ids.size
    const guest = (await admin.post('/api/profile/', { experience_id: 'open', email: 'ada@example.org' })).body
    const { keepsake_id, task_id } = await made('open', { extras: JSON.stringify({ email: 'ada@example.org' }) })
    const off = (what: string) => until(`off: ${what}`, async () => screen.ids.size === before)
    const on = (what: string) => until(`on: ${what}`, async () => screen.ids.size === before + 1)
    await on('nobody said anything')
    const say = (wall: boolean | null) => admin.patch(`/api/profile/${guest.profile_id}/`, { consent: { wall } })
    assert.equal((await say(false)).status, 200)
    await off('the guest said no')
    assert.equal((await approve(keepsake_id)).body.wall.refused, true)
    const { items } = (await admin.get('/api/keepsake/?experience_id=open&wall=approved')).body
    assert.deepEqual([items[0].keepsake_id, items[0].wall.refused], [keepsake_id, true])
    await say(true)
    await on('the guest thought better of it')
    const { db, close } = openDatabase(keepsake.databaseUrl, newLog('silent', 'test'), { max: 1 })
    try {
      for (const table of ['keepsakes', 'tasks'] as const) {
        const said = (consent: string | null) =>
          table === 'keepsakes'
            ? db.updateTable('keepsakes').set({ consent }).where('keepsake_id', '=', keepsake_id).execute()
            : db.updateTable('tasks').set({ consent }).where('task_id', '=', task_id).execute()
        await said('{"wall": false}')
        await off(table)
        await said(null)
        await on(table)
      }
      await say(null)
      await on('nobody says anything')
      await admin.patch('/api/experience/open/', { guest_page: { wall_consent: 'required' } })
      await until('silence is not enough now', async () => screen.ids.size === 0)
      await say(true)
      await until('a yes is', async () => screen.ids.size === 1)
      await admin.patch('/api/experience/open/', { guest_page: { wall_consent: 'not_refused' } })
      await on('as before')
      await db
        .updateTable('keepsakes')
        .set({ used_at: new Date(Date.now() - 40_000 * 86_400_000) })
        .where('keepsake_id', '=', keepsake_id)
        .execute()
      assert.equal(
        (await Promise.all([...screen.ids.keys()].map(async id => (await look(at(url, `file/${id}`))).status)))
          .sort()
          .at(-1),
        404,
        'what is over is not sent',
      )
    } finally {
      await close()
    }
  })
})

describe('the list of keepsakes', () => {
  test('is paged and filtered, holds no code, and leads to pictures', async () => {
    const ids: string[] = []
    for (let count = 0; count < 3; count++) ids.push((await made('other')).keepsake_id)
    await approve(ids[0] as string)
    await hide(ids[1] as string)
    const listed = async (query: string) =>
      (await admin.get(`/api/keepsake/?experience_id=other${query}`)).body.items.map(
        (each: Answer['body']) => each.keepsake_id,
      )
    assert.deepEqual(await listed('&wall=approved'), [ids[0]])
    assert.deepEqual(await listed('&wall=hidden'), [ids[1]])
    assert.deepEqual(await listed('&wall=waiting'), [ids[2]])
    assert.deepEqual(await listed(''), ids.toReversed())
    const first = (await admin.get('/api/keepsake/?experience_id=other&limit=2')).body
    assert.deepEqual(await listed(`&limit=2&cursor=${first.next_cursor}`), [ids[0]])
    const { url, code } = (await admin.post('/api/keepsake/', { experience_id: 'other' })).body
    const text = JSON.stringify((await admin.get('/api/keepsake/?limit=500')).body)
    assert.ok(!text.includes(code) && !text.includes(url))
    const [file] = first.items[0].files
    assert.deepEqual(file, {
      number: 0,
      state: 'ready',
      mime: 'image/jpeg',
      width: 900,
      height: 600,
      wall: 'waiting',
    })
    const picture = await fetch(`${keepsake.url}/api/keepsake/${ids[2]}/file/0/?size=640`, {
      headers: { authorization: `Bearer ${keepsake.token}` },
    })
    assert.equal((await sharp(Buffer.from(await picture.arrayBuffer())).metadata()).width, 640)
    assert.equal((await admin.get(`/api/keepsake/${ids[2]}/file/1/`)).status, 404)
    for (const query of ['wall=gone', 'wall=', 'limit=0', 'cursor=x', 'nothing=1', 'experience_id='])
      assert.equal((await admin.get(`/api/keepsake/?${query}`)).status, 400, query)
    const { body } = await admin.post('/api/token/', { name: 'r', scopes: ['read'], experiences: ['expo'] })
    const limited = admin.as(body.token)
    assert.deepEqual((await limited.get('/api/keepsake/?experience_id=other')).body.items, [])
    const seen = (await limited.get('/api/keepsake/?wall=waiting')).body.items
    assert.ok(seen.every((each: Answer['body']) => each.experience_id === 'expo'))
  })
})

describe('the wall', () => {
  test('has a QR code where the experience says so, and screens load themselves anew when it looks different', async () => {
    const { url } = await newKey('other')
    const screen = await follow(url)
    const before = screen.look
    assert.equal((await look(at(url, 'qr.svg'))).status, 404)
    assert.ok(!(await (await look(url)).text()).includes('<aside'))
    const wall_url = 'https://example.com/photos?from=wall'
    for (const wrong of [
      'example.com',
      'javascript:alert(1)',
      'https://x y',
      'http://',
      `https://${'x'.repeat(500)}`,
      5,
    ])
      assert.equal(
        (await admin.patch('/api/experience/other/', { guest_page: { wall_url: wrong } })).body.errors?.[0].field,
        'guest_page.wall_url',
        String(wrong),
      )
    const set = await admin.patch('/api/experience/other/', { guest_page: { wall_url, wall_text: 'Scan <me>' } })
    assert.equal(set.status, 200, JSON.stringify(set.body))
    assert.match(await (await look(url)).text(), /<aside[\s\S]*Scan &#60;me&#62;/)
    const picture = sharp(Buffer.from(await (await look(at(url, 'qr.svg'))).arrayBuffer())).resize(600, 600)
    const { data } = await picture
      .flatten({ background: '#fff' })
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    assert.equal(readQr(new Uint8ClampedArray(data), 600, 600)?.data, wall_url)
    await until('another look is told', async () => screen.look !== before)
    assert.ok((await (await look(url)).text()).includes(`data-look="${screen.look}"`))
  })

  test('is served on the address of guests, where /api/ is not', async () => {
    const { url } = await newKey('other')
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
    assert.equal(await status(url.replace(PUBLIC, '')), 200)
    assert.equal(await status('/wall/-/wall.js'), 200)
    for (const path of ['/', '/api/keepsake/', '/api/experience/other/wall-key/'])
      assert.equal(await status(path), 404, path)
  })

  test('has a limited number of screens a key', async () => {
    const [one, other] = [await newKey('other'), await newKey('other')]
    for (let count = 0; count < 20; count++) await follow(one.url)
    const full = await look(at(one.url, 'events'))
    assert.equal(full.status, 503)
    await full.body?.cancel()
    await (await follow(other.url)).close()
    await streams.at(-2)?.close()
    await until('a place is free again', async () => {
      const answer = await look(at(one.url, 'events'))
      await answer.body?.cancel()
      return answer.status === 200
    })
  })

  test('limits only those whose keys open nothing', async t => {
    const { url } = await newKey('expo')
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 60_000 })
    for (let count = 0; count < 60; count++) assert.equal((await look(`${PUBLIC}/wall/expo?key=x`)).status, 404)
    const { status, headers } = await look(`${PUBLIC}/wall/expo?key=x`)
    assert.deepEqual([status, headers.get('retry-after')], [429, '60'])
    assert.equal(headers.get('refresh'), headers.get('retry-after'), 'a screen asks again by itself')
    assert.equal((await look(`${PUBLIC}/k/${'B'.repeat(22)}`)).status, 429, 'codes and keys count together')
    assert.equal((await look(url)).status, 200)
  })
})
