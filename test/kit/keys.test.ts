// Keys and the first token: made once, readable by the owner alone, never half, never against the settings.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { CannotStart } from '#kit/cannot-start.ts'
import { loadKeys } from '#kit/secret/keys.ts'

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'keepsake-keys-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

test('they are made at the first call, for the owner alone, and read at the next', t => {
  const data = join(folder(t), 'data')
  const first = loadKeys({ data, secretKeys: null, adminToken: null })
  assert.equal(first.madeAdminToken, true)
  assert.match(first.adminToken, /^ks_[\w-]{43}$/)
  assert.deepEqual(
    first.secretKeys.map(key => key.length),
    [32],
  )
  assert.deepEqual(readdirSync(data).sort(), ['admin-token', 'secret-key'])
  for (const name of readdirSync(data)) assert.equal(statSync(join(data, name)).mode & 0o777, 0o600)
  assert.deepEqual(loadKeys({ data, secretKeys: null, adminToken: null }), { ...first, madeAdminToken: false })
})

test('what the settings give is used as it is, and no file is made', t => {
  const data = folder(t)
  const secretKeys = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const keys = loadKeys({ data, secretKeys, adminToken: 'ks_mine' })
  assert.deepEqual(keys, { secretKeys, adminToken: 'ks_mine', madeAdminToken: false })
  assert.deepEqual(readdirSync(data), [])
})

test('a secret-key that is no key stops the start instead of being replaced', t => {
  const data = folder(t)
  writeFileSync(join(data, 'secret-key'), 'short')
  assert.throws(() => loadKeys({ data, secretKeys: null, adminToken: 'ks_mine' }), CannotStart)
  assert.equal(readFileSync(join(data, 'secret-key'), 'utf8'), 'short')
})

test('processes that start at the same instant agree, and one of them made the token', async t => {
  const data = folder(t)
  const script = `
    import { loadKeys } from '#kit/secret/keys.ts'
    const keys = loadKeys({ data: process.argv[1], secretKeys: null, adminToken: null })
    console.log(JSON.stringify([keys.adminToken, keys.secretKeys[0].toString('hex'), keys.madeAdminToken]))`
  const answers = await Promise.all([1, 2, 3, 4].map(() => answerOf(script, data)))
  assert.equal(new Set(answers.map(([token]) => token)).size, 1)
  assert.equal(new Set(answers.map(([, key]) => key)).size, 1)
  assert.equal(answers.filter(([, , made]) => made).length, 1)
  assert.deepEqual(readdirSync(data).sort(), ['admin-token', 'secret-key'])
})

async function answerOf(script: string, data: string): Promise<[string, string, boolean]> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, data], {
    cwd: fileURLToPath(new URL('../../', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return JSON.parse((await child.stdout.toArray()).join(''))
}
