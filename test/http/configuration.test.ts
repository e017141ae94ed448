// /api/configuration/ over HTTP: every rule of single configurations, merging and listing.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '#kit/ids.ts'
import { type Client, newClient } from '../support/client.ts'
import { chain, flip, path, upload } from '../support/configurations.ts'
import { configuring } from '../support/configuring.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let admin: Client

before(async () => {
  server = await startTestServer({ settings: { allowHosts: ['receiver.test'], maxChain: 8 } })
  admin = newClient(server)
})
after(() => server.stop())

const { make, refused } = configuring(() => admin)

async function addAsset(name: string, experience: string): Promise<void> {
  const version_id = newId()
  const now = new Date()
  const facts = { blob: newId(), mime: 'image/png', medium: 'image' as const, ext: '.png', bytes: 1, sha256: '' }
  await server.db
    .insertInto('asset_versions')
    .values({ version_id, name, ...facts, created_at: now })
    .execute()
  await server.db
    .insertInto('assets')
    .values({ name, experience_id: experience, version_id, created_at: now, updated_at: now })
    .execute()
}

test('a single configuration is stored and returned with the fields of the seed', async () => {
  const body = flip('single ✓', {
    activity_config: { experience_id: 'expo', activity_type: 'content-generation', payload: { object_id: 'o', x: 1 } },
    webhook_url: 'https://example.com/hook',
  })
  const made = await admin.post('/api/configuration/', body)
  assert.equal(made.status, 201)
  assert.equal(made.headers.get('location'), path('single ✓'))
  const { kind, created_at, updated_at, ...rest } = made.body
  assert.deepEqual(rest, body)
  assert.equal(kind, 'transformer')
  assert.equal(created_at, updated_at)
  assert.deepEqual((await admin.get(path('single ✓'))).body, made.body)
  assert.deepEqual((await admin.get(path('single ✓').slice(0, -1))).body, made.body)
})

test('the nested shape of adapter_config is stored as the plain one', async () => {
  const nested = { adapter_config: { auth: {}, defaults: { method: 'ROTATE_180' } } }
  const { body } = await admin.post('/api/configuration/', flip('nested', { adapter_config: nested }))
  assert.deepEqual(body.adapter_config, nested.adapter_config)
  await refused(flip('both', { adapter_config: { ...nested, defaults: {} } }), 400, 'bad_request', 'adapter_config')
})

test('credentials are masked in answers, sealed at rest, and kept when the mask is written back', async () => {
  await make(upload('secret'))
  const { body } = await admin.get(path('secret'))
  assert.deepEqual(body.adapter_config.auth, { access_key: '********', secret_key: '********' })
  assert.equal(body.kind, 'destination')
  const stored = () =>
    server.db
      .selectFrom('configurations')
      .selectAll()
      .where('configuration_name', '=', 'secret')
      .executeTakeFirstOrThrow()
  const open = async () =>
    JSON.parse(server.services.secretBox.open((await stored()).auth as Buffer, 'configuration:secret'))
  assert.ok(!(await stored()).auth?.toString('latin1').includes('canary-secret'))

  assert.equal((await admin.put(path('secret'), body)).status, 200)
  assert.deepEqual(await open(), { access_key: 'AK', secret_key: 'canary-secret' })
  await admin.patch(path('secret'), { adapter_config: { auth: { access_key: 'NEW' } } })
  assert.deepEqual(await open(), { access_key: 'NEW', secret_key: 'canary-secret' })

  const nothing = upload('no stored value')
  nothing.adapter_config.auth.secret_key = '********'
  await refused(nothing, 400, 'bad_options', 'adapter_config.auth.secret_key')
})

