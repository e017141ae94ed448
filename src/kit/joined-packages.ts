// Loads large packages from one file each, which `scripts/setup/join.mjs` has made: to find and open hundreds of small ones is much of the start of a process.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

/** As `scripts/setup/join.mjs` writes it. */
interface Joined {
  versions: Record<string, string>
  /** The file of each specifier, beside the list. */
  files: Record<string, string>
}

const project = new URL('../../', import.meta.url)
const folder = new URL('node_modules/.cache/joined/', project)

const read = <T>(path: URL): T => JSON.parse(readFileSync(path, 'utf8')) as T

/** Null where nothing was made, or where another version has been installed since. */
function joined(): Joined['files'] | null {
  try {
    const { versions, files } = read<Joined>(new URL('list.json', folder))
    const isCurrent = ([name, version]: [string, string]): boolean =>
      read<{ version: string }>(new URL(`node_modules/${name}/package.json`, project)).version === version
    return Object.entries(versions).every(isCurrent) ? files : null
  } catch {
    return null
  }
}

const files = joined()
if (files)
  registerHooks({
    resolve(specifier, context, next) {
      // Adapters from outside the project bring packages of their own; what is required is no module.
      const isOurs = context.parentURL?.startsWith(project.href) && context.conditions.includes('import')
      if (!isOurs || !Object.hasOwn(files, specifier)) return next(specifier, context)
      return { url: new URL(files[specifier] as string, folder).href, format: 'module', shortCircuit: true }
    },
  })
