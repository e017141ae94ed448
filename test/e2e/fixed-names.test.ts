// The place of a delivery that is made of a guest’s profile: fixed before the first attempt, whatever becomes of the profile until the next.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import { type Destination, startDestination } from '../support/chaos-destination.ts'
import { cleanUp } from '../support/clean-up.ts'
import type { Answer } from '../support/client.ts'
import { type Receiver, startReceiver } from '../support/https-receiver.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { untilPutOff } from '../support/put-off.ts'
import { until } from '../support/until.ts'

describe('a name that is made of a profile', () => {
  let keepsake: Keepsake
  let store: Destination
  let receiver: Receiver
  let pool: pg.Pool
  let picture: Blob
  let other: Blob
  let guests = 0
  /** Statuses that the receiver answers one after the other, then 200. */
  let statuses: number[] = []

  before(async () => {
    picture = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
    other = new Blob([new Uint8Array(await png(pattern(5, 9, 3)))])
    store = await startDestination()
    receiver = await startReceiver({ answer: (_, response) => void response.writeHead(statuses.shift() ?? 200).end() })
    keepsake = await startKeepsake()
    pool = new pg.Pool({ connectionString: keepsake.databaseUrl, max: 1 })
    const auth = { access_key: 'key', secret_key: 'secret-key' }
    const place = { bucket_name: 'souvenirs', bucket_url: store.url, file_prefix: 'of-{{profile.attributes.team}}/' }
    const put = (name: string, more: object) => {
      const defaults = { ...place, delivery_attempts: 2, delivery_backoff: 600, ...more }
      return keepsake.configure(single(name, 's3_upload', defaults, { adapter_config: { auth, defaults } }))
    }
    await put('store', {})
    await put('hasty', { delivery_backoff: 0.1 })
    await put('by task', { file_prefix: '' })
    await put('by bucket', { bucket_name: 'of-{{profile.attributes.team}}', file_prefix: '' })
    const fields = { team: '{{profile.attributes.team}}' }
    await keepsake.configure(
      single('post', 'http_post', { url: receiver.url, fields, idempotent: true, delivery_backoff: 600 }),
    )
  })
  after(() =>
    cleanUp(
      () => pool?.end(),
      () => keepsake.stop(),
      () => Promise.all([store.stop(), receiver.stop()]),
    ),
  )
  beforeEach(() => {
    store.objects.clear()
    store.stored.length = 0
    receiver.received.length = 0
    statuses = []
  })

  /** Answers the first uploads in these ways, and takes all further ones. */
  function moods(...given: ReturnType<Destination['mood']>[]): void {
    store.mood = () => given.shift() ?? 'fine'
  }

  const newRfid = (): string => `guest-${++guests}`
  async function newProfile(rfid: string, team: string): Promise<string> {
    const { status, body } = await keepsake.client.post('/api/profile/', { rfid, attributes: { team } })
    assert.equal(status, 201, JSON.stringify(body))
    return `/api/profile/${body.profile_id}/`
  }
  async function changeTeam(profile: string, team: string): Promise<void> {
    assert.equal((await keepsake.client.patch(profile, { attributes: { team } })).status, 200)
  }
  async function send(configuration_name: string, rfid: string): Promise<string> {
    const extras = JSON.stringify({ rfid })
    const { status, body } = await keepsake.send('/api/task/', { configuration_name, data: picture, extras })
    assert.equal(status, 202, JSON.stringify(body))
    return `/api/task/${body.task_id}/`
  }
  /** Makes the next attempt now. */
  async function goOn(path: string): Promise<Answer['body']> {
    const { status } = await keepsake.client.post('/api/task/try-now/', { ids: [idOf(path)] })
    assert.equal(status, 202)
    return keepsake.ended(path)
  }
  async function retry(path: string, parts?: Record<string, Blob>): Promise<Answer['body']> {
    const answer = await (parts ? keepsake.send(`${path}retry/`, parts) : keepsake.client.send('POST', `${path}retry/`))
    assert.equal(answer.status, 202, JSON.stringify(answer.body))
    return keepsake.ended(path)
  }
  const idOf = (path: string): string => path.split('/')[3] as string
  const keyIn = (team: string, path: string): string => `of-${team}/${idOf(path)}-0.png`
  const keys = (): string[] => [...store.objects.keys()]
  const fixed = async (path: string): Promise<unknown> =>
    (await pool.query('select place_values from entries join chains using (chain_id) where task_id = $1', [idOf(path)]))
      .rows[0].place_values

  it('is the same at the next attempt, though the profile was changed', async () => {
    const rfid = newRfid()
    const profile = await newProfile(rfid, 'red')
    moods('lost_answer')
    const path = await send('store', rfid)
    await untilPutOff(keepsake.databaseUrl, path)
    assert.deepEqual(keys(), [keyIn('red', path)], 'it arrived')
    await changeTeam(profile, 'blue')
    const { status, entries } = await goOn(path)
    assert.equal(status, 'Succeeded', JSON.stringify(entries))
    assert.deepEqual([keys(), store.stored.length], [[keyIn('red', path)], 2])
    assert.equal(entries[0].result.file_key, keyIn('red', path))
  })

  it('is the same for a guest who is registered between two attempts', async () => {
    const rfid = newRfid()
    moods('lost_answer')
    const path = await send('store', rfid)
    await untilPutOff(keepsake.databaseUrl, path)
    await newProfile(rfid, 'green')
    const { status, entries } = await goOn(path)
    assert.equal(status, 'Succeeded', JSON.stringify(entries))
    assert.deepEqual([keys(), store.stored.length], [[keyIn('', path)], 2])
    const warning = 'There is no value for {{profile.attributes.team}}; it was left empty.'
    assert.deepEqual(entries[0].warnings, [warning])
  })

  it('stays through a plain retry, and is made of the profile of now with a new file', async () => {
    const rfid = newRfid()
    const profile = await newProfile(rfid, 'red')
    moods('lost_answer', 'refuse', 'lost_answer', 'refuse')
    const path = await send('hasty', rfid)
    assert.equal((await keepsake.ended(path)).status, 'Failed')
    await changeTeam(profile, 'blue')
    assert.equal((await retry(path)).status, 'Failed')
    assert.deepEqual(keys(), [keyIn('red', path)])
    const { status, entries } = await retry(path, { data: other })
    assert.equal(status, 'Succeeded', JSON.stringify(entries))
    assert.equal(entries[0].result.file_key, keyIn('blue', path))
    assert.deepEqual(store.stored.at(-1)?.key, keyIn('blue', path))
  })

  it('is not fixed where no file can have it: a corrected profile is enough for a retry', async () => {
    const rfid = newRfid()
    const profile = await newProfile(rfid, 'no\ttab')
    moods()
    const path = await send('hasty', rfid)
    const { status, entries } = await keepsake.ended(path)
    assert.deepEqual([status, entries[0].error.code], ['Failed', 'bad_options'])
    await changeTeam(profile, 'red')
    assert.equal((await retry(path)).status, 'Succeeded')
    assert.deepEqual(keys(), [keyIn('red', path)])
  })

  it('is not fixed where no bucket can have the name', async () => {
    const rfid = newRfid()
    const profile = await newProfile(rfid, 'São Paulo')
    moods()
    const path = await send('by bucket', rfid)
    const { status, entries } = await keepsake.ended(path)
    assert.deepEqual([status, entries[0].error.code], ['Failed', 'bad_options'])
    await changeTeam(profile, 'red')
    const again = await retry(path)
    assert.deepEqual([again.status, again.entries[0].result?.bucket_name], ['Succeeded', 'of-red'])
  })

  it('is where an erasure looks for a file whose answer was lost', async () => {
    const rfid = newRfid()
    const profile = await newProfile(rfid, 'red')
    moods('lost_answer', 'refuse')
    const path = await send('hasty', rfid)
    assert.equal((await keepsake.ended(path)).status, 'Failed')
    assert.deepEqual(keys(), [keyIn('red', path)])
    await changeTeam(profile, 'blue')
    const { status, body } = await keepsake.client.delete(`${profile}?media=retract`)
    assert.equal(status, 202, JSON.stringify(body))
    await until('it is taken back', () => keys().length === 0)
  })

  it('alone is fixed: all else is made of the profile of now', async () => {
    const rfid = newRfid()
    const profile = await newProfile(rfid, 'red')
    statuses = [503]
    const path = await send('post', rfid)
    await untilPutOff(keepsake.databaseUrl, path)
    await changeTeam(profile, 'blue')
    assert.equal((await goOn(path)).status, 'Succeeded')
    const teams = receiver.received.map(({ body }) => /red|blue/.exec(body.toString('latin1'))?.[0])
    assert.deepEqual(teams, ['red', 'blue'])
    assert.equal(await fixed(path), null)
  })

  it('is written down only where it takes something from the guest', async () => {
    const rfid = newRfid()
    await newProfile(rfid, 'red')
    moods()
    const [named, plain] = [await send('store', rfid), await send('by task', rfid)]
    for (const path of [named, plain]) assert.equal((await keepsake.ended(path)).status, 'Succeeded')
    assert.deepEqual([await fixed(named), await fixed(plain)], [{ 'profile.attributes.team': 'red' }, null])
  })
})
