// Conditional requests over HTTP: ETags of resources, If-Match and If-None-Match, and who wins a race.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Answer, type Client, newClient } from '../support/client.ts'
import { flip, path, upload } from '../support/configurations.ts'
import { pattern, png } from '../support/pictures.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let admin: Client
let files: Blob[]

before(async () => {
  server = await startTestServer()
  admin = newClient(server)
  files = await Promise.all([8, 16, 24].map(async width => new Blob([new Uint8Array(await png(pattern(width, 8, 3)))])))
})
after(() => server.stop())

const json = (
  method: string,
  place: string,
  body: unknown,
  headers: Record<string, string> = {},
  client = admin,
): Promise<Answer> =>
  client.send(method, place, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })

const form = (
  method: string,
  place: string,
  parts: Record<string, string | Blob>,
  headers: Record<string, string> = {},
  client = admin,
): Promise<Answer> => {
  const body = new FormData()
  for (const [name, value] of Object.entries(parts)) body.append(name, value)
  return client.send(method, place, { body, headers })
}

const tagOf = ({ status, headers, body }: Answer): string => {
  const tag = headers.get('etag') ?? ''
  assert.match(tag, /^"[!#-~]+"$/, `${status} ${JSON.stringify(body)}`)
  return tag
}

interface Kind {
  make(name: string): Promise<{ place: string; made: Answer }>
  /** The n-th change, different from the others. */
  change(place: string, n: number, headers?: Record<string, string>): Promise<Answer>
}

const kinds: Record<string, Kind> = {
  configuration: {
    make: async name => ({ place: path(name), made: await admin.post('/api/configuration/', flip(name)) }),
    change: (place, n, headers) => json('PATCH', place, { webhook_url: `https://example.com/${n}` }, headers),
  },
  asset: {
    make: async name => ({
      place: `/api/asset/${encodeURIComponent(name)}/`,
      made: await form('POST', '/api/asset/', { name, experience_id: 'expo', file: files[0] as Blob }),
    }),
    change: (place, n, headers) => form('PUT', place, { file: files[n % 3] as Blob }, headers),
  },
  profile: {
    make: async name => {
      const made = await admin.post('/api/profile/', { rfid: name, experience_id: 'expo' })
      return { place: `/api/profile/${made.body.profile_id}/`, made }
    },
    change: (place, n, headers) => json('PATCH', place, { attributes: { n } }, headers),
  },
  experience: {
    make: async name => {
      const made = await admin.post('/api/profile/', { experience_id: name })
      assert.equal(made.status, 201)
      const place = `/api/experience/${encodeURIComponent(name)}/`
      return { place, made: await admin.get(place) }
    },
    change: (place, n, headers) => json('PATCH', place, { name: `name ${n}` }, headers),
  },
}

