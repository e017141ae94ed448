// The disk of a chaos run: it is really full, really away, and afterwards as before.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { newSpace } from '../support/chaos/space.ts'
import { killAnyway } from '../support/clean-up.ts'
import { event } from '../support/until.ts'

const writer = `process.stdin.on('data', () => {
  try { require('node:fs').writeFileSync(process.argv[1], Buffer.alloc(8192)); console.log('written') }
  catch (error) { console.log(error.code) }
})`

for (const mounts of [true, false])
  test(`a full disk refuses what is written${mounts ? '' : ', also without the rights of root'}`, async t => {
    const folder = join(mkdtempSync(join(tmpdir(), 'keepsake-space-')), 'space')
    const space = newSpace(folder, 16 * 1024 ** 2, mounts)
    t.after(() => {
      space.stop()
      rmSync(join(folder, '..'), { recursive: true, force: true })
    })
    const child = spawn(process.execPath, ['-e', writer, join(space.blobs, 'file')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    t.after(() => killAnyway(child.pid))
    const lines = createInterface(child.stdout)
    const write = async (): Promise<string> => {
      child.stdin.write('now')
      return String((await event('it has tried', lines, 'line'))[0])
    }
    assert.equal(await write(), 'written')
    rmSync(join(space.blobs, 'file'))
    space.fill(() => [child.pid ?? 0])
    assert.match(await write(), /^(ENOSPC|EFBIG)$/)
    space.empty()
    assert.equal(await write(), 'written')

    space.takeAway('broken')
    assert.equal(await write(), 'ENOTDIR')
    space.bringBack()
    assert.deepEqual(readdirSync(space.blobs), ['file'])
    space.takeAway('empty')
    assert.equal(await write(), 'ENOENT')
    // What is put into the empty place is below the disk afterwards.
    mkdirSync(space.blobs)
    space.bringBack()
    assert.deepEqual(readdirSync(space.blobs), ['file'])
  })
