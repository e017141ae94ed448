// Not yet is not never: what a busy service answers is asked for again, and nothing else is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askedUntil } from '../../console/src/later/not-yet.ts'

const answer = (status: number, after?: number) =>
  new Response(null, { status, headers: after === undefined ? {} : { 'retry-after': String(after) } })

async function asked(answers: Response[], isWanted = () => true): Promise<{ status: number; waits: number[] }> {
  const waits: number[] = []
  const ask = async () => (answers.length > 1 ? answers.shift() : answers[0]) as Response
  const { status } = await askedUntil(ask, isWanted, async seconds => void waits.push(seconds))
  return { status, waits }
}

test('a busy service is asked again when it says so, until it answers', async () => {
  assert.deepEqual(await asked([answer(503, 5), answer(429, 2), answer(200)]), { status: 200, waits: [5, 2] })
  assert.deepEqual(await asked([answer(503, 1), answer(404)]), { status: 404, waits: [1] })
})

test('what is never, and what nobody wants any more, is not asked for again', async () => {
  for (const status of [200, 404, 410, 500]) assert.deepEqual(await asked([answer(status)]), { status, waits: [] })
  assert.deepEqual(await asked([answer(503)]), { status: 503, waits: [] }, 'a tool that is missing stays missing')
  assert.deepEqual(await asked([answer(503, 1)], () => false), { status: 503, waits: [] })
  assert.deepEqual((await asked([answer(503, 1)])).waits.length, 19, 'and not for ever')
})
