// The judge of a chaos run: it is content with what is right, and sees each thing that must not be.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { type Asked, entriesOf, plan, type View } from '../support/chaos/history.ts'
import { type Evidence, judge } from '../support/chaos/judge.ts'
import { labelled, nameInside } from '../support/chaos/label.ts'

const ID = '01a1e190-0de0-72eb-9c63-d88d2952327c'
const GUEST = '01a1e190-0de0-72eb-9c63-000000000001'
const turned = async (serial: number, version = 0): Promise<Buffer> =>
  sharp(await labelled({ serial, part: 0, version }, 'small'))
    .rotate(180)
    .png()
    .toBuffer()

interface Story extends Evidence {
  asked: Asked
  view: View
  callbacks: { callback_id: string; task_id: string; status: string }[]
  activities: { owner_id: string; payload: { task_id: string; object_id: string } }[]
  views: Map<string, View>
  arrived: Map<string, Set<string>>
  taken: { web: { marker: string; bytes: Buffer }[]; mail: { marker: string; bytes: Buffer }[] }
  bucket: Map<string, Buffer>
  strange: string[]
}

const ended = (overall: number, configuration: string, result: object = {}) => ({
  index: overall,
  configuration,
  status: 'Succeeded',
  result,
  error: null,
})

/** One task that went as it should: turned, put into the bucket, posted and mailed, noted for its guest, told. */
async function goodStory(): Promise<Story> {
  const asked: Asked = {
    ...plan(3, 1, false),
    kind: 'all',
    guests: [['guest-0']],
    ids: new Set([ID]),
    versions: [0],
    surely: [0],
  }
  const view: View = {
    task_id: ID,
    status: 'Succeeded',
    ended_at: '2026-11-15T20:00:00.000Z',
    entries: [ended(0, 'turn'), ended(1, 'to-bucket', { file_key: 'key' }), ended(2, 'to-web'), ended(3, 'to-mail')],
  }
  const bytes = await turned(3)
  return {
    asked,
    view,
    history: [asked],
    strange: [],
    views: new Map([[ID, view]]),
    callbacks: [{ callback_id: 'callback-1', task_id: ID, status: 'Delivered' }],
    activities: ['to-bucket', 'to-web', 'to-mail'].map(object_id => ({
      owner_id: GUEST,
      payload: { task_id: ID, object_id },
    })),
    profiles: new Map([['guest-0', GUEST]]),
    arrived: new Map([['callback-1', new Set(['{}'])]]),
    attempts: 1,
    taken: { web: [{ marker: `${ID}-2`, bytes }], mail: [{ marker: `${ID}-3`, bytes }] },
    bucket: new Map([['key', bytes]]),
  }
}

const wrongIn = async (story: Story): Promise<string[]> =>
  (await judge(story)).checks.filter(({ complaints }) => complaints.length > 0).map(({ what }) => what)

const unknown = { code: 'outcome_unknown', message: '' }

const twice = 'no delivery was made twice, unless it was told that its outcome is unknown'
const right = 'what succeeded has arrived, and every pixel is right'
const came = 'every callback came, with one body and no other'
const once = 'each guest has each activity once'
const there = 'every accepted request is there, and has ended'
const accepted = 'no request was accepted twice'
const condemned = 'nothing failed without a fault of its own'

type Mischief = [title: string, wrong: string[], spoil: (story: Story) => unknown]

