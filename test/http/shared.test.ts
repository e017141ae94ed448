// What is shared by all experiences: who may make it, what others see of it, and how tasks use it.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Answer, Client } from '../support/client.ts'
import { type Keepsake, startKeepsake } from '../support/keepsake.ts'
import { pattern, png, rawSharp } from '../support/pictures.ts'

let keepsake: Keepsake
let admin: Client
/** Limited to the experience "south". */
let south: Client
let folder: string
let photo: Blob

const blob = (bytes: Buffer): Blob => new Blob([new Uint8Array(bytes)])
const path = (name: string) => `/api/configuration/${encodeURIComponent(name)}/`
const shared = (name: string, adapter_name: string, defaults: object, more: object = {}) => ({
  configuration_name: name,
  experience_id: null,
  adapter_name,
  adapter_config: { defaults },
  ...more,
})

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keepsake-shared-'))
  keepsake = await startKeepsake({ settings: { localRoot: folder } })
  admin = keepsake.client
  photo = blob(
    await rawSharp(pattern(64, 40, 3))
      .jpeg()
      .toBuffer(),
  )
  const { body } = await admin.post('/api/token/', { name: 's', scopes: ['write', 'tasks'], experiences: ['south'] })
  south = admin.as(body.token)
  await made(shared('smaller', 'photo_resize', { width: 16 }))
  await made(shared('either size', 'photo_resize', { width: 16 }, { overridable: ['width'] }))
  await made(shared('to disk', 'local_file', { folder: '.', file_name: 'photo{{ext}}' }))
})
after(async () => {
  await keepsake.stop()
  await rm(folder, { recursive: true })
})

