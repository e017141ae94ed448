// A file that ends the media process which works on it: tried three times with pauses, and then no more.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import pg from 'pg'
import { cleanUp } from '../support/clean-up.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { until } from '../support/until.ts'

const deadly = new URL('../support/deadly-adapter.ts', import.meta.url).href

let keepsake: Keepsake
let client: pg.Client

before(async () => {
  keepsake = await startKeepsake({ settings: { adapters: [deadly] } })
  client = new pg.Client(keepsake.databaseUrl)
  await client.connect()
  await keepsake.configure(single('deadly', 'photo_deadly', {}))
})
after(() =>
  cleanUp(
    () => client.end(),
    () => keepsake.stop(),
  ),
)

async function start(width: number): Promise<string> {
  const data = new Blob([new Uint8Array(await png(pattern(width, 5, 3)))])
  const { status, body } = await keepsake.send('/api/task/', { configuration_name: 'deadly', data })
  assert.equal(status, 202, JSON.stringify(body))
  return `/api/task/${body.task_id}/`
}

async function counted(path: string): Promise<{ deaths: number; attempts: number }> {
  const sql = 'select deaths, attempts from entries join chains using (chain_id) where task_id = $1'
  const { rows } = await client.query(sql, [path.split('/')[3]])
  return rows[0]
}

it('it is tried three times, told between, and then fails; others go on', async () => {
  const path = await start(7)
  const waiting = await until('it waits for its next attempt', async () => {
    const { body } = await keepsake.client.get(path)
    return body.entries[0].retry_at !== null && body
  })
  assert.deepEqual([waiting.entries[0].status, waiting.entries[0].error.code], ['Waiting', 'worker_died'])
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

it('a retry by a person begins anew', async () => {
  const path = await start(7)
  await until('it has ended one media process', async () => (await keepsake.client.get(path)).body.entries[0].retry_at)
  assert.equal((await keepsake.client.post(`${path}cancel/`)).status, 202)
  assert.equal((await keepsake.ended(path)).status, 'Cancelled')
  const good = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
  assert.equal((await keepsake.send(`${path}retry/`, { data: good })).status, 202)
  assert.equal((await keepsake.ended(path)).status, 'Succeeded')
})
