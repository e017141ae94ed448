// The unit of the Debian package: systemd takes every line of it, and rates what it leaves open.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '../support/markdown.ts'

/** The highest exposure that is allowed, in tenths. */
const MOST_EXPOSED = 30

test('systemd verifies the unit and rates it at 3.0 at most', async context => {
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-unit-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  const unit = await readFile(join(root, 'deploy/debian/keepsake.service'), 'utf8')
  assert.match(unit, /^Type=notify$/m)
  const path = join(folder, 'keepsake.service')
  // The program is not installed here.
  await writeFile(path, unit.replace('/usr/bin/keepsake', '/bin/sh'))
  const analyze = (...args: string[]) => spawnSync('systemd-analyze', [...args, path], { encoding: 'utf8' })
  const verified = analyze('verify', '--man=no')
  if (verified.error) return context.diagnostic('there is no systemd-analyze here')
  // Units of the machine may have faults of their own.
  const ours = verified.stderr.split('\n').filter(line => line.includes('keepsake'))
  assert.deepEqual(ours, [])
  const rated = analyze('security', '--offline=yes', '--no-pager', `--threshold=${MOST_EXPOSED}`)
  assert.equal(rated.status, 0, rated.stdout.split('\n').slice(-4).join('\n') + rated.stderr)
})
