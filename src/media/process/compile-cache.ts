// Keeps the compiled code of media children between starts. A child then starts in a third of the time.
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const project = fileURLToPath(new URL('../../../', import.meta.url))

/** Lies inside the project, where no other user can write. Children only read the cache. */
export const compileCache = join(project, 'node_modules', '.cache', 'compiled')

const stamp = join(compileCache, 'stamp')
/** Node makes files that our user alone may read. Where we are root, each child is another user. */
const WARM = `await import(process.argv[1])
  const { flushCompileCache, getCompileCacheDir } = await import('node:module')
  const { chmodSync, readdirSync } = await import('node:fs')
  flushCompileCache()
  process.chdir(getCompileCacheDir())
  for (const file of readdirSync('.')) chmodSync(file, 0o644)
  process.exit()`
/** Counted up when the cache is filled in another way, so that every machine fills it anew. */
const WAY = 2

/**
 * Fills the cache when the project is newer than the cache. A separate process without a job writes it, so children never write there.
 * Answers that process; null: nothing is to be done.
 */
export function fillCompileCache(script: string, env: Record<string, string>): ChildProcess | null {
  const wanted = `${process.version} ${newest()} ${WAY}`
  if (kept() === wanted) return null
  const warm = spawn(process.execPath, ['--input-type=module', '-e', WARM, script], {
    env: { NODE_COMPILE_CACHE: compileCache, ...env },
    stdio: 'ignore',
  })
  // If the project folder is read-only there is no cache, and children start a little slower.
  warm.on('error', () => {}).on('exit', code => code === 0 && note(wanted))
  return warm
}

/** Node looks for the cache in a folder whose name ends with the user id. A child that is another user finds a link to ours there. */
export function shareCompileCache(user: number): void {
  const own = `-${process.getuid?.()}`
  try {
    const names = new Set(readdirSync(compileCache))
    for (const name of names) {
      const theirs = `${name.slice(0, -own.length)}-${user}`
      if (name.endsWith(own) && !names.has(theirs)) symlinkSync(name, join(compileCache, theirs))
    }
  } catch {
    // No cache yet, a read-only project folder, or another process was quicker.
  }
}

/** An update of the project changes these files. After a change by hand, each child compiles the changed code until the next update. */
const newest = (): number =>
  Math.max(
    ...['package.json', 'package-lock.json', 'node_modules/.cache/joined/list.json'].map(
      file => statSync(join(project, file), { throwIfNoEntry: false })?.mtimeMs ?? 0,
    ),
  )

function kept(): string {
  try {
    return readFileSync(stamp, 'utf8')
  } catch {
    return ''
  }
}

function note(text: string): void {
  try {
    writeFileSync(stamp, text)
  } catch {
    // The project folder is read-only: the next start tries to fill the cache again.
  }
}
