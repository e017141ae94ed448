// Attacks of a limited token on the guests, files and results of other experiences, and of guests that belong to none.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { newId } from '#kit/ids.ts'
import type { Client } from '../support/client.ts'
import { type Receiver, startReceiver } from '../support/https-receiver.ts'
import { type Keepsake, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'

const PHONE = '+43 660 1234567'
const IBAN = 'AT61 1904 3002 3457 3201'
const SECRETS = /660 1234567|1904 3002|ada@secret\.org|Lovelace/

let keepsake: Keepsake
let admin: Client
/** Tokens limited to the experience "ours". */
let tasker: Client
let writer: Client
let limitedAdmin: Client
/** The same for "theirs". */
let theirs: Client
let receiver: Receiver
let root: string
let picture: Blob
/** The receiver refuses everything while this is set. */
let refusing = false

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'keepsake-walls-'))
  receiver = await startReceiver({
    answer: (_request, response) => void response.writeHead(refusing ? 400 : 200).end(),
  })
  keepsake = await startKeepsake({ settings: { localRoot: root } })
  admin = keepsake.client
  picture = new Blob([new Uint8Array(await png(pattern(90, 60, 3)))])
  const token = async (scope: string, experience: string) =>
    admin.as((await admin.post('/api/token/', { name: scope, scopes: [scope], experiences: [experience] })).body.token)
  tasker = await token('tasks', 'ours')
  writer = await token('write', 'ours')
  limitedAdmin = await token('admin', 'ours')
  theirs = await token('write', 'theirs')
  for (const experience_id of ['ours', 'theirs']) {
    const activity_config = { experience_id, activity_type: 'photo', payload: { object_id: 'gate' } }
    const made: [string, string, object][] = [
      ['letter', 'photo_add_text', { text: 'nothing yet' }],
      ['post', 'http_post', { url: receiver.url, delivery_attempts: 1 }],
      ['folder', 'local_file', { folder: experience_id }],
    ]
    for (const [name, adapter_name, defaults] of made)
      await keepsake.configure({
        configuration_name: `${experience_id}-${name}`,
        experience_id,
        adapter_name,
        adapter_config: { auth: {}, defaults },
        ...(name === 'letter' ? {} : { activity_config }),
      })
  }
})
after(async () => {
  await keepsake.stop()
  await receiver.stop()
  await rm(root, { recursive: true, force: true })
})
beforeEach(() => {
  refusing = false
  receiver.received.length = 0
})

async function send(client: Client, path: string, parts: Record<string, string | Blob | object>) {
  const body = new FormData()
  for (const [name, value] of Object.entries(parts))
    body.append(name, value instanceof Blob || typeof value === 'string' ? value : JSON.stringify(value))
  return client.send('POST', path, { body })
}

async function run(client: Client, configuration_name: string, extras: object, wanted = 'Succeeded') {
  const { status, body } = await send(client, '/api/task/', { configuration_name, data: picture, extras })
  assert.equal(status, 202, JSON.stringify(body))
  const task = await keepsake.ended(`/api/task/${body.task_id}/`)
  assert.equal(task.status, wanted, JSON.stringify(task.entries))
  return task
}