for (const [noun, { make, change }] of Object.entries(kinds))
  describe(`the ETag of a ${noun}`, () => {
    test('is the same until it changes, and then never the same again', async () => {
      const { place, made } = await make(`etag of ${noun}`)
      const first = tagOf(made)
      assert.equal(tagOf(await admin.get(place)), first)
      const packed = await admin.send('GET', place, { headers: { 'accept-encoding': 'gzip, br' } })
      assert.equal(tagOf(packed), first)
      const seen = new Set([first])
      for (let n = 1; n <= 4; n++) {
        const changed = await change(place, n)
        assert.equal(changed.status, 200, JSON.stringify(changed.body))
        const tag = tagOf(changed)
        assert.ok(!seen.has(tag), 'a state of its own')
        seen.add(tag)
        assert.equal(tagOf(await admin.get(place)), tag)
      }
    })

    test('makes a GET of what the client has a 304', async () => {
      const { place, made } = await make(`304 of ${noun}`)
      const tag = tagOf(made)
      for (const known of [tag, `W/${tag}`, `"other", ${tag}`, `"a,b" , W/${tag},`, '*']) {
        const answer = await admin.send('GET', place, { headers: { 'if-none-match': known } })
        assert.deepEqual([answer.status, answer.body, answer.headers.get('etag')], [304, '', tag], known)
      }
      for (const other of ['"other"', tag.slice(1, -1), `"other", *`, ''])
        assert.equal((await admin.send('GET', place, { headers: { 'if-none-match': other } })).status, 200, other)
      await change(place, 1)
      assert.equal((await admin.send('GET', place, { headers: { 'if-none-match': tag } })).status, 200)
    })

    test('lets only a writer who knows the current state write', async () => {
      const { place, made } = await make(`412 of ${noun}`)
      const old = tagOf(made)
      const now = tagOf(await change(place, 1, { 'if-match': old }))
      const before = (await admin.get(place)).body
      for (const wrong of [old, `W/${now}`, now.slice(1, -1), '"x"', '', 'garbage', `${now}, x`, `"x" ${now}`, "''"]) {
        const answer = await change(place, 2, { 'if-match': wrong })
        assert.deepEqual([answer.status, answer.body.code], [412, 'changed_meanwhile'], `If-Match: ${wrong}`)
      }
      for (const known of [now, '*', `"x", ${now}`]) {
        const answer = await change(place, 2, { 'if-none-match': known })
        assert.deepEqual([answer.status, answer.body.code], [412, 'changed_meanwhile'], `If-None-Match: ${known}`)
      }
      assert.deepEqual((await admin.get(place)).body, before, 'nothing was written')
      const next = await change(place, 2, { 'if-match': `"x", ${now} ,, "y"` })
      assert.equal(next.status, 200)
      assert.equal((await change(place, 3, { 'if-match': '*' })).status, 200)
      if (noun === 'experience') return
      for (const wrong of [now, '"x"']) {
        const answer = await admin.send('DELETE', place, { headers: { 'if-match': wrong } })
        assert.deepEqual([answer.status, answer.body.code], [412, 'changed_meanwhile'])
      }
      const last = tagOf(await admin.get(place))
      assert.equal((await admin.send('DELETE', place, { headers: { 'if-match': last } })).status, 204)
      assert.equal((await admin.send('DELETE', place, { headers: { 'if-match': last } })).status, 404)
      if (noun === 'profile') assert.equal((await change(place, 1, { 'if-match': last })).status, 404)
    })

    test('lets one of several racing writers through', async () => {
      const { place, made } = await make(`race of ${noun}`)
      let tag = tagOf(made)
      for (let round = 0; round < 3; round++) {
        const answers = await Promise.all(
          Array.from({ length: 8 }, (_, n) => change(place, round * 8 + n, { 'if-match': tag })),
        )
        const won = answers.filter(({ status }) => status === 200)
        assert.equal(won.length, 1, answers.map(({ status }) => status).join())
        assert.equal(answers.filter(({ status }) => status === 412).length, 7)
        tag = tagOf(await admin.get(place))
        assert.equal(tagOf(won[0] as Answer), tag)
      }
    })
  })

test('what is written again as it is changes neither the tag nor the time', async () => {
  const made = await admin.post('/api/configuration/', upload('again'))
  const same = await admin.put(path('again'), upload('again'))
  assert.deepEqual([tagOf(same), same.body], [tagOf(made), made.body])
  const masked = await admin.put(path('again'), made.body)
  assert.deepEqual([tagOf(masked), masked.body], [tagOf(made), made.body])
  const profile = await admin.post('/api/profile/', { email: ['A@x.org', 'b@x.org'], attributes: { a: 1 } })
  const place = `/api/profile/${profile.body.profile_id}/`
  for (const body of [{}, { attributes: { a: 1 } }, { email: ['A@x.org', 'b@x.org'] }, { experience_id: null }])
    assert.deepEqual((await admin.patch(place, body)).body, profile.body)
  assert.equal(tagOf(await admin.get(place)), tagOf(profile))
  const turned = await admin.patch(place, { email: ['b@x.org', 'A@x.org'] })
  assert.deepEqual(turned.body.email, ['b@x.org', 'A@x.org'])
  assert.notEqual(tagOf(turned), tagOf(profile))
  const experience = await admin.patch('/api/experience/expo/', { name: 'Expo', max_running: 3 })
  const again = await admin.patch('/api/experience/expo/', { max_running: 3 })
  assert.deepEqual([tagOf(again), again.body], [tagOf(experience), experience.body])
})

