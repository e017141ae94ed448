// Versions of configurations and assets over HTTP: what they were, the way back, deletions, and what of it goes when.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { sweep } from '../../src/worker/sweep.ts'
import { type Answer, type Client, newClient } from '../support/client.ts'
import { chain, flip, path, upload } from '../support/configurations.ts'
import { pattern, png } from '../support/pictures.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let admin: Client
let files: Blob[]

before(async () => {
  server = await startTestServer({ settings: { maxVersions: 4, keepVersionsDays: 10 } })
  admin = newClient(server)
  files = await Promise.all(
    [8, 16, 24, 32, 40, 48].map(async width => new Blob([new Uint8Array(await png(pattern(width, 8, 3)))])),
  )
})
after(() => server.stop())

let count = 0
let name = ''
beforeEach(() => {
  name = `thing ${++count}`
})

const asset = (of = name) => `/api/asset/${encodeURIComponent(of)}/`
const versionsOf = async (place: string, query = ''): Promise<Answer['body']> => {
  const { status, body } = await admin.get(`${place}versions/${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
const put = (file: number, headers: Record<string, string> = {}): Promise<Answer> => {
  const body = new FormData()
  body.append('experience_id', 'expo')
  body.append('file', files[file] as Blob)
  return admin.send('PUT', asset(), { body, headers })
}
const restore = (place: string, version: number | string, headers: Record<string, string> = {}, client = admin) =>
  client.send('POST', `${place}versions/${version}/restore/`, { headers })
const widthOf = async (place = asset()): Promise<number> => (await admin.get(place)).body.width
const swept = () => sweep(server.services, { before: new Date(Date.now() + 1000) })
const secretOf = async (of = name): Promise<string> => {
  const row = await server.db
    .selectFrom('configurations')
    .selectAll()
    .where('configuration_name', '=', of)
    .executeTakeFirstOrThrow()
  return JSON.parse(server.services.secretBox.open(row.auth as Buffer, `configuration:${of}`)).secret_key
}

describe('versions of a configuration', () => {
  test('tell what it was and who changed it, without its secrets', async () => {
    const { body: token } = await admin.post('/api/token/', { name: 'booth 3', scopes: ['write'] })
    await admin.post('/api/configuration/', upload(name))
    const other = upload(name, { webhook_url: 'https://example.com/' })
    other.adapter_config.defaults.bucket_name = 'c'
    await admin.as(token.token).put(path(name), other)
    await admin.put(path(name), other)
    const { items, next_cursor } = await versionsOf(path(name))
    assert.equal(next_cursor, null)
    assert.deepEqual(
      items.map((one: Answer['body']) => [one.version, one.is_current, one.change, one.restored_from]),
      [
        [2, true, 'changed', null],
        [1, false, 'made', null],
      ],
      'what changes nothing is no version',
    )
    assert.deepEqual(items[0].changed_by, { kind: 'token', token_id: token.token_id, name: 'booth 3' })
    assert.deepEqual(items[1].changed_by, { kind: 'token', token_id: null, name: 'operator' })
    assert.equal(items[1].configuration.adapter_config.defaults.bucket_name, 'b')
    assert.deepEqual(items[1].configuration.adapter_config.auth, { access_key: '********', secret_key: '********' })
    const { created_at: _made, updated_at: _changed, ...now } = (await admin.get(path(name))).body
    assert.deepEqual(items[0].configuration, now)
  })

  test('in the console are those of a session', async () => {
    const opened = await fetch(`${server.url}/api/session/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: server.token }),
    })
    const cookie = (opened.headers.get('set-cookie') ?? '').split(';', 1)[0] as string
    const made = await fetch(`${server.url}${path(name)}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', cookie, origin: server.url },
      body: JSON.stringify(flip(name)),
    })
    assert.equal(made.status, 201)
    assert.equal((await versionsOf(path(name))).items[0].changed_by.kind, 'session')
  })

  test('come in pages, and only so many are kept', async () => {
    await admin.post('/api/configuration/', flip(name))
    for (let n = 2; n <= 7; n++) await admin.patch(path(name), { webhook_url: `https://example.com/${n}` })
    const numbers = (body: Answer['body']) => body.items.map((one: { version: number }) => one.version)
    assert.deepEqual(numbers(await versionsOf(path(name))), [7, 6, 5, 4, 3], 'the current one and four before it')
    const first = await versionsOf(path(name), '?limit=2')
    assert.deepEqual(numbers(first), [7, 6])
    const second = await versionsOf(path(name), `?limit=2&cursor=${first.next_cursor}`)
    assert.deepEqual(numbers(second), [5, 4])
    const third = await versionsOf(path(name), `?limit=2&cursor=${second.next_cursor}`)
    assert.deepEqual([numbers(third), third.next_cursor], [[3], null])
    for (const cursor of ['x', first.next_cursor.slice(0, -3), Buffer.from('["assets",1]').toString('base64url')])
      assert.equal((await admin.get(`${path(name)}versions/?cursor=${cursor}`)).body.code, 'bad_cursor', cursor)
    assert.equal((await restore(path(name), 2)).status, 404)
    await sql`update configuration_versions set replaced_at = now() - interval '9 days' where version = 5`.execute(
      server.db,
    )
    await sql`update configuration_versions set replaced_at = now() - interval '11 days' where version = 4`.execute(
      server.db,
    )
    await swept()
    assert.deepEqual(numbers(await versionsOf(path(name))), [7, 6, 5, 3])
  })

  test('return with target and secret together, never mixed', async () => {
    const at = (bucket: string, secret: string) => ({
      ...upload(name),
      adapter_config: { auth: { access_key: 'AK', secret_key: secret }, defaults: { bucket_name: bucket } },
    })
    await admin.post('/api/configuration/', at('first', 'secret one'))
    await admin.put(path(name), at('second', 'secret two'))
    await admin.put(path(name), flip(name))
    const back = await restore(path(name), 1)
    assert.equal(back.status, 200, JSON.stringify(back.body))
    assert.deepEqual([back.body.adapter_name, back.body.adapter_config.defaults.bucket_name], ['s3_upload', 'first'])
    assert.equal(await secretOf(), 'secret one')
    await restore(path(name), 2)
    assert.equal(await secretOf(), 'secret two')
    assert.equal((await admin.get(path(name))).body.adapter_config.defaults.bucket_name, 'second')
    const { items } = await versionsOf(path(name))
    assert.deepEqual([items[0].change, items[0].restored_from, items[0].version], ['restored', 2, 5])
    const same = await restore(path(name), 5)
    assert.equal(same.headers.get('etag'), (await admin.get(path(name))).headers.get('etag'), 'it is so already')
    assert.equal((await versionsOf(path(name))).items.length, 5)
  })

  test('are restored only if they fit what there is, and if the caller knows the current state', async () => {
    const member = `${name} member`
    await admin.post('/api/configuration/', flip(member))
    await admin.post('/api/configuration/', chain(name, [[member, null]]))
    await admin.put(path(name), flip(name))
    assert.equal((await admin.delete(path(member))).status, 204)
    assert.equal((await restore(path(name), 1)).body.code, 'unknown_configuration')
    assert.equal((await admin.post(`${path(member)}undelete/`)).status, 200)
    const stale = await restore(path(name), 1, { 'if-match': '"x"' })
    assert.deepEqual([stale.status, stale.body.code], [412, 'changed_meanwhile'])
    const tag = (await admin.get(path(name))).headers.get('etag') as string
    assert.equal((await restore(path(name), 1, { 'if-match': tag })).status, 200)
    for (const odd of ['0', '9', '-1', '1.5', 'x', '99999999999', '%00', '01'])
      assert.ok([400, 404].includes((await restore(path(name), odd)).status), odd)
    assert.equal((await restore(path('nobody'), 1)).status, 404)
    assert.equal((await admin.get(`${path('nobody')}versions/`)).status, 404)
  })

  test('whose key is gone need their secret anew', async () => {
    await admin.post('/api/configuration/', upload(name))
    await admin.put(path(name), flip(name))
    await sql`update configuration_versions set auth = '\\x0011223344556677889900112233445566778899001122334455667788' where configuration_name = ${name} and auth is not null`.execute(
      server.db,
    )
    const lost = await restore(path(name), 1)
    assert.deepEqual([lost.status, lost.body.code], [400, 'secret_needed'])
    const { items } = await versionsOf(path(name))
    assert.deepEqual(items[1].configuration.adapter_config.auth, {})
    await admin.put(path(name), upload(name))
    await sql`update configurations set auth = '\\x00112233' where configuration_name = ${name}`.execute(server.db)
    assert.equal((await admin.delete(path(name))).status, 204, 'it can still be deleted')
  })

  test('of another experience are nobody else’s', async () => {
    await admin.post('/api/configuration/', upload(name))
    await admin.put(path(name), { ...flip(name), experience_id: 'theirs' })
    const { body } = await admin.post('/api/token/', { name: 't', scopes: ['write'], experiences: ['theirs'] })
    const theirs = admin.as(body.token)
    const seen = (await theirs.get(`${path(name)}versions/`)).body.items
    assert.deepEqual(
      seen.map((one: { version: number }) => one.version),
      [2],
    )
    assert.equal((await restore(path(name), 1, {}, theirs)).status, 404)
    const { body: mine } = await admin.post('/api/token/', { name: 'm', scopes: ['write'], experiences: ['expo'] })
    assert.equal((await admin.as(mine.token).get(`${path(name)}versions/`)).status, 404)
    assert.equal((await restore(path(name), 1, {}, admin.as(mine.token))).status, 404)
    const { body: reader } = await admin.post('/api/token/', { name: 'r', scopes: ['tasks'] })
    assert.equal((await restore(path(name), 1, {}, admin.as(reader.token))).status, 403)
  })
})

