// `on_failure` of a task group: what still runs after a failure, what is told of the rest, and what a retry opens.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type CallbackReceiver, startCallbackReceiver } from '../support/callbacks.ts'
import { cleanUp } from '../support/clean-up.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { until } from '../support/until.ts'

interface Entry {
  status: string
  started_at: string
  ended_at: string
}
interface Member {
  configuration: string
  status: string
  entries: Entry[]
}

describe('a group that goes on after a failure', () => {
  let keepsake: Keepsake
  let receiver: CallbackReceiver
  let target: CallbackReceiver
  let posts = 0
  let picture: Blob
  const junk = new Blob(['this is no picture'])

  before(async () => {
    receiver = await startCallbackReceiver()
    // Away for the first attempt.
    target = await startCallbackReceiver(
      (_request, response) => void response.writeHead(++posts === 1 ? 503 : 200).end('{}'),
    )
    keepsake = await startKeepsake()
    picture = new Blob([new Uint8Array(await png(pattern(8, 6, 3)))])
    const activity_config = { experience_id: 'park', activity_type: 'photo', payload: { object_id: 'gate' } }
    for (const name of ['a', 'b', 'c', 'd'])
      await keepsake.configure(single(name, 'photo_flip', { method: 'ROTATE_180' }, { activity_config }))
    for (const name of ['e', 'f']) await keepsake.configure(single(name, 'photo_add_overlay'))
    await keepsake.configure(single('flat', 'photo_resize', { width: 4 }))
    await keepsake.configure(single('film', 'video_to_gif'))
    await keepsake.configure(
      chain('tree', [
        ['a', null],
        ['film', 0],
        ['flat', 0],
      ]),
    )
    await keepsake.configure(single('post', 'http_post', { url: target.url, delivery_backoff: 1 }))
    assert.equal((await keepsake.client.post('/api/profile/', { rfid: '7', experience_id: 'park' })).status, 201)
  })
  after(() =>
    cleanUp(
      () => keepsake.stop(),
      () => receiver.stop(),
      () => target.stop(),
    ),
  )

  const start = async (parts: Record<string, string | Blob>): Promise<string> => {
    const { status, body } = await keepsake.send('/api/taskgroup/', { webhook_url: receiver.url, ...parts })
    assert.equal(status, 202, JSON.stringify(body))
    return body.task_id
  }
  const run = async (parts: Record<string, string | Blob>) => keepsake.ended(`/api/taskgroup/${await start(parts)}/`)
  const statuses = (group: { tasks: Member[] }) =>
    Object.fromEntries(group.tasks.map(each => [each.configuration, each.status]))
  const entries = (group: { tasks: Member[] }) => group.tasks.map(({ entries }) => entries.map(({ status }) => status))

  const mixed = (): Record<string, string | Blob> => ({
    configuration_names: '["a","b","c","d","e","f"]',
    a_data: junk,
    a_extras: '{"rfid":"7"}',
    b_input: 'a',
    c_data: picture,
    c_extras: '{"rfid":"7"}',
    d_input: 'c',
    d_extras: '{"rfid":"7"}',
    e_data: picture,
    e_extras: '{"overlay_file_name_override":"b"}',
    f_data: picture,
    f_extras: '{"overlay_file_name_override":"d"}',
  })

  it('runs everything that takes nothing from what failed, and a retry opens the rest alone', async () => {
    const group = await run({ ...mixed(), on_failure: 'continue' })
    assert.deepEqual([group.status, group.on_failure], ['Failed', 'continue'])
    const failed = { a: 'Failed', b: 'Failed', e: 'Failed' }
    assert.deepEqual(statuses(group), { ...failed, c: 'Succeeded', d: 'Succeeded', f: 'Succeeded' })
    assert.deepEqual(entries(group), [
      ['Failed'],
      ['Skipped'],
      ['Succeeded'],
      ['Succeeded'],
      ['Skipped'],
      ['Succeeded'],
    ])
    const ok = [{ success: true }]
    const reason = group.tasks[0].entries[0].error.message
    assert.deepEqual(JSON.parse(await receiver.bodyFor(group.task_id)), {
      status: 'Failed',
      task_id: group.task_id,
      results: [
        { error: true, result: reason, configuration: 'a' },
        { error: true, result: 'Not run, because a before it failed.', configuration: 'b' },
        { error: false, result: ok, configuration: 'c' },
        { error: false, result: ok, configuration: 'd' },
        { error: true, result: 'Not run, because a before it failed.', configuration: 'e' },
        { error: false, result: ok, configuration: 'f' },
      ],
    })
    const activities = async () => (await keepsake.client.get(`/api/activity/?task_id=${group.task_id}`)).body.items
    assert.deepEqual(
      (await activities()).map((each: { payload: { vcc_config_name: string } }) => each.payload.vcc_config_name).sort(),
      ['c', 'd'],
    )

    const path = `/api/taskgroup/${group.task_id}/`
    const again = await keepsake.send(`${path}retry/`, { a_data: picture })
    assert.equal(again.status, 202, JSON.stringify(again.body))
    assert.equal(again.body.on_failure, 'continue')
    const whole = await keepsake.ended(path)
    assert.equal(whole.status, 'Succeeded', JSON.stringify(whole))
    for (const at of [2, 3, 5]) {
      const [before, now] = [group, whole].map(each => each.tasks[at].entries[0]) as [Entry, Entry]
      assert.deepEqual([now.started_at, now.ended_at], [before.started_at, before.ended_at])
    }
    for (const at of [0, 1, 4]) assert.ok(whole.tasks[at].entries[0].started_at > group.ended_at)
    assert.equal((await activities()).length, 3)
    const bodies = await until('the second callback has come', () => {
      const all = receiver.allFor(group.task_id)
      return all.length === 2 && all
    })
    assert.equal(JSON.parse(bodies[1]?.body.toString() ?? '').status, 'Succeeded')
  })

  it('stops at the first failure unless it is told to go on', async () => {
    for (const more of [{}, { on_failure: 'stop' }, { on_failure: '' }]) {
      const group = await run({ ...mixed(), ...more })
      assert.equal(group.on_failure, 'stop')
      assert.deepEqual(entries(group), [['Failed'], ...Array(5).fill(['Skipped'])])
      assert.deepEqual(
        group.tasks.map(({ status }: Member) => status),
        Array(6).fill('Failed'),
        'only entries are Skipped',
      )
    }
  })

  it('takes nothing from a chain of which a part failed', async () => {
    const group = await run({
      configuration_names: '["tree","b","c"]',
      tree_data: picture,
      b_input: 'tree',
      c_data: picture,
      on_failure: 'continue',
    })
    assert.deepEqual(entries(group), [['Succeeded', 'Failed', 'Succeeded'], ['Skipped'], ['Succeeded']])
  })

  it('goes on over a delivery that has to wait for its next attempt', async () => {
    const group = await run({
      configuration_names: '["a","post","c","b"]',
      a_data: junk,
      post_data: picture,
      c_input: 'post',
      b_input: 'a',
      on_failure: 'continue',
    })
    assert.deepEqual(entries(group), [['Failed'], ['Succeeded'], ['Succeeded'], ['Skipped']])
    assert.equal(posts, 2)
  })

  it('what is all right succeeds', async () => {
    const fine = await run({ ...mixed(), a_data: picture, on_failure: 'continue' })
    assert.equal(fine.status, 'Succeeded', JSON.stringify(fine))
  })

  it('any other word is a 400, and a retry takes none', async () => {
    for (const on_failure of ['go', 'Continue', ' continue', 'true', '["continue"]', 'x'.repeat(9_000)]) {
      const { status, body } = await keepsake.send('/api/taskgroup/', { ...mixed(), on_failure })
      assert.deepEqual([status, body.code, body.errors[0].field], [400, 'bad_group', 'on_failure'])
    }
    const task = await keepsake.send('/api/task/', { configuration_name: 'a', data: picture, on_failure: 'continue' })
    assert.deepEqual([task.status, task.body.errors[0].field], [400, 'on_failure'])
    const group = await run({ ...mixed(), on_failure: 'continue' })
    const retry = await keepsake.send(`/api/taskgroup/${group.task_id}/retry/`, { on_failure: 'stop' })
    assert.deepEqual([retry.status, retry.body.errors[0].field], [400, 'on_failure'])
  })
})
