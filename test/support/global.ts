// Runs once around a whole test run: one PostgreSQL and one folder for all test files, and nothing of them stays.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileCache, fillCompileCache } from '#media/process/compile-cache.ts'
import { cleanUp, killAnyway } from './clean-up.ts'
import { lookForTools } from './known-tools.ts'
import { SHARED } from './once-in-run.ts'
import { startForRun } from './postgres.ts'
import { workingIn } from './processes.ts'
import { event } from './until.ts'

let stop: (() => Promise<void>) | undefined
let folder: string | undefined

export async function globalSetup(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-run-'))
  // Some tests work in it as another user.
  chmodSync(folder, 0o1777)
  process.env.TMPDIR = folder
  process.env[SHARED] = folder
  // Each test file is a process: what one has compiled the next ones read.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../.cache/compile', import.meta.url))
  await compileChanges()
  stop = await startForRun()
  await lookForTools(folder)
}

/** Media children only read what was compiled for them: without this each one of the run would compile every changed file. */
async function compileChanges(): Promise<void> {
  const src = fileURLToPath(new URL('../../src', import.meta.url))
  const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const stamp = join(compileCache, 'stamp')
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  if (files.some(file => changedAt(join(src, file)) > changedAt(stamp))) rmSync(stamp, { force: true })
  const filling = fillCompileCache(join(src, 'child.ts'), {})
  if (filling) await event('the code of media children is compiled', filling, 'exit')
}

export async function globalTeardown(): Promise<void> {
  await cleanUp(
    () => stop?.(),
    () => {
      // A test that failed, or was ended from outside, may have left processes that nobody else knows of.
      if (folder) for (const pid of workingIn(folder)) killAnyway(pid)
    },
    () => {
      // A test that was killed could not take its file systems away.
      for (const place of folder ? mountedBelow(folder) : []) spawnSync('umount', ['-l', place])
    },
    // `rmSync` makes no pauses between its tries.
    () => folder && rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  )
}

function mountedBelow(folder: string): string[] {
  if (!existsSync('/proc/mounts')) return []
  const places = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map(line => line.split(' ')[1] ?? '')
  return places.filter(place => place.startsWith(`${folder}/`))
}
