// Attacks by load: clients that leave others to do work for nobody.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { png, scene } from '../support/pictures.ts'
import { below } from '../support/processes.ts'
import { until } from '../support/until.ts'
import { clip, withFfmpeg } from '../support/videos.ts'
import { counted, formOf } from './support/forms.ts'

describe('work for clients that left', withFfmpeg, () => {
  let keepsake: Keepsake
  let video: Blob
  let taskId: string
  const ffmpegs = () => below('ffmpeg').length

  before(async () => {
    keepsake = await startKeepsake()
    const long = await clip({ seconds: 10, size: '854x480', rate: '30' })
    video = new Blob([new Uint8Array(await readFile(long.path))])
    await keepsake.configure(single('turn', 'video_flip', { method: 'FLIP_LEFT_RIGHT' }))
    await keepsake.configure(single('mirror', 'video_flip', { method: 'FLIP_TOP_BOTTOM' }))
    await keepsake.configure(single('small', 'video_resize', { width: 160, height: 90 }))
    await keepsake.configure(single('fine', 'video_convert', { preset: 'medium', crf: 10 }))
    await keepsake.configure(single('photo', 'photo_flip', { method: 'ROTATE_180' }, { experience_id: 'pier' }))
    await keepsake.configure(
      chain('melting', [
        ['turn', null],
        ['mirror', 0],
        ['small', 1],
      ]),
    )
    const { body } = await keepsake.send('/api/task/', { configuration_name: 'melting', data: video })
    taskId = body.task_id
    assert.equal((await keepsake.ended(`/api/task/${taskId}/`)).status, 'Succeeded')
  })
  after(() => keepsake.stop())

  const headers = () => ({ authorization: `Bearer ${keepsake.token}` })
  const output = async (index: number, more: { signal?: AbortSignal; headers?: Record<string, string> } = {}) => {
    const response = await fetch(`${keepsake.url}/api/task/${taskId}/output/${index}/`, {
      ...more,
      headers: { ...headers(), ...more.headers },
    })
    return { status: response.status, headers: response.headers, bytes: (await response.arrayBuffer()).byteLength }
  }
  const folders = async () => (await readdir(join(keepsake.settings.data, 'work'))).sort()
  const preview = (configuration: string, data: Blob, signal: AbortSignal | null = null, token = keepsake.token) =>
    fetch(`${keepsake.url}/api/configuration/${configuration}/preview/`, {
      method: 'POST',
      body: formOf({ data }),
      headers: { authorization: `Bearer ${token}` },
      signal,
    })

  /** Makes the tools that run stand still: they come to no end by themselves, but can be killed. */
  async function halt(): Promise<void> {
    await until('ffmpeg runs', () => {
      for (const pid of below('ffmpeg')) process.kill(pid, 'SIGSTOP')
      return ffmpegs() > 0
    })
  }

  /** Starts requests, hangs all of them up in the midst of the work, and waits for the end of the tools. */
  async function hangUp(begin: (signal: AbortSignal) => Promise<unknown>[]): Promise<void> {
    const stop = new AbortController()
    const all = Promise.allSettled(begin(stop.signal))
    await halt()
    stop.abort()
    await all
    await until('no ffmpeg runs', () => ffmpegs() === 0)
  }

  it('outputs of melted entries end when all who asked for them have hung up', async () => {
    const before = await folders()
    await hangUp(signal => Array.from({ length: 10 }, () => output(0, { signal })))
    await until('their folders are gone', async () => (await folders()).length <= before.length)
  })

  it('previews end when their client hangs up', async () => {
    await hangUp(signal => [preview('fine', video, signal), preview('fine', video, signal)])
  })

  it('an output of a melted entry is made once for all who ask, and kept for who asks next', async () => {
    const before = await folders()
    const answers = await Promise.all([output(0), output(0), output(0)])
    assert.deepEqual(counted(answers), { 200: 3 })
    const kept = (await folders()).filter(name => !before.includes(name))
    assert.equal(kept.length, 1, 'one folder, so it was made once')
    const [first] = answers
    const part = await output(0, { headers: { range: 'bytes=10-19' } })
    assert.deepEqual([part.status, part.bytes], [206, 10])
    const etag = first?.headers.get('etag') ?? ''
    assert.equal((await output(0, { headers: { 'if-none-match': etag } })).status, 304)
    assert.deepEqual(await output(0).then(({ bytes }) => bytes), first?.bytes)
    assert.deepEqual(
      (await folders()).filter(name => !before.includes(name)),
      kept,
      'it was not made again',
    )
  })

  it('one who leaves does not end it for the others', async () => {
    // Another run would have another key, so another task is needed for another file.
    const { body } = await keepsake.send('/api/task/', { configuration_name: 'melting', data: video })
    assert.equal((await keepsake.ended(`/api/task/${body.task_id}/`)).status, 'Succeeded')
    const get = (signal: AbortSignal | null = null) =>
      fetch(`${keepsake.url}/api/task/${body.task_id}/output/0/`, { headers: headers(), signal })
    const stop = new AbortController()
    const leaves = get(stop.signal).catch(() => null)
    const stays = get()
    await until('ffmpeg runs', () => ffmpegs() > 0)
    // Whatever was sent before this was received before it is answered.
    await keepsake.client.get('/api/session/')
    stop.abort()
    await leaves
    assert.equal((await stays).status, 200)
  })

  it('tokens of an experience that ask for many previews wait for it alone, and are refused when too many wait', async () => {
    const other = (await keepsake.client.post('/api/token/', { name: 'other', scopes: ['tasks'] })).body.token
    const stop = new AbortController()
    const refused: Response[] = []
    let waiting = 24
    const greedy = Array.from({ length: waiting }, (_, at) =>
      preview('fine', video, stop.signal, at % 2 ? other : keepsake.token)
        .then(
          answer => answer.status !== 200 && refused.push(answer),
          () => {},
        )
        .finally(() => waiting--),
    )
    await until('some are refused', () => refused.length >= 7)
    assert.equal(refused[0]?.status, 429, await refused[0]?.text())
    assert.ok(Number(refused[0]?.headers.get('retry-after')) >= 1)
    assert.ok(ffmpegs() <= 1, `${ffmpegs()} at once`)
    await halt()
    const photo = new Blob([new Uint8Array(await png(scene(400, 300)))])
    assert.equal((await preview('photo', photo)).status, 200)
    assert.ok(waiting > 0, 'the many were still at work')
    stop.abort()
    await Promise.all(greedy)
    await until('no ffmpeg runs', () => ffmpegs() === 0)
  })
})
