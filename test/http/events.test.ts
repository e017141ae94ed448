// The events of a task: none is lost when changes become visible in another order than they were numbered.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { CHANGE_CHANNEL } from '#db/notify.ts'
import type { JsonObject } from '#kit/json.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startReceiver } from '../support/https-receiver.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { soon, until } from '../support/until.ts'

let keepsake: Keepsake
before(async () => {
  keepsake = await startKeepsake()
})
after(() => keepsake?.stop())

test('a change that is numbered first and committed last is told', async t => {
  const silent = await startReceiver({ raw: () => {} })
  const [first, second] = [new pg.Client(keepsake.databaseUrl), new pg.Client(keepsake.databaseUrl)]
  const over = new AbortController()
  t.after(() =>
    cleanUp(
      () => over.abort(),
      () => first.end(),
      () => second.end(),
      () => silent.stop(),
    ),
  )
  await Promise.all([first.connect(), second.connect()])
  await keepsake.configure(single('post', 'http_post', { url: silent.url }))
  await keepsake.configure(
    chain('both', [
      ['post', null],
      ['post', null],
    ]),
  )
  const data = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
  const { body } = await keepsake.send('/api/task/', { configuration_name: 'both', data })
  await until('both deliveries hang', () => silent.open() === 2)

  let told = ''
  const stream = await fetch(`${keepsake.url}/api/task/${body.task_id}/events/`, {
    headers: { authorization: `Bearer ${keepsake.token}` },
    signal: over.signal,
  })
  const reading = (async () => {
    for await (const piece of stream.body as AsyncIterable<Uint8Array>) told += Buffer.from(piece).toString()
  })().catch(() => {})
  const hears = (words: string) => until(`${words} is told`, () => told.includes(words))
  const change = (client: pg.Client, index: number, progress: number) =>
    client.query(
      `update entries e set progress = $2, change = nextval('changes') from chains c
       where c.chain_id = e.chain_id and c.task_id = $3 and e.index = $1`,
      [index, progress, body.task_id],
    )
  const tell = (client: pg.Client) => client.query('select pg_notify($1, $2)', [CHANGE_CHANNEL, body.task_id])
  await first.query('begin')
  await change(first, 0, 0.125)
  await change(second, 1, 0.375)
  await tell(second)
  await hears('"progress":0.375')
  await tell(first)
  await first.query('commit')
  await hears('"progress":0.125')
  const ids = [...told.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => a - b),
    'who comes back with the last number is told nothing again',
  )
  assert.equal(told.split('"progress":0.375').length, 2, 'nothing is told twice')
  over.abort()
  await reading
})

test('a HEAD of every stream gets its headers, and an end', async () => {
  const admin = keepsake.client
  await keepsake.configure(single('turn', 'photo_flip', { method: 'ROTATE_180' }, { experience_id: 'expo' }))
  await admin.patch('/api/experience/expo/', { guest_page: { enabled: true } })
  const data = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
  const { body: task } = await keepsake.send('/api/task/', { configuration_name: 'turn', data })
  const { body: group } = await keepsake.send('/api/taskgroup/', { configuration_names: '["turn"]', turn_data: data })
  const { body: wall } = await admin.post('/api/experience/expo/wall-key/', {})
  const { code } = (await admin.post('/api/keepsake/', { experience_id: 'expo' })).body
  const streams = Object.entries(
    (await admin.get('/api/openapi.json')).body.paths as Record<string, JsonObject>,
  ).filter(([, { get }]) => JSON.stringify(get ?? {}).includes('text/event-stream'))
  const named: Record<string, string> = {
    '/api/task/{task_id}/events/': `/api/task/${task.task_id}/events/`,
    '/api/taskgroup/{task_id}/events/': `/api/taskgroup/${group.task_id}/events/`,
    '/k/{code}/events': `/k/${code}/events`,
    '/wall/{experience_id}/events': `/wall/expo/events?key=${wall.key}`,
  }
  assert.ok(streams.length >= 6)
  for (const [path] of streams) {
    const headers = { authorization: `Bearer ${keepsake.token}` }
    const asked = fetch(`${keepsake.url}${named[path] ?? path}`, { method: 'HEAD', headers })
    const answer = await soon(`HEAD ${path} is answered`, asked)
    const type = answer.headers.get('content-type')
    assert.deepEqual(
      [answer.status, type, await soon('it ends', answer.text())],
      [200, 'text/event-stream; charset=utf-8', ''],
      path,
    )
  }
})
