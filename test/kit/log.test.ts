// The log must never hold up the process that writes it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { test } from 'node:test'
import { event } from '../support/until.ts'

const script = `
  import { newLog } from ${JSON.stringify(new URL('../../src/kit/log.ts', import.meta.url).href)}
  const log = newLog('info', 'test')
  process.once('message', () => {
    for (let line = 0; line < 50; line++) log.warn({ text: 'x'.repeat(3000) }, 'said to nobody')
    process.exit(7)
  })
  process.send('ready')
`

test('a process whose log nobody reads any more still ends when it wants to', async t => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  t.after(() => child.kill('SIGKILL'))
  await event('it is ready', child, 'message')
  child.stdout?.destroy()
  child.send('go')
  const [code] = await event('it has ended', child, 'exit', 30_000)
  assert.equal(code, 7)
})
