// The TypeScript client against a running service: every verb that the service has, as a caller uses it.
import assert from 'node:assert/strict'
import { createReadStream, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import sharp from 'sharp'
import {
  BadCallback,
  Keepsake,
  type NodeFile,
  ownAdapter,
  ProblemError,
  saveTo,
  TaskFailed,
  verifyCallback,
} from '../../client/src/node.ts'
import { type Receiver, startReceiver } from '../support/https-receiver.ts'
import { type Keepsake as Service, single, startKeepsake } from '../support/keepsake.ts'
import { png, scene } from '../support/pictures.ts'
import { until } from '../support/until.ts'

let service: Service
let keepsake: Keepsake
let receiver: Receiver
let folder: string
let path: string

before(async () => {
  service = await startKeepsake()
  receiver = await startReceiver()
  folder = await mkdtemp(join(tmpdir(), 'keepsake-client-'))
  path = join(folder, 'photo.png')
  writeFileSync(path, await png(scene(60, 40)))
  keepsake = new Keepsake({ url: service.url, token: service.token })
  await keepsake.configurations.create(single('flip', 'photo_flip', { method: 'ROTATE_90' }) as never)
  await keepsake.configurations.create(single('small', 'photo_resize', { width: 20 }) as never)
})
after(async () => {
  await service.stop()
  await receiver.stop()
  await rm(folder, { recursive: true })
})

const sizeOf = async (file: Blob | string) => {
  const { width, height } = await sharp(typeof file === 'string' ? file : await file.arrayBuffer()).metadata()
  return [width, height]
}

test('a file is run through a configuration, whatever it is given as', async () => {
  const bytes = new Uint8Array(readFileSync(path))
  const given: NodeFile[] = [path, pathToFileURL(path), createReadStream(path), bytes, new Blob([bytes])]
  for (const file of given) {
    const { task, file: made } = await keepsake.run(file, { configuration: 'flip' })
    assert.equal(task.status, 'Succeeded')
    assert.equal(made.type, 'image/png')
    assert.deepEqual(await sizeOf(made), [40, 60])
  }
  assert.deepEqual(
    readdirSync(tmpdir()).filter(name => name.startsWith('keepsake-upload-')),
    [],
  )
})

test('a result is written to a path, and progress is told on the way', async () => {
  const told: string[] = []
  const target = join(folder, 'made.png')
  const task = await keepsake.runTo(target, path, {
    configuration: 'flip',
    extras: { method: 'ROTATE_180' },
    onProgress: (done, total) => told.push(`up ${done === total}`),
    onEvent: ({ type }) => told.push(type),
    onDownload: (done, total) => told.push(`down ${done === total}`),
  })
  assert.equal(task.entries[0]?.status, 'Succeeded')
  assert.deepEqual(await sizeOf(target), [60, 40])
  assert.deepEqual(told.slice(0, 2), ['up false', 'up true'])
  assert.deepEqual(told.slice(-2), ['end', 'down true'])
  assert.deepEqual(
    readdirSync(folder).filter(name => name.endsWith('.part')),
    [],
  )
})

test('a group runs in order, and its files are fetched', async () => {
  const input = {
    configurations: [
      { configuration: 'flip', file: path },
      { configuration: 'small', input: 'flip', extras: { width: 10 } },
    ],
  }
  const { group, files } = await keepsake.runGroup(input)
  assert.deepEqual(group.configuration_names, ['flip', 'small'])
  assert.deepEqual(await Promise.all(files.map(sizeOf)), [
    [40, 60],
    [10, 15],
  ])
  const target = join(folder, 'small.png')
  await keepsake.runGroupTo([null, target], input)
  assert.deepEqual(await sizeOf(target), [10, 15])
  assert.deepEqual(await sizeOf(await keepsake.groups.output(group, 1, { entry: 0 }).blob()), [10, 15])
  assert.deepEqual(await sizeOf(await keepsake.groups.input(group, 0).blob()), [60, 40])
  assert.equal((await keepsake.groups.get(group)).task_id, group.task_id)
  assert.ok((await keepsake.groups.list().take(5)).some(({ task_id }) => task_id === group.task_id))
})

test('a task that fails is told with its reason, and run again with another file', async () => {
  const error = await keepsake.run(new Blob(['no picture']), { configuration: 'flip' }).catch(error => error)
  assert.ok(error instanceof TaskFailed, String(error))
  assert.equal(error.code, 'task_failed')
  assert.match(error.message, /flip: /)
  const again = await keepsake.tasks.retry(error.task, { file: path, extras: { method: 'ROTATE_180' } })
  assert.equal((await keepsake.tasks.wait(again)).status, 'Succeeded')
  assert.deepEqual(await sizeOf(await keepsake.tasks.output(again, 0).blob()), [60, 40])
  await assert.rejects(keepsake.tasks.retry(again), { code: 'wrong_state', status: 409 })
  await assert.rejects(keepsake.tasks.cancel(again), { code: 'wrong_state' })
})

test('the same key makes one task', async () => {
  const make = () => keepsake.tasks.create({ configuration: 'flip', file: path }, { idempotencyKey: 'booth-1' })
  assert.equal((await make()).task_id, (await make()).task_id)
  await assert.rejects(keepsake.tasks.create({ configuration: 'small', file: path }, { idempotencyKey: 'booth-1' }), {
    code: 'idempotency_conflict',
  })
})

test('tasks are listed by filters over several pages, read, and their files fetched', async () => {
  const made = await keepsake.tasks.create({ configuration: 'small', file: path })
  await keepsake.tasks.wait(made)
  const all = await Array.fromAsync(keepsake.tasks.list({ limit: 2 }))
  assert.ok(all.length > 4)
  assert.equal(new Set(all.map(({ task_id }) => task_id)).size, all.length)
  const small = await Array.fromAsync(keepsake.tasks.list({ configuration: 'small' }))
  assert.deepEqual(
    small.map(({ task_id }) => task_id),
    [made.task_id],
  )
  const target = join(folder, 'input.png')
  await saveTo(target, keepsake.tasks.input(made))
  assert.ok(readFileSync(target).equals(readFileSync(path)))
  assert.deepEqual(await keepsake.tasks.retract(made), { removed: [], kept: [] })
  await assert.rejects(saveTo(join(folder, 'gone.png'), keepsake.tasks.output(made, 0)), { code: 'gone' })
  assert.deepEqual(
    readdirSync(folder).filter(name => name.startsWith('gone')),
    [],
  )
})

test('changes of all tasks are followed while they happen', async () => {
  const seen: string[] = []
  const stop = new AbortController()
  const following = (async () => {
    for await (const event of keepsake.tasks.events({ signal: stop.signal }))
      if (event.type === 'changed') seen.push(...event.task_ids)
  })()
  const ended = assert.rejects(following, { message: 'enough' })
  const made = await until('a change is seen', async () => {
    const task = await keepsake.tasks.create({ configuration: 'flip', file: path })
    await keepsake.tasks.wait(task)
    return seen.includes(task.task_id) && task
  })
  assert.ok(made)
  stop.abort(new Error('enough'))
  await ended
})

test('a configuration is tried, checked, changed, replaced and deleted', async () => {
  const { configurations } = keepsake
  const wanted = { experience_id: 'park', adapter_name: 'photo_flip' } as const
  const turned = (method: 'ROTATE_90' | 'ROTATE_180' | 'ROTATE_270') => ({ adapter_config: { defaults: { method } } })
  const dry = { ...wanted, configuration_name: 'more', ...turned('ROTATE_270') }
  await configurations.create(dry, { dryRun: true })
  await assert.rejects(configurations.get('more'), { code: 'not_found' })
  await configurations.create(dry)
  assert.deepEqual(await sizeOf(await configurations.preview('more', path, { full: true })), [40, 60])
  assert.ok((await configurations.check('more')).every(({ ok }) => ok))
  const changed = await configurations.change('more', turned('ROTATE_90'))
  assert.deepEqual(changed.adapter_config?.defaults, { method: 'ROTATE_90' })
  await configurations.replace('more', { ...wanted, ...turned('ROTATE_180') })
  assert.equal((await configurations.list({ experience_id: 'park' }).take(1))[0]?.configuration_name, 'more')
  await configurations.delete('more')
  const error = await configurations
    .create({ ...dry, adapter_name: ownAdapter('photo_flip'), adapter_config: { defaults: { method: 'UP' } } })
    .catch(error => error)
  assert.ok(error instanceof ProblemError)
  assert.deepEqual(
    error.errors.map(({ field, kind }) => [field, kind]),
    [['adapter_config.defaults.method', 'wrong']],
  )
})

test('assets, guests, activities, experiences, tokens and adapters', async () => {
  const { assets, profiles, activities, experiences, tokens, adapters } = keepsake
  const asset = await assets.create({ name: 'frame ü.png', experience_id: 'park', file: path })
  assert.equal(asset.width, 60)
  assert.ok(Buffer.from(await (await assets.file('frame ü.png').blob()).arrayBuffer()).equals(readFileSync(path)))
  const smaller = new Blob([new Uint8Array(await png(scene(8, 8)))])
  assert.equal((await assets.replace('frame ü.png', smaller)).width, 8)
  assert.equal((await assets.list({ experience_id: 'park' }).take(9)).length, 1)
  await assets.delete('frame ü.png')

  const guest = await profiles.create({ rfid: '04A2', experience_id: 'park', attributes: { name: 'Ada' } })
  assert.deepEqual(
    (await profiles.list({ rfid: '04A2' }).take(2)).map(each => each.profile_id),
    [guest.profile_id],
  )
  await keepsake.configurations.change('small', {
    activity_config: { experience_id: 'park', activity_type: 'photo', payload: { object_id: 'wall' } },
  })
  const { task } = await keepsake.run(path, { configuration: 'small', extras: { rfid: '04A2' } })
  const [activity] = await activities.list({ task_id: task.task_id }).take(2)
  assert.equal(activity?.owner_id, guest.profile_id)
  assert.equal((await activities.get(activity.activity_id)).activity_type, 'photo')
  assert.equal((await profiles.change(guest.profile_id, { rfid: ['04A3'] })).rfid[0], '04A3')
  await profiles.delete(guest.profile_id)
  await assert.rejects(profiles.get(guest.profile_id), { code: 'not_found' })

  assert.equal((await experiences.change('park', { name: 'Park' })).name, 'Park')
  assert.ok((await experiences.list().take(9)).length >= 1)
  const token = await tokens.create({ name: 'booth', scopes: ['read'], experiences: ['park'] })
  const booth = new Keepsake({ url: service.url, token: token.token })
  assert.deepEqual((await booth.session()).experiences, ['park'])
  await assert.rejects(booth.tokens.list().page(), { code: 'forbidden', status: 403 })
  assert.equal((await tokens.get(token.token_id)).name, 'booth')
  await tokens.delete(token.token_id)
  assert.equal((await adapters.get('photo_flip')).kind, 'transformer')
  assert.ok((await Array.fromAsync(adapters.list())).length > 10)
  assert.equal((await keepsake.stats('day')).window, 'day')
  assert.equal((await keepsake.request<{ window: string }>('GET', '/api/stats/')).window, 'hour')
})

test('a callback is known for what it is, with the old secret and the new', async () => {
  await keepsake.configurations.change('flip', { webhook_url: `${receiver.url}/hook` })
  const { webhook_secret: old = '' } = await keepsake.experiences.get('park')
  const { webhook_secret: fresh = '' } = await keepsake.experiences.rotateSecret('park')
  assert.notEqual(old, fresh)
  const { task } = await keepsake.run(path, { configuration: 'flip' })
  const { headers, body } = await until('the callback is there', () => receiver.received[0])
  for (const secret of [old, fresh, [`whsec_${btoa('of somebody else')}`, fresh]]) {
    const callback = await verifyCallback(headers, body, secret)
    assert.equal(callback.event, 'task')
    assert.ok(callback.event === 'task')
    assert.equal(callback.body.task_id, task.task_id)
    assert.equal(callback.body.results[0]?.error, false)
    const [kept] = await keepsake.callbacks.list({ task_id: task.task_id }).take(1)
    assert.equal(kept?.callback_id, callback.id)
  }
  await keepsake.callbacks.resend(String(headers['webhook-id']))
  const second = await until('it is sent again', () => receiver.received[1])
  assert.equal(second.headers['webhook-id'], headers['webhook-id'])
  await verifyCallback(new Headers(second.headers as Record<string, string>), second.body.toString(), fresh)

  const bad: [string, Record<string, string | string[] | undefined>, Buffer, object?][] = [
    ['another body', headers, Buffer.from(body.toString().replace('Succeeded', 'Failed'))],
    ['another id', { ...headers, 'webhook-id': 'x' }, body],
    ['no signature', { ...headers, 'webhook-signature': undefined }, body],
    ['another kind of signature', { ...headers, 'webhook-signature': 'v2,AAAA' }, body],
    ['broken Base64', { ...headers, 'webhook-signature': 'v1,&&&&' }, body],
    ['no time', { ...headers, 'webhook-timestamp': 'soon' }, body],
    ['too old', headers, body, { now: Date.now() + 400_000 }],
    ['from the future', headers, body, { now: Date.now() - 400_000 }],
  ]
  for (const [what, given, bytes, options] of bad)
    await assert.rejects(verifyCallback(given, bytes, fresh, options), BadCallback, what)
  await assert.rejects(verifyCallback(headers, body, []), TypeError)
  await assert.rejects(verifyCallback(headers, body, 'whsec_'), TypeError)
  assert.equal(typeof (await keepsake.callbacks.resendMany({ task_id: task.task_id })).resent, 'number')
})