test('new credentials have every part that the adapter requires; what lacks one from before goes on', async () => {
  const fields = (answer: { status: number; body: { code: string; errors: { field: string }[] } }) => [
    answer.status,
    answer.body.code,
    ...answer.body.errors.map(({ field }) => field.replace('adapter_config.auth.', '')),
  ]
  const send = (auth: object | undefined, adapter_name = 's3_upload') => ({
    ...upload('lacking'),
    adapter_name,
    adapter_config: { ...(auth && { auth }), defaults: upload('lacking').adapter_config.defaults },
  })
  const both = [400, 'option_missing', 'access_key', 'secret_key']
  assert.deepEqual(fields(await admin.post('/api/configuration/', send({}))), both)
  assert.deepEqual(fields(await admin.post('/api/configuration/?dry_run=true', send(undefined))), both)
  assert.deepEqual(fields(await admin.put(path('lacking'), send({ access_key: 'AK' }))), [
    ...both.slice(0, 2),
    'secret_key',
  ])
  assert.equal((await admin.get(path('lacking'))).status, 404)
  await make(upload('lacking'))
  assert.deepEqual(fields(await admin.patch(path('lacking'), { adapter_config: { auth: null } })), both)
  assert.deepEqual(fields(await admin.put(path('lacking'), send({}))), both)
  await server.db
    .updateTable('configurations')
    .set({ auth: null })
    .where('configuration_name', '=', 'lacking')
    .execute()
  const old = await admin.get(path('lacking'))
  assert.equal((await admin.put(path('lacking'), old.body)).status, 200)
  const patched = await admin.patch(path('lacking'), { webhook_url: 'https://receiver.test/in' })
  assert.deepEqual([patched.status, patched.body.adapter_config.auth], [200, {}])
  const { body } = await admin.post(`${path('lacking')}check/`)
  const red = body.lines.filter((line: { ok: boolean; what: string }) => !line.ok && line.what === 'lacking')
  assert.deepEqual(
    red.map((line: { detail: string }) => line.detail),
    ['The credential access_key is missing.', 'The credential secret_key is missing.'],
  )
  await make(flip('turned'))
  const turned = await admin.put(path('turned'), { ...send(undefined), configuration_name: 'turned' })
  assert.deepEqual(fields(turned), both)
})

test('a wrong credential is refused without being repeated', async () => {
  const body = upload('loud')
  const config = { auth: { access_key: 'AK', secret_key: { deep: 'canary-secret' } }, defaults: { bucket_name: 'b' } }
  const detail = await refused(
    { ...body, adapter_config: config },
    400,
    'bad_options',
    'adapter_config.auth.secret_key',
  )
  assert.ok(!detail.includes('canary-secret'))
  const none = flip('none', { adapter_config: { auth: { key: 'x' } } })
  await refused(none, 400, 'bad_options', 'adapter_config.auth.key')
})

test('defaults are checked against the adapter, but a required one may be left to extras', async () => {
  const typo = flip('typo', { adapter_config: { defaults: { method: 'ROTATE_181' } } })
  const detail = await refused(typo, 400, 'bad_options', 'adapter_config.defaults.method')
  assert.match(detail, /"FLIP_LEFT_RIGHT", "ROTATE_180".*ROTATE_181/)
  await refused(
    flip('x', { adapter_config: { defaults: { methd: 1 } } }),
    400,
    'bad_options',
    'adapter_config.defaults.methd',
  )
  await make(flip('left to extras', { adapter_config: {} }))
  await make({ configuration_name: 'bare', experience_id: 'expo', adapter_name: 'photo_flip' })
})

test('an unknown adapter is refused with the names that are known', async () => {
  const detail = await refused(flip('x', { adapter_name: 'photo_flop' }), 400, 'unknown_adapter', 'adapter_name')
  assert.match(detail, /photo_add_overlay, photo_flip, s3_upload/)
})

test('a configuration is either single or a chain', async () => {
  await refused({ configuration_name: 'x', experience_id: 'expo' }, 400, 'bad_request', 'adapter_name')
  await refused(flip('x', { call_chain: [['a', null]] }), 400, 'bad_request', 'call_chain')
  await refused(chain('x', [['a', null]], { adapter_config: {} }), 400, 'bad_request', 'adapter_config')
  const activity_config = { experience_id: 'expo', activity_type: 't', payload: { object_id: 'o' } }
  await refused(chain('x', [['a', null]], { activity_config }), 400, 'bad_request', 'activity_config')
})

