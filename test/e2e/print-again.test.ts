// A print that was cancelled while it waited at the printer: the next run prints it, once.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { openDatabase } from '#db/database.ts'
import { newLog } from '#kit/log.ts'
import { cleanUp } from '../support/clean-up.ts'
import { type FakePrinter, startFakePrinter } from '../support/fake-printer.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { until } from '../support/until.ts'

const STOPPED = 6
const CANCELED = 7
const DONE = 9

let keepsake: Keepsake
let printer: FakePrinter
let database: ReturnType<typeof openDatabase>

before(async () => {
  ;[keepsake, printer] = await Promise.all([startKeepsake(), startFakePrinter()])
  database = openDatabase(keepsake.databaseUrl, newLog('silent', 'test'), { max: 1 })
  await keepsake.configure(single('print', 'print_ipp', { printers: [printer.uri], wait: 60 }))
})
after(() =>
  cleanUp(
    () => database.close(),
    () => keepsake.stop(),
    () => printer.stop(),
  ),
)

const checkpoint = async (): Promise<unknown> =>
  (await database.db.selectFrom('entries').select('checkpoint').executeTakeFirstOrThrow()).checkpoint

it('a print that was cancelled at a printer without paper is printed by the next run', async () => {
  printer.ends = STOPPED
  const data = new Blob([new Uint8Array(await png(pattern(90, 60, 3)))])
  const { body } = await keepsake.send('/api/task/', { configuration_name: 'print', data })
  const path = `/api/task/${body.task_id}/`
  await until('it waits for paper', async () => (await keepsake.client.get(path)).body.entries[0].retry_at)
  const before = JSON.stringify(await checkpoint())
  assert.equal((await keepsake.client.post(`${path}cancel/`)).status, 202)
  await until('its job is cancelled', async () => JSON.stringify(await checkpoint()) !== before)
  assert.equal(printer.jobs[0]?.state, CANCELED)
  assert.equal((await keepsake.ended(path)).status, 'Cancelled')

  printer.ends = DONE
  assert.equal((await keepsake.client.post(`${path}retry/`)).status, 202)
  const { status, entries } = await keepsake.ended(path)
  assert.deepEqual([status, entries[0].result?.job_id], ['Succeeded', 2], JSON.stringify(entries))
  assert.equal(printer.printed().length, 1)
})