async function made(configuration: object): Promise<Answer['body']> {
  const { status, body } = await admin.post('/api/configuration/', configuration)
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

function form(parts: Record<string, string | Blob>): FormData {
  const body = new FormData()
  for (const [name, value] of Object.entries(parts)) body.append(name, value)
  return body
}

const task = (parts: Record<string, string | Blob>, client = admin, to = '/api/task/') =>
  client.send('POST', to, { body: form({ data: photo, ...parts }) })

async function ran(parts: Record<string, string | Blob>, client = admin): Promise<Answer['body']> {
  const { status, body } = await task(parts, client)
  assert.equal(status, 202, JSON.stringify(body))
  return keepsake.ended(`/api/task/${body.task_id}/`)
}

function refused({ status, body }: Answer, code: number, field: string, words: RegExp): void {
  assert.equal(status, code, JSON.stringify(body))
  assert.match(body.detail, words)
  if (field) assert.equal(body.errors[0].field, field)
}

describe('a shared configuration', () => {
  test('is made and changed by tokens without a limit alone', async () => {
    refused(
      await south.post('/api/configuration/', shared('mine', 'photo_flip', { method: 'ROTATE_90' })),
      403,
      'experience_id',
      /share/,
    )
    for (const answer of [
      await south.patch(path('smaller'), { adapter_config: { defaults: { width: 8 } } }),
      await south.put(path('smaller'), {
        ...shared('smaller', 'photo_flip', { method: 'ROTATE_90' }),
        experience_id: 'south',
      }),
      await south.send('DELETE', path('smaller')),
      await south.get(`${path('smaller')}versions/`),
      await south.post(`${path('smaller')}versions/1/restore/`, {}),
      await south.post(`${path('smaller')}check/?experience_id=south`, {}),
    ])
      refused(answer, 403, '', /"smaller" is shared by all experiences/)
    const taken = await south.post('/api/configuration/', {
      ...shared('smaller', 'photo_flip', { method: 'ROTATE_90' }),
      experience_id: 'south',
    })
    assert.equal(taken.body.code, 'name_taken')
    assert.equal((await admin.patch(path('smaller'), { webhook_url: null })).body.experience_id, null)
  })

  test('shows its name, adapter and kind to limited tokens, in reads, lists and the search', async () => {
    const whole = (await admin.get(path('smaller'))).body
    assert.deepEqual([whole.overridable, whole.adapter_config.defaults], [[], { width: 16 }])
    const outside = ({ created_at: _made, updated_at: _changed, ...rest }: Answer['body']) => rest
    const seen = {
      configuration_name: 'smaller',
      experience_id: null,
      kind: 'transformer',
      adapter_name: 'photo_resize',
    }
    assert.deepEqual(outside((await south.get(path('smaller'))).body), seen)
    const named = (items: Answer['body'][]) => items.find(one => one.configuration_name === 'smaller')
    assert.deepEqual(outside(named((await south.get('/api/configuration/')).body.items)), seen)
    assert.deepEqual(
      outside(named((await south.get('/api/configuration/?shared=true&kind=transformer')).body.items)),
      seen,
    )
    assert.deepEqual((await south.get('/api/configuration/?experience_id=south')).body.items, [])
    assert.deepEqual(outside(named((await south.get('/api/search/?q=malle')).body.configurations.items)), seen)
    refused(
      await south.get('/api/configuration/?shared=true&experience_id=south'),
      400,
      'shared',
      /beside experience_id/,
    )
    const pages = []
    for (let cursor = ''; ; ) {
      const { body } = await south.get(`/api/configuration/?limit=1${cursor}`)
      pages.push(...body.items.map((one: Answer['body']) => one.configuration_name))
      if (body.next_cursor === null) break
      cursor = `&cursor=${body.next_cursor}`
    }
    assert.equal(new Set(pages).size, pages.length)
    assert.ok(pages.includes('smaller') && pages.includes('to disk'))
  })

  test('must be a single one, and lists only options that it has', async () => {
    const chain = { configuration_name: 'c', experience_id: null, call_chain: [['smaller', null]] }
    refused(await admin.post('/api/configuration/', chain), 400, 'experience_id', /only single configurations/)
    const wrong = shared('w', 'photo_flip', { method: 'ROTATE_90' }, { overridable: ['method', 'width'] })
    refused(await admin.post('/api/configuration/', wrong), 400, 'overridable[1]', /no option of photo_flip/)
    refused(
      await admin.post('/api/configuration/', shared('w', 'photo_flip', {})),
      400,
      'adapter_config.defaults.method',
      /is required, because extras may not bring it/,
    )
    assert.equal(
      (await admin.post('/api/configuration/?dry_run=true', shared('w', 'photo_flip', {}, { overridable: ['method'] })))
        .status,
      200,
    )
    const owned = {
      ...shared('w', 'photo_flip', { method: 'ROTATE_90' }, { overridable: ['method'] }),
      experience_id: 'north',
    }
    refused(await admin.post('/api/configuration/', owned), 400, 'overridable', /shared configurations/)
    const long = shared('w', 'local_file', { folder: '.', file_name: 'x'.repeat(400) })
    refused(await admin.post('/api/configuration/', long), 400, 'adapter_config.defaults.file_name', /at most 320/)
  })

  test('becomes one and stops being one with a patch, unless chains of others name it', async () => {
    await made({ ...shared('moves', 'photo_flip', { method: 'ROTATE_90' }), experience_id: 'north' })
    assert.equal((await admin.patch(path('moves'), { experience_id: null, overridable: ['method'] })).status, 200)
    await made({ configuration_name: 'of south', experience_id: 'south', call_chain: [['moves', null]] })
    assert.equal((await admin.patch(path('moves'), { experience_id: 'north', overridable: null })).body.code, 'in_use')
    await admin.send('DELETE', path('of south'))
    const back = await admin.patch(path('moves'), { experience_id: 'north', overridable: null })
    assert.deepEqual([back.status, back.body.experience_id, 'overridable' in back.body], [200, 'north', false])
    const restored = await admin.post(`${path('moves')}versions/2/restore/`, {})
    assert.deepEqual([restored.body.experience_id, restored.body.overridable], [null, ['method']])
    await admin.send('DELETE', path('moves'))
    assert.equal((await south.post(`${path('moves')}undelete/`, {})).status, 404)
    assert.equal((await admin.post(`${path('moves')}undelete/`, {})).body.experience_id, null)
  })
})

describe('a task with a shared configuration', () => {
  test('names its experience, which must be one of the token', async () => {
    refused(await task({ configuration_name: 'smaller' }), 400, 'experience_id', /is required/)
    const strange = await task({ configuration_name: 'smaller', experience_id: 'north' }, south)
    refused(strange, 403, 'experience_id', /does not allow/)
    refused(
      await task({ configuration_name: 'smaller', experience_id: 'a/b' }),
      400,
      'experience_id',
      /name of 1 to 128/,
    )
    const done = await ran({ configuration_name: 'smaller', experience_id: 'south' }, south)
    assert.deepEqual([done.status, done.experience_id], ['Succeeded', 'south'])
    assert.equal((await ran({ configuration_name: 'smaller', experience_id: 'brand new' })).status, 'Succeeded')
    assert.equal((await admin.get('/api/experience/brand%20new/')).status, 200)
  })

  test('in a chain or group it takes the experience of the others', async () => {
    await made({
      configuration_name: 'both',
      experience_id: 'south',
      call_chain: [
        ['smaller', null],
        ['to disk', 0],
      ],
    })
    assert.equal((await ran({ configuration_name: 'both' }, south)).experience_id, 'south')
    refused(
      await task({ configuration_name: 'both', experience_id: 'north' }),
      400,
      'experience_id',
      /belongs to "south"/,
    )
    await made({ ...shared('turned', 'photo_flip', { method: 'ROTATE_90' }), experience_id: 'south' })
    const parts = { configuration_names: '["turned", "smaller"]', turned_data: photo, smaller_input: 'turned' }
    const { status, body } = await south.send('POST', '/api/taskgroup/', { body: form(parts) })
    assert.deepEqual([status, body.experience_id], [202, 'south'], JSON.stringify(body))
    const alone = { configuration_names: '["smaller"]', smaller_data: photo }
    refused(await south.send('POST', '/api/taskgroup/', { body: form(alone) }), 400, 'experience_id', /is required/)
    const named = await south.send('POST', '/api/taskgroup/', { body: form({ ...alone, experience_id: 'south' }) })
    assert.equal(named.status, 202)
  })

  test('changes only what the configuration allows', async () => {
    const widthOf = (done: Answer['body']) => done.entries.at(-1).output.width
    const at = { experience_id: 'south' }
    const closed = await task({ configuration_name: 'smaller', ...at, extras: '{"width": 8}' }, south)
    refused(closed, 400, 'extras.width', /"smaller" is shared and allows no option/)
    const each = '{"per_configuration": {"smaller": {"width": 8}}}'
    assert.equal((await task({ configuration_name: 'smaller', ...at, extras: each }, south)).status, 400)
    const open = await ran({ configuration_name: 'either size', ...at, extras: '{"width": 8}' }, south)
    assert.equal(widthOf(open), 8)
    const other = await task({ configuration_name: 'either size', ...at, extras: '{"height": 8}' }, south)
    refused(other, 400, 'extras.height', /allows only width/)
    await made({ ...shared('own size', 'photo_resize', { width: 30 }), experience_id: 'south' })
    await made({
      configuration_name: 'own, shared',
      experience_id: 'south',
      call_chain: [
        ['own size', null],
        ['smaller', null],
      ],
    })
    const chain = await ran({ configuration_name: 'own, shared', extras: '{"width": 9}' }, south)
    assert.deepEqual(
      chain.entries.map((entry: Answer['body']) => entry.output.width),
      [9, 16],
      'the extras reach the own entry alone',
    )
  })

  test('takes files in place of its assets only where it allows that, and says so', async () => {
    await admin.send('POST', '/api/asset/', { body: form({ name: 'any frame', experience_id: '', file: photo }) })
    const overlay = { overlay_file_name: 'any frame' }
    await made(shared('framed', 'photo_add_overlay', overlay))
    await made(shared('framed anew', 'photo_add_overlay', overlay, { overridable: ['fit'] }))
    const at = { experience_id: 'south' }
    const file = { overlay_file_name_data: photo }
    const closed = /^overlay_file_name_data can’t be changed here: "framed" is shared and allows no option to be\.$/
    refused(await task({ configuration_name: 'framed', ...at, ...file }, south), 400, 'overlay_file_name_data', closed)
    const some = await task({ configuration_name: 'framed anew', ...at, ...file }, south)
    refused(some, 400, 'overlay_file_name_data', /"framed anew" is shared and allows only fit\.$/)
    const preview = await south.send('POST', `${path('framed')}preview/`, { body: form({ data: photo, ...file }) })
    refused(preview, 400, 'overlay_file_name_data', closed)
    const group = {
      configuration_names: '["framed"]',
      framed_data: photo,
      overlay_file_name_override: photo,
      ...at,
    }
    const refusal = await south.send('POST', '/api/taskgroup/', { body: form(group) })
    refused(refusal, 400, 'overlay_file_name_override', /"framed" is shared and allows no option to be\.$/)
    const { body } = await task({ configuration_name: 'framed', ...at, data: new Blob(['no picture']) }, south)
    await keepsake.ended(`/api/task/${body.task_id}/`)
    const again = await south.send('POST', `/api/task/${body.task_id}/retry/`, { body: form(file) })
    refused(again, 400, 'overlay_file_name_data', closed)
  })

  test('delivers under the names of its experience and task, whatever the extras say', async () => {
    const { task_id } = await ran({ configuration_name: 'to disk', experience_id: 'south' }, south)
    assert.deepEqual(await readdir(join(folder, 'south', task_id)), ['photo.jpg'])
    await made(shared('named by extras', 'local_file', { folder: '.' }, { overridable: ['file_name'] }))
    const extras = JSON.stringify({ file_name: `south/${task_id}/photo.jpg` })
    const other = await ran({ configuration_name: 'named by extras', experience_id: 'north', extras })
    assert.equal(other.status, 'Succeeded', JSON.stringify(other.entries))
    assert.deepEqual(await readdir(join(folder, 'north', other.task_id, 'south', task_id)), ['photo.jpg'])
  })

  test('runs again for the same experience', async () => {
    const broken = new Blob(['no picture'])
    const { body } = await task({ configuration_name: 'smaller', experience_id: 'south', data: broken }, south)
    await keepsake.ended(`/api/task/${body.task_id}/`)
    const again = await south.send('POST', `/api/task/${body.task_id}/retry/`, { body: form({ data: photo }) })
    assert.equal(again.status, 202)
    const done = await keepsake.ended(`/api/task/${body.task_id}/`)
    assert.deepEqual([done.status, done.experience_id, done.warnings], ['Succeeded', 'south', []])
  })

  test('records its activity in the experience of the task', async () => {
    const activity_config = { activity_type: 'ride', payload: { object_id: 'coaster' } }
    await made(shared('tells', 'photo_flip', { method: 'ROTATE_90' }, { activity_config }))
    const owned = { ...shared('w', 'photo_flip', { method: 'ROTATE_90' }, { activity_config }), experience_id: 'north' }
    refused(await admin.post('/api/configuration/', owned), 400, 'activity_config.experience_id', /is required/)
    await admin.post('/api/profile/', { rfid: 'S1', experience_id: 'south' })
    await ran({ configuration_name: 'tells', experience_id: 'south', extras: '{"rfid": "S1"}' }, south)
    const { items } = (await admin.get('/api/activity/?experience_id=south')).body
    assert.deepEqual(
      items.map((one: Answer['body']) => one.activity_type),
      ['ride'],
    )
  })

  test('is previewed without an experience, and checked for one', async () => {
    const preview = async (client: Client, extras: string) =>
      client.send('POST', `${path('smaller')}preview/`, { body: form({ data: photo, extras }) })
    assert.equal((await preview(admin, '{"width": 9}')).status, 200, 'who may change it may try all of it')
    assert.equal((await preview(south, '{}')).status, 200)
    refused(await preview(south, '{"width": 9}'), 400, 'extras.width', /is shared/)
    refused(await admin.post(`${path('to disk')}check/`, {}), 400, 'experience_id', /is required/)
    const { body } = await admin.post(`${path('to disk')}check/?experience_id=south`, {})
    assert.ok(
      body.lines.every((line: Answer['body']) => line.ok),
      JSON.stringify(body),
    )
  })
})

describe('a shared asset', () => {
  const asset = (name: string, experience_id: string, client = admin, file: Buffer | null = null) =>
    client.send('POST', '/api/asset/', { body: form({ name, experience_id, file: file ? blob(file) : photo }) })

  test('is used by every experience, and by shared configurations alone of all assets', async () => {
    const frame = await png({ ...pattern(64, 40, 4) })
    for (const word of ['', 'null']) {
      const { status, body } = await asset(`frame${word}`, word, admin, frame)
      assert.deepEqual([status, body.experience_id], [201, null], JSON.stringify(body))
    }
    refused(await asset('mine', '', south), 403, 'experience_id', /share/)
    assert.equal((await asset('of north', 'north', admin, frame)).status, 201)
    const framed = (name: string, image: string) => shared(name, 'photo_add_overlay', { overlay_file_name: image })
    assert.equal(
      (await admin.post('/api/configuration/', { ...framed('a', 'frame'), experience_id: 'south' })).status,
      201,
    )
    assert.equal((await admin.post('/api/configuration/', framed('b', 'framenull'))).status, 201)
    const foreign = await admin.post('/api/configuration/', framed('c', 'of north'))
    refused(foreign, 400, 'adapter_config.defaults.overlay_file_name', /no asset "of north" that is shared/)
    assert.equal((await ran({ configuration_name: 'a' }, south)).status, 'Succeeded')
    assert.equal((await ran({ configuration_name: 'b', experience_id: 'south' }, south)).status, 'Succeeded')
  })

  test('is seen from outside by limited tokens, and changed by none of them', async () => {
    const place = '/api/asset/frame/'
    const { body } = await south.get(place)
    assert.deepEqual([body.name, body.mime, body.experience_id, body.used_by], ['frame', 'image/png', null, []])
    assert.ok(!('sha256' in body) && !('bytes' in body))
    assert.ok((await south.get('/api/asset/?shared=true')).body.items.length >= 2)
    assert.ok((await south.get('/api/search/?q=frame')).body.assets.items.length >= 2)
    for (const answer of [
      await south.get(`${place}file/`),
      await south.get(`${place}versions/`),
      await south.send('DELETE', place),
      await south.send('PUT', place, { body: form({ file: photo }) }),
    ])
      refused(answer, 403, '', /is shared by all experiences/)
    assert.equal((await admin.get(place)).body.used_by.length, 1)
    const moved = await admin.send('PUT', place, { body: form({ experience_id: 'north', file: photo }) })
    refused(moved, 400, 'experience_id', /can’t be changed; leave it out or write null/)
  })
})