test('names are printable, short, without a slash, and unique in the deployment', async () => {
  for (const name of ['', 'a/b', 'x'.repeat(129), ' a', 'a ', '.', '..', 'tab\there', 'new\nline', 5])
    await refused(flip(name as string), 400, 'bad_request', 'configuration_name')
  // Spaces without width, joiners, marks of direction, fillers, selectors and tags show nothing.
  for (const name of [
    '\u200b',
    '\u200b\u200d',
    '\u2060',
    '\u00ad',
    '\u3164',
    '\u200e\u200f',
    '\ufe0f',
    '\u{e0041}',
    '\u200b \u200b',
  ]) {
    const { body } = await admin.post('/api/configuration/', flip(name))
    assert.match(body.detail, /must be a name of 1 to 128 printable characters/, JSON.stringify(name))
  }
  await make(flip('x'.repeat(128)))
  await make(flip('emoji 👨‍👩‍👧 "quotes" <b> ünïcode %2F'))
  assert.equal((await admin.get(path('emoji 👨‍👩‍👧 "quotes" <b> ünïcode %2F'))).status, 200)
  await make(flip('taken'))
  await refused(flip('taken', { experience_id: 'other' }), 409, 'name_taken')
  const experience = await admin.get('/api/experience/other/')
  assert.equal(experience.status, 404, 'a refused request makes no experience')
})

test('of many requests for one name exactly one wins', async () => {
  const answers = await Promise.all(Array.from({ length: 12 }, () => admin.post('/api/configuration/', flip('race'))))
  assert.deepEqual(answers.map(answer => answer.status).sort(), [201, ...Array(11).fill(409)])
})

test('webhook_url must be HTTPS and public, or allowed by a setting', async () => {
  await make(flip('allowed hook', { webhook_url: 'http://receiver.test/hook' }))
  for (const url of ['http://example.com/', 'https://127.0.0.1/', 'ftp://example.com/', 'nonsense', 'https://[::1]/'])
    await refused(flip('hook', { webhook_url: url }), 400, 'blocked_url', 'webhook_url')
})

test('options name assets of the same experience only', async () => {
  await addAsset('frame.png', 'expo')
  await make(flip('elsewhere', { experience_id: 'other-expo' }))
  await addAsset('foreign.png', 'other-expo')
  const overlay = (name: string) => ({
    configuration_name: `overlay ${name}`,
    experience_id: 'expo',
    adapter_name: 'photo_add_overlay',
    adapter_config: { defaults: { overlay_file_name: name } },
  })
  await make(overlay('frame.png'))
  await make(overlay('frame-{{language}}.png'))
  const uses = await server.db.selectFrom('asset_uses').selectAll().execute()
  assert.deepEqual(uses, [{ configuration_name: 'overlay frame.png', asset: 'frame.png' }])
  const field = 'adapter_config.defaults.overlay_file_name'
  assert.match(await refused(overlay('foreign.png'), 400, 'unknown_asset', field), /known are "frame\.png"/)
  await admin.patch(path('overlay frame.png'), { adapter_config: { defaults: { overlay_file_name: null } } })
  assert.deepEqual(await server.db.selectFrom('asset_uses').selectAll().execute(), [])
})

test('PUT replaces the whole, and a name can not be changed', async () => {
  await make(flip('whole', { webhook_url: 'https://example.com/' }))
  const replaced = await admin.put(path('whole'), flip('whole'))
  assert.equal(replaced.status, 200)
  assert.ok(!('webhook_url' in replaced.body))
  assert.ok(replaced.body.updated_at >= replaced.body.created_at)
  assert.equal((await admin.put(path('whole'), flip('other'))).body.errors[0].field, 'configuration_name')
  assert.equal((await admin.put(path('whole'), chain('whole', [['bare', null]]))).body.kind, 'chain')
})

test('PATCH merges deeply, null removes, lists replace', async () => {
  await make(upload('patched', { webhook_url: 'https://example.com/' }))
  const patch = { webhook_url: null, adapter_config: { defaults: { public: true, metadata: { a: '1', b: '2' } } } }
  const first = (await admin.patch(path('patched'), patch)).body
  assert.ok(!('webhook_url' in first))
  assert.deepEqual(first.adapter_config.defaults, { bucket_name: 'b', public: true, metadata: { a: '1', b: '2' } })
  const nested = { adapter_config: { adapter_config: { defaults: { metadata: { a: null } } } } }
  const second = (await admin.patch(path('patched'), nested)).body
  assert.deepEqual(second.adapter_config.defaults.metadata, { b: '2' })
  const wrong = await admin.patch(path('patched'), { experience_id: 5, webhook_url: 5 })
  assert.deepEqual(wrong.body.errors.map((e: { field: string }) => e.field).sort(), ['experience_id', 'webhook_url'])
  assert.equal((await admin.patch(path('patched'), { nonsense: 1 })).body.errors[0].field, 'nonsense')
  assert.equal((await admin.patch(path('nobody'), {})).status, 404)
})