async function made(client: Client, profile: object) {
  const { status, body } = await client.post('/api/profile/', profile)
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

const ownersOf = async (task_id: string) =>
  (await admin.get(`/api/activity/?task_id=${task_id}`)).body.items.map((item: { owner_id: string }) => item.owner_id)

/** All that reached the receiver. */
const received = () =>
  receiver.received
    .map(({ url, headers, body }) => `${url} ${JSON.stringify(headers)} ${body.toString('latin1')}`)
    .join()

describe('a guest of no experience', () => {
  let guest: { profile_id: string }
  const attributes = { phone: PHONE, last_name: 'Lovelace', nested: { iban: IBAN } }
  const asks = ['phone', 'attributes.phone', 'nested.iban', 'attributes.nested.iban', 'last_name', 'email', 'rfid']
  const text = asks.map(name => `{{profile.${name}}}`).join('|')
  const lookups = () => [
    { email: 'ADA@secret.org' },
    { rfid: ['nobody', 'SECRET-1'] },
    { profile_id: guest.profile_id },
  ]

  before(async () => {
    guest = await made(admin, { email: 'ada@secret.org', rfid: 'SECRET-1', attributes })
  })

  it('shows nothing of itself to the tasks of a limited token, which still leave it their activity', async () => {
    for (const extras of lookups()) {
      const task = await run(tasker, 'ours-post', { ...extras, headers: { 'x-told': text }, fields: { told: text } })
      assert.doesNotMatch(received(), SECRETS)
      assert.deepEqual(await ownersOf(task.task_id), [guest.profile_id])
      const seen = JSON.stringify([
        (await tasker.get(`/api/task/${task.task_id}/`)).body.entries,
        (await tasker.get(`/api/activity/?task_id=${task.task_id}`)).body,
      ])
      assert.doesNotMatch(seen, SECRETS)
    }
    const group = await send(tasker, '/api/taskgroup/', {
      configuration_names: ['ours-letter', 'ours-post'],
      'ours-letter_data': picture,
      'ours-post_input': 'ours-letter',
      'ours-letter_extras': { email: 'ada@secret.org', text },
      'ours-post_extras': { email: 'ada@secret.org', headers: { 'x-told': text } },
    })
    await keepsake.ended(`/api/taskgroup/${group.body.task_id}/`)
    assert.doesNotMatch(received(), SECRETS)
    const file = await run(tasker, 'ours-folder', {
      email: 'ada@secret.org',
      file_name: `x{{profile.phone}}-{{task_id}}`,
    })
    assert.equal(file.entries[0].result.file_key, `x-${file.task_id}`)
    // An unrestricted token sees the guest, and so do its tasks.
    await run(admin, 'ours-post', { email: 'ada@secret.org', headers: { 'x-told': text } })
    assert.match(received(), /660 1234567.*1904 3002.*Lovelace.*ada@secret\.org/)
  })

  it('looks the same as nobody in the previews, outputs and warnings of a limited token', async () => {
    const preview = async (client: Client, extras: object) => {
      const parts = { data: picture, extras: { text: 'A{{profile.phone}}B', ...extras } }
      const { status, body } = await send(client, '/api/configuration/ours-letter/preview/?full=true', parts)
      assert.equal(status, 200)
      return body as string
    }
    const nobody = await preview(tasker, {})
    for (const extras of lookups()) assert.equal(await preview(tasker, extras), nobody)
    assert.notEqual(await preview(admin, { email: 'ada@secret.org' }), nobody)
    const [known, unknown] = [
      await run(tasker, 'ours-letter', { email: 'ada@secret.org', text: 'A{{profile.phone}}B' }),
      await run(tasker, 'ours-letter', { email: 'ida@secret.org', text: 'A{{profile.phone}}B' }),
    ]
    assert.deepEqual(known.entries[0].output, unknown.entries[0].output)
    assert.deepEqual(known.entries[0].warnings, unknown.entries[0].warnings)
    assert.deepEqual(known.warnings, unknown.warnings)
  })

  it('stays hidden when a limited token runs the task of an unrestricted one again, and from then on', async () => {
    const extras = { email: 'ada@secret.org', headers: { 'x-told': text } }
    const fail = async (client: Client) => {
      refusing = true
      const task = await run(client, 'ours-post', { ...extras, headers: {} }, 'Failed')
      refusing = false
      receiver.received.length = 0
      return `/api/task/${task.task_id}/`
    }
    const again = async (client: Client, path: string, parts: Record<string, object>) => {
      const answer = await send(client, `${path}retry/`, parts)
      assert.equal(answer.status, 202, JSON.stringify(answer.body))
      await keepsake.ended(path)
    }
    await again(tasker, await fail(admin), { extras })
    assert.doesNotMatch(received(), SECRETS)
    // What the limited token wrote is still in the task when another takes it up.
    const path = await fail(tasker)
    await again(admin, path, { extras })
    assert.doesNotMatch(received(), SECRETS)
    await again(admin, await fail(admin), { extras })
    assert.match(received(), SECRETS)
  })

  it('is not given away by a refusal: each experience may use the same values', async () => {
    const own = await made(writer, { email: 'ADA@secret.org', rfid: 'SECRET-1', experience_id: 'ours' })
    const other = await made(theirs, { email: 'ada@Secret.org', experience_id: 'theirs' })
    assert.equal((await writer.patch(`/api/profile/${own.profile_id}/`, { qr_code: 'Q' })).status, 200)
    const taken = await writer.post('/api/profile/', { rfid: 'SECRET-1', experience_id: 'ours' })
    assert.deepEqual([taken.status, taken.body.code], [409, 'lookup_taken'])
    assert.equal((await admin.post('/api/profile/', { rfid: 'SECRET-1' })).status, 409, 'nor twice among those of none')
    const ids = async (client: Client) =>
      (await client.get('/api/profile/?email=ada@secret.org')).body.items.map(
        (item: { profile_id: string }) => item.profile_id,
      )
    assert.deepEqual(await ids(writer), [own.profile_id])
    assert.deepEqual(await ids(admin), [other.profile_id, own.profile_id, guest.profile_id])
    // The experience's own guest comes first, whoever asks.
    for (const client of [tasker, admin])
      assert.deepEqual(await ownersOf((await run(client, 'ours-post', { email: 'ada@secret.org' })).task_id), [
        own.profile_id,
      ])
    const foreign = await run(tasker, 'ours-post', { profile_id: [other.profile_id, newId()] })
    assert.deepEqual(await ownersOf(foreign.task_id), [])
    assert.equal(foreign.warnings.length, 2, 'a foreign id is like an unknown one')
    for (const profile of [own, other]) await admin.delete(`/api/profile/${profile.profile_id}/`)
  })

  it('can be moved only by who sees both sides, with all it is known by', async () => {
    const { profile_id } = await made(admin, { email: 'moving@x.org', rfid: 'M1' })
    const path = `/api/profile/${profile_id}/`
    assert.equal((await writer.patch(path, { experience_id: 'ours' })).status, 404)
    const waiting = await run(tasker, 'ours-post', { qr_code: 'M-QR' })
    await admin.patch(path, { qr_code: 'M-QR', experience_id: 'theirs' })
    assert.deepEqual(await ownersOf(waiting.task_id), [], 'in another experience it is not waited for')
    const rival = await made(writer, { rfid: 'M1', experience_id: 'ours' })
    const move = await admin.patch(path, { experience_id: 'ours' })
    assert.deepEqual([move.status, move.body.code, move.body.errors.length], [409, 'lookup_taken', 1])
    assert.match(move.body.detail, /rfid: "M1"/)
    assert.equal((await admin.get(path)).body.experience_id, 'theirs')
    assert.equal((await theirs.patch(path, { experience_id: 'ours' })).status, 403)
    assert.equal((await theirs.patch(path, { experience_id: null })).status, 400)
    await admin.delete(`/api/profile/${rival.profile_id}/`)
    assert.equal((await admin.patch(path, { experience_id: 'ours' })).status, 200)
    assert.deepEqual((await writer.get(path)).body.email, ['moving@x.org'])
    assert.deepEqual(await ownersOf(waiting.task_id), [profile_id], 'what waited for a value is its own now')
    assert.equal((await theirs.get(path)).status, 404)
    await made(theirs, { email: 'moving@x.org', experience_id: 'theirs' })
  })
})

describe('erasing a person', () => {
  it('takes what lies in the own experiences, and leaves to others what is theirs', async () => {
    const guest = await made(admin, { email: 'leaving@x.org', attributes: { phone: PHONE } })
    const extras = { email: 'leaving@x.org' }
    const elsewhere = await run(theirs, 'theirs-folder', extras)
    const path = `/api/profile/${guest.profile_id}/`
    await admin.patch(path, { experience_id: 'ours' })
    const own = await run(tasker, 'ours-folder', extras)
    const [their, our] = [elsewhere, own].map(({ entries }) => entries[0].result)
    assert.ok(existsSync(join(root, their.folder, their.file_key)))
    const { status, body } = await writer.delete(`${path}?media=retract`)
    assert.equal(status, 202, JSON.stringify(body))
    assert.deepEqual(
      [...body.removed, ...body.kept].map(({ task_id }) => task_id),
      [own.task_id],
    )
    assert.ok(!existsSync(join(root, our.folder, our.file_key)))
    assert.ok(existsSync(join(root, their.folder, their.file_key)), 'the file of another experience stays')
    assert.equal((await writer.get(`/api/task/${own.task_id}/`)).status, 404)
    assert.deepEqual((await theirs.get(`/api/task/${elsewhere.task_id}/`)).body.extras, extras)
    assert.deepEqual(await ownersOf(own.task_id), [])
    assert.deepEqual(await ownersOf(elsewhere.task_id), [guest.profile_id], 'and so does its activity')
    // For the token that erased it is gone, as one that was never anywhere else is.
    assert.equal((await writer.get(path)).status, 404)
    assert.equal((await writer.delete(path)).status, 404)
    const later = await run(tasker, 'ours-post', { profile_id: guest.profile_id, email: 'leaving@x.org' })
    assert.deepEqual([await ownersOf(later.task_id), later.warnings.length], [[], 2])
    await made(writer, { email: 'leaving@x.org', experience_id: 'ours' })
    assert.equal((await theirs.get(path)).status, 404)
    // An unrestricted token sees whose it was and erases the rest.
    const left = (await admin.get(path)).body
    assert.deepEqual([left.email, left.attributes, left.experience_id], [[], {}, null])
    assert.equal((await admin.delete(`${path}?media=retract`)).body.removed.length, 1)
    assert.ok(!existsSync(join(root, their.folder, their.file_key)))
    assert.deepEqual(await ownersOf(elsewhere.task_id), [])
    assert.equal((await admin.get(path)).status, 404)
  })

  it('is whole where nobody else has anything of them', async () => {
    const guest = await made(writer, { rfid: 'whole', experience_id: 'ours' })
    const task = await run(tasker, 'ours-folder', { rfid: 'whole' })
    assert.equal((await writer.delete(`/api/profile/${guest.profile_id}/?media=retract`)).body.removed.length, 1)
    assert.equal((await admin.get(`/api/profile/${guest.profile_id}/`)).status, 404)
    assert.deepEqual(await ownersOf(task.task_id), [])
    assert.deepEqual(
      await readdir(join(root, 'ours')).then(names => names.filter(name => name.includes(task.task_id))),
      [],
    )
  })
})

describe('names that others have', () => {
  it('a retry never runs on the configuration that another experience has under that name now', async () => {
    const post = (experience_id: string, bearer: string) => ({
      configuration_name: 'wandering',
      experience_id,
      adapter_name: 'http_post',
      adapter_config: { auth: { bearer }, defaults: { url: receiver.url, headers: { 'x-of': experience_id } } },
    })
    await keepsake.configure(post('ours', 'our-secret'))
    refusing = true
    const task = await run(tasker, 'wandering', {}, 'Failed')
    refusing = false
    assert.equal((await writer.delete('/api/configuration/wandering/')).status, 204)
    await keepsake.configure(post('theirs', 'their-secret'))
    receiver.received.length = 0
    assert.equal((await tasker.post(`/api/task/${task.task_id}/retry/`)).status, 202)
    const { status } = await keepsake.ended(`/api/task/${task.task_id}/`)
    assert.equal(status, 'Succeeded')
    assert.match(received(), /our-secret/)
    assert.doesNotMatch(received(), /their-secret|"x-of":"theirs"/)
  })

  it('an Idempotency-Key is the token’s own', async () => {
    const form = () => {
      const body = new FormData()
      body.append('configuration_name', 'ours-letter')
      body.append('data', picture)
      return body
    }
    const headers = { 'idempotency-key': 'the same' }
    const first = await admin.send('POST', '/api/task/', { body: form(), headers })
    const second = await tasker.send('POST', '/api/task/', { body: form(), headers })
    const again = await tasker.send('POST', '/api/task/', { body: form(), headers })
    assert.deepEqual([first.status, second.status, again.status], [202, 202, 202])
    assert.notEqual(first.body.task_id, second.body.task_id)
    assert.equal(second.body.task_id, again.body.task_id)
    for (const { body } of [first, second]) await keepsake.ended(`/api/task/${body.task_id}/`)
  })

  it('a limited admin makes no token that sees more than its own', async () => {
    for (const experiences of [null, undefined, [], ['theirs'], ['ours', 'theirs'], ['never seen']]) {
      const { status } = await limitedAdmin.post('/api/token/', { name: 'more', scopes: ['read'], experiences })
      assert.ok([400, 403].includes(status), JSON.stringify(experiences))
    }
    const { items } = (await limitedAdmin.get('/api/token/')).body
    assert.ok(items.length >= 3)
    assert.ok(items.every((item: { experiences: string[] }) => item.experiences.join() === 'ours'))
  })
})
