// A Keepsake whose log can't be written: it starts, answers and stops as if it could.
import assert from 'node:assert/strict'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/until.ts'
import { answers, start, testFolder } from './keepsake.ts'

test('with its log on a full disk every request is answered as ever', async t => {
  const full = openSync('/dev/full', 'w')
  t.after(() => closeSync(full))
  const port = await freePort()
  const keepsake = start(t, {
    data: join(testFolder(t), 'data'),
    env: { PORT: String(port), KEEPSAKE_LOG_LEVEL: 'trace' },
    stdout: full,
  })
  const url = `http://127.0.0.1:${port}`
  await until('it is ready', async () => (await answers(url, '/readyz')) === 200, 120_000, 200)
  const refused = await fetch(`${url}/api/task/`)
  assert.equal(refused.status, 401)
  assert.match(refused.headers.get('content-type') ?? '', /^application\/problem\+json/)
  assert.equal(await answers(url, '/healthz'), 200)
  keepsake.kill('SIGTERM')
  assert.equal(await keepsake.exit(), 0, keepsake.said())
  const told = keepsake.said().split('\n').filter(Boolean)
  assert.ok(told.length >= 1 && told.length <= 3, `each process says it once: ${told}`)
  for (const line of told) assert.match(line, /the log can't be written \(ENOSPC\)/)
})