test('a new secret is a new state, and the tag tells nothing of it', async () => {
  const made = await admin.post('/api/configuration/', upload('tagged secret'))
  const other = upload('tagged secret')
  other.adapter_config.auth.secret_key = 'another'
  const changed = await admin.put(path('tagged secret'), other)
  assert.notEqual(tagOf(changed), tagOf(made))
  const back = await admin.put(path('tagged secret'), upload('tagged secret'))
  assert.notEqual(tagOf(back), tagOf(made), 'equal secrets cannot be told by equal tags')
  const before = tagOf(await admin.get('/api/experience/expo/'))
  assert.notEqual(tagOf(await admin.post('/api/experience/expo/rotate-secret/')), before)
})

test('who is shown the webhook secret gets a tag of another text, and both may write with theirs', async () => {
  await admin.post('/api/profile/', { experience_id: 'two views' })
  const place = '/api/experience/two%20views/'
  const { body } = await admin.post('/api/token/', { name: 'writer', scopes: ['write'] })
  const writer = admin.as(body.token)
  const [theirs, ours] = [tagOf(await writer.get(place)), tagOf(await admin.get(place))]
  assert.notEqual(theirs, ours)
  const crossed = await admin.send('GET', place, { headers: { 'if-none-match': theirs } })
  assert.equal(crossed.status, 200)
  const changed = await json('PATCH', place, { name: 'a' }, { 'if-match': ours }, writer)
  assert.equal(changed.status, 200)
  assert.equal((await json('PATCH', place, { name: 'b' }, { 'if-match': tagOf(changed) })).status, 200)
})

test('the tag of an asset follows who uses it, and is not that of its bytes', async () => {
  const made = await form('POST', '/api/asset/', { name: 'used', experience_id: 'expo', file: files[0] as Blob })
  const bytes = await admin.get('/api/asset/used/file/')
  assert.equal(tagOf(bytes), `"${made.body.sha256}"`)
  assert.notEqual(tagOf(made), tagOf(bytes))
  const user = { overlay_file_name: 'used' }
  await admin.post('/api/configuration/', {
    ...flip('user'),
    adapter_name: 'photo_add_overlay',
    adapter_config: { auth: {}, defaults: user },
  })
  const used = await admin.get('/api/asset/used/')
  assert.deepEqual(used.body.used_by, ['user'])
  assert.notEqual(tagOf(used), tagOf(made))
  await admin.delete(path('user'))
  assert.equal(tagOf(await admin.get('/api/asset/used/')), tagOf(made), 'the same state as before')
})

