// Workers as processes of their own: one finds no ffmpeg on its PATH, and the whole one is killed and comes back.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { which } from '#media/process/which.ts'
import { newGrounds, sendTask } from '../support/chaos.ts'
import { single } from '../support/keepsake.ts'
import { until } from '../support/until.ts'
import { clip, withFfmpeg } from '../support/videos.ts'

const TASKS = 12

/** A PATH with all that media work needs but ffmpeg. */
async function pathWithoutFfmpeg(folder: string): Promise<string> {
  mkdirSync(folder)
  for (const name of ['bwrap', 'prlimit', 'setpriv', 'perl', 'jpegtran', 'sh']) {
    const path = await which(name, process.env.PATH ?? '')
    if (path) symlinkSync(path, join(folder, name))
  }
  return folder
}

test('videos that wait for the only worker with ffmpeg survive its death beside one without', withFfmpeg, async t => {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-fleet-'))
  const grounds = await newGrounds({ env: { KEEPSAKE_BLOBS: `file:${join(folder, 'blobs')}` } })
  t.after(async () => {
    await grounds.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  const api = await grounds.start('api')
  const client = grounds.client(api.url)
  const made = await client.post('/api/configuration/', single('poster', 'video_thumbnail', { format: 'jpeg' }))
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const own = (name: string): { KEEPSAKE_DATA: string } => {
    mkdirSync(join(folder, name))
    return { KEEPSAKE_DATA: join(folder, name) }
  }
  const whole = own('whole')
  const first = await grounds.start('worker', whole)
  await grounds.start('worker', { ...own('bare'), PATH: await pathWithoutFfmpeg(join(folder, 'bin')) })
  await until('it is known who lacks ffmpeg', async () => {
    const { off } = (await client.get('/readyz')).body as { off: string[] }
    return off.some(sentence => /^1 of 2 workers: ffmpeg is missing/.test(sentence))
  })
  const data = new Blob([new Uint8Array(readFileSync((await clip({ seconds: 0.4, size: '64x48' })).path))])
  const send = async (): Promise<string> => {
    const sent = await sendTask(api.url, grounds.token, { configuration: 'poster', data })
    assert.equal(sent?.status, 202)
    return sent?.body.task_id as string
  }
  const ids: string[] = []
  for (let n = 0; n < TASKS / 2; n++) ids.push(await send())
  first.kill('SIGKILL')
  await first.exit()
  for (let n = 0; n < TASKS / 2; n++) ids.push(await send())
  await until('its death is noticed', async () => (await client.get('/api/stats/')).body.workers.length === 1)
  await grounds.start('worker', whole)
  const statuses = await until('all have ended', async () => {
    const tasks = await Promise.all(ids.map(id => client.get(`/api/task/${id}/`)))
    const all: string[] = tasks.map(({ body }) => body.status)
    return all.every(status => status === 'Succeeded' || status === 'Failed') && all
  })
  assert.deepEqual(statuses, Array(TASKS).fill('Succeeded'))
})
