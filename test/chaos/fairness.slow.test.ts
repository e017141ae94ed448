// A burst of one experience holds nobody else up, and pictures don't wait behind videos.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { configure, type Grounds, newGrounds, sendTask } from '../support/chaos.ts'
import type { Part } from '../support/chaos-process.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startReceiver } from '../support/https-receiver.ts'
import { pattern, png } from '../support/pictures.ts'
import { until } from '../support/until.ts'

const BURST = 1_000
/** As many as are under way at once with one encode at a time, and a few. */
const A_FEW = 12

interface Times {
  task_id: string
  status: string
  created_at: Date
  started_at: Date | null
  ended_at: Date | null
}

const times = ({ query }: Grounds, experience: string): Promise<Times[]> =>
  query('select task_id, status, created_at, started_at, ended_at from tasks where experience_id = $1', [experience])

const endedOf = async (grounds: Grounds, experience: string): Promise<number> =>
  (await times(grounds, experience)).filter(task => task.ended_at !== null).length

async function flipFor(grounds: Grounds, api: Part, experience: string): Promise<void> {
  const { status, body } = await grounds.client(api.url).post('/api/configuration/', {
    configuration_name: `${experience}-plain`,
    experience_id: experience,
    adapter_name: 'photo_flip',
    adapter_config: { auth: {}, defaults: { method: 'ROTATE_180' } },
  })
  assert.equal(status, 201, JSON.stringify(body))
}

test('1,000 waiting tasks of one experience delay the single task of another by no more than a few', async t => {
  const grounds = await newGrounds({ env: { KEEPSAKE_CONCURRENCY: '1' } })
  const bytes = await png(pattern(24, 16, 3))
  const web = await startReceiver({ answer: (_request, response) => void response.end(bytes) })
  t.after(() =>
    cleanUp(
      () => grounds.stop(),
      () => web.stop(),
    ),
  )
  const api = await grounds.start('api')
  for (const experience of ['crowd', 'guest']) await flipFor(grounds, api, experience)
  let left = BURST
  const sender = async (): Promise<void> => {
    while (left-- > 0) {
      const sent = { configuration: 'crowd-plain', data_url: `${web.url}/picture` }
      assert.equal((await sendTask(api.url, grounds.token, sent))?.status, 202)
    }
  }
  await Promise.all(Array.from({ length: 8 }, sender))
  const worker = await grounds.start('worker')
  await until('the burst is being worked off', async () => (await endedOf(grounds, 'crowd')) >= 20)

  const data = new Blob([new Uint8Array(bytes)])
  assert.equal((await sendTask(api.url, grounds.token, { configuration: 'guest-plain', data }))?.status, 202)
  const guest = await until('the guest is served', async () => {
    const [task] = await times(grounds, 'guest')
    return task?.status === 'Succeeded' ? task : null
  })
  const crowd = await times(grounds, 'crowd')
  const between = (from: Date, to: Date | null): number =>
    crowd.filter(({ ended_at }) => ended_at && to && ended_at > from && ended_at < to).length
  const before = between(guest.created_at, guest.started_at)
  const during = between(guest.created_at, guest.ended_at)
  t.diagnostic(`${before} of the burst ended before the guest's task began, ${during} before it ended`)
  assert.ok(before <= A_FEW, `${before} of the burst came first`)
  assert.ok(
    crowd.some(({ ended_at }) => ended_at === null),
    'the burst was not over by then',
  )
  worker.kill('SIGKILL')
})

test('a picture does not wait behind videos', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-lanes-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const clip = join(folder, 'clip.mp4')
  const source = ['-f', 'lavfi', '-i', 'testsrc2=size=1280x720:rate=30:duration=8', '-pix_fmt', 'yuv420p']
  const made = spawnSync('ffmpeg', ['-v', 'error', ...source, '-preset', 'ultrafast', clip])
  if (made.error) return t.skip('ffmpeg is not installed')
  const grounds = await newGrounds({ env: { KEEPSAKE_CONCURRENCY: '1' } })
  t.after(() => grounds.stop())
  const api = await grounds.start('api')
  await configure(grounds, grounds.client(api.url), 'guest')
  const { status, body } = await grounds.client(api.url).post('/api/configuration/', {
    configuration_name: 'crowd-video',
    experience_id: 'crowd',
    adapter_name: 'video_resize',
    adapter_config: { auth: {}, defaults: { width: 640, height: 360 } },
  })
  assert.equal(status, 201, JSON.stringify(body))
  await flipFor(grounds, api, 'guest')
  const video = new Blob([new Uint8Array(readFileSync(clip))])
  for (let index = 0; index < 8; index++)
    assert.equal((await sendTask(api.url, grounds.token, { configuration: 'crowd-video', data: video }))?.status, 202)
  const worker = await grounds.start('worker')
  await until('a video is being made', async () =>
    (await times(grounds, 'crowd')).some(task => task.status === 'Running'),
  )
  const data = new Blob([new Uint8Array(await png(pattern(24, 16, 3)))])
  assert.equal((await sendTask(api.url, grounds.token, { configuration: 'guest-plain', data }))?.status, 202)
  const picture = await until('the picture is there', async () => {
    const [task] = await times(grounds, 'guest')
    return task?.status === 'Succeeded' ? task : null
  })
  const first = (await times(grounds, 'crowd')).filter(
    ({ ended_at }) => ended_at && picture.ended_at && ended_at < picture.ended_at && ended_at > picture.created_at,
  )
  t.diagnostic(`${first.length} videos ended before the picture`)
  assert.ok(first.length <= 1, `${first.length} videos came first`)
  worker.kill('SIGKILL')
})
