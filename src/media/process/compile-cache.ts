// The compiled code of media children, kept between starts: it halves the time that one takes to start.
import { spawn } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const project = fileURLToPath(new URL('../../../', import.meta.url))

/** Inside the project, where nobody else can put anything. Children only read it. */
export const compileCache = join(project, 'node_modules', '.cache', 'compiled')

const stamp = join(compileCache, 'stamp')
const WARM = 'await import(process.argv[1]); (await import("node:module")).flushCompileCache(); process.exit()'

/** Fills the cache when the project is newer. In a process of its own that gets no job, so that no child ever has to write there. */
export function fillCompileCache(script: string, env: Record<string, string>): void {
  const wanted = `${process.version} ${newest()}`
  if (kept() === wanted) return
  const warm = spawn(process.execPath, ['--input-type=module', '-e', WARM, script], {
    env: { NODE_COMPILE_CACHE: compileCache, ...env },
    stdio: 'ignore',
  })
  // A project that cannot be written to starts its children a little slower.
  warm.on('error', () => {}).on('exit', code => code === 0 && note(wanted))
  warm.unref()
}

/** What an update of the project touches. Code that was changed by hand is compiled anew by each child until then. */
const newest = (): number =>
  Math.max(
    ...['package.json', 'package-lock.json'].map(
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
    // See above.
  }
}
