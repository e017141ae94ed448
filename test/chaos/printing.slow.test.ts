// Fifty prints at a real printer while its paper is taken away and workers are killed: each comes out once.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, suite, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { noisyPicture } from '../support/beds.ts'
import { type Grounds, newGrounds, sendTask, settled } from '../support/chaos.ts'
import { cleanUp } from '../support/clean-up.ts'
import type { Client } from '../support/client.ts'
import { type EvePrinter, startEvePrinter } from '../support/ippeve-printer.ts'
import { random, seedOf } from '../support/seed.ts'
import { until } from '../support/until.ts'

const PRINTS = 50
const KILLS = 4

suite('printing while everything goes wrong', () => {
  let printer: EvePrinter
  let grounds: Grounds
  let client: Client
  let url: string
  before(async () => {
    printer = (await startEvePrinter()) ?? assert.fail('the printer of CUPS is not installed')
    grounds = await newGrounds({ env: { KEEPSAKE_CONCURRENCY: '2' } })
    url = (await grounds.start('api')).url
    client = grounds.client(url)
    const defaults = { printers: [printer.uri], wait: 1, delivery_backoff: 0.2, resolution: 72, prints_per_roll: 1000 }
    const { status, body } = await client.post('/api/configuration/', {
      configuration_name: 'print',
      experience_id: 'park',
      adapter_name: 'print_ipp',
      adapter_config: { defaults },
    })
    assert.equal(status, 201, JSON.stringify(body))
  })
  after(() =>
    cleanUp(
      () => grounds.stop(),
      () => printer.stop(),
    ),
  )

  test(`${PRINTS} jobs, ${KILLS} dead workers, no paper twice: ${PRINTS} prints, none twice`, async t => {
    const next = random(seedOf(t))
    const data = new Blob([await readFile((await noisyPicture(grounds.folder)).path)])
    for (let sent = 0; sent < PRINTS; sent++) {
      const answer = await sendTask(url, grounds.token, { configuration: 'print', data })
      assert.equal(answer?.status, 202)
    }
    for (let kill = 0; kill < KILLS; kill++) {
      const worker = await grounds.start('worker')
      if (kill % 2 === 0) await printer.paper(0)
      const before = printer.printed().length
      if (kill % 2 === 1) await until('something is printed', async () => printer.printed().length > before + 3)
      else await pause(1_000)
      await pause(next() * 800)
      worker.kill('SIGKILL')
      assert.equal(await worker.exit(), 'SIGKILL')
      if (kill % 2 === 0) {
        if (kill === 0) await waits('has no paper')
        await printer.paper(700)
      }
    }
    const worker = await grounds.start('worker')
    await settled(grounds)
    worker.kill('SIGTERM')
    assert.equal(await worker.exit(), 0, worker.said())
    const names = printer.printed()
    assert.equal(new Set(names).size, PRINTS, 'every one came out')
    assert.equal(names.length, PRINTS, 'and none twice')
    const { body } = await client.get('/api/task/?status=Succeeded&limit=100')
    assert.equal(body.items.length, PRINTS)
    const [count] = await grounds.query<{ used: number }>('select used from printers')
    assert.equal(count?.used, PRINTS, 'each counts once')
    assert.deepEqual(await grounds.query('select marker from prints'), [])
  })

  /** What the operator sees of an entry that waits. */
  async function waits(what: string): Promise<void> {
    const worker = await grounds.start('worker')
    await until(`an entry says "${what}"`, async () => {
      const rows = await grounds.query<{ error: { message?: string } | null }>(
        `select error from entries where status = 'Waiting' and error is not null`,
      )
      return rows.some(({ error }) => error?.message?.includes(what))
    })
    worker.kill('SIGKILL')
    await worker.exit()
  }
})
