// The kept code of media children: also a child that is another user starts from it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { compileCache, fillCompileCache, shareCompileCache } from '#media/process/compile-cache.ts'
import { event } from '../support/until.ts'

const script = fileURLToPath(new URL('../../src/child.ts', import.meta.url))
/** Among those that children are. */
const USER = 65_101

const skip = process.getuid?.() === 0 ? false : 'only root has children that are other users'

test('a child that is another user reads the code that was compiled before', { skip }, async () => {
  const filling = fillCompileCache(script, {})
  if (filling) await event('the code is compiled', filling, 'exit')
  shareCompileCache(USER)
  shareCompileCache(USER)
  const { stderr, status } = spawnSync(process.execPath, [script], {
    uid: USER,
    gid: USER,
    encoding: 'utf8',
    env: { NODE_COMPILE_CACHE: compileCache, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' },
    timeout: 60_000,
    maxBuffer: 64 * 1024 ** 2,
  })
  assert.equal(status, 0, stderr.slice(-2000))
  const accepted = stderr.split('\n').filter(line => /for ESM file:.*\/joined\/.* was accepted/.test(line))
  assert.ok(accepted.length > 0, stderr.slice(0, 2000))
})
