// Keeps the compiled code of media children between starts. A child then starts in half the time.
import { spawn } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const project = fileURLToPath(new URL('../../../', import.meta.url))

/** Lies inside the project, where no other user can write. Children only read the cache. */
export const compileCache = join(project, 'node_modules', '.cache', 'compiled')

const stamp = join(compileCache, 'stamp')
const WARM = 'await import(process.argv[1]); (await import("node:module")).flushCompileCache(); process.exit()'

/** Fills the cache when the project is newer than the cache. A separate process without a job writes it, so children never write there. */
export function fillCompileCache(script: string, env: Record<string, string>): void {
  const wanted = `${process.version} ${newest()}`
  if (kept() === wanted) return
  const warm = spawn(process.execPath, ['--input-type=module', '-e', WARM, script], {
    env: { NODE_COMPILE_CACHE: compileCache, ...env },
    stdio: 'ignore',
  })
  // If the project folder is read-only there is no cache, and children start a little slower.
  warm.on('error', () => {}).on('exit', code => code === 0 && note(wanted))
  warm.unref()
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