const mischief: Mischief[] = [
  ['nothing is wrong', [], () => {}],
  ['a task is gone', [there], story => story.views.clear()],
  ['a task never ended', [there], story => Object.assign(story.view, { status: 'Running' })],
  ['a key became two tasks', [accepted], story => story.views.set('another', { ...story.view, task_id: 'another' })],
  [
    'an innocent file was condemned',
    [condemned],
    ({ view }) =>
      Object.assign(view.entries?.[0] ?? {}, { status: 'Failed', error: { code: 'worker_died', message: '' } }),
  ],
  ['a task failed, and nothing says why', [condemned], ({ view }) => Object.assign(view, { status: 'Failed' })],
  ['an answer was a 500', ['no answer was strange'], story => story.strange.push('500')],
  [
    'a run told its end twice',
    ['each run told its end once'],
    story => {
      story.callbacks.push({ callback_id: 'callback-2', task_id: ID, status: 'Delivered' })
      story.arrived.set('callback-2', new Set(['{}']))
    },
  ],
  ['a callback never came', [came], story => story.arrived.clear()],
  ['a callback was given up', [came], story => Object.assign(story.callbacks[0] ?? {}, { status: 'GivenUp' })],
  ['a callback came with two bodies', [came], story => story.arrived.get('callback-1')?.add('{"other": 1}')],
  ['a callback came that nobody knows', [came], story => story.arrived.set('callback-9', new Set(['{}']))],
  ['a post was made twice', [twice], story => story.taken.web.push(...story.taken.web)],
  ['a message was sent twice', [twice], story => story.taken.mail.push(...story.taken.mail)],
  [
    'a post was made twice under another marker',
    [twice],
    story => story.taken.web.push(...story.taken.web.map(one => ({ ...one, marker: `${ID}-2-1` }))),
  ],
  [
    'a post was made twice, but an end in between told that nobody knows',
    [],
    ({ asked, view, taken }) => {
      taken.web.push(...taken.web)
      const entries = structuredClone(view.entries ?? [])
      Object.assign(entries[2] ?? {}, { status: 'Failed', error: unknown })
      asked.ends.set('before', { view: { ...view, entries }, versions: [0] })
    },
  ],
  ...[
    { told: 'The connection ended before it confirmed the delivery, so it may or may not have arrived.', wrong: [] },
    { told: '', wrong: [twice] },
  ].map(
    ({ told, wrong }): Mischief => [
      `a post was made twice, and a cancel in between told "${told}"`,
      wrong,
      ({ asked, view, taken }) => {
        taken.web.push(...taken.web)
        const entries = structuredClone(view.entries ?? [])
        const error = { code: 'cancelled', message: `Cancelled while it ran. ${told}` }
        Object.assign(entries[2] ?? {}, { status: 'Cancelled', error })
        asked.ends.set('before', { view: { ...view, entries }, versions: [0] })
      },
    ],
  ),
  ['a post never came', [right], story => story.taken.web.pop()],
  ['an object is not there', [right], story => story.bucket.clear()],
  ["an object is another's", [right], async story => story.bucket.set('key', await turned(4))],
  ["a post is another's", [right], async story => Object.assign(story.taken.web[0] ?? {}, { bytes: await turned(4) })],
  [
    'a retry with a new file has the marker of the old one',
    ['a marker stands for one file'],
    async story => {
      story.asked.versions = [1]
      story.taken.web.push({ marker: `${ID}-2`, bytes: await turned(3, 1) })
    },
  ],
  [
    'the old file lies there after a retry with a new one',
    [right],
    story => Object.assign(story.asked, { versions: [1], surely: [1] }),
  ],
  ['an activity is there twice', [once], story => story.activities.push(...story.activities)],
  ['an activity is missing', [once], story => story.activities.pop()],
]

for (const [title, wrong, spoil] of mischief)
  test(`the judge sees it: ${title}`, async () => {
    const story = await goodStory()
    await spoil(story)
    assert.deepEqual((await wrongIn(story)).sort(), [...wrong].sort())
  })

test('a picture is known by its pixels, and by all of them', async () => {
  for (const size of ['small', 'large'] as const) {
    const label = { serial: 70_000, part: 1, version: 2 }
    const { data, info } = await sharp(await labelled(label, size))
      .rotate(180)
      .raw()
      .toBuffer({ resolveWithObject: true })
    const packed = () => sharp(data, { raw: info }).png().toBuffer()
    assert.equal(await nameInside(await packed()), '70000/1/2')
    data[Math.floor(data.length / 3)] = 200
    assert.equal(await nameInside(await packed()), 'damaged')
  }
  assert.equal(await nameInside(Buffer.from('no picture')), 'damaged')
})

test('entries of a group are counted through', () => {
  const tasks = [0, 1].map(part => ({ configuration: `part ${part}`, entries: [ended(0, 'turn'), ended(1, 'to-web')] }))
  const view: View = { task_id: ID, status: 'Succeeded', ended_at: null, tasks }
  assert.deepEqual(
    entriesOf(view).map(({ overall, part }) => [overall, part]),
    [
      [0, 0],
      [1, 0],
      [2, 1],
      [3, 1],
    ],
  )
})
