// The code that the pages give to receivers tells our callbacks from others.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { signatures } from '#callbacks/callback-headers.ts'
import type { WholeTask } from '#db/tasks/task-rows.ts'
import { callbackBody } from '#tasks/end/callback-body.ts'
import { checkBody } from '#tasks/try/check-webhook.ts'
import { page } from '../support/markdown.ts'

const { blocks } = page('docs/receivers.md')
const ofAllLanguages = [...blocks, ...page('docs/how-to/verify-callbacks.md').blocks]
const code = (language: string): string => ofAllLanguages.find(block => block.language === language)?.code ?? ''

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

/** How each language is run: its program, and the code of the page with a main around it that reads the cases as JSON. */
const programs: Record<string, { run: string[]; file: string; whole(code: string): string }> = {
  python: {
    run: ['python3'],
    file: 'receiver.py',
    whole: code => `${code}
import json, sys
for headers, body in json.load(sys.stdin):
    print(str(is_from_keepsake(headers, body.encode(), ${JSON.stringify(secret)}, ${now})).lower())
`,
  },
  php: {
    run: ['php'],
    file: 'receiver.php',
    whole: code => `<?php
${code}
foreach (json_decode(stream_get_contents(STDIN), true) as [$headers, $body])
    echo is_from_keepsake($headers, $body, '${secret}', ${now}) ? "true\n" : "false\n";
`,
  },
  ruby: {
    run: ['ruby'],
    file: 'receiver.rb',
    whole: code => `${code}
require 'json'
JSON.parse($stdin.read).each { |headers, body| puts from_keepsake?(headers, body, '${secret}', ${now}) }
`,
  },
  go: {
    run: ['go', 'run'],
    file: 'receiver.go',
    whole:
      code => `${code.replace('package keepsake', 'package main').replace('import (', 'import (\n"encoding/json"\n"fmt"\n"os"')}
func main() {
	var cases [][2]json.RawMessage
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	for _, each := range cases {
		var plain map[string]string
		var body string
		json.Unmarshal(each[0], &plain)
		json.Unmarshal(each[1], &body)
		headers := http.Header{}
		for name, value := range plain {
			headers.Set(name, value)
		}
		fmt.Println(IsFromKeepsake(headers, []byte(body), ${JSON.stringify(secret)}, time.Unix(${now}, 0)))
	}
}
`,
  },
}

test('so do Python, PHP, Ruby and Go, where they are installed', async context => {
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-receivers-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  const input = JSON.stringify(cases.map(([, given, sent]) => [given, sent]))
  for (const [
    language,
    {
      run: [program = '', ...args],
      file,
      whole,
    },
  ] of Object.entries(programs)) {
    assert.notEqual(code(language), '', language)
    await writeFile(join(folder, file), whole(code(language)))
    const env = { PATH: process.env.PATH, HOME: folder, GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' }
    const ran = spawnSync(program, [...args, join(folder, file)], { input, encoding: 'utf8', cwd: folder, env })
    if (ran.error) {
      context.diagnostic(`there is no ${program} here`)
      continue
    }
    assert.deepEqual(
      ran.stdout.trim().split('\n'),
      cases.map(([, , , expected]) => String(expected)),
      `${language}: ${ran.stderr}`,
    )
  }
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
