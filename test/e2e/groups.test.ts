// The rules of task groups: order, inputs from earlier configurations, overrides of assets.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import { startReceiver } from '../support/https-receiver.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { until } from '../support/until.ts'

const blob = (bytes: Buffer): Blob => new Blob([new Uint8Array(bytes)])

describe('task groups', () => {
  let keepsake: Keepsake
  let red: Blob
  let green: Blob

  before(async () => {
    keepsake = await startKeepsake()
    const plain = (background: string, width = 16, height = 16) =>
      sharp({ create: { width, height, channels: 3, background } })
        .png()
        .toBuffer()
    red = blob(await plain('#ff0000', 32, 16))
    green = blob(await plain('#00ff00', 4, 4))
    const form = new FormData()
    form.append('name', 'frame')
    form.append('experience_id', 'park')
    form.append('file', blob(await plain('#0000ff')))
    assert.equal((await keepsake.client.send('POST', '/api/asset/', { body: form })).status, 201)
    await keepsake.configure(single('turn', 'photo_flip', { method: 'ROTATE_90' }))
    await keepsake.configure(single('frame it', 'photo_add_overlay', { overlay_file_name: 'frame' }))
    await keepsake.configure(
      chain('both', [
        ['turn', null],
        ['frame it', 0],
      ]),
    )
    await keepsake.configure({ ...single('elsewhere', 'photo_flip', { method: 'ROTATE_90' }), experience_id: 'other' })
  })
  after(() => keepsake.stop())

  const run = async (parts: Record<string, string | Blob>) => {
    const { status, body } = await keepsake.send('/api/taskgroup/', parts)
    assert.equal(status, 202, JSON.stringify(body))
    return keepsake.ended(`/api/taskgroup/${body.task_id}/`)
  }
  const colourOf = async (taskId: string, path: string): Promise<number[]> => {
    const response = await fetch(`${keepsake.url}/api/taskgroup/${taskId}/output/${path}/`, {
      headers: { authorization: `Bearer ${keepsake.token}` },
    })
    assert.equal(response.status, 200, response.ok ? '' : await response.text())
    return [
      ...(await sharp(Buffer.from(await response.arrayBuffer()))
        .removeAlpha()
        .extract({ left: 1, top: 1, width: 1, height: 1 })
        .raw()
        .toBuffer()),
    ]
  }

  it('an asset comes from the asset endpoints, and an override takes the output of an earlier configuration', async () => {
    const asset = await run({ configuration_names: '["frame it"]', 'frame it_data': red })
    assert.deepEqual(await colourOf(asset.task_id, '0'), [0, 0, 255])
    const overridden = await run({
      configuration_names: '["turn","frame it"]',
      turn_data: green,
      'frame it_data': red,
      'frame it_extras': '{"overlay_file_name_override":"turn"}',
    })
    assert.equal(overridden.status, 'Succeeded', JSON.stringify(overridden))
    assert.deepEqual(await colourOf(overridden.task_id, '1'), [0, 255, 0])
  })

  it('an input is the output of an earlier one, for a chain that of its last entry, and wins over a file', async () => {
    const group = await run({
      configuration_names: '["both","turn"]',
      both_data: red,
      turn_input: 'both',
      turn_data: green,
    })
    assert.deepEqual(await colourOf(group.task_id, '1'), [0, 0, 255])
    assert.deepEqual(group.warnings, ['turn_data was not used, because turn_input names the output of "both".'])
    assert.deepEqual([group.tasks[1].entries[0].output.width, group.tasks[1].entries[0].output.height], [32, 16])
    assert.deepEqual(await colourOf(group.task_id, '0/0'), [255, 0, 0])
  })

  it('a step that melted is rendered also where its configuration takes the output of another', async () => {
    const group = await run({ configuration_names: '["turn","both"]', turn_data: red, both_input: 'turn' })
    assert.deepEqual(await colourOf(group.task_id, '1/1'), [0, 0, 255])
    assert.deepEqual(await colourOf(group.task_id, '1/0'), [255, 0, 0])
    assert.deepEqual(
      [group.tasks[1].entries[1].output.width, group.tasks[1].entries[1].output.height],
      [32, 16],
      'turned twice',
    )
  })

  it('a branch that waits for hours holds back none beside it, whatever the configuration starts from', async () => {
    let asked = 0
    const receiver = await startReceiver({
      answer({ url }, response) {
        if (url === '/later') response.writeHead(503, { 'retry-after': '3600' }).end()
        else response.writeHead(++asked === 1 ? 503 : 200).end()
      },
    })
    const post = (name: string) =>
      keepsake.configure(single(name, 'http_post', { url: `${receiver.url}/${name}`, delivery_backoff: 1 }))
    await post('later')
    await post('soon')
    await keepsake.configure(
      chain('ways', [
        ['later', null],
        ['soon', null],
      ]),
    )
    const { status, body } = await keepsake.send('/api/taskgroup/', {
      configuration_names: '["turn","ways"]',
      turn_data: red,
      ways_input: 'turn',
    })
    assert.equal(status, 202, JSON.stringify(body))
    const path = `/api/taskgroup/${body.task_id}/`
    await until('the other one has arrived', async () => {
      const [, ways] = (await keepsake.client.get(path)).body.tasks
      return ways.entries[1].status === 'Succeeded'
    })
    assert.equal((await keepsake.client.post(`${path}cancel/`)).status, 202)
    const { tasks } = await keepsake.ended(path)
    assert.deepEqual(
      tasks[1].entries.map((entry: { status: string }) => entry.status),
      ['Cancelled', 'Succeeded'],
    )
    await receiver.stop()
  })

  it('the answer has one task per configuration, and none of it is found under /api/task/', async () => {
    const group = await run({ configuration_names: '["turn"]', turn_data: red })
    assert.deepEqual(Object.keys(group), [
      'task_id',
      'flow_id',
      'status',
      'configuration_names',
      'on_failure',
      'experience_id',
      'keepsake_id',
      'consent',
      'token_id',
      'webhook_url',
      'warnings',
      'created_at',
      'updated_at',
      'started_at',
      'ended_at',
      'tasks',
    ])
    assert.equal(group.webhook_url, null)
    assert.equal(group.updated_at, group.ended_at)
    assert.equal((await keepsake.client.get(`/api/task/${group.task_id}/`)).status, 404)
    assert.equal((await keepsake.client.get(`/api/task/${group.tasks[0].chain_id}/`)).status, 404)
    const { body } = await keepsake.client.get('/api/taskgroup/?limit=1')
    assert.equal(body.items[0].task_id, group.task_id)
  })

  it('a file needs no file name, and the list of configurations may come after it', async () => {
    const png = Buffer.from(await red.arrayBuffer())
    const part = (name: string, body: string | Buffer, type = '') =>
      Buffer.concat([
        Buffer.from(
          `--zz\r\nContent-Disposition: form-data; name="${name}"\r\n${type && `Content-Type: ${type}\r\n`}\r\n`,
        ),
        Buffer.from(body),
        Buffer.from('\r\n'),
      ])
    const post = (path: string, parts: Buffer[]) =>
      fetch(`${keepsake.url}${path}`, {
        method: 'POST',
        body: new Uint8Array(Buffer.concat([...parts, Buffer.from('--zz--\r\n')])),
        headers: {
          authorization: `Bearer ${keepsake.token}`,
          'content-type': 'multipart/form-data; boundary=zz',
        },
      })
    const response = await post('/api/taskgroup/', [
      part('turn_data', png, 'image/png'),
      part('both_input', 'turn'),
      part('both_extras', '{"rfid":["1"]}', 'application/json'),
      part('configuration_names', '["turn","both"]'),
    ])
    const accepted = (await response.json()) as { task_id: string }
    assert.equal(response.status, 202, JSON.stringify(accepted))
    const group = await keepsake.ended(`/api/taskgroup/${accepted.task_id}/`)
    assert.equal(group.status, 'Succeeded', JSON.stringify(group))
    assert.deepEqual(group.tasks[1].extras, { rfid: ['1'] })
    const unlisted = await post('/api/taskgroup/', [
      part('nobody_data', png, 'image/png'),
      part('turn_data', png),
      part('configuration_names', '["turn"]'),
    ])
    const refused = (await unlisted.json()) as { code: string; detail: string }
    assert.deepEqual([unlisted.status, refused.code], [400, 'bad_group'])
    assert.match(refused.detail, /nobody_data/)
  })

  it('what makes no sense is a 400 that names the part', async () => {
    const cases: [Record<string, string | Blob>, string][] = [
      [{ turn_data: red }, 'configuration_names'],
      [{ configuration_names: '[]' }, 'configuration_names'],
      [{ configuration_names: '"turn"', turn_data: red }, 'configuration_names'],
      [{ configuration_names: '["turn","turn"]', turn_data: red }, 'configuration_names'],
      [{ configuration_names: '["no such"]', 'no such_data': red }, 'configuration_names'],
      [{ configuration_names: '["turn"]' }, 'turn_data'],
      [{ configuration_names: '["turn"]', turn_data: red, both_data: red }, 'both_data'],
      [{ configuration_names: '["turn","both"]', turn_input: 'both', both_data: red }, 'turn_input'],
      [{ configuration_names: '["turn"]', turn_input: 'turn' }, 'turn_input'],
      [
        {
          configuration_names: '["frame it","turn"]',
          'frame it_data': red,
          turn_data: red,
          'frame it_extras': '{"overlay_file_name_override":"turn"}',
        },
        'frame it_extras.overlay_file_name_override',
      ],
      [{ configuration_names: '["turn","elsewhere"]', turn_data: red, elsewhere_data: red }, 'configuration_names'],
      [{ configuration_names: '["turn"]', turn_data: red, webhook_url: 'http://example.org/x' }, 'webhook_url'],
      [{ configuration_names: '["turn"]', turn_data: red, turn_extras: '{"method":"UP"}' }, 'turn_extras.method'],
    ]
    for (const [parts, field] of cases) {
      const { status, body } = await keepsake.send('/api/taskgroup/', parts)
      assert.deepEqual([status, body.errors?.[0]?.field], [400, field], JSON.stringify(body))
    }
  })
})
