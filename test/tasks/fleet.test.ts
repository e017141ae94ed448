// Workers that differ: what one of them lacks is no verdict on a file while another one has it.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { adapterList } from '#adapters/index.ts'
import { sortExtras } from '#configurations/options.ts'
import { openDatabase } from '#db/database.ts'
import { newId } from '#kit/ids.ts'
import { newLog } from '#kit/log.ts'
import type { Settings } from '#kit/settings.ts'
import { which } from '#media/process/which.ts'
import type { Running } from '#supervisor/run-process.ts'
import { needsOf, newFleet } from '#tasks/entry/fleet.ts'
import type { Chain, Entry } from '#tasks/entry/loaded.ts'
import type { TaskServices } from '#tasks/task-services.ts'
import { runWorker } from '../../src/app.ts'
import { cleanUp } from '../support/clean-up.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { testDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { clip, withFfmpeg } from '../support/videos.ts'

const NO_FFMPEG = 'ffmpeg is missing: the video adapters are off'
const TASKS = 6

const folder = mkdtempSync(join(tmpdir(), 'keepsake-fleet-'))
const workers: Running[] = []
let keepsake: Keepsake
let picture: Blob

async function startWorker(data: string, settings: Partial<Settings>): Promise<Running> {
  const worker = await runWorker({ ...keepsake.settings, data: join(folder, data), workerPort: 0, ...settings })
  workers.push(worker)
  return worker
}

before(async () => {
  keepsake = await startKeepsake({
    worker: false,
    settings: { secretKeys: [Buffer.alloc(32, 7)], blobs: `file:${join(folder, 'blobs')}` },
  })
  picture = new Blob([new Uint8Array(await png(pattern(24, 16, 4)))])
  await keepsake.configure(single('poster', 'video_thumbnail', { format: 'jpeg' }))
  await keepsake.configure(single('keep', 'local_file', {}))
  await keepsake.configure(single('turn', 'photo_flip', { method: 'ROTATE_90' }))
})
after(() =>
  cleanUp(
    () => Promise.all(workers.map(worker => worker.drain())),
    () => keepsake?.stop(),
    () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  ),
)

async function send(configuration_name: string, data: Blob): Promise<string> {
  const { status, body } = await keepsake.send('/api/task/', { configuration_name, data })
  assert.equal(status, 202, JSON.stringify(body))
  return `/api/task/${body.task_id}/`
}
/** One after another, so that each time the worker that is idle first may take it. */
async function ends(configuration: string, data: Blob, count = TASKS): Promise<unknown[]> {
  const all: unknown[] = []
  for (let n = 0; n < count; n++) {
    const { status, entries } = await keepsake.ended(await send(configuration, data))
    all.push(entries[0].error ?? status)
  }
  return all
}
const off = async (url = keepsake.url): Promise<string[]> => {
  const answer = await fetch(`${url}/readyz`)
  assert.equal(answer.status, 200)
  return ((await answer.json()) as { off: string[] }).off
}

