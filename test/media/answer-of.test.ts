// A program that fails has answered; one that the machine ended, or could not start, has not.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { answerOf, NoAnswer, untilAnswered } from '#media/process/answer-of.ts'
import { fresh } from '../support/videos.ts'

const patience = { timeoutMs: 60_000 }

const sh = (script: string): Promise<string | null> => answerOf('it', patience, run => run('/bin/sh', ['-c', script]))

test('what a program says, and that it refuses, is an answer', async () => {
  assert.equal(await sh('echo yes'), 'yes\n')
  assert.equal(await sh('exit 1'), null)
  assert.equal(await sh('echo "No permissions to create a new namespace" >&2; exit 1'), null)
  assert.equal(await sh('kill -SYS $$'), null, 'the kernel forbids a call')
  assert.equal(await answerOf('it', patience, run => run('/nowhere', [])), null)
  const plain = fresh()
  writeFileSync(plain, '', { mode: 0o644 })
  assert.equal(await answerOf('it', patience, run => run(plain, [])), null)
  const endless = answerOf('it', patience, run => run('/usr/bin/yes', []))
  assert.equal(await endless, null)
})

for (const [script, message] of [
  ['kill -KILL $$', 'it was ended by signal 9'],
  ['kill -TERM $$', 'it was ended by signal 15'],
  ['kill -SEGV $$', 'it was ended by signal 11'],
  ['exit 137', 'it was ended by signal 9'],
  [
    'echo "bwrap: Creating new namespace failed: Resource temporarily unavailable" >&2; exit 1',
    'it could not be run: Resource temporarily unavailable',
  ],
  ['echo "Cannot allocate memory" >&2; exit 127', 'it could not be run: Cannot allocate memory'],
])
  test(`no answer: ${script}`, () => assert.rejects(sh(script!), new NoAnswer(message)))

for (const code of ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENOSPC'])
  test(`no answer: ${code} at the start`, () =>
    assert.rejects(
      answerOf('it', patience, () => Promise.reject(Object.assign(new Error(code), { code }))),
      new NoAnswer(`it could not be started: ${code}`),
    ))

test('no answer: a program that ignores signals and says nothing', () =>
  assert.rejects(
    answerOf('it', { timeoutMs: 20 }, run => run('/bin/sh', ['-c', 'trap "" TERM; exec sleep 600'])),
    new NoAnswer('it did not answer within 0.02 s'),
  ))

test('a look is repeated with twice the patience until there is an answer, and each silence is heard', async () => {
  const limits: number[] = []
  const heard: (string | null)[] = []
  const answer = await untilAnswered(
    async ({ timeoutMs }) => {
      limits.push(timeoutMs)
      if (limits.length < 4) throw new NoAnswer(`silence ${limits.length}`)
      return 'yes'
    },
    { timeoutMs: 1 },
    silence => heard.push(silence?.message ?? null),
  )
  assert.equal(answer, 'yes')
  assert.deepEqual(limits, [1, 2, 4, 8])
  assert.deepEqual(heard, ['silence 1', 'silence 2', 'silence 3', null])
})

test('a look that is not wanted any more ends, also in the middle of a try', async () => {
  const stop = new AbortController()
  const look = untilAnswered(patience => answerOf('it', patience, run => run('/bin/sh', ['-c', 'exec sleep 60'])), {
    ...patience,
    signal: stop.signal,
  })
  stop.abort()
  await assert.rejects(look, { name: 'AbortError' })
})

test('an error of another kind ends the look', () =>
  assert.rejects(
    untilAnswered(() => Promise.reject(new Error('odd'))),
    new Error('odd'),
  ))
