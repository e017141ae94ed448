// Where packages of others lie, and how what they import from `keepsake/adapter` becomes the code of this very service.
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { findPackageJSON, registerHooks } from 'node:module'
import { dirname, isAbsolute, join, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isObject } from '#kit/json.ts'

const project = fileURLToPath(new URL('../../', import.meta.url))

const KIT = 'keepsake/adapter'

let isShared = false

/**
 * From here on every import of `keepsake/adapter` in this process is our own module, wherever the importing package lies and
 * whatever it has installed: its problems are then our problems. Nothing has to be linked into a folder of the package.
 */
export function shareKit(): void {
  if (isShared) return
  isShared = true
  const url = import.meta.resolve(KIT)
  registerHooks({
    resolve: (name, context, next) => (name === KIT ? { url, shortCircuit: true } : next(name, context)),
  })
}

/** What to import for a name: a package, the folder of one, or a file. Throws where there is nothing. */
export function urlOf(name: string): string {
  if (!isAbsolute(name)) return import.meta.resolve(name)
  return pathToFileURL(statSync(name).isDirectory() ? entryOf(name) : name).href
}

/** The file that a package's folder stands for, by its package.json. */
function entryOf(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>
  const { exports, main } = manifest
  const whole = isObject(exports) && '.' in exports ? exports['.'] : exports
  return join(folder, chosen(whole) ?? (typeof main === 'string' ? main : 'index.js'))
}

/** By the conditions under which Node imports. */
function chosen(target: unknown): string | null {
  if (typeof target === 'string') return target
  if (!isObject(target)) return null
  for (const condition of Object.keys(target))
    if (['node', 'import', 'module-sync', 'default'].includes(condition)) return chosen(target[condition])
  return null
}

/** Every folder that a process has to read to run the package: its own, behind a link too, and where its dependencies lie. */
export function foldersOf(name: string): string[] {
  try {
    const url = urlOf(name)
    if (!url.startsWith('file:')) return []
    const file = fileURLToPath(url)
    const manifest = isAbsolute(name) ? findPackageJSON(pathToFileURL(file)) : findPackageJSON(name, import.meta.url)
    const isOurs = manifest === undefined || dirname(manifest) === dirname(join(project, 'package.json'))
    const folder = isOurs ? dirname(file) : dirname(manifest)
    const real = realpathSync(folder)
    // A path is imported as it was given, which may be a link.
    const given = isAbsolute(name) && statSync(name).isDirectory() ? [name] : []
    return [...new Set([...given, folder, real, ...(isOurs ? [] : modulesAbove(real))])]
  } catch {
    return [] // The one that loads it says what is wrong.
  }
}

/** Where Node looks for what a file in this folder imports. */
export function modulesAbove(folder: string): string[] {
  const found: string[] = []
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    const modules = join(at, 'node_modules')
    if (existsSync(modules)) found.push(modules)
  }
  return found
}

/** Whether any of it lies in a folder. */
export const liesIn = (name: string, folder: string): boolean =>
  foldersOf(name).some(path => path === folder || path.startsWith(folder + sep))
