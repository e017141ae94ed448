// Adapters that look for people, through the whole service: the check before doors open, boxes in a task, guests that are counted, a burst.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import { holdLimits } from '../support/held-limits.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { drawnPeople } from '../support/people.ts'

const blob = (bytes: Buffer): Blob => new Blob([new Uint8Array(bytes)])

describe('looking for people', () => {
  let keepsake: Keepsake
  let pair: Buffer

  before(async () => {
    keepsake = await startKeepsake()
    pair = await drawnPeople(1000, 400, [
      { left: 380, top: 40, side: 300 },
      { left: 690, top: 60, side: 290 },
    ])
    await keepsake.configure(single('square', 'photo_crop', { aspect: '3:2', gravity: 'faces' }))
    await keepsake.configure(single('plain', 'photo_crop', { aspect: '3:2' }))
    await keepsake.configure(single('cut', 'photo_cutout', { background: 'color', color: '#00ff00' }))
    await keepsake.configure(single('crowd', 'photo_blur_faces', { keep: 'guests' }))
    await keepsake.configure(single('best', 'photo_pick', {}))
    const cuts = [
      ['square', null],
      ['cut', 0],
    ] as const
    await keepsake.configure(
      chain(
        'both',
        cuts.map(each => [...each]),
      ),
    )
  })
  after(() => keepsake.stop())

  async function run(configuration_name: string, data: Buffer, extras: object = {}, burst: Buffer[] = []) {
    const body = new FormData()
    body.append('configuration_name', configuration_name)
    body.append('data', blob(data), 'photo.png')
    body.append('extras', JSON.stringify(extras))
    for (const photo of burst) body.append('photo_file_names_data', blob(photo), 'more.png')
    const { status, body: made } = await keepsake.client.send('POST', '/api/task/', { body })
    assert.equal(status, 202, JSON.stringify(made))
    const task = await keepsake.ended(`/api/task/${made.task_id}/`)
    assert.equal(task.status, 'Succeeded', JSON.stringify(task))
    return task
  }

  it('the check has the models look at a drawn person, where the options need them', async t => {
    // Of the look and of the check: a machine at work takes any time.
    holdLimits(t, 30, 60)
    const linesOf = async (name: string) =>
      (await keepsake.client.post(`/api/configuration/${name}/check/`, {})).body.lines
    assert.match(linesText(await linesOf('square')), /^true People are found: the models saw a drawn one, in \d+ ms\.$/)
    assert.equal(linesText(await linesOf('plain')), 'true Ready.')
  })

  it('a melted crop and cut-out tell the boxes of their faces', async () => {
    const task = await run('both', pair)
    const [first, second] = task.entries
    assert.deepEqual(first.explanation.decisions, ['Found 2 faces.'])
    const [seen] = first.explanation.seen
    assert.deepEqual([seen.width, seen.height, seen.faces.length], [1000, 400, 2])
    assert.deepEqual(Object.keys(seen.faces[0]).sort(), ['height', 'left', 'score', 'top', 'width'])
    assert.deepEqual(second.explanation.decisions, ['Cut out people with 2 faces.'])
    assert.deepEqual([second.output.width, second.output.height, first.output.bytes], [600, 400, null])
  })

  it('keeps as many faces as the task names guests', async () => {
    const one = await run('crowd', pair, { email: 'a@example.org' })
    assert.deepEqual(one.entries[0].explanation.decisions, ['Found 2 faces: 1 kept clear, 1 blurred.'])
    const two = await run('crowd', pair, { email: ['a@example.org', 'b@example.org'] })
    assert.deepEqual(two.entries[0].explanation.decisions, ['Found 2 faces: 2 kept clear, 0 blurred.'])
  })

  it('picks the best of the photos that come with a task', async () => {
    const blurred = await sharp(pair).blur(6).png().toBuffer()
    const task = await run('best', blurred, {}, [pair, blurred])
    assert.match(task.entries[0].explanation.decisions[0], /^Picked photo 2 of 3: /)
  })

  it('options that fit no schema are refused', async () => {
    for (const [adapter, defaults] of [
      ['photo_crop', { gravity: 'face' }],
      ['photo_cutout', { on_doubt: 'ask' }],
      ['photo_cutout', { softness: 2 }],
      ['photo_blur_faces', { keep: -1 }],
      ['photo_blur_faces', { keep: 'all' }],
      ['photo_pick', { prefer: '' }],
    ] as const) {
      const { status, body } = await keepsake.client.post('/api/configuration/', single('wrong', adapter, defaults))
      assert.equal(status, 400, JSON.stringify(body))
    }
  })
})

const linesText = (lines: { ok: boolean; detail: string }[]): string =>
  lines.map(({ ok, detail }) => `${ok} ${detail}`).join('\n')
