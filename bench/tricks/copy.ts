// A copy of the project whose code can be changed while the one that it is copied from runs.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Trick } from './list.ts'

const project = fileURLToPath(new URL('../../', import.meta.url))
const parts = ['src', 'client', 'migrations', 'console', 'docs', 'node_modules', 'package.json']

export interface Copy {
  main: string
  /** Takes one trick out of the copy, and puts the one before back. */
  without(trick: Trick): void
}

/** Hard links: a changed file is written anew, so the project's own stays as it is. */
export function copyProject(folder: string): Copy {
  mkdirSync(folder, { recursive: true })
  const { status, stderr } = spawnSync('cp', ['-al', ...parts.map(part => join(project, part)), folder])
  if (status !== 0) throw new Error(`the project could not be copied: ${stderr}`)
  let changed: string | null = null
  const write = (file: string, text: string): void => {
    rmSync(join(folder, file))
    writeFileSync(join(folder, file), text)
  }
  return {
    main: join(folder, 'src/main.ts'),
    without(trick) {
      if (changed) write(changed, readFileSync(join(project, changed), 'utf8'))
      write(trick.file, withoutTrick(trick))
      changed = trick.file
    },
  }
}

export function withoutTrick({ name, file, without }: Trick): string {
  let text = readFileSync(join(project, file), 'utf8')
  for (const [words, instead] of without) {
    const found = text.split(words).length - 1
    if (found !== 1) throw new Error(`"${name}": "${words}" stands ${found} times in ${file}, not once`)
    text = text.replace(words, () => instead)
  }
  return text
}