describe('a deleted configuration', () => {
  test('can be undeleted as it was, once', async () => {
    const made = await admin.post('/api/configuration/', upload(name))
    await admin.delete(path(name))
    assert.equal((await admin.get(path(name))).status, 404)
    assert.equal((await versionsOf(path(name))).items[0].is_current, false)
    const racers = await Promise.all(Array.from({ length: 4 }, () => admin.post(`${path(name)}undelete/`)))
    assert.deepEqual(racers.map(({ status }) => status).sort(), [200, 409, 409, 409])
    assert.deepEqual((await admin.get(path(name))).body, made.body)
    assert.equal(await secretOf(), 'canary-secret')
    assert.equal((await versionsOf(path(name))).items[0].is_current, true)
    const again = await admin.post(`${path(name)}undelete/`)
    assert.deepEqual([again.status, again.body.code], [409, 'name_taken'])
    assert.equal((await admin.post(`${path('nobody')}undelete/`)).status, 404)
  })

  test('leaves its name free; the one made anew has a history of its own', async () => {
    await admin.post('/api/configuration/', upload(name))
    await admin.delete(path(name))
    assert.equal((await admin.post('/api/configuration/', flip(name))).status, 201)
    assert.equal((await admin.post(`${path(name)}undelete/`)).body.code, 'name_taken')
    assert.equal((await versionsOf(path(name))).items.length, 1)
    await admin.delete(path(name))
    assert.equal((await admin.post(`${path(name)}undelete/`)).body.adapter_name, 'photo_flip', 'the latest')
    await admin.delete(path(name))
    const { rows } = await sql`select from deletions where name = ${name}`.execute(server.db)
    assert.equal(rows.length, 1, 'only the latest can be undeleted')
  })

  test('is nobody else’s, also when its name is', async () => {
    const token = async (experience: string) =>
      admin.as(
        (await admin.post('/api/token/', { name: 't', scopes: ['write'], experiences: [experience] })).body.token,
      )
    const [mine, theirs] = [await token('mine'), await token('theirs')]
    await mine.post('/api/configuration/', { ...upload(name), experience_id: 'mine' })
    await mine.delete(path(name))
    assert.equal((await theirs.post(`${path(name)}undelete/`)).status, 404)
    assert.equal((await theirs.get(`${path(name)}versions/`)).status, 404)
    assert.equal((await theirs.post('/api/configuration/', { ...flip(name), experience_id: 'theirs' })).status, 201)
    assert.equal((await mine.post(`${path(name)}undelete/`)).body.code, 'name_taken')
    assert.equal((await theirs.get(`${path(name)}versions/`)).body.items.length, 1)
    await theirs.delete(path(name))
    assert.equal((await mine.post(`${path(name)}undelete/`)).body.adapter_name, 's3_upload')
  })

  test('that names what is gone is refused until that is back', async () => {
    await put(0)
    const user = `${name} user`
    const overlay = {
      adapter_name: 'photo_add_overlay',
      adapter_config: { auth: {}, defaults: { overlay_file_name: name } },
    }
    await admin.post('/api/configuration/', { ...flip(user), ...overlay })
    await admin.delete(path(user))
    assert.equal((await admin.delete(asset())).status, 204)
    assert.equal((await admin.post(`${path(user)}undelete/`)).body.code, 'unknown_asset')
    assert.equal((await admin.post(`${asset()}undelete/`)).status, 200)
    assert.equal((await admin.post(`${path(user)}undelete/`)).status, 200)
    assert.deepEqual((await admin.get(asset())).body.used_by, [user])
  })

  test('is really gone after 30 days', async () => {
    await admin.post('/api/configuration/', upload(name))
    await admin.delete(path(name))
    await sql`update deletions set deleted_at = now() - interval '29 days' where name = ${name}`.execute(server.db)
    await swept()
    assert.equal((await versionsOf(path(name))).items.length, 1)
    await sql`update deletions set deleted_at = now() - interval '31 days' where name = ${name}`.execute(server.db)
    assert.equal((await admin.post(`${path(name)}undelete/`)).status, 404, 'also before the sweep')
    await swept()
    const left = await sql`
      select name from deletions where name = ${name}
      union all select configuration_name from configuration_versions where configuration_name = ${name}`.execute(
      server.db,
    )
    assert.deepEqual(left.rows, [])
  })
})

