// The TypeScript client follows tasks over broken connections, and waits for them also where there are no events.
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { ConnectionError, Keepsake, type KeepsakeOptions, TimeoutError } from '../../client/src/index.ts'
import { type Received, startReceiver } from '../support/https-receiver.ts'

/** A service whose task is in these states, one after the other, and whose streams say these texts. */
async function service(
  t: TestContext,
  { states = ['Running'], streams = [] }: { states?: string[]; streams?: (string | number)[] },
  options: Partial<KeepsakeOptions> = {},
) {
  const opened: Received[] = []
  const server = await startReceiver({
    answer(request, response) {
      if (!request.url.endsWith('/events/')) {
        const status = states.length > 1 ? states.shift() : states[0]
        response.writeHead(200, { 'content-type': 'application/json' })
        return void response.end(JSON.stringify({ task_id: 't', status, entries: [] }))
      }
      opened.push(request)
      const said = streams.length > 1 ? streams.shift() : streams[0]
      if (typeof said === 'number') return problem(response, said)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      // Sent in two pieces, so that lines are cut anywhere.
      response.write(said?.slice(0, 20) ?? '')
      setTimeout(() => response.end(said?.slice(20) ?? ''), 20)
    },
  })
  t.after(() => server.stop())
  return { opened, received: server.received, keepsake: new Keepsake({ url: server.url, token: 'ks', ...options }) }
}

function problem(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'application/problem+json', 'retry-after': '0' })
  response.end(JSON.stringify({ status, code: 'token_limit', title: '', detail: 'Too many.' }))
}

const entry = (id: number, progress: number): string =>
  `event: entry\nid: ${id}\ndata: {"chain_id":"c",\ndata: "index":0,"progress":${progress}}\n\n`
const end = 'event: end\nid: 9\ndata: {"status":"Succeeded"}\n\n'

test('events go on after a break, from the last one that was seen, and end with the task', async t => {
  const { keepsake, opened } = await service(t, {
    streams: [
      `: hello\r\n\r\n${entry(3, 0.5)}event: entry\nid: 4\ndata: {"lost`,
      503,
      `event: later\ndata: {}\n\n${entry(5, 1)}${end}${entry(6, 2)}`,
    ],
  })
  const told = await Array.fromAsync(keepsake.tasks.events('t'))
  assert.deepEqual(told, [
    { type: 'entry', entry: { chain_id: 'c', index: 0, progress: 0.5 } },
    { type: 'entry', entry: { chain_id: 'c', index: 0, progress: 1 } },
    { type: 'end', status: 'Succeeded' },
  ])
  assert.deepEqual(
    opened.map(({ headers }) => headers['last-event-id']),
    [undefined, '3', '3'],
  )
})

test('streams that bring nothing are given up after some attempts', async t => {
  const { keepsake, opened } = await service(t, { streams: [''] }, { retries: 2 })
  await assert.rejects(Array.fromAsync(keepsake.tasks.events('t')), ConnectionError)
  assert.equal(opened.length, 3)
})

test('a list tells that changes may have been missed after a break, and ends when it is left', async t => {
  const { keepsake } = await service(t, { streams: [': following\n\nevent: changed\ndata: {"task_ids":["a"]}\n\n'] })
  const told: unknown[] = []
  for await (const event of keepsake.groups.events()) if (told.push(event) === 3) break
  assert.deepEqual(told, [
    { type: 'changed', task_ids: ['a'] },
    { type: 'missed' },
    { type: 'changed', task_ids: ['a'] },
  ])
})

test('waiting follows the events, and reads the task when they end', async t => {
  const { keepsake, received } = await service(t, {
    states: ['Waiting', 'Running', 'Succeeded'],
    streams: [entry(1, 0.2), entry(2, 0.7) + end],
  })
  const told: string[] = []
  const { status } = await keepsake.tasks.wait('t', { onEvent: ({ type }) => told.push(type) })
  assert.equal(status, 'Succeeded')
  assert.deepEqual(told, ['entry', 'entry', 'end'])
  assert.equal(received.length, 5)
})

test('waiting does without events where they can’t be had', async t => {
  const { keepsake } = await service(t, { states: ['Waiting', 'Running', 'Failed'], streams: [429] })
  assert.equal((await keepsake.tasks.wait('t')).status, 'Failed')
})

test('waiting has an end, and a signal ends it before', async t => {
  const { keepsake } = await service(t, { streams: [''] })
  await assert.rejects(keepsake.tasks.wait('t', { waitMs: 300 }), TimeoutError)
  const stop = AbortSignal.abort(new Error('enough'))
  await assert.rejects(keepsake.tasks.wait('t', { signal: stop }), { message: 'enough' })
  const error = await keepsake.tasks
    .wait('t', {
      onEvent: () => {},
      signal: AbortSignal.timeout(100),
    })
    .catch(error => error)
  assert.equal(error.name, 'TimeoutError')
  assert.ok(!(error instanceof TimeoutError))
})

test('an error that will not pass ends the wait', async t => {
  const { keepsake } = await service(t, { streams: [403] })
  await assert.rejects(keepsake.tasks.wait('t'), { status: 403 })
})
