// /api/profile/ over HTTP: lookup values, their uniqueness, merging, erasing.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '#kit/ids.ts'
import { type Client, newClient } from '../support/client.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let admin: Client

before(async () => {
  server = await startTestServer()
  admin = newClient(server)
})
after(() => server.stop())

const make = async (body: object) => {
  const answer = await admin.post('/api/profile/', body)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}
const found = async (query: string) =>
  (await admin.get(`/api/profile/?${query}`)).body.items.map((item: { profile_id: string }) => item.profile_id)

test('a profile takes each lookup as one value or a list and answers lists', async () => {
  const made = await make({ email: 'Ada@Example.com', rfid: ['04A2', '04A3'], attributes: { first_name: 'Ada' } })
  assert.deepEqual(made.email, ['Ada@Example.com'])
  assert.deepEqual(made.rfid, ['04A2', '04A3'])
  assert.deepEqual(made.qr_code, [])
  assert.equal(made.experience_id, null)
  assert.deepEqual((await admin.get(`/api/profile/${made.profile_id}/`)).body, made)
  const empty = await make({})
  assert.deepEqual(empty.attributes, {})
})

test('profiles are found by each lookup, emails without regard to case', async () => {
  const { profile_id } = await make({ email: 'Find@Me.org', qr_code: 'QR-1', rfid: 'TAG/1 ü' })
  assert.deepEqual(await found('email=fIND%40mE.ORG'), [profile_id])
  assert.deepEqual(await found('qr_code=QR-1'), [profile_id])
  assert.deepEqual(await found('qr_code=qr-1'), [])
  assert.deepEqual(await found(`rfid=${encodeURIComponent('TAG/1 ü')}`), [profile_id])
  assert.deepEqual(await found('email=find%40me.org&rfid=other'), [])
})

test('a value belongs to one profile only, and the refusal names which', async () => {
  await make({ email: ['first@taken.org', 'second@taken.org'], rfid: 'R1' })
  const refusal = await admin.post('/api/profile/', { email: ['new@taken.org', 'SECOND@taken.org'], rfid: 'R1' })
  assert.equal(refusal.status, 409)
  assert.equal(refusal.body.code, 'lookup_taken')
  assert.deepEqual(
    refusal.body.errors.map((e: { field: string }) => e.field),
    ['email', 'rfid'],
  )
  assert.match(refusal.body.detail, /SECOND@taken\.org/)
  assert.deepEqual(await found('email=new@taken.org'), [], 'nothing of it is kept')
})

test('the same value twice in one request is one value', async () => {
  const { email } = await make({ email: ['twice@x.org', 'TWICE@x.org'] })
  assert.deepEqual(email, ['twice@x.org'])
})

test('of many requests for one value exactly one wins', async () => {
  const bodies = Array.from({ length: 10 }, (_, i) => ({
    rfid: i % 2 ? ['race a', 'race b', `own ${i}`] : [`own ${i}`, 'race b', 'race a'],
  }))
  const answers = await Promise.all(bodies.map(body => admin.post('/api/profile/', body)))
  assert.deepEqual(answers.map(answer => answer.status).sort(), [201, ...Array(9).fill(409)])
})

test('two profiles that swap values at once never end in a 500', async () => {
  const a = await make({ rfid: 'swap a' })
  const b = await make({ rfid: 'swap b' })
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all([
      admin.patch(`/api/profile/${a.profile_id}/`, { rfid: round % 2 ? 'swap a' : 'swap b' }),
      admin.patch(`/api/profile/${b.profile_id}/`, { rfid: round % 2 ? 'swap b' : 'swap a' }),
    ])
    for (const answer of answers) assert.ok([200, 409].includes(answer.status), JSON.stringify(answer.body))
  }
})