describe('PUT', () => {
  test('makes a configuration that is not there, also under a race', async () => {
    const made = await admin.put(path('put'), flip('put'))
    assert.deepEqual([made.status, made.headers.get('location')], [201, path('put')])
    assert.equal(tagOf(await admin.get(path('put'))), tagOf(made))
    const { configuration_name: _name, ...rest } = flip('put', { webhook_url: 'https://example.com/' })
    assert.equal((await admin.put(path('put'), rest)).status, 200)
    const only = await json('PUT', path('put'), rest, { 'if-none-match': '*' })
    assert.deepEqual([only.status, only.body.code], [412, 'changed_meanwhile'])
    const absent = await json('PUT', path('put nothing'), rest, { 'if-match': '*' })
    assert.deepEqual([absent.status, absent.body.code], [412, 'changed_meanwhile'])
    assert.equal((await admin.get(path('put nothing'))).status, 404)
    const dry = await json('PUT', `${path('put nothing')}?dry_run=true`, rest)
    assert.deepEqual([dry.status, dry.headers.get('etag')], [200, null])
    assert.equal((await admin.get(path('put nothing'))).status, 404)
    const racers = await Promise.all(
      Array.from({ length: 6 }, () => json('PUT', path('raced'), rest, { 'if-none-match': '*' })),
    )
    assert.deepEqual(racers.map(({ status }) => status).sort(), [201, 412, 412, 412, 412, 412])
    const upserts = await Promise.all(Array.from({ length: 6 }, () => admin.put(path('upserted'), rest)))
    assert.deepEqual(upserts.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 201])
    for (const [bad, code] of [
      [{ ...rest, adapter_name: 'none' }, 'unknown_adapter'],
      [{ ...rest, configuration_name: 'else' }, 'bad_request'],
      [{ ...rest, experience_id: undefined }, 'bad_request'],
    ] as const)
      assert.equal((await admin.put(path('put nothing'), bad)).body.code, code)
    assert.equal((await admin.put(`/api/configuration/${'n'.repeat(129)}/`, rest)).body.code, 'bad_request')
  })

  test('makes an asset that is not there, also under a race', async () => {
    const place = '/api/asset/put%20asset/'
    const file = files[1] as Blob
    const missing = await form('PUT', place, { file })
    assert.deepEqual([missing.status, missing.body.code], [404, 'not_found'])
    const made = await form('PUT', place, { file, experience_id: 'expo' })
    assert.deepEqual([made.status, made.headers.get('location'), made.body.name], [201, place, 'put asset'])
    assert.equal((await form('PUT', place, { file: files[2] as Blob })).status, 200)
    const moved = await form('PUT', place, { file, experience_id: 'elsewhere' })
    assert.deepEqual([moved.status, moved.body.errors[0].field], [400, 'experience_id'])
    const renamed = await form('PUT', place, { file, name: 'else' })
    assert.deepEqual([renamed.status, renamed.body.errors[0].field], [400, 'name'])
    const only = await form('PUT', place, { file, experience_id: 'expo' }, { 'if-none-match': '*' })
    assert.deepEqual([only.status, only.body.code], [412, 'changed_meanwhile'])
    const absent = await form('PUT', '/api/asset/none/', { file, experience_id: 'expo' }, { 'if-match': '*' })
    assert.deepEqual([absent.status, absent.body.code], [412, 'changed_meanwhile'])
    const parts = { file, experience_id: 'expo' }
    const racers = await Promise.all(
      Array.from({ length: 5 }, () => form('PUT', '/api/asset/raced/', parts, { 'if-none-match': '*' })),
    )
    assert.deepEqual(racers.map(({ status }) => status).sort(), [201, 412, 412, 412, 412])
    const upserts = await Promise.all(Array.from({ length: 5 }, () => form('PUT', '/api/asset/upserted/', parts)))
    assert.deepEqual(upserts.map(({ status }) => status).sort(), [200, 200, 200, 200, 201])
    assert.equal((await form('PUT', `/api/asset/${'n'.repeat(129)}/`, parts)).body.code, 'bad_request')
    const left = await server.db.selectFrom('uploads').selectAll().execute()
    assert.deepEqual(left, [], 'what was refused left no file')
  })

  test('by a limited token: a taken name is named, another experience is refused', async () => {
    const { body } = await admin.post('/api/token/', { name: 'l', scopes: ['write'], experiences: ['mine'] })
    const limited = admin.as(body.token)
    await admin.put(path('theirs'), flip('theirs'))
    await form('PUT', '/api/asset/theirs/', { file: files[0] as Blob, experience_id: 'expo' })
    const mine = { ...flip('theirs'), experience_id: 'mine' }
    const taken = await limited.put(path('theirs'), mine)
    assert.deepEqual([taken.status, taken.body.code], [409, 'name_taken'])
    const asset = await form(
      'PUT',
      '/api/asset/theirs/',
      { file: files[0] as Blob, experience_id: 'mine' },
      {},
      limited,
    )
    assert.deepEqual([asset.status, asset.body.code], [409, 'name_taken'])
    const plain = await form('PUT', '/api/asset/theirs/', { file: files[0] as Blob }, {}, limited)
    assert.equal(plain.status, 404, 'as for an unknown one')
    assert.equal((await limited.put(path('new'), flip('new'))).body.code, 'forbidden')
    const foreign = await form('PUT', '/api/asset/new/', { file: files[0] as Blob, experience_id: 'expo' }, {}, limited)
    assert.equal(foreign.body.code, 'forbidden')
    assert.equal((await limited.put(path('new'), { ...mine, configuration_name: 'new' })).status, 201)
    assert.equal((await limited.patch(path('theirs'), {})).status, 404)
  })
})
