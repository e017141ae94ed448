// The log must never hold up the process that writes it, nor make it fail.
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { logLines } from '#kit/log-lines.ts'
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
  const [code] = await event('it has ended', child, 'exit')
  assert.equal(code, 7)
})

const onFullDisk = `
  import { newLog } from ${JSON.stringify(new URL('../../src/kit/log.ts', import.meta.url).href)}
  const log = newLog('info', 'test')
  for (let line = 0; line < 3; line++) log.warn('there is no room for this')
  process.exitCode = 7
`

test('a log on a full disk is lost, which stderr hears once, and nothing fails', t => {
  const full = openSync('/dev/full', 'w')
  t.after(() => closeSync(full))
  const args = ['--input-type=module', '-e', onFullDisk]
  const told = spawnSync(process.execPath, args, { stdio: ['ignore', full, 'pipe'], encoding: 'utf8' })
  assert.equal(told.status, 7, told.stderr)
  assert.match(told.stderr, /^keepsake: the log can't be written \(ENOSPC\)[^\n]*\n$/)
  const untold = spawnSync(process.execPath, args, { stdio: ['ignore', full, full] })
  assert.equal(untold.status, 7, 'stderr is on the same disk')
})

test('a reader that stops reading loses lines and is told how many when it reads again', t => {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-log-'))
  const path = join(folder, 'fifo')
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  t.after(() => {
    for (const fd of [reader, writer]) closeSync(fd)
    rmSync(folder, { recursive: true })
  })
  const lines = logLines(writer, sentence => `${sentence}\n`)
  const long = `${'x'.repeat(3_000)}\n`
  const COUNT = 60
  for (let line = 0; line < COUNT; line++) lines.write(long)
  const buffer = Buffer.alloc(1024 ** 2)
  const kept = buffer.toString('utf8', 0, readSync(reader, buffer))
  const lost = COUNT - kept.split('\n').filter(line => line.length === 3_000).length
  assert.ok(lost > 0, 'the pipe took everything')
  lines.write('afterwards\n')
  const then = buffer.toString('utf8', 0, readSync(reader, buffer))
  const end = kept.endsWith('\n') ? '' : '\n'
  assert.equal(then, `${end}${lost} lines of the log were lost: they could not be written\nafterwards\n`)
})
