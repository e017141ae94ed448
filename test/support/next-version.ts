// A checkout of the next version: this code in a folder of its own, to be changed by whoever needs it.
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './markdown.ts'

export function nextVersion(folder: string): string {
  const project = join(folder, 'next')
  mkdirSync(project)
  for (const name of ['src', 'migrations', 'client', 'package.json'])
    cpSync(join(root, name), join(project, name), { recursive: true, filter: from => !from.includes('node_modules') })
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'))
  return project
}
