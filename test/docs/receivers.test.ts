// The code that docs/receivers.md gives to receivers tells our callbacks from others.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { signatures } from '#callbacks/sign.ts'
import type { WholeTask } from '#db/tasks/task-rows.ts'
import { callbackBody } from '#tasks/end/callback-body.ts'
import { checkBody } from '#tasks/try/check-webhook.ts'
import { page } from '../support/markdown.ts'

const { blocks } = page('docs/receivers.md')
const code = (language: string): string => blocks.find(block => block.language === language)?.code ?? ''

const secret = `whsec_${Buffer.from('a secret of twenty-four b').toString('base64')}`
const other = `whsec_${Buffer.from('not the secret of anybody').toString('base64')}`
const id = '019a8424-5d3e-7c31-9d0b-5a2f3e0c7b11'
const now = 1_794_712_200
const body = '{"task_id":"…","status":"Succeeded"}'

const headers = (secrets: string[], at = now) => ({
  'webhook-id': id,
  'webhook-timestamp': String(at),
  'webhook-signature': signatures(secrets, id, at, body),
})

const cases: [what: string, headers: Record<string, string>, body: string, expected: boolean][] = [
  ['one of ours', headers([secret]), body, true],
  ['one signed by both secrets of a rotation', headers([other, secret]), body, true],
  ['one with another secret', headers([other]), body, false],
  ['one whose body was changed', headers([secret]), body.replace('Succ', 'Fail'), false],
  ['one with another id', { ...headers([secret]), 'webhook-id': 'x' }, body, false],
  ['one that is old', headers([secret], now - 301), body, false],
  ['one without a signature', { 'webhook-id': id, 'webhook-timestamp': String(now) }, body, false],
  ['one without any header', {}, body, false],
]

test('the JavaScript tells our callbacks from others', async () => {
  const { isFromKeepsake } = await import(`data:text/javascript,${encodeURIComponent(code('js'))}`)
  for (const [what, given, sent, expected] of cases)
    assert.equal(isFromKeepsake(given, Buffer.from(sent), secret, now * 1000), expected, what)
})

const hasPython = spawnSync('python3', ['--version']).status === 0

test('the Python tells our callbacks from others', { skip: hasPython ? false : 'there is no python3 here' }, () => {
  const script = `${code('python')}
import json, sys
for headers, body in json.load(sys.stdin):
    print(str(is_from_keepsake(headers, body.encode(), ${JSON.stringify(secret)}, ${now})).lower())
`
  const input = JSON.stringify(cases.map(([, given, sent]) => [given, sent]))
  const { stdout, stderr } = spawnSync('python3', ['-c', script], { input, encoding: 'utf8' })
  assert.deepEqual(
    stdout.trim().split('\n'),
    cases.map(([, , , expected]) => String(expected)),
    stderr,
  )
})

interface Result {
  error: boolean
  result: unknown
  configuration: string | { name: string; chain_id: string; input_idx: number | null }
  chain_id?: string
  input_idx?: number | null
}

const ending = (error: boolean, result: unknown) =>
  error ? { status: 'Failed', error: { message: result } } : { status: 'Succeeded', error: null, result }

function entryOf({ error, result, configuration, ...beside }: Result) {
  const { name, ...place } = typeof configuration === 'string' ? { ...beside, name: configuration } : configuration
  return { configuration: name, ...place, ...ending(error, result) }
}

function chainOf({ error, result, configuration }: Result) {
  const skipped = error && String(result).startsWith('Not run')
  const entries = [result].flat().map(each => (skipped ? { status: 'Skipped', error: null } : ending(error, each)))
  return { configuration, status: error ? 'Failed' : 'Succeeded', entries }
}

/** The task that would have such a body. */
function taskOf(body: { configuration?: string; results: Result[] }): WholeTask {
  const is_group = body.configuration === undefined
  const chains = is_group ? body.results.map(chainOf) : [{ entries: body.results.map(entryOf) }]
  return { ...body, is_group, chains } as unknown as WholeTask
}

test('the bodies that are shown are those that are sent, down to the order of keys', () => {
  const bodies = blocks.filter(({ language }) => language === 'json').map(block => JSON.parse(block.code))
  const check = bodies.pop()
  assert.equal(checkBody(check.configuration), JSON.stringify(check))
  assert.equal(bodies.length, 3)
  for (const shown of bodies) assert.equal(callbackBody(taskOf(shown)), JSON.stringify(shown))
})