describe('versions of an asset', () => {
  test('tell what its file was, and return', async () => {
    for (const file of [0, 1, 2]) assert.ok((await put(file)).status < 300)
    const { items } = await versionsOf(asset())
    assert.deepEqual(
      items.map((one: Answer['body']) => [
        one.version,
        one.is_current,
        one.change,
        one.asset.width,
        one.changed_by.name,
      ]),
      [
        [3, true, 'changed', 24, 'operator'],
        [2, false, 'changed', 16, 'operator'],
        [1, false, 'made', 8, 'operator'],
      ],
    )
    const tag = (await admin.get(asset())).headers.get('etag') as string
    assert.equal((await restore(asset(), 1, { 'if-match': '"x"' })).status, 412)
    const back = await restore(asset(), 1, { 'if-match': tag })
    assert.deepEqual([back.status, back.body.width], [200, 8], JSON.stringify(back.body))
    assert.notEqual(back.headers.get('etag'), tag)
    assert.equal((await admin.get(`${asset()}file/`)).status, 200)
    assert.deepEqual((await versionsOf(asset())).items[0].restored_from, 1)
    assert.equal((await restore(asset(), 9)).status, 404)
    assert.equal((await restore(asset('nobody'), 1)).status, 404)
    assert.equal((await admin.get(`${asset('nobody')}versions/`)).status, 404)
  })

  test('of another kind are refused while a configuration names it', async () => {
    const body = new FormData()
    body.append('experience_id', 'expo')
    body.append('file', new Blob(['text']))
    await admin.send('PUT', asset(), { body })
    await put(0)
    const overlay = {
      adapter_name: 'photo_add_overlay',
      adapter_config: { auth: {}, defaults: { overlay_file_name: name } },
    }
    await admin.post('/api/configuration/', { ...flip(`${name} user`), ...overlay })
    assert.equal((await restore(asset(), 1)).body.code, 'in_use')
  })

  test('keep their files as long as any version needs them', async () => {
    for (const file of [0, 1]) await put(file)
    await restore(asset(), 1)
    await put(2)
    const past = (version: number) =>
      sql`update asset_versions set sweep_at = now() - interval '1 day' where name = ${name} and version = ${version}`.execute(
        server.db,
      )
    await past(1)
    await past(2)
    await swept()
    const blobs = await server.db
      .selectFrom('asset_versions')
      .select(['version', 'blob'])
      .where('name', '=', name)
      .execute()
    assert.deepEqual(blobs.map(({ version }) => version).sort(), [3, 4])
    await restore(asset(), 3)
    assert.equal(await widthOf(), 8)
    assert.equal((await admin.get(`${asset()}file/`)).status, 200, 'the file of version 1 is that of 3 and 5')
  })

  test('are bounded: what falls out goes with the next sweep', async () => {
    for (const file of [0, 1, 2, 3, 4, 5]) await put(file)
    const { items } = await versionsOf(asset())
    assert.deepEqual(
      items.map((one: { version: number }) => one.version),
      [6, 5, 4, 3, 2],
    )
    const first = async () =>
      (
        await server.db
          .selectFrom('asset_versions')
          .select('blob')
          .where('name', '=', name)
          .where('version', '=', 1)
          .execute()
      )[0]
    const { blob } = (await first()) as { blob: string }
    await swept()
    assert.equal(await first(), undefined)
    await assert.rejects(async () => (await server.services.blobs.read(blob)).destroy())
  })

  test('stay for a task that needs the file, but are no longer shown', async () => {
    for (const file of [0, 1]) await put(file)
    const row = await server.db
      .selectFrom('asset_versions')
      .select('blob')
      .where('name', '=', name)
      .where('version', '=', 1)
      .executeTakeFirstOrThrow()
    await sql`set session_replication_role = replica; insert into asset_pins (blob, task_id) values (${sql.lit(row.blob)}, gen_random_uuid()); set session_replication_role = origin`.execute(
      server.db,
    )
    await sql`update asset_versions set sweep_at = now() - interval '1 day' where name = ${name} and version = 1`.execute(
      server.db,
    )
    await swept()
    ;(await server.services.blobs.read(row.blob)).destroy()
    assert.equal((await versionsOf(asset())).items.length, 1)
    await sql`delete from asset_pins where blob = ${row.blob}`.execute(server.db)
    await swept()
    await assert.rejects(async () => (await server.services.blobs.read(row.blob)).destroy())
  })
})

