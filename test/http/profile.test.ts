// /api/profile/ over HTTP: lookup values, their uniqueness, merging, erasing.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { findProfiles } from '#db/nouns/profiles-lookup.ts'
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

describe('two profiles of one person', () => {
  const merge = (kept: { profile_id: string }, gone: { profile_id: string }, more: object = {}, by = admin) =>
    by.post(`/api/profile/${kept.profile_id}/merge/`, { profile_id: gone.profile_id, ...more })
  const read = async ({ profile_id }: { profile_id: string }) => (await admin.get(`/api/profile/${profile_id}/`)).body

  /** An activity of a guest, as a task leaves it. */
  async function live(owner: { profile_id: string }, experience_id: string, chain_id: string = newId()) {
    const ids = { task_id: newId(), chain_id, flow_id: newId(), activity_id: newId() }
    const rest = { entry: 0, owner_id: owner.profile_id, experience_id, activity_type: 't', payload: '{}' }
    await server.db
      .insertInto('activities')
      .values({ ...ids, ...rest, created_at: new Date() })
      .execute()
    return ids
  }
  const activitiesOf = async (id: string): Promise<string[]> =>
    (await admin.get(`/api/activity/?owner_id=${id}`)).body.items.map((one: { activity_id: string }) => one.activity_id)

  test('values, attributes, consent and activities of both are those of the one that is kept', async () => {
    const kept = await make({
      experience_id: 'expo',
      email: ['ada@x.org', 'both@x.org'],
      rfid: '1',
      attributes: { name: 'Ada', home: { town: 'Linz' } },
      consent: { share: true, wall: true },
    })
    const gone = await make({
      experience_id: 'expo',
      email: 'a.lovelace@x.org',
      qr_code: ['Q1', 'Q2'],
      attributes: { name: 'A. Lovelace', age: 36, home: { town: 'Graz', street: 'Gasse 1' } },
      consent: { wall: false, marketing: true },
    })
    const twice = newId()
    const first = await live(kept, 'expo', twice)
    await live(gone, 'expo', twice)
    const second = await live(gone, 'expo')

    const looked = await merge(kept, gone, { dry_run: true })
    assert.equal(looked.status, 200, JSON.stringify(looked.body))
    assert.deepEqual(await read(kept), kept, 'a dry run changes nothing')
    assert.deepEqual(await read(gone), gone)

    const { status, body, headers } = await merge(kept, gone)
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(body.profile_id, kept.profile_id)
    assert.deepEqual(body.email, ['ada@x.org', 'both@x.org', 'a.lovelace@x.org'])
    assert.deepEqual([body.qr_code, body.rfid], [['Q1', 'Q2'], ['1']])
    assert.deepEqual(body.attributes, { name: 'Ada', age: 36, home: { town: 'Linz', street: 'Gasse 1' } })
    assert.deepEqual(body.consent, { share: true, wall: false, marketing: true }, 'a refusal stays one')
    assert.deepEqual({ ...body, updated_at: '' }, { ...looked.body, updated_at: '' }, 'as the dry run said')
    assert.equal((await admin.get(`/api/profile/${kept.profile_id}/`)).headers.get('etag'), headers.get('etag'))
    assert.deepEqual((await activitiesOf(kept.profile_id)).sort(), [first.activity_id, second.activity_id].sort())
    assert.deepEqual(await activitiesOf(gone.profile_id), [])
    assert.deepEqual(await found('email=a.lovelace@x.org'), [kept.profile_id])

    assert.deepEqual(await read(gone), body, 'the id that is gone answers as the one kept')
    const changed = await admin.patch(`/api/profile/${gone.profile_id}/`, { attributes: { age: 37 } })
    assert.deepEqual([changed.body.profile_id, changed.body.attributes.age], [kept.profile_id, 37])
    const [byOldId] = await findProfiles(server.db, [{ kind: 'profile_id', value: gone.profile_id }], 'expo')
    assert.equal(byOldId?.profile_id, kept.profile_id, 'so do tasks that name it')

    const told = async (id: string) => (await admin.get(`/api/audit/?object=profile&object_id=${id}`)).body.items
    const [, merged] = await told(kept.profile_id)
    assert.deepEqual([merged.action, merged.after.qr_code], ['update', ['Q1', 'Q2']])
    const [left, ...earlier] = await told(gone.profile_id)
    assert.deepEqual([left.action, left.after], ['delete', { merged_into: kept.profile_id }])
    assert.ok(
      earlier.every((event: { after: unknown }) => event.after === null),
      'what was known lies under one id',
    )
  })

  test('merged again, every earlier id leads to the last one, and all are gone with it', async () => {
    const [a, b, c] = [await make({ rfid: 'm a' }), await make({ rfid: 'm b' }), await make({ rfid: 'm c' })]
    assert.equal((await merge(b, a)).status, 200)
    assert.equal((await merge(c, b)).status, 200)
    for (const one of [a, b, c]) assert.equal((await read(one)).profile_id, c.profile_id)
    const same = await merge(a, b)
    assert.deepEqual([same.status, same.body.errors[0].field], [400, 'profile_id'])
    assert.equal((await admin.delete(`/api/profile/${a.profile_id}/`)).status, 204)
    for (const one of [a, b, c]) assert.equal((await admin.get(`/api/profile/${one.profile_id}/`)).status, 404)
  })

  test('a keepsake that names the one that is gone is the guest’s, before and after', async () => {
    const [kept, gone] = [await make({ experience_id: 'expo' }), await make({ experience_id: 'expo' })]
    assert.equal((await admin.patch('/api/experience/expo/', { guest_page: { enabled: true } })).status, 200)
    const give = async () => {
      const lookups = { profile_id: [gone.profile_id, kept.profile_id] }
      const { status, body } = await admin.post('/api/keepsake/', { experience_id: 'expo', lookups })
      assert.equal(status, 201, JSON.stringify(body))
      return body.keepsake_id
    }
    const only = async () => {
      const { body } = await admin.post('/api/keepsake/', {
        experience_id: 'expo',
        lookups: { profile_id: gone.profile_id },
      })
      return body.keepsake_id
    }
    const before = [await give(), await only()]
    assert.equal((await merge(kept, gone)).status, 200)
    const later = [await give(), await only()]
    const { items } = (await admin.get(`/api/keepsake/?profile_id=${kept.profile_id}`)).body
    assert.deepEqual(items.map((one: { keepsake_id: string }) => one.keepsake_id).sort(), [...before, ...later].sort())
  })

  test('experiences are walls: both are of one, or the one kept is of all', async () => {
    const expo = await make({ experience_id: 'expo', rfid: 'e' })
    const park = await make({ experience_id: 'park', rfid: 'e' })
    const all = await make({ qr_code: 'all' })
    const apart = await merge(expo, park)
    assert.deepEqual([apart.status, apart.body.code], [409, 'wrong_state'])
    assert.match(apart.body.detail, /"expo" and "park"/)
    assert.match((await merge(expo, all)).body.detail, /merge this one into the other/)
    assert.equal((await merge(all, expo)).status, 200)
    const refused = await merge(all, park)
    assert.equal(refused.status, 200, 'the same tag of the same person is there once')
    assert.deepEqual(refused.body.rfid, ['e'])
    const stranger = await make({ rfid: 'taken' })
    const other = await make({ experience_id: 'expo', rfid: 'taken', email: 'not@lost.org' })
    const conflict = await merge(all, other)
    assert.deepEqual([conflict.status, conflict.body.code], [409, 'lookup_taken'])
    assert.equal(conflict.body.errors[0].field, 'rfid')
    assert.deepEqual([(await read(other)).email, (await read(stranger)).rfid], [['not@lost.org'], ['taken']])
  })

  test('a limited token merges what it sees, and nothing that has more than that', async () => {
    const { body } = await admin.post('/api/token/', { name: 'm', scopes: ['write'], experiences: ['mine'] })
    const limited = admin.as(body.token)
    const [a, b] = [await make({ experience_id: 'mine' }), await make({ experience_id: 'mine' })]
    const theirs = await make({ experience_id: 'theirs' })
    const unseen = await merge(a, theirs, {}, limited)
    assert.deepEqual([unseen.status, unseen.body.errors[0].field], [400, 'profile_id'])
    assert.equal((await merge(theirs, a, {}, limited)).status, 404)
    await live(b, 'theirs')
    const more = await merge(a, b, {}, limited)
    assert.deepEqual([more.status, more.body.code], [409, 'wrong_state'])
    assert.equal((await merge(b, a, {}, limited)).status, 200)
    const reader = await admin.post('/api/token/', { name: 'r', scopes: ['tasks'] })
    assert.equal((await merge(a, b, {}, admin.as(reader.body.token))).status, 403)
  })

  test('what can’t be merged is refused by name', async () => {
    const one = await make({ rfid: Array.from({ length: 60 }, (_, at) => `one ${at}`) })
    const two = await make({ rfid: Array.from({ length: 60 }, (_, at) => `two ${at}`) })
    const many = await merge(one, two)
    assert.equal(many.status, 400)
    assert.match(many.body.detail, /120 values of rfid/)
    for (const profile_id of [newId(), 'nonsense', '', one.profile_id, 7, null, ['x'], 'x'.repeat(500)]) {
      const { status, body } = await admin.post(`/api/profile/${one.profile_id}/merge/`, { profile_id })
      assert.deepEqual([status, body.errors?.[0]?.field], [400, 'profile_id'], JSON.stringify(body))
    }
    assert.equal((await admin.post(`/api/profile/${one.profile_id}/merge/`, {})).status, 400)
    assert.equal((await merge({ profile_id: newId() }, one)).status, 404)
    assert.equal((await merge({ profile_id: 'nonsense' }, one)).status, 404)
    const stale = await admin.send('POST', `/api/profile/${one.profile_id}/merge/`, {
      body: JSON.stringify({ profile_id: two.profile_id }),
      headers: { 'content-type': 'application/json', 'if-match': '"old"' },
    })
    assert.equal(stale.status, 412)
  })

  test('two that are merged into each other at once become one, whoever is first', async () => {
    for (let round = 0; round < 8; round++) {
      const [a, b] = [await make({ rfid: `r ${round} a` }), await make({ rfid: `r ${round} b` })]
      const answers = await Promise.all([
        merge(a, b),
        merge(b, a),
        admin.patch(`/api/profile/${a.profile_id}/`, { qr_code: `q ${round}` }),
      ])
      for (const { status, body } of answers) assert.ok([200, 400, 404].includes(status), JSON.stringify(body))
      assert.ok(answers.slice(0, 2).some(({ status }) => status === 200))
      const left = await read(a)
      assert.deepEqual(left, await read(b))
      assert.deepEqual(left.rfid.toSorted(), [`r ${round} a`, `r ${round} b`])
    }
  })
})