describe('workers that differ', withFfmpeg, () => {
  it('what no worker has ends the task', async () => {
    const bare = await startWorker('bare', { ffmpeg: join(folder, 'nothing'), localRoot: null })
    const video = new Blob([readFileSync((await clip({ seconds: 0.4, size: '64x48' })).path)])
    const [first] = (await ends('poster', video, 1)) as [{ code: string }]
    assert.equal(first.code, 'tool_missing')
    const [second] = (await ends('keep', picture, 1)) as [{ code: string; message: string }]
    assert.equal(second.code, 'destination_refused')
    assert.match(second.message, /KEEPSAKE_LOCAL_ROOT/)
    assert.ok((await off(bare.healthUrl)).includes(NO_FFMPEG))
    await until('the API says so', async () => (await off()).includes(NO_FFMPEG))
  })

  it('a worker that lacks ffmpeg or a setting leaves the work to one that has it', async () => {
    const links = { ffmpeg: join(folder, 'ffmpeg'), localRoot: join(folder, 'kept') }
    symlinkSync((await which('ffmpeg', process.env.PATH ?? '')) ?? '', links.ffmpeg)
    await startWorker('whole', links)
    await until('it is known who lacks what', async () => (await off()).includes(`1 of 2 workers: ${NO_FFMPEG}`))
    const video = new Blob([readFileSync((await clip({ seconds: 0.4, size: '64x48' })).path)])
    assert.deepEqual(await ends('poster', video), Array(TASKS).fill('Succeeded'))
    assert.deepEqual(await ends('keep', picture), Array(TASKS).fill('Succeeded'))
    const { body } = await keepsake.client.get('/api/trouble/')
    const lacking = body.workers.alive
      .map((worker: { off: string[] }) => worker.off)
      .filter((each: string[]) => each.length > 0)
    assert.equal(lacking.length, 1)
    assert.match(lacking[0].join(), /ffmpeg is missing.*local_file is off on this machine/s)
  })

  it('a tool that is gone while its worker runs is no verdict either', async () => {
    await startWorker('other', { localRoot: join(folder, 'kept') })
    rmSync(join(folder, 'ffmpeg'))
    const video = new Blob([readFileSync((await clip({ seconds: 0.4, size: '64x48' })).path)])
    assert.deepEqual(await ends('poster', video), Array(TASKS).fill('Succeeded'))
  })

  it('a worker that cannot write its work folder takes nothing that needs it, until it can', async () => {
    const places = ['bare', 'whole', 'other'].map(data => join(folder, data, 'work'))
    for (const place of places) {
      rmSync(place, { recursive: true, force: true })
      writeFileSync(place, '')
    }
    const sentence = /^the work folder cannot be written \(E[A-Z]+\)/
    await until('all say so', async () => (await off()).some(said => sentence.test(said)))
    const path = await send('turn', picture)
    const lost = async (): Promise<number> =>
      (await keepsake.client.get('/api/trouble/')).body.workers.alive.filter(({ off }: { off: string[] }) =>
        off.some(said => sentence.test(said)),
      ).length
    assert.deepEqual([await lost(), (await keepsake.client.get(path)).body.status], [3, 'Waiting'])
    rmSync(join(folder, 'other', 'work'))
    const { status, entries } = await keepsake.ended(path)
    assert.deepEqual([status, entries[0].error], ['Succeeded', null])
    await until('the others still cannot', async () => (await lost()) === 2)
  })
})

describe('what a worker leaves to another', () => {
  it('goes back to it when the other one has been gone for a minute; work for several is left to one that has it all', async t => {
    const { url } = await testDatabase(t)
    const log = newLog('silent', 'test')
    const { db, close } = openDatabase(url, log, { max: 2 })
    t.after(close)
    const adapters = adapterList({ localRoot: null })
    const settings = { ...keepsake.settings, data: join(folder, 'alone') }
    const services = { db, log, adapters, settings } as unknown as TaskServices
    const row = { worker_id: newId(), lock: 1, host: 'other', doing: '[]', started_at: new Date(), seen_at: new Date() }
    const has = ['video_flip', 'local_file', 'far_away']
    await db
      .insertInto('workers')
      .values({ ...row, able: JSON.stringify({ has, lacks: {}, off: [] }) })
      .execute()
    let now = 0
    const off = { video: () => [NO_FFMPEG], people: () => [] }
    const fleet = await newFleet(services, newId(), off, () => now)
    t.after(fleet.close)
    const all = [
      ['video_flip'],
      ['video_flip', 'local_file'],
      ['far_away'],
      ['video_flip', 'photo_flip'],
      ['photo_flip'],
    ]
    assert.deepEqual(await Promise.all(all.map(fleet.isForAnother)), [true, true, true, false, false])
    assert.deepEqual([fleet.takes('video'), fleet.takes('picture')], [true, true], 'it has not all that videos need')
    fleet.leave('park\nfar_away', ['far_away'])
    fleet.leave('park\nphoto_flip', ['photo_flip'])
    assert.deepEqual(fleet.left(), ['park\nfar_away'])
    fleet.lost(['turn'])
    assert.deepEqual(fleet.able().off, [NO_FFMPEG, 'turn: a tool was missing at the last try'])

    await db.deleteFrom('workers').execute()
    now = 59_000
    assert.equal(await fleet.isForAnother(['video_flip']), true, 'it may only be starting anew')
    now = 61_000
    assert.equal(await fleet.isForAnother(['video_flip']), false)
    assert.deepEqual([fleet.left(), fleet.able().off], [[], [NO_FFMPEG]])
  })

  it('the models of people are needed where the options have people looked for', () => {
    const adapter = adapterList({ localRoot: null }).get('photo_crop')
    const needs = (defaults: object): string[] => {
      const config = { configuration: 'face', adapter_name: 'photo_crop', defaults }
      const entry = { adapter_name: 'photo_crop', adapter, config } as unknown as Entry
      return needsOf({ sorted: sortExtras({}, 'extras').sorted } as Chain, [entry, entry])
    }
    const size = { width: 10, height: 10 }
    assert.deepEqual(needs(size), ['photo_crop'])
    assert.deepEqual(needs({ ...size, gravity: 'faces' }), ['models of people', 'photo_crop'])
  })
})
