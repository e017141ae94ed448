// Names that look the same are one name, in whatever form of Unicode they come; two from before stay two.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { checkRows } from '../../src/commands/doctor-rows.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'

const twins = async (url: string): Promise<string[]> =>
  (await checkRows(url)).filter(([, what]) => what === 'twins').map(([, , said]) => said)

const composed = 'Grüße'.normalize('NFC')
const apart = composed.normalize('NFD')
const path = (name: string, noun = 'configuration') => `/api/${noun}/${encodeURIComponent(name)}/`
const flip = { method: 'ROTATE_180' }
let keepsake: Keepsake
let data: Blob

before(async () => {
  keepsake = await startKeepsake()
  data = new Blob([new Uint8Array(await png(pattern(8, 6, 3)))])
})
after(() => keepsake?.stop())

async function query(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: keepsake.databaseUrl })
  await client.connect()
  await client.query(text).finally(() => client.end())
}

async function asset(method: 'POST' | 'PUT', name: string) {
  const body = new FormData()
  if (method === 'POST') body.set('name', name)
  body.set('experience_id', 'park')
  body.set('file', data)
  return keepsake.client.send(method, method === 'POST' ? '/api/asset/' : path(name, 'asset'), { body })
}

test('a new configuration has one form of its name, and is found by each', async () => {
  const { client } = keepsake
  const made = await client.post('/api/configuration/', single(apart, 'photo_flip', flip))
  assert.deepEqual([made.status, made.body.configuration_name], [201, composed])
  for (const name of [composed, apart]) {
    const again = await client.post('/api/configuration/', single(name, 'photo_flip', flip))
    assert.deepEqual([again.status, again.body.code], [409, 'name_taken'])
    assert.equal((await client.put(path(name), single(apart, 'photo_flip', flip))).status, 200)
    assert.equal((await client.patch(path(name), { configuration_name: apart })).status, 200)
    assert.equal((await client.get(path(name))).body.configuration_name, composed)
    assert.equal((await client.post(`${path(name)}check/`)).status, 200)
    const { status, body } = await keepsake.send('/api/task/', {
      configuration_name: name,
      data,
      extras: JSON.stringify({ per_configuration: { [name]: { method: 'ROTATE_90' } } }),
    })
    assert.deepEqual(
      [status, body.configuration, body.entries?.[0].configuration],
      [202, composed, composed],
      JSON.stringify(body),
    )
    const { entries } = await keepsake.ended(`/api/task/${body.task_id}/`)
    assert.deepEqual([entries[0].output.width, entries[0].output.height], [6, 8])
  }
  const chain = {
    configuration_name: `${apart} 2`,
    experience_id: 'park',
    call_chain: [
      [apart, null],
      [composed, 0],
    ],
  }
  assert.equal((await client.post('/api/configuration/', chain)).status, 201)
  const stored = await client.get(path(`${composed} 2`))
  assert.deepEqual(stored.body.call_chain, [
    [composed, null],
    [composed, 0],
  ])
  assert.equal((await client.delete(path(apart))).body.code, 'in_use')
  assert.equal((await client.delete(path(`${apart} 2`))).status, 204)
  assert.equal((await client.post(`${path(`${apart} 2`)}undelete/`)).body.configuration_name, `${composed} 2`)
})

test('assets and the parts of a group go by the same', async () => {
  const { client } = keepsake
  assert.deepEqual((await asset('POST', `${apart}.png`)).body.name, `${composed}.png`)
  assert.equal((await asset('POST', `${composed}.png`)).status, 409)
  assert.equal((await asset('PUT', `${apart}.png`)).status, 200)
  assert.equal((await client.get(path(`${apart}.png`, 'asset'))).body.name, `${composed}.png`)
  const frame = `Rähmen`.normalize('NFD')
  await keepsake.configure(single(frame, 'photo_add_overlay', { overlay_file_name: `${apart}.png` }))
  assert.equal((await client.delete(path(`${apart}.png`, 'asset'))).body.code, 'in_use')
  await keepsake.configure(single('portrait ü', 'photo_flip', flip))
  const portrait = 'portrait ü'.normalize('NFD')
  const { status, body } = await keepsake.send('/api/taskgroup/', {
    configuration_names: JSON.stringify([portrait.normalize('NFC'), frame]),
    [`${portrait}_data`]: data,
    [`${frame.normalize('NFC')}_input`]: portrait,
    [`${frame.normalize('NFC')}_extras`]: JSON.stringify({ overlay_file_name_override: portrait }),
  })
  assert.equal(status, 202, JSON.stringify(body))
  const ended = await keepsake.ended(`/api/taskgroup/${body.task_id}/`)
  assert.equal(ended.status, 'Succeeded', JSON.stringify(ended))
  assert.deepEqual(ended.configuration_names, [portrait.normalize('NFC'), frame.normalize('NFC')])
  const both = await keepsake.send('/api/taskgroup/', {
    configuration_names: JSON.stringify([portrait, portrait.normalize('NFC')]),
    [`${portrait}_data`]: data,
  })
  assert.equal(both.body.code, 'bad_group', JSON.stringify(both.body))
})

test('twins from before are each found by their bytes, and named; one of before alone is found by both', async () => {
  const { client } = keepsake
  const [old, twin, lone] = ['Zoë', 'Zoë', 'Noël'].map(name => name.normalize('NFC')) as [string, string, string]
  for (const name of [twin, lone]) await keepsake.configure(single(name, 'photo_flip', flip))
  await query(
    `update configurations set configuration_name = normalize(configuration_name, nfd) where configuration_name in ('${twin}', '${lone}')`,
  )
  await query(
    `insert into configurations (configuration_name, experience_id, kind, adapter_name, defaults, created_at, updated_at) values ('${old}', 'park', 'transformer', 'photo_convert', '{}', now(), now())`,
  )
  const adapterOf = async (name: string) => {
    const { body } = await client.get(path(name))
    return [body.configuration_name, body.adapter_name]
  }
  assert.deepEqual(await adapterOf(old), [old, 'photo_convert'])
  assert.deepEqual(await adapterOf(twin.normalize('NFD')), [twin.normalize('NFD'), 'photo_flip'])
  for (const form of ['NFC', 'NFD'] as const) {
    assert.deepEqual(await adapterOf(lone.normalize(form)), [lone.normalize('NFD'), 'photo_flip'])
    assert.equal((await client.put(path(lone.normalize(form)), single(lone, 'photo_flip', flip))).status, 200)
  }
  const said = await twins(keepsake.databaseUrl)
  assert.deepEqual(
    said.map(sentence => /^\d+ \w+ look like/.exec(sentence)?.[0]),
    ['2 configurations look like'],
  )
  assert.ok(said[0]?.includes(encodeURIComponent(old)) && said[0].includes(encodeURIComponent(twin.normalize('NFD'))))
  assert.equal((await client.delete(path(twin.normalize('NFD')))).status, 204)
  assert.deepEqual(await adapterOf(twin.normalize('NFD')), [old, 'photo_convert'])
  assert.deepEqual(await twins(keepsake.databaseUrl), [])
})
