// Activities: one per guest and entry, never twice, and claimed when the guest comes later.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { cleanUp } from '../support/clean-up.ts'
import { startReceiver } from '../support/https-receiver.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'

describe('activities', () => {
  let keepsake: Keepsake
  let picture: Blob
  let root: string
  const activity_config = { experience_id: 'other', activity_type: 'photo', payload: { object_id: 'gate' } }

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'keepsake-local-'))
    keepsake = await startKeepsake({ settings: { localRoot: root } })
    picture = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
    await keepsake.configure(single('plain', 'photo_flip', { method: 'ROTATE_180' }))
    await keepsake.configure(single('kept', 'photo_flip', { method: 'ROTATE_180' }, { activity_config }))
    await keepsake.configure(
      chain('twice', [
        ['kept', null],
        ['kept', 0],
      ]),
    )
    await keepsake.configure(single('broken', 'photo_convert', { format: 'webp' }))
  })
  after(() =>
    cleanUp(
      () => keepsake.stop(),
      () => rm(root, { recursive: true, force: true }),
    ),
  )

  const run = async (configuration_name: string, extras: object, data = picture) => {
    const { body, status } = await keepsake.send('/api/task/', {
      configuration_name,
      data,
      extras: JSON.stringify(extras),
    })
    assert.equal(status, 202, JSON.stringify(body))
    return keepsake.ended(`/api/task/${body.task_id}/`)
  }
  const activitiesOf = async (taskId: string) =>
    (await keepsake.client.get(`/api/activity/?task_id=${taskId}`)).body.items
  const newProfile = async (profile: object) => {
    const { status, body } = await keepsake.client.post('/api/profile/', profile)
    assert.equal(status, 201, JSON.stringify(body))
    return body.profile_id as string
  }

  it('a configuration without activity_config makes none', async () => {
    await newProfile({ rfid: 'a1' })
    const task = await run('plain', { rfid: 'a1' })
    assert.deepEqual(await activitiesOf(task.task_id), [])
    assert.deepEqual(task.warnings, [])
  })

  it('a profile_id that no profile has is not waited for: ids are never chosen', async () => {
    for (const id of ['nouuid', '01a1e0e7-de3d-7fde-8bdd-d7c9797b8d75']) {
      const task = await run('kept', { profile_id: [id] })
      assert.deepEqual(task.warnings, [
        `No profile has the profile_id "${id}", and none will: ids are made together with their profiles. No activity is made for it.`,
      ])
    }
  })

  const nobodysActivity = 'extras bring no email, qr_code, rfid, profile_id: "kept" makes no activity.'

  it('a task that asks for activities and names no guest says so at once', async () => {
    const send = (configuration_name: string, more: object = {}) =>
      keepsake.send('/api/task/', { configuration_name, data: picture, ...more })
    const { body } = await send('twice')
    assert.deepEqual(body.warnings, [nobodysActivity.replace('kept', 'twice')])
    const plain = await send('plain')
    assert.deepEqual([plain.status, plain.body.warnings], [202, []], JSON.stringify(plain.body))
    const group = await keepsake.send('/api/taskgroup/', { configuration_names: '["kept"]', kept_data: picture })
    assert.deepEqual(group.body.warnings, [nobodysActivity.replace('extras', 'kept_extras')])
    // The guest of a keepsake may be told later.
    await keepsake.client.post('/api/experience/', { experience_id: 'pier', guest_page: { enabled: true } })
    await keepsake.configure(
      single('paged', 'photo_flip', { method: 'ROTATE_180' }, { activity_config, experience_id: 'pier' }),
    )
    const { body: reserved } = await keepsake.client.post('/api/keepsake/', { experience_id: 'pier' })
    assert.deepEqual((await send('paged', { keepsake: reserved.code })).body.warnings, [])
    assert.equal((await send('paged')).body.warnings.length, 1)
  })

  it('empty lookups of a form find nobody, and a number finds whom its text finds', async () => {
    const guest = await newProfile({ rfid: '4711' })
    const forms = [{ rfid: [''], email: '', qr_code: null, profile_id: [] }, { rfid: [4711, ''] }, { rfid: 4711 }]
    const owners = []
    for (const form of forms) {
      const task = await run('kept', form)
      assert.deepEqual([task.warnings, task.extras], [owners.length === 0 ? [nobodysActivity] : [], form])
      owners.push((await activitiesOf(task.task_id)).map((each: { owner_id: string }) => each.owner_id))
    }
    assert.deepEqual(owners, [[], [guest], [guest]])
    const { body } = await keepsake.send('/api/taskgroup/', {
      configuration_names: '["kept"]',
      kept_data: picture,
      kept_extras: '{"rfid": 4711, "email": [""]}',
    })
    await keepsake.ended(`/api/taskgroup/${body.task_id}/`)
    assert.equal((await activitiesOf(body.task_id)).length, 1)
    const broken = await run('broken', { rfid: 4712 }, new Blob(['no picture']))
    const again = await keepsake.send(`/api/task/${broken.task_id}/retry/`, { extras: '{"rfid": [4711, null]}' })
    assert.equal(again.status, 202, JSON.stringify(again.body))
    await keepsake.ended(`/api/task/${broken.task_id}/`)
    const ofGuest = await keepsake.client.get(`/api/task/?profile_id=${guest}`)
    assert.equal(ofGuest.body.items[0].task_id, broken.task_id)
    const many = await keepsake.send('/api/task/', {
      configuration_name: 'kept',
      data: picture,
      extras: '{"rfid": 12345678901234567890}',
    })
    assert.deepEqual([many.status, many.body.errors[0].field], [400, 'extras.rfid'])
    assert.match(many.body.detail, /send it as text/)
    await keepsake.client.delete(`/api/profile/${guest}/`)
    const left = await keepsake.client.get(`/api/task/${broken.task_id}/`)
    assert.deepEqual(left.body.extras, { rfid: [null] })
  })

  it('several lookups that find several guests make one activity each', async () => {
    const one = await newProfile({ qr_code: ['q1'] })
    const two = await newProfile({ email: 'Two@example.org' })
    const task = await run('kept', { qr_code: ['q1'], email: ['two@EXAMPLE.org'], profile_id: [one] })
    const activities = await activitiesOf(task.task_id)
    assert.deepEqual(new Set(activities.map((each: { owner_id: string }) => each.owner_id)), new Set([one, two]))
    assert.deepEqual(
      activities.map((each: { experience_id: string; activity_type: string }) => [
        each.experience_id,
        each.activity_type,
      ]),
      [
        ['other', 'photo'],
        ['other', 'photo'],
      ],
    )
    assert.ok(activities.every((each: { flow_id: string }) => each.flow_id === task.flow_id))
    assert.deepEqual(activities[0].payload.souvenir_data, { adapter_response: { success: true } })
  })

  it('each succeeded entry that asks for one has its own', async () => {
    await newProfile({ rfid: 'b1' })
    const task = await run('twice', { rfid: 'b1' })
    assert.equal((await activitiesOf(task.task_id)).length, 2)
  })

  it('a lookup that finds nobody is a warning, and the activity is made when the guest comes', async () => {
    const task = await run('kept', { rfid: 'late', qr_code: 'also-late' })
    assert.equal(task.warnings.length, 2)
    assert.match(task.warnings[0], /"late"/)
    assert.deepEqual(await activitiesOf(task.task_id), [])
    const guest = await newProfile({ rfid: ['late'], qr_code: 'also-late' })
    const activities = await activitiesOf(task.task_id)
    assert.deepEqual(
      activities.map((each: { owner_id: string }) => each.owner_id),
      [guest],
      'two values of one guest make one activity',
    )
    assert.equal(activities[0].payload.task_id, task.task_id)
    const other = await newProfile({ rfid: 'later-still' })
    assert.equal((await activitiesOf(task.task_id)).length, 1, other)
  })

  it('the number of a tag is one value, however its reader writes it', async () => {
    const { client } = keepsake
    const guest = await newProfile({ rfid: 'E0:04:01', experience_id: 'park' })
    for (const rfid of ['E00401', 'e0-04-01', 'e0 04 01']) {
      const second = await client.post('/api/profile/', { rfid, experience_id: 'park' })
      assert.deepEqual([second.status, second.body.code, second.body.errors[0].field], [409, 'lookup_taken', 'rfid'])
      const { body } = await client.get(`/api/profile/?rfid=${encodeURIComponent(rfid)}`)
      assert.deepEqual(
        body.items.map((one: { profile_id: string }) => one.profile_id),
        [guest],
        rfid,
      )
      assert.deepEqual(body.items[0].rfid, ['E0:04:01'])
      const task = await run('kept', { rfid })
      assert.deepEqual(
        [(await activitiesOf(task.task_id))[0].owner_id, task.warnings, task.extras],
        [guest, [], { rfid }],
      )
    }
    assert.equal((await client.post('/api/profile/', { rfid: ['E0:04:02', 'e00402'] })).body.rfid.length, 1)
    assert.equal((await client.patch(`/api/profile/${guest}/`, { rfid: ['e00401', 'E0:04:03'] })).status, 200)
    const many = await Promise.all(['D1D2', 'D1:D2', 'd1-d2'].map(rfid => client.post('/api/profile/', { rfid })))
    assert.deepEqual(many.map(({ status }) => status).sort(), [201, 409, 409])
    const found = await client.get(`/api/search/?q=${encodeURIComponent('04-01')}`)
    assert.ok(found.body.profiles.items.some((one: { profile_id: string }) => one.profile_id === guest))

    const early = await run('kept', { rfid: 'b1:b2:b3' })
    const late = await newProfile({ rfid: 'B1B2B3', experience_id: 'park' })
    assert.equal((await activitiesOf(early.task_id))[0].owner_id, late)
    const merged = await client.post(`/api/profile/${late}/merge/`, { profile_id: guest })
    assert.deepEqual([merged.status, merged.body.rfid], [200, ['B1B2B3', 'e00401', 'E0:04:03']])
    const after = await run('plain', { rfid: 'b1-b2-b3', email: 'other@example.org' })
    await client.delete(`/api/profile/${late}/`)
    for (const { task_id } of [early, after]) {
      const { body } = await client.get(`/api/task/${task_id}/`)
      assert.ok(!/b1.?b2.?b3/i.test(JSON.stringify([body.extras, body.warnings])), JSON.stringify(body))
    }
  })

  it('erasing a guest takes the activities with them', async () => {
    const guest = await newProfile({ rfid: 'gone' })
    const task = await run('kept', { rfid: 'gone' })
    assert.equal((await activitiesOf(task.task_id)).length, 1)
    assert.ok([200, 204].includes((await keepsake.client.delete(`/api/profile/${guest}/`)).status))
    assert.deepEqual(await activitiesOf(task.task_id), [])
  })

  it('what an erased guest was known by is gone from their tasks, and others stay', async () => {
    const early = await run('kept', { email: ['soon@x.org', 'other@x.org'], additional_context: { wall: 'north' } })
    assert.match(early.warnings.join(), /soon@x.org/)
    const guest = await newProfile({ email: 'Soon@x.org', rfid: 'soon' })
    const task = await run('kept', { rfid: 'soon', profile_id: guest })
    assert.equal((await keepsake.client.delete(`/api/profile/${guest}/`)).status, 204)
    const seen = (await keepsake.client.get(`/api/task/${early.task_id}/`)).body
    assert.deepEqual(seen.extras, { email: ['other@x.org'], additional_context: { wall: 'north' } })
    assert.deepEqual(seen.warnings.length, 1)
    assert.match(seen.warnings[0], /other@x.org/)
    assert.deepEqual((await keepsake.client.get(`/api/task/${task.task_id}/`)).body.extras, {})
  })

  it('a guest of another experience is not found, now or later; one of no experience is a guest of all', async () => {
    await newProfile({ rfid: 'foreign', email: 'foreign@x.org', experience_id: 'elsewhere' })
    const own = await newProfile({ rfid: 'own', experience_id: 'park' })
    const task = await run('kept', { rfid: ['foreign', 'own', 'not yet'] })
    const owners = async () => (await activitiesOf(task.task_id)).map((each: { owner_id: string }) => each.owner_id)
    assert.deepEqual(await owners(), [own])
    assert.equal(task.warnings.length, 2, 'it is as if there were none')
    await newProfile({ qr_code: 'x', rfid: 'not yet', experience_id: 'elsewhere' })
    assert.deepEqual(await owners(), [own])
  })

  it('in a group each configuration delivers for its own guest', async () => {
    const told: string[] = []
    const receiver = await startReceiver({
      answer({ url, body }, response) {
        told.push(`${url} ${/[a-z]+@x\.org/.exec(body.toString('latin1'))?.[0] ?? 'nobody'}`)
        response.end()
      },
    })
    const fields = { to: '{{profile.email}}' }
    for (const name of ['one', 'two', 'three'])
      await keepsake.configure(single(name, 'http_post', { url: `${receiver.url}/${name}`, idempotent: true, fields }))
    await newProfile({ rfid: 'ada', email: 'ada@x.org' })
    await newProfile({ rfid: 'bob', email: 'bob@x.org' })
    const { status, body } = await keepsake.send('/api/taskgroup/', {
      configuration_names: JSON.stringify(['one', 'two', 'three']),
      one_data: picture,
      two_data: picture,
      three_data: picture,
      one_extras: JSON.stringify({ rfid: 'ada' }),
      three_extras: JSON.stringify({ rfid: 'bob' }),
    })
    assert.equal(status, 202, JSON.stringify(body))
    await keepsake.ended(`/api/taskgroup/${body.task_id}/`)
    await receiver.stop()
    assert.deepEqual(told.sort(), ['/one ada@x.org', '/three bob@x.org', '/two nobody'])
  })

  it('after a retry the activity tells of the delivery that counts, and whether that was taken back', async () => {
    let status = 403
    let deliveries = 0
    const receiver = await startReceiver({
      answer({ url }, response) {
        if (url === '/order') return void response.writeHead(status).end()
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ delivery: ++deliveries }))
      },
    })
    const configure = (name: string, adapter: string, defaults: object) =>
      keepsake.configure(single(name, adapter, defaults, name === 'order' ? {} : { activity_config }))
    await configure('counted', 'http_post', { url: `${receiver.url}/counted` })
    await configure('folder', 'local_file', { folder: 'out' })
    await configure('order', 'http_post', { url: `${receiver.url}/order` })
    for (const first of ['counted', 'folder'])
      await keepsake.configure(
        chain(`${first} and order`, [
          [first, null],
          ['order', null],
        ]),
      )
    await newProfile({ rfid: 'wrong clip' })
    const retried = async (path: string, parts: Record<string, Blob> = {}) => {
      assert.equal((await keepsake.send(`${path}retry/`, parts)).status, 202)
      assert.equal((await keepsake.ended(path)).status, 'Succeeded')
    }
    const extras = { rfid: ['wrong clip', 'comes later'] }
    const failed = await run('counted and order', extras)
    const other = await run('folder and order', extras)
    assert.deepEqual([failed.status, other.status], ['Failed', 'Failed'])
    const [path, otherPath] = [`/api/task/${failed.task_id}/`, `/api/task/${other.task_id}/`] as const
    const receipt = (await keepsake.client.post(`${otherPath}retract/`)).body
    assert.equal(receipt.removed.length, 1, JSON.stringify(receipt))
    status = 200
    await retried(path, { data: picture })
    await newProfile({ rfid: 'comes later' })
    const responses = (await activitiesOf(failed.task_id)).map(
      (each: { payload: { souvenir_data: { adapter_response: { response: unknown } } } }) =>
        each.payload.souvenir_data.adapter_response.response,
    )
    assert.deepEqual(responses, [{ delivery: 2 }, { delivery: 2 }])
    const marks = async () =>
      (await activitiesOf(other.task_id)).map((each: { retracted_at: string | null }) => each.retracted_at !== null)
    assert.deepEqual(await marks(), [true, true], 'also of who comes later')
    await retried(otherPath, { data: picture })
    assert.deepEqual(await marks(), [false, false], 'it was delivered again')
    await receiver.stop()
  })

  it('as many activities as may wait for one guest are made at once', async () => {
    const task = await run('kept', { rfid: 'at the gate' })
    const MANY = 7_000
    const client = new pg.Client({ connectionString: keepsake.databaseUrl })
    await client.connect()
    // As if as many entries had found nobody.
    await client.query(
      `insert into lookups (kind, key, task_id, chain_id, entry, activity)
       select kind, key, task_id, id, 0, jsonb_set(activity::jsonb, '{chain_id}', to_jsonb(id))
       from (select l.*, gen_random_uuid() as id from lookups l, generate_series(2, $1) where key = 'at the gate') as many`,
      [MANY],
    )
    const guest = await newProfile({ rfid: 'at the gate' })
    const { rows } = await client.query('select count(*)::int as count from activities where owner_id = $1', [guest])
    assert.equal(rows[0].count, MANY)
    await client.end()
    assert.equal((await activitiesOf(task.task_id))[0].owner_id, guest)
  })

  it('a failed task makes none for what failed', async () => {
    await newProfile({ rfid: 'f1' })
    const task = await run('kept', { rfid: 'f1' }, new Blob(['junk']))
    assert.equal(task.status, 'Failed')
    assert.deepEqual(await activitiesOf(task.task_id), [])
  })
})
