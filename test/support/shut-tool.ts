// A tool of this machine that gives no answer until it is let.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { which } from '#media/process/which.ts'

interface ShutTool {
  /** Stands in for it. */
  path: string
  /** From now on it is the tool itself. */
  open(): void
}

/** `silence`: what it does meanwhile. */
export async function shutTool(folder: string, name: string, silence: 'hangs' | 'is killed'): Promise<ShutTool> {
  const [path, shut] = [join(folder, name), join(folder, `${name}.shut`)]
  // Nobody writes to it, so that its reader waits for ever.
  execFileSync('mkfifo', ['-m', '444', shut])
  const quiet = silence === 'hangs' ? 'exec cat "$0.shut"' : 'kill -9 $$'
  const own = await which(name, process.env.PATH ?? '')
  // Inside of a jail there is no such pipe: it was opened before.
  writeFileSync(path, `#!/bin/sh\nif [ -p "$0.shut" ]; then ${quiet}; fi\nexec ${own} "$@"\n`, { mode: 0o755 })
  return { path, open: () => rmSync(shut, { force: true }) }
}

/** A folder that comes first in PATH until it is disposed of. */
export function firstInPath(): Disposable & { folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-shut-'))
  // Media children run as other users.
  chmodSync(folder, 0o755)
  const { PATH } = process.env
  process.env.PATH = `${folder}:${PATH}`
  return {
    folder,
    [Symbol.dispose]() {
      process.env.PATH = PATH
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