test('lists filter by experience, adapter and kind, and go on by cursor', async () => {
  for (let i = 0; i < 3; i++) await make(flip(`listed ${i}`, { experience_id: 'lists' }))
  await make(upload('listed up', { experience_id: 'lists' }))
  await make(chain('listed chain', [['listed 0', null]], { experience_id: 'lists' }))
  const names = async (query: string) =>
    (await admin.get(`/api/configuration/?${query}`)).body.items.map(
      (item: { configuration_name: string }) => item.configuration_name,
    )
  assert.deepEqual(await names('experience_id=lists'), [
    'listed chain',
    'listed up',
    'listed 2',
    'listed 1',
    'listed 0',
  ])
  assert.deepEqual(await names('experience_id=lists&kind=chain'), ['listed chain'])
  assert.deepEqual(await names('experience_id=lists&adapter_name=s3_upload'), ['listed up'])
  assert.deepEqual(await names('experience_id=lists&kind=destination'), ['listed up'])
  const first = (await admin.get('/api/configuration/?experience_id=lists&limit=4')).body
  const second = (await admin.get(`/api/configuration/?experience_id=lists&limit=4&cursor=${first.next_cursor}`)).body
  assert.deepEqual([first.items.length, second.items.length, second.next_cursor], [4, 1, null])
  for (const query of ['limit=0', 'limit=501', 'limit=x', 'limit=1&limit=2', 'kind=x', 'nonsense=1', 'cursor='])
    assert.equal((await admin.get(`/api/configuration/?${query}`)).status, 400, query)
})

test('a dry run checks everything a write does, answers alike, and stores nothing', async () => {
  const dry = '/api/configuration/?dry_run=true'
  const body = flip('only tried', { experience_id: 'never made' })
  const tried = await admin.post(dry, body)
  assert.equal(tried.status, 200, JSON.stringify(tried.body))
  assert.equal(tried.body.configuration_name, 'only tried')
  assert.equal(tried.body.kind, 'transformer')
  assert.equal((await admin.get(path('only tried'))).status, 404)
  assert.equal((await admin.get('/api/experience/never%20made/')).status, 404, 'not even the experience')

  const wrong = flip('only tried', { adapter_config: { auth: {}, defaults: { method: 'SIDEWAYS' } } })
  const [triedWrong, madeWrong] = [await admin.post(dry, wrong), await admin.post('/api/configuration/', wrong)]
  assert.equal(triedWrong.status, 400)
  assert.deepEqual(triedWrong.body, madeWrong.body)
  await make(flip('dry stored'))
  assert.equal((await admin.post(dry, flip('dry stored'))).body.code, 'name_taken')
  const circle = await admin.patch(`${path('dry stored')}?dry_run=true`, { call_chain: [['dry stored', null]] })
  assert.equal(circle.status, 400)

  const before = (await admin.get(path('dry stored'))).body
  const other = { adapter_config: { defaults: { method: 'ROTATE_180' } }, webhook_url: 'https://example.com/x' }
  const patched = await admin.patch(`${path('dry stored')}?dry_run=true`, other)
  assert.equal(patched.status, 200)
  assert.equal(patched.body.webhook_url, 'https://example.com/x')
  const put = await admin.put(`${path('dry stored')}?dry_run=true`, { ...before, ...other })
  assert.equal(put.status, 200, JSON.stringify(put.body))
  assert.deepEqual((await admin.get(path('dry stored'))).body, before)
  assert.equal((await admin.post('/api/configuration/?dry_run=yes', body)).status, 400)
  assert.equal((await admin.post('/api/configuration/?dry_run=false', body)).status, 201)
})
