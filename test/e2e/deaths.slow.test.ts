// A file that ends the media process which works on it, or the ffmpeg below that: tried three times with pauses, and then no more.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import pg from 'pg'
import { cleanUp } from '../support/clean-up.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { firstInPath } from '../support/shut-tool.ts'
import { until } from '../support/until.ts'
import { clip, tools, withFfmpeg } from '../support/videos.ts'

const deadly = new URL('../support/deadly-adapter.ts', import.meta.url).href

let keepsake: Keepsake
let client: pg.Client
const path = firstInPath()
const ffmpeg = join(path.folder, 'ffmpeg')

/** What ffmpeg does when it is to make something. Written into the file itself: media children that live see it, too. */
const ffmpegIs = (does: string): void =>
  writeFileSync(ffmpeg, `#!/bin/sh\ncase "$*" in *-progress*) ${does} ;; esac\nexec ${tools.ffmpeg} "$@"\n`, {
    mode: 0o755,
  })

before(async () => {
  ffmpegIs(':')
  keepsake = await startKeepsake({ settings: { adapters: [deadly] } })
  client = new pg.Client(keepsake.databaseUrl)
  await client.connect()
  await keepsake.configure(single('deadly', 'photo_deadly', {}))
  await keepsake.configure(single('flip', 'video_flip', { method: 'FLIP_LEFT_RIGHT' }))
})
after(() =>
  cleanUp(
    () => client.end(),
    () => keepsake.stop(),
    () => path[Symbol.dispose](),
  ),
)

const start = async (width: number): Promise<string> => begin('deadly', new Uint8Array(await png(pattern(width, 5, 3))))

async function begin(configuration_name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const { status, body } = await keepsake.send('/api/task/', { configuration_name, data: new Blob([bytes]) })
  assert.equal(status, 202, JSON.stringify(body))
  return `/api/task/${body.task_id}/`
}

async function counted(path: string): Promise<{ deaths: number; attempts: number }> {
  const sql = 'select deaths, attempts from entries join chains using (chain_id) where task_id = $1'
  const { rows } = await client.query(sql, [path.split('/')[3]])
  return rows[0]
}

async function waits(path: string): Promise<void> {
  const { status, error } = await until('it waits for its next attempt', async () => {
    const { body } = await keepsake.client.get(path)
    return body.entries[0].retry_at !== null && body.entries[0]
  })
  assert.deepEqual([status, error.code], ['Waiting', 'worker_died'])
}

it('it is tried three times, told between, and then fails; others go on', async () => {
  const path = await start(7)
  await waits(path)
  assert.equal((await keepsake.ended(await start(9))).status, 'Succeeded')
  // On a busy machine the pause may be over by itself before it is cut short.
  for (const deaths of [2, 3])
    await until(`it has ended ${deaths} media processes`, async () => {
      if ((await counted(path)).deaths >= deaths) return true
      await keepsake.client.post(`${path}now/`)
    })
  const task = await keepsake.ended(path)
  assert.equal(task.status, 'Failed')
  assert.deepEqual(task.entries[0].error, {
    code: 'worker_died',
    message: 'This file stopped the media process three times.',
  })
  assert.deepEqual(await counted(path), { deaths: 3, attempts: 3 })
})

const startVideo = async (): Promise<string> =>
  begin('flip', new Uint8Array(readFileSync((await clip({ seconds: 0.4, size: '64x48' })).path)))

for (const signal of ['KILL', 'TERM'])
  it(`an ffmpeg that SIG${signal} ends once is no verdict: it is tried again`, withFfmpeg, async () => {
    ffmpegIs(`echo "Codec not on whitelist" >&2; kill -${signal} $$`)
    const path = await startVideo()
    await waits(path)
    ffmpegIs(':')
    const { status, entries } = await keepsake.ended(path)
    assert.equal(status, 'Succeeded', JSON.stringify(entries))
    assert.ok((await counted(path)).deaths > 0)
  })

it('an ffmpeg that is ended at every attempt fails the entry at the third', withFfmpeg, async () => {
  ffmpegIs('kill -KILL $$')
  const path = await startVideo()
  const { status, entries } = await keepsake.ended(path)
  assert.deepEqual([status, entries[0].error.code], ['Failed', 'worker_died'])
  assert.deepEqual(await counted(path), { deaths: 3, attempts: 3 })
})

it('a retry by a person begins anew', async () => {
  const path = await start(7)
  await until('it has ended one media process', async () => (await keepsake.client.get(path)).body.entries[0].retry_at)
  assert.equal((await keepsake.client.post(`${path}cancel/`)).status, 202)
  assert.equal((await keepsake.ended(path)).status, 'Cancelled')
  const good = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
  assert.equal((await keepsake.send(`${path}retry/`, { data: good })).status, 202)
  assert.equal((await keepsake.ended(path)).status, 'Succeeded')
})
