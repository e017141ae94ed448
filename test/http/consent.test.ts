// What guests agreed to: on profiles, keepsakes and tasks; and what becomes of configurations that need it.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { type Database, openDatabase } from '#db/database.ts'
import type { JsonObject } from '#kit/json.ts'
import { newLog } from '#kit/log.ts'
import { type CallbackReceiver, startCallbackReceiver } from '../support/callbacks.ts'
import { cleanUp } from '../support/clean-up.ts'
import type { Answer, Client } from '../support/client.ts'
import { startReceiver } from '../support/https-receiver.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { photoOf } from '../support/pictures.ts'
import { putOff } from '../support/put-off.ts'
import { until } from '../support/until.ts'

suite('consent', () => {
  let keepsake: Keepsake
  let database: Database
  let admin: Client
  let receiver: CallbackReceiver
  let photo: Blob
  const activity_config = { experience_id: 'expo', activity_type: 'photo', payload: { object_id: 'ride' } }
  before(async () => {
    receiver = await startCallbackReceiver()
    keepsake = await startKeepsake()
    database = openDatabase(keepsake.databaseUrl, newLog('silent', 'test'), { max: 1 })
    admin = keepsake.client
    photo = await photoOf(64, 48)
    const expo = { experience_id: 'expo' }
    const flip = (name: string, more: JsonObject) =>
      keepsake.configure(single(name, 'photo_flip', { method: 'ROTATE_180' }, { ...expo, ...more }))
    await flip('plain', { activity_config })
    await flip('skips', { needs_consent: ['marketing'] })
    await flip('waits', { needs_consent: 'wall', without_consent: 'wait' })
    await flip('waits for both', { needs_consent: ['wall', 'marketing'], without_consent: 'wait' })
    await keepsake.configure({
      configuration_name: 'waiting chain',
      ...expo,
      call_chain: [
        ['waits for both', null],
        ['plain', 0],
      ],
      webhook_url: receiver.url,
    })
    await keepsake.configure({
      configuration_name: 'chain',
      ...expo,
      call_chain: [
        ['plain', null],
        ['skips', 0],
        ['plain', 1],
      ],
      webhook_url: receiver.url,
    })
    await keepsake.configure({
      configuration_name: 'guarded chain',
      ...expo,
      call_chain: [['plain', null]],
      needs_consent: ['share'],
    })
    const { status } = await admin.patch('/api/experience/expo/', { guest_page: { enabled: true } })
    assert.equal(status, 200)
  })
  after(() =>
    cleanUp(
      () => database?.close(),
      () => keepsake?.stop(),
      () => receiver?.stop(),
    ),
  )

  async function accepted(configuration_name: string, parts: Record<string, string | Blob> = {}) {
    const { status, body } = await keepsake.send('/api/task/', { data: photo, configuration_name, ...parts })
    assert.equal(status, 202, JSON.stringify(body))
    return body
  }
  const ended = async (configuration: string, parts: Record<string, string | Blob> = {}) =>
    keepsake.ended(`/api/task/${(await accepted(configuration, parts)).task_id}/`)
  const states = ({ status, entries }: Answer['body']) => [status, ...entries.map((entry: JsonObject) => entry.status)]
  const reserved = async (more: JsonObject = {}) => {
    const { status, body } = await admin.post('/api/keepsake/', { experience_id: 'expo', ...more })
    assert.equal(status, 201, JSON.stringify(body))
    return body
  }
  const profile = async (more: JsonObject) => {
    const { status, body } = await admin.post('/api/profile/', { experience_id: 'expo', ...more })
    assert.equal(status, 201, JSON.stringify(body))
    return body
  }
  const taskOf = async (task_id: string) => (await admin.get(`/api/task/${task_id}/`)).body
  const waiting = (task_id: string): Promise<Answer['body']> =>
    until('it waits', async () => {
      const task = await taskOf(task_id)
      return task.entries[0].error?.code === 'needs_consent' && task
    })
  const consent = (said: JsonObject): { consent: string } => ({ consent: JSON.stringify(said) })

  test('is written with a profile, merged by a patch, and taken back', async () => {
    const { profile_id, consent: said } = await profile({ rfid: 'said', consent: { share: true, wall: false } })
    assert.deepEqual(said, { share: true, wall: false })
    const patched = (patch: unknown) =>
      admin.patch(`/api/profile/${profile_id}/`, { consent: patch as JsonObject }).then(({ body }) => body.consent)
    assert.deepEqual(await patched({ wall: null, marketing: true }), { share: true, marketing: true })
    assert.equal(await patched(null), null)
    for (const wrong of [{ share: 'yes' }, { shares: true }, 'share', [true], { share: 1 }]) {
      const { status, body } = await admin.patch(`/api/profile/${profile_id}/`, { consent: wrong as JsonObject })
      assert.deepEqual([status, body.errors[0].field.startsWith('consent')], [400, true], JSON.stringify(wrong))
    }
  })

  test('a configuration says what it needs, shows it, and keeps it in its versions', async () => {
    const shown = (await admin.get('/api/configuration/waits/')).body
    assert.deepEqual([shown.needs_consent, shown.without_consent], [['wall'], 'wait'])
    assert.ok(!('needs_consent' in (await admin.get('/api/configuration/plain/')).body))
    const one = single('versioned', 'photo_flip', { method: 'ROTATE_180' }, { experience_id: 'expo' })
    await keepsake.configure({ ...one, needs_consent: ['share'], without_consent: 'wait' })
    const without = await admin.patch('/api/configuration/versioned/', { needs_consent: null, without_consent: null })
    assert.ok(!('needs_consent' in without.body), JSON.stringify(without.body))
    const back = await admin.post('/api/configuration/versioned/versions/1/restore/', {})
    assert.deepEqual([back.body.needs_consent, back.body.without_consent], [['share'], 'wait'])
    for (const wrong of [
      { needs_consent: ['love'] },
      { needs_consent: ['share', 'share'] },
      { needs_consent: ['share'], without_consent: 'fail' },
      { without_consent: 'wait' },
    ]) {
      const { status, body } = await admin.post('/api/configuration/', {
        ...one,
        configuration_name: 'wrong',
        ...wrong,
      })
      assert.equal(status, 400, JSON.stringify(body))
    }
    const twice = await admin.post('/api/configuration/', { ...one, needs_consent: ['share', 'wall', 'share'] })
    assert.deepEqual(twice.body.errors, [
      { field: 'needs_consent', message: 'must have each item only once, and has "share" again', kind: 'wrong' },
    ])
  })

  test('without it an entry is left out, hands its file on, and is absent from the results', async () => {
    const alone = await ended('skips')
    assert.deepEqual(states(alone), ['Succeeded', 'Skipped'])
    assert.deepEqual(alone.entries[0].error, {
      code: 'no_consent',
      message: 'Left out, because the guest has not agreed to marketing.',
    })
    const chain = await ended('chain')
    assert.deepEqual(states(chain), ['Succeeded', 'Succeeded', 'Skipped', 'Succeeded'])
    const { results, status } = JSON.parse(await receiver.bodyFor(chain.task_id)) as {
      results: { configuration: { name: string } }[]
      status: string
    }
    assert.deepEqual(
      [status, results.map(({ configuration }) => configuration.name)],
      ['Succeeded', ['plain', 'plain']],
    )
    const output = await fetch(`${keepsake.url}/api/task/${chain.task_id}/output/1/`, {
      headers: { authorization: `Bearer ${keepsake.token}` },
    })
    assert.equal(output.status, 200, 'what it handed on')
    assert.deepEqual(states(await ended('guarded chain')), ['Succeeded', 'Skipped'])
  })

  test('a no is heard before each attempt, also of a branch that waits beside work', async () => {
    const guest = await profile({ rfid: 'unsure', consent: { share: true } })
    let asked = 0
    const busy = await startReceiver({
      answer: async (_request, response) => {
        if (++asked === 1) await admin.patch(`/api/profile/${guest.profile_id}/`, { consent: { share: false } })
        response.writeHead(asked === 1 ? 503 : 200).end()
      },
    })
    const open = Promise.withResolvers<void>()
    const slow = await startReceiver({ answer: (_request, response) => open.promise.then(() => void response.end()) })
    const post = (name: string, url: string, more: JsonObject) =>
      keepsake.configure(single(name, 'http_post', { url, delivery_backoff: 1 }, { experience_id: 'expo', ...more }))
    try {
      await post('shared', busy.url, { needs_consent: ['share'] })
      await post('slowly', slow.url, {})
      await keepsake.configure({
        configuration_name: 'both ways',
        experience_id: 'expo',
        call_chain: [
          ['slowly', null],
          ['shared', null],
        ],
      })
      const { task_id } = await accepted('both ways', { extras: '{"rfid": "unsure"}' })
      await until(
        'its time has come again',
        async () => (await taskOf(task_id)).entries[1].status === 'Skipped' || asked > 1,
      )
      open.resolve()
      assert.deepEqual(states(await keepsake.ended(`/api/task/${task_id}/`)), ['Succeeded', 'Succeeded', 'Skipped'])
      assert.equal(asked, 1, 'nothing is shared after the no')
    } finally {
      open.resolve()
      await busy.stop()
      await slow.stop()
    }
  })

  test('with it the entry runs: of the task, of the keepsake, or of every guest; one no is a no', async () => {
    await profile({ rfid: 'yes', consent: { marketing: true } })
    await profile({ rfid: 'no', consent: { marketing: false } })
    await profile({ rfid: 'silent' })
    const { code } = await reserved()
    const agreeing = await reserved()
    const patched = await admin.patch(`/api/keepsake/${agreeing.keepsake_id}/`, { consent: { marketing: true } })
    assert.deepEqual([patched.status, patched.body.consent], [200, { marketing: true }], JSON.stringify(patched.body))
    const cases: [string, Record<string, string>, 'Succeeded' | 'Skipped'][] = [
      ['the task', consent({ marketing: true }), 'Succeeded'],
      ['another word', consent({ share: true }), 'Skipped'],
      ['a guest', { extras: '{"rfid": "yes"}' }, 'Succeeded'],
      ['two guests, one silent', { extras: '{"rfid": ["yes", "silent"]}' }, 'Skipped'],
      [
        'two guests, one silent, and the task',
        { extras: '{"rfid": ["yes", "silent"]}', ...consent({ marketing: true }) },
        'Succeeded',
      ],
      ['a guest who said no, and the task', { extras: '{"rfid": "no"}', ...consent({ marketing: true }) }, 'Skipped'],
      ['a silent keepsake', { keepsake: code }, 'Skipped'],
      ['a keepsake', { keepsake: agreeing.code }, 'Succeeded'],
      ['a keepsake, and a no of the task', { keepsake: agreeing.code, ...consent({ marketing: false }) }, 'Skipped'],
    ]
    for (const [title, parts, status] of cases)
      assert.deepEqual(states(await ended('skips', parts)), ['Succeeded', status], title)
    const empty = (await admin.get(`/api/keepsake/${(await ended('skips', { keepsake: code })).keepsake_id}/`)).body
    assert.deepEqual(empty.files, [], 'what was left out does not look like a failure to the guest')
    for (const wrong of ['yes', '[]', '{"share": "yes"}', '{"love": true}']) {
      const { status, body } = await keepsake.send('/api/task/', {
        data: photo,
        configuration_name: 'skips',
        consent: wrong,
      })
      assert.deepEqual([status, body.errors?.[0]?.field.startsWith('consent') ?? body.code], [400, true], wrong)
    }
  })

  test('in a group a sentence says so, and what takes its output gets its input', async () => {
    const { status, body } = await keepsake.send('/api/taskgroup/', {
      configuration_names: '["skips", "plain"]',
      skips_data: photo,
      plain_input: 'skips',
      webhook_url: receiver.url,
    })
    assert.equal(status, 202, JSON.stringify(body))
    const group = await keepsake.ended(`/api/taskgroup/${body.task_id}/`)
    assert.deepEqual([group.status, group.tasks[0].status, group.tasks[1].status], Array(3).fill('Succeeded'))
    const [first, second] = JSON.parse(await receiver.bodyFor(body.task_id)).results
    assert.deepEqual(first, {
      error: false,
      result: 'Left out, because the guest has not agreed to marketing.',
      configuration: 'skips',
    })
    assert.equal(second.error, false)
  })

  test('an entry waits for it, says so, and goes on when the word is given', async () => {
    const { code, keepsake_id } = await reserved()
    const byKeepsake = await accepted('waits', { keepsake: code })
    const { profile_id } = await profile({ rfid: 'later' })
    const byProfile = await accepted('waits', { extras: '{"rfid": "later"}' })
    const byNobodyYet = await accepted('waits', { extras: '{"email": "New@Example.com"}' })
    const over = await accepted('waits', { extras: '{"rfid": "never"}' })
    for (const { task_id } of [byKeepsake, byProfile, byNobodyYet, over]) {
      const { status, entries } = await waiting(task_id)
      assert.ok(['Waiting', 'Running'].includes(status))
      assert.match(entries[0].error.message, /^Waits until the guest agrees to wall, and is left out after 24 hours\.$/)
      assert.ok(entries[0].retry_at)
      // No entry looks by itself, so only the guest's word wakes it.
      await putOff(keepsake.databaseUrl, task_id, '1 day')
    }
    await admin.patch(`/api/keepsake/${keepsake_id}/`, { consent: { wall: true } })
    await admin.patch(`/api/profile/${profile_id}/`, { consent: { wall: true } })
    await profile({ email: 'new@example.com', consent: { wall: true } })
    for (const { task_id } of [byKeepsake, byProfile, byNobodyYet])
      assert.deepEqual(states(await keepsake.ended(`/api/task/${task_id}/`)), ['Succeeded', 'Succeeded'])
    // A day after the task began, but not after the entry asked.
    await sql`update tasks set started_at = now() - interval '25 hours' where task_id = ${over.task_id}`.execute(
      database.db,
    )
    const { profile_id: silent } = await profile({ rfid: 'never', consent: { share: true } })
    await putOff(keepsake.databaseUrl, over.task_id, '0')
    const due = new Date().toISOString()
    await until('it looks and waits on', async () => (await waiting(over.task_id)).entries[0].retry_at > due)
    await putOff(keepsake.databaseUrl, over.task_id, '1 day')
    await sql`
      update entries e set asks_since = now() - interval '25 hours' from chains c
      where c.chain_id = e.chain_id and c.task_id = ${over.task_id} and e.asks_since > now() - interval '1 hour'`.execute(
      database.db,
    )
    await admin.patch(`/api/profile/${silent}/`, { consent: { share: false } })
    const left = await keepsake.ended(`/api/task/${over.task_id}/`)
    assert.deepEqual([...states(left), left.entries[0].error.code], ['Succeeded', 'Skipped', 'no_consent'])
  })

  test('an entry that is cancelled while it waits for it never ran', async () => {
    const { task_id } = await accepted('waits', { extras: '{"rfid": "cancelled"}' })
    await waiting(task_id)
    assert.equal((await admin.post(`/api/task/${task_id}/cancel/`)).status, 202)
    const { entries } = await keepsake.ended(`/api/task/${task_id}/`)
    assert.equal(entries[0].error.message, 'Cancelled before it ran')
  })

  test('a failure beside what was left out is told, and a retry asks again unless that was done without', async () => {
    let status = 403
    const shop = await startReceiver({ answer: (_request, response) => void response.writeHead(status).end() })
    const post = (name: string, path: string, more: JsonObject = {}) =>
      keepsake.configure(single(name, 'http_post', { url: `${shop.url}/${path}` }, { experience_id: 'expo', ...more }))
    const chain = (configuration_name: string, call_chain: [string, number | null][]) =>
      keepsake.configure({ configuration_name, experience_id: 'expo', call_chain })
    try {
      await post('news', 'news', { needs_consent: ['marketing'] })
      await post('order', 'order')
      const kept = await startReceiver()
      await keepsake.configure(single('archive', 'http_post', { url: kept.url }, { experience_id: 'expo' }))
      await chain('news first', [
        ['news', null],
        ['order', null],
      ])
      await chain('marked order', [
        ['skips', null],
        ['order', 0],
      ])
      await chain('archived unmarked', [
        ['skips', null],
        ['archive', 0],
        ['order', null],
      ])
      const guest = await profile({ rfid: 'decides late' })
      const extras = '{"rfid": "decides late"}'
      const group = await keepsake.send('/api/taskgroup/', {
        configuration_names: '["news first"]',
        'news first_data': photo,
        'news first_extras': extras,
        webhook_url: receiver.url,
      })
      assert.equal((await keepsake.ended(`/api/taskgroup/${group.body.task_id}/`)).status, 'Failed')
      const [told] = JSON.parse(await receiver.bodyFor(group.body.task_id)).results
      assert.equal(told.error, true)
      assert.match(told.result, /403/)

      const failed: Record<string, Answer['body']> = {}
      for (const name of ['news first', 'marked order', 'archived unmarked']) {
        failed[name] = await ended(name, { extras })
        assert.deepEqual([failed[name].status, failed[name].entries[0].status], ['Failed', 'Skipped'], name)
      }
      await admin.patch(`/api/profile/${guest.profile_id}/`, { consent: { marketing: true } })
      status = 200
      const retried = async (name: string) => {
        const path = `/api/task/${failed[name].task_id}/`
        assert.equal((await admin.post(`${path}retry/`)).status, 202)
        return states(await keepsake.ended(path))
      }
      assert.deepEqual(await retried('news first'), ['Succeeded', 'Succeeded', 'Succeeded'])
      assert.equal(shop.received.filter(({ url }) => url === '/news').length, 1)
      assert.deepEqual(await retried('marked order'), ['Succeeded', 'Succeeded', 'Succeeded'])
      assert.deepEqual(await retried('archived unmarked'), ['Succeeded', 'Skipped', 'Succeeded', 'Succeeded'])
      assert.equal(kept.received.length, 1, 'what was delivered without it is not delivered twice')
      await kept.stop()
    } finally {
      await shop.stop()
    }
  })

  test('what a group has finished is the guest’s while a later configuration still waits', async () => {
    const { code, keepsake_id, url } = await reserved()
    const parts = { configuration_names: '["plain", "waits"]', plain_data: photo, waits_data: photo, keepsake: code }
    const { status, body } = await keepsake.send('/api/taskgroup/', parts)
    assert.equal(status, 202, JSON.stringify(body))
    const group = () => admin.get(`/api/taskgroup/${body.task_id}/`).then(answer => answer.body)
    await until('the second one waits', async () => (await group()).tasks[1].entries[0].error?.code === 'needs_consent')
    const { status: whole, tasks } = await group()
    assert.deepEqual([whole, tasks[0].status], ['Running', 'Succeeded'])
    const file = await fetch(`${new URL(new URL(url).pathname, keepsake.url)}/file/0`)
    assert.equal(file.status, 200)
    assert.ok((await file.arrayBuffer()).byteLength > 0)
    const { files } = (await admin.get(`/api/keepsake/${keepsake_id}/`)).body
    assert.deepEqual(
      files.map((each: { state: string }) => each.state),
      ['being made', 'ready'],
    )
    await admin.patch(`/api/keepsake/${keepsake_id}/`, { consent: { wall: true } })
    await keepsake.ended(`/api/taskgroup/${body.task_id}/`)
  })

  test('a no is an answer: what waits is left out at once, and the rest goes on', async () => {
    const no = { code: 'no_consent', message: 'Left out, because the guest said no to marketing.' }
    const leftOut = ['Succeeded', 'Skipped', 'Succeeded']
    const isLeftOut = async ({ task_id }: Answer['body'], title: string) => {
      const task = await keepsake.ended(`/api/task/${task_id}/`)
      assert.deepEqual([...states(task), task.entries[0].error], [...leftOut, no], title)
      assert.equal(JSON.parse(await receiver.bodyFor(task_id)).results.length, 1, title)
    }
    const before = await reserved()
    await admin.patch(`/api/keepsake/${before.keepsake_id}/`, { consent: { marketing: false } })
    await profile({ rfid: 'refuses', consent: { marketing: false } })
    await profile({ rfid: 'agrees', consent: { marketing: true, wall: true } })
    for (const [title, parts] of [
      ['the keepsake, against the task', { keepsake: before.code, ...consent({ marketing: true, wall: true }) }],
      ['one of two guests', { extras: '{"rfid": ["agrees", "refuses"]}' }],
      ['the task', consent({ marketing: false })],
    ] as [string, Record<string, string>][]) {
      const task = await accepted('waiting chain', parts)
      await isLeftOut(task, title)
      const { rows } = await sql`
        select from entries join chains using (chain_id)
        where task_id = ${task.task_id} and asks_since is not null`.execute(database.db)
      assert.equal(rows.length, 0, `${title}: it never waited`)
    }

    const { code, keepsake_id } = await reserved()
    const later = await profile({ rfid: 'refuses later' })
    const byKeepsake = await accepted('waiting chain', { keepsake: code })
    const byProfile = await accepted('waiting chain', { extras: '{"rfid": "refuses later"}' })
    // They do not look by themselves, so only the no can end them.
    for (const { task_id } of [byKeepsake, byProfile]) await putOff(keepsake.databaseUrl, task_id, '1 day')
    await admin.patch(`/api/keepsake/${keepsake_id}/`, { consent: { marketing: false } })
    await admin.patch(`/api/profile/${later.profile_id}/`, { consent: { marketing: false } })
    await isLeftOut(byKeepsake, 'the keepsake, later')
    await isLeftOut(byProfile, 'the guest, later')
    await admin.patch(`/api/keepsake/${keepsake_id}/`, { consent: { marketing: true, wall: true } })
    assert.deepEqual(states(await taskOf(byKeepsake.task_id)), leftOut, 'a yes after that does not bring it back')
  })

  test('a guest who is told before or after the media gets every activity once', async () => {
    const { code, keepsake_id } = await reserved({ lookups: { rfid: 'TAG-1' } })
    assert.deepEqual((await admin.get(`/api/keepsake/${keepsake_id}/`)).body.lookups, { rfid: ['TAG-1'] })
    const known = await profile({ rfid: 'TAG-1' })
    const activities = async (id: string) => (await admin.get(`/api/activity/?owner_id=${id}`)).body.items
    await ended('plain', { keepsake: code })
    assert.equal((await activities(known.profile_id)).length, 1, 'known before the media')
    const later = await profile({ email: 'late@example.com' })
    const patch = (body: JsonObject) => admin.patch(`/api/keepsake/${keepsake_id}/`, body)
    const { status, body } = await patch({ lookups: { rfid: 'TAG-1', email: ['LATE@example.com', ''], qr_code: 42 } })
    assert.deepEqual(
      [status, body.lookups],
      [200, { rfid: ['TAG-1'], email: ['LATE@example.com'], qr_code: ['42'] }],
      JSON.stringify(body),
    )
    assert.equal((await activities(later.profile_id)).length, 1, 'known after the media')
    assert.equal((await activities(known.profile_id)).length, 1, 'once')
    await patch({ lookups: { email: 'late@example.com', qr_code: '42' } })
    assert.equal((await activities(later.profile_id)).length, 1, 'once')
    const last = await profile({ qr_code: '42' })
    assert.equal((await activities(last.profile_id)).length, 1, 'the profile came last')
    await ended('plain', { keepsake: code })
    assert.deepEqual(
      await Promise.all([known, later, last].map(async one => (await activities(one.profile_id)).length)),
      [1, 2, 2],
      'who is no guest of it any more gets nothing new',
    )
    assert.equal((await admin.delete(`/api/profile/${later.profile_id}/`)).status, 204)
    const left = (await admin.get(`/api/keepsake/${keepsake_id}/`)).body.lookups
    assert.deepEqual(left, { qr_code: ['42'] }, 'whoever is deleted is known by nothing')
    for (const wrong of [{ rfid: { a: 1 } }, { phone: '1' }, 'x', { rfid: 2 ** 60 }, { rfid: 'x'.repeat(300) }])
      assert.equal((await patch({ lookups: wrong as JsonObject })).status, 400, JSON.stringify(wrong))
    const { body: token } = await admin.post('/api/token/', {
      name: 'l',
      scopes: ['write', 'tasks'],
      experiences: ['x'],
    })
    assert.equal((await admin.as(token.token).patch(`/api/keepsake/${keepsake_id}/`, { lookups: null })).status, 404)
    const { items } = (await admin.get('/api/audit/?object=keepsake&action=update')).body
    assert.ok(!JSON.stringify(items).toLowerCase().includes('late@example.com'))
  })
})
