// The bodies of callbacks, byte for byte, as receivers rely on them.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type CallbackReceiver, startCallbackReceiver } from '../support/callbacks.ts'
import { cleanUp } from '../support/clean-up.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { startS3 } from '../support/s3-server.ts'

describe('callback bodies', () => {
  let keepsake: Keepsake
  let receiver: CallbackReceiver
  let s3: Awaited<ReturnType<typeof startS3>>
  let picture: Blob
  const junk = new Blob(['this is no picture'])

  before(async () => {
    ;[keepsake, receiver, s3] = await Promise.all([startKeepsake(), startCallbackReceiver(), startS3()])
    picture = new Blob([new Uint8Array(await png(pattern(8, 6, 3)))])
    const webhook_url = receiver.url
    await keepsake.configure(single('flip', 'photo_flip', { method: 'ROTATE_180' }, { webhook_url }))
    await keepsake.configure(
      single('mirror', 'photo_flip', { method: 'FLIP_LEFT_RIGHT' }, { webhook_url: `${webhook_url}/ignored` }),
    )
    await keepsake.configure(
      chain(
        'two',
        [
          ['flip', null],
          ['mirror', 0],
        ],
        { webhook_url },
      ),
    )
    await keepsake.configure(
      chain('silent', [
        ['flip', null],
        ['mirror', 0],
      ]),
    )
    if (s3) {
      await s3.createBucket('souvenirs')
      await keepsake.configure(
        single(
          'store',
          's3_upload',
          { bucket_name: 'souvenirs', bucket_url: s3.endpoint, file_prefix: 'a/', region: s3.region },
          {
            adapter_config: {
              auth: { access_key: s3.accessKey, secret_key: s3.secretKey },
              defaults: { bucket_name: 'souvenirs', bucket_url: s3.endpoint, file_prefix: 'a/', region: s3.region },
            },
            activity_config: {
              experience_id: 'park',
              activity_type: 'content-generation',
              payload: { object_id: 'ride-7', colour: 'red' },
            },
          },
        ),
      )
      await keepsake.configure(
        chain(
          'keep',
          [
            ['flip', null],
            ['store', 0],
          ],
          { webhook_url },
        ),
      )
    }
  })
  after(() =>
    cleanUp(
      () => keepsake.stop(),
      () => receiver.stop(),
      () => s3?.stop(),
    ),
  )

  it('a single configuration that succeeds', async () => {
    const { body: task } = await keepsake.send('/api/task/', { configuration_name: 'flip', data: picture })
    assert.equal(
      await receiver.bodyFor(task.task_id),
      `{"task_id":"${task.task_id}","configuration":"flip","status":"Succeeded","results":[{"result":{"success":true},"error":false,"configuration":{"name":"flip","chain_id":"${task.chain_id}","input_idx":null}}]}`,
    )
  })

  it('a single configuration that fails', async () => {
    const { body: task } = await keepsake.send('/api/task/', { configuration_name: 'flip', data: junk })
    const body = await receiver.bodyFor(task.task_id)
    const { entries } = (await keepsake.client.get(`/api/task/${task.task_id}/`)).body
    assert.equal(entries[0].status, 'Failed')
    assert.equal(entries[0].error.code, 'unsupported_format')
    assert.equal(
      body,
      `{"task_id":"${task.task_id}","configuration":"flip","status":"Failed","results":[{"result":${JSON.stringify(entries[0].error.message)},"error":true,"configuration":"flip","chain_id":"${task.chain_id}","input_idx":null}]}`,
    )
  })

  it('a chain, to the chain’s webhook alone', async () => {
    const { body: task } = await keepsake.send('/api/task/', { configuration_name: 'two', data: picture })
    assert.equal(
      await receiver.bodyFor(task.task_id),
      `{"task_id":"${task.task_id}","configuration":"two","status":"Succeeded","results":[{"result":{"success":true},"error":false,"configuration":{"name":"flip","chain_id":"${task.chain_id}","input_idx":null}},{"result":{"success":true},"error":false,"configuration":{"name":"mirror","chain_id":"${task.chain_id}","input_idx":0}}]}`,
    )
    assert.ok(
      receiver.received.every(({ url }) => url === '/hook'),
      'no other webhook was told',
    )
  })

  it('a chain without a webhook posts nothing, whatever its members have', async () => {
    const { body: task } = await keepsake.send('/api/task/', { configuration_name: 'silent', data: picture })
    const ended = await keepsake.ended(`/api/task/${task.task_id}/`)
    assert.equal(ended.status, 'Succeeded')
    assert.equal(ended.webhook_url, null)
    const { items } = (await keepsake.client.get(`/api/callback/?task_id=${task.task_id}`)).body
    assert.deepEqual(items, [])
  })

  it('a chain that ends at object storage, with the ids of its activities', async t => {
    if (!s3) return t.skip('python3-swift is not installed')
    const { body: guest } = await keepsake.client.post('/api/profile/', { rfid: 'rfid-1', email: 'Guest@Example.org' })
    const extras = JSON.stringify({ rfid: ['rfid-1'], email: 'guest@example.ORG' })
    const { body: task } = await keepsake.send('/api/task/', { configuration_name: 'keep', data: picture, extras })
    const body = await receiver.bodyFor(task.task_id)
    const { items } = (await keepsake.client.get(`/api/activity/?task_id=${task.task_id}`)).body
    assert.equal(items.length, 1, 'two lookups that find one guest make one activity')
    const key = `a/${task.task_id}-1.png`
    const url = `${s3.endpoint}/souvenirs/${key}`
    assert.equal(
      body,
      `{"task_id":"${task.task_id}","configuration":"keep","status":"Succeeded","results":[{"result":{"success":true},"error":false,"configuration":{"name":"flip","chain_id":"${task.chain_id}","input_idx":null}},{"result":{"bucket_name":"souvenirs","file_key":"${key}","url":"${url}","activity":["${items[0].activity_id}"]},"error":false,"configuration":{"name":"store","chain_id":"${task.chain_id}","input_idx":0}}]}`,
    )
    const { created_at: _at, ...activity } = items[0]
    assert.deepEqual(activity, {
      activity_id: items[0].activity_id,
      owner_id: guest.profile_id,
      experience_id: 'park',
      activity_type: 'content-generation',
      flow_id: task.flow_id,
      payload: {
        object_id: 'ride-7',
        colour: 'red',
        souvenir_data: { adapter_response: { bucket_name: 'souvenirs', file_key: key, url } },
        vcc_config_name: 'keep',
        chain_id: task.chain_id,
        task_id: task.task_id,
      },
      retracted_at: null,
    })
  })

  it('a destination without activities says so with an empty list', async t => {
    if (!s3) return t.skip('python3-swift is not installed')
    const { body: task } = await keepsake.send('/api/task/', { configuration_name: 'keep', data: picture })
    const { results } = JSON.parse(await receiver.bodyFor(task.task_id))
    assert.deepEqual(results[1].result.activity, [])
  })

  it('a task group: one combined callback in the order of its configurations', async () => {
    const { body: group, status } = await keepsake.send('/api/taskgroup/', {
      configuration_names: '["two","flip"]',
      two_data: picture,
      flip_input: 'two',
      webhook_url: receiver.url,
    })
    assert.equal(status, 202)
    assert.equal(
      await receiver.bodyFor(group.task_id),
      `{"status":"Succeeded","task_id":"${group.task_id}","results":[{"error":false,"result":[{"success":true},{"success":true}],"configuration":"two"},{"error":false,"result":[{"success":true}],"configuration":"flip"}]}`,
    )
  })

  it('a task group that fails: what ended before is there, what came after says what it waited on', async () => {
    const { body: group } = await keepsake.send('/api/taskgroup/', {
      configuration_names: '["flip","two","mirror"]',
      flip_data: picture,
      two_data: junk,
      mirror_input: 'flip',
      webhook_url: receiver.url,
    })
    const body = await receiver.bodyFor(group.task_id)
    const { tasks } = (await keepsake.client.get(`/api/taskgroup/${group.task_id}/`)).body
    assert.equal(
      body,
      `{"status":"Failed","task_id":"${group.task_id}","results":[{"error":false,"result":[{"success":true}],"configuration":"flip"},{"error":true,"result":${JSON.stringify(tasks[1].entries[0].error.message)},"configuration":"two"},{"error":true,"result":"Not run, because two before it failed.","configuration":"mirror"}]}`,
    )
    assert.deepEqual(
      tasks.map((task: { status: string }) => task.status),
      ['Succeeded', 'Failed', 'Failed'],
    )
    assert.deepEqual(
      tasks[2].entries.map((entry: { status: string }) => entry.status),
      ['Skipped'],
    )
  })
})