test('PATCH replaces a list and merges attributes', async () => {
  const { profile_id } = await make({ email: 'p@x.org', rfid: ['P1', 'P2'], attributes: { a: 1, b: { c: 1, d: 2 } } })
  const path = `/api/profile/${profile_id}/`
  const patched = await admin.patch(path, { rfid: ['P2', 'P3'], attributes: { a: null, b: { c: 5 } } })
  assert.deepEqual(patched.body.rfid, ['P2', 'P3'])
  assert.deepEqual(patched.body.email, ['p@x.org'])
  assert.deepEqual(patched.body.attributes, { b: { c: 5, d: 2 } })
  assert.deepEqual(await found('rfid=P1'), [])
  assert.deepEqual((await admin.patch(path, { email: null })).body.email, [])
  assert.equal((await admin.patch(path, { experience_id: 'expo' })).body.experience_id, 'expo')
  assert.equal((await admin.get('/api/experience/expo/')).status, 200, 'made at the first use of its id')
})

test('bad values are refused by name', async () => {
  for (const [body, field] of [
    [{ email: 'no address' }, 'email'],
    [{ email: ['a@b.c', 'no address'] }, 'email[1]'],
    [{ rfid: '' }, 'rfid'],
    [{ rfid: 'x'.repeat(257) }, 'rfid'],
    [{ qr_code: [5] }, 'qr_code[0]'],
    [{ attributes: [] }, 'attributes'],
    [{ profile_id: newId() }, 'profile_id'],
    [{ experience_id: 'a/b' }, 'experience_id'],
  ] as const) {
    const { status, body: answer } = await admin.post('/api/profile/', body)
    assert.equal(status, 400)
    assert.equal(answer.errors[0].field, field, JSON.stringify(answer))
  }
})

test('deleting a profile erases its values and activities', async () => {
  const { profile_id } = await make({ email: 'gone@x.org', experience_id: 'expo' })
  const ids = { task_id: newId(), chain_id: newId(), flow_id: newId(), activity_id: newId() }
  await server.db
    .insertInto('activities')
    .values({
      ...ids,
      entry: 0,
      owner_id: profile_id,
      experience_id: 'expo',
      activity_type: 't',
      payload: '{}',
      created_at: new Date(),
    })
    .execute()
  assert.equal((await admin.delete(`/api/profile/${profile_id}/`)).status, 204)
  assert.equal((await admin.get(`/api/profile/${profile_id}/`)).status, 404)
  assert.equal((await admin.get(`/api/activity/${ids.activity_id}/`)).status, 404)
  assert.deepEqual(await found('email=gone@x.org'), [])
  assert.equal((await admin.delete(`/api/profile/${profile_id}/`)).status, 404)
  assert.equal((await admin.delete('/api/profile/not-an-id/')).status, 404)
})

test('a profile that brings a value gets the activities that waited for it', async () => {
  const chain_id = newId()
  const activity = {
    task_id: newId(),
    chain_id,
    entry: 1,
    experience_id: 'expo',
    activity_type: 'late',
    flow_id: newId(),
    payload: { object_id: 'o' },
  }
  const task = {
    task_id: activity.task_id,
    flow_id: activity.flow_id,
    is_group: false,
    configuration: 'c',
    experience_id: 'expo',
    status: 'Succeeded' as const,
    lane: 'picture' as const,
    warnings: '[]',
    created_at: new Date(),
  }
  await server.db.insertInto('tasks').values(task).execute()
  const wait = (kind: 'rfid' | 'email', key: string) =>
    server.db
      .insertInto('lookups')
      .values({ task_id: activity.task_id, chain_id, entry: 1, kind, key, activity: JSON.stringify(activity) })
      .execute()
  await wait('rfid', 'LATE')
  await wait('email', 'late@x.org')
  const { profile_id } = await make({ rfid: 'LATE' })
  await admin.patch(`/api/profile/${profile_id}/`, { email: 'Late@x.org' })
  const { items } = (await admin.get(`/api/activity/?owner_id=${profile_id}`)).body
  assert.equal(items.length, 1, 'the same entry makes one activity for one guest')
  assert.equal(items[0].activity_type, 'late')
})

test('profiles are listed newest first, by experience too', async () => {
  const ids: string[] = []
  for (let i = 0; i < 3; i++) ids.unshift((await make({ experience_id: 'listed' })).profile_id)
  assert.deepEqual(await found('experience_id=listed'), ids)
  const first = (await admin.get('/api/profile/?experience_id=listed&limit=2')).body
  assert.deepEqual(await found(`experience_id=listed&limit=2&cursor=${first.next_cursor}`), ids.slice(2))
})
