// Notes which test files were green on the commit that lies here; a release asks for all of them.
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cache, root } from '../setup/run.mjs'

const file = join(cache, 'tested.json')
const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout?.trim()
const commit = () => git('rev-parse', 'HEAD')

export const testFiles = () => globSync('test/**/*.test.ts', { cwd: root }).sort()

/** The files that were green on this commit. */
function green() {
  try {
    const noted = JSON.parse(readFileSync(file, 'utf8'))
    return noted.commit === commit() ? noted.green : []
  } catch {
    return []
  }
}

/** `files` ran, of which `red` failed. A tree with changes that are not committed proves nothing of a commit. */
export function noteRun(files, red) {
  if (git('status', '--porcelain') !== '') return
  const now = new Set([...green(), ...files])
  for (const each of red) now.delete(each)
  mkdirSync(cache, { recursive: true })
  writeFileSync(file, JSON.stringify({ commit: commit(), green: [...now] }))
}

/** The files that have not been green on this commit. */
export function untested() {
  const known = new Set(green())
  return testFiles().filter(each => !known.has(each))
}