describe('a deleted asset', () => {
  test('can be undeleted with its file, once, and its versions with it', async () => {
    for (const file of [0, 1]) await put(file)
    const before = await admin.get(asset())
    await admin.delete(asset())
    assert.equal((await admin.get(`${asset()}file/`)).status, 404)
    await swept()
    const racers = await Promise.all(Array.from({ length: 4 }, () => admin.post(`${asset()}undelete/`)))
    assert.deepEqual(racers.map(({ status }) => status).sort(), [200, 409, 409, 409])
    assert.deepEqual((await admin.get(asset())).body, before.body)
    assert.equal((await admin.get(`${asset()}file/`)).status, 200)
    assert.equal((await restore(asset(), 1)).body.width, 8)
    await swept()
    assert.equal((await admin.get(`${asset()}file/`)).status, 200)
  })

  test('leaves its name free', async () => {
    await put(0)
    await admin.delete(asset())
    assert.equal((await put(1)).status, 201)
    assert.equal((await admin.post(`${asset()}undelete/`)).body.code, 'name_taken')
    await admin.delete(asset())
    assert.equal((await admin.post(`${asset()}undelete/`)).body.width, 16)
    const { body } = await admin.post('/api/token/', { name: 't', scopes: ['write'], experiences: ['theirs'] })
    await admin.delete(asset())
    assert.equal((await admin.as(body.token).post(`${asset()}undelete/`)).status, 404)
  })

  test('is really gone after 30 days, with its files', async () => {
    for (const file of [0, 1]) await put(file)
    const blobs = await server.db.selectFrom('asset_versions').select('blob').where('name', '=', name).execute()
    await admin.delete(asset())
    await sql`update deletions set deleted_at = now() - interval '31 days' where name = ${name}`.execute(server.db)
    await swept()
    await swept()
    assert.equal((await admin.post(`${asset()}undelete/`)).status, 404)
    assert.equal((await admin.get(`${asset()}versions/`)).status, 404)
    const left =
      await sql`select name from deletions where name = ${name} union all select name from asset_versions where name = ${name}`.execute(
        server.db,
      )
    assert.deepEqual(left.rows, [])
    for (const { blob } of blobs) await assert.rejects(async () => (await server.services.blobs.read(blob)).destroy())
  })
})
