// Our own trouble in a running service: a database that fails in the middle, a file store that is away. It is no verdict on an entry.
import assert from 'node:assert/strict'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import { cleanUp } from '../support/clean-up.ts'
import { freePort } from '../support/free-port.ts'
import { type Receiver, startReceiver } from '../support/https-receiver.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { putOff } from '../support/put-off.ts'
import { until } from '../support/until.ts'

describe('trouble of our own', () => {
  let keepsake: Keepsake
  let receiver: Receiver
  let client: pg.Client
  let picture: Blob
  /** Statuses that are answered one after the other, then 200. */
  let statuses: number[] = []

  before(async () => {
    picture = new Blob([new Uint8Array(await png(pattern(24, 16, 3)))])
    receiver = await startReceiver({
      answer: (_request, response) => void response.writeHead(statuses.shift() ?? 200).end('x'.repeat(2_000)),
    })
    keepsake = await startKeepsake()
    client = new pg.Client({ connectionString: keepsake.databaseUrl })
    await client.connect()
    // Fails what is noted of a delivery: all that is longer than `longer`, and so often in all.
    await client.query(`
      create table trouble (state text not null, longer int not null, most int not null);
      create sequence troubles;
      create function fail_note() returns trigger language plpgsql as $$
        declare now trouble;
        begin
          select * into now from trouble;
          if found and length(new.checkpoint::text) > now.longer and nextval('troubles') <= now.most then
            raise 'there is trouble' using errcode = now.state;
          end if;
          return new;
        end $$;
      create trigger fail_note before update on entries for each row
        when (new.checkpoint::text is distinct from old.checkpoint::text) execute function fail_note()`)
    await keepsake.configure(single('flip', 'photo_flip', { method: 'ROTATE_180' }))
    await keepsake.configure(single('post', 'http_post', { url: `${receiver.url}/in` }))
    const patience = { idempotent: true, delivery_attempts: 3, delivery_backoff: 3_600 }
    await keepsake.configure(single('patient', 'http_post', { url: `${receiver.url}/in`, ...patience }))
  })
  after(() =>
    cleanUp(
      () => client.end(),
      () => keepsake.stop(),
      () => receiver.stop(),
    ),
  )
  beforeEach(async () => {
    statuses = []
    receiver.received.length = 0
    await client.query(`truncate trouble; alter sequence troubles restart`)
  })

  async function send(parts: Record<string, string | Blob>): Promise<string> {
    const { status, body } = await keepsake.send('/api/task/', parts)
    assert.equal(status, 202, JSON.stringify(body))
    return body.task_id
  }
  const ended = (taskId: string) => keepsake.ended(`/api/task/${taskId}/`)
  const failNotes = (state: string, { longer = 500, most }: { longer?: number; most: number }) =>
    client.query('insert into trouble values ($1, $2, $3)', [state, longer, most])
  const attempts = async (taskId: string): Promise<number> => {
    const text = 'select attempts from entries join chains using (chain_id) where task_id = $1'
    return (await client.query(text, [taskId])).rows[0].attempts
  }

  for (const state of ['53100', '25006', '08P01'])
    it(`a post that was answered is posted once, though the answer cannot be noted at first (${state})`, async () => {
      await failNotes(state, { most: 2 })
      const task = await ended(await send({ configuration_name: 'post', data: picture }))
      assert.deepEqual([task.status, receiver.received.length], ['Succeeded', 1])
    })

  it('a post whose answer can never be noted is posted once, and is in doubt', async () => {
    await failNotes('54000', { most: 1_000 })
    const task = await ended(await send({ configuration_name: 'post', data: picture }))
    assert.deepEqual([task.entries[0].error?.code, receiver.received.length], ['outcome_unknown', 1])
  })

  it('a file store that is away uses up no attempt of a delivery', async () => {
    statuses = [503, 503]
    const taskId = await send({ configuration_name: 'patient', data: picture })
    await putOff(keepsake.databaseUrl, taskId, '1 day')
    assert.equal(await attempts(taskId), 1)
    const store = join(keepsake.settings.data, 'blobs')
    await rename(store, `${store}.away`)
    try {
      for (const _ of [1, 2, 3]) {
        await putOff(keepsake.databaseUrl, taskId, '0')
        await putOff(keepsake.databaseUrl, taskId, '1 day')
      }
      const { entries } = (await keepsake.client.get(`/api/task/${taskId}/`)).body
      assert.deepEqual([entries[0].error.code, await attempts(taskId)], ['unavailable', 1])
    } finally {
      await rename(`${store}.away`, store)
    }
    await putOff(keepsake.databaseUrl, taskId, '0')
    await putOff(keepsake.databaseUrl, taskId, '1 day')
    assert.equal(await attempts(taskId), 2)
    await putOff(keepsake.databaseUrl, taskId, '0')
    assert.deepEqual([(await ended(taskId)).status, receiver.received.length], ['Succeeded', 3])
  })

  it('a task is accepted with its snapshot, though a failover has forgotten the one of a moment ago', async () => {
    await ended(await send({ configuration_name: 'flip', data: picture }))
    await client.query('delete from snapshots')
    const taskId = await send({ configuration_name: 'flip', data: picture })
    const text = 'select s.body from snapshots s join chains using (snapshot_id) where task_id = $1'
    assert.equal((await client.query(text, [taskId])).rows[0]?.body.entries[0].configuration, 'flip')
    assert.equal((await ended(taskId)).status, 'Succeeded')
  })

  it('an entry without its snapshot is tried again before it fails', async () => {
    statuses = [503]
    const taskId = await send({ configuration_name: 'patient', data: picture })
    await putOff(keepsake.databaseUrl, taskId, '1 day')
    const { rows } = await client.query(
      `update chains c set snapshot_id = 'forgotten' from (select * from chains) o
       where c.chain_id = o.chain_id and c.task_id = $1 returning o.snapshot_id`,
      [taskId],
    )
    await putOff(keepsake.databaseUrl, taskId, '0')
    await putOff(keepsake.databaseUrl, taskId, '1 day')
    assert.equal(await attempts(taskId), 1)
    await client.query('update chains set snapshot_id = $2 where task_id = $1', [taskId, rows[0].snapshot_id])
    await putOff(keepsake.databaseUrl, taskId, '0')
    assert.equal((await ended(taskId)).status, 'Succeeded')
  })

  it('a callback whose signature cannot be made is attempted, and given up in the end', async () => {
    await keepsake.configure(
      single('hooked', 'photo_flip', { method: 'ROTATE_180' }, { webhook_url: `${receiver.url}/hook` }),
    )
    const { rows } = await client.query(`select webhook_secret from experiences where experience_id = 'park'`)
    const sealWith = (secret: Buffer) =>
      client.query(`update experiences set webhook_secret = $1 where experience_id = 'park'`, [secret])
    await sealWith(Buffer.from('no secret of ours'))
    const taskId = await send({ configuration_name: 'hooked', data: picture })
    await ended(taskId)
    const callback = async () => (await keepsake.client.get(`/api/callback/?task_id=${taskId}`)).body.items[0]
    await until('it is given up', async () => (await callback())?.status === 'GivenUp')
    const { attempts, callback_id } = await callback()
    assert.deepEqual([attempts.length, receiver.received.length], [keepsake.settings.callbackDelays.length + 1, 0])
    assert.match(attempts[0].error, /^It could not be sent;/)
    await sealWith(rows[0].webhook_secret)
    assert.equal((await keepsake.client.post(`/api/callback/${callback_id}/resend/`)).status, 202)
    await until('it is delivered', async () => (await callback())?.status === 'Delivered')
  })

  it('a file that cannot be fetched just now is fetched later', async () => {
    const port = await freePort()
    const taskId = await send({ configuration_name: 'flip', data_url: `http://127.0.0.1:${port}/picture.png` })
    await putOff(keepsake.databaseUrl, taskId, '1 day')
    const { entries } = (await keepsake.client.get(`/api/task/${taskId}/`)).body
    assert.deepEqual([entries[0].error.code, await attempts(taskId)], ['download_failed', 1])
    const bytes = Buffer.from(await picture.arrayBuffer())
    const source = await startReceiver({ answer: (_request, response) => void response.end(bytes), port })
    try {
      await putOff(keepsake.databaseUrl, taskId, '0')
      assert.equal((await ended(taskId)).status, 'Succeeded')
    } finally {
      await source.stop()
    }
  })
})
