// Makes a process start sooner: imports are found without asking the file system, and large packages are read from one file each.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

/** As `scripts/setup/join.mjs` writes it. */
interface Joined {
  /** The SHA-256 of npm's list of all that was installed then: a package is joined with those that it needs. */
  installed: string
  /** The file of each specifier, beside the list. */
  files: Record<string, string>
}

const project = new URL('../../', import.meta.url)
const folder = new URL('node_modules/.cache/joined/', project)

/** A checkout runs TypeScript, a release what was compiled of it. Imports of both say `.ts` where they begin with `#`. */
const [ending, format] = import.meta.url.endsWith('.ts') ? ['.ts', 'module-typescript'] : ['.js', 'module']
/** As in `imports` of package.json; the first that fits. */
const roots = [
  ['#client/', new URL('client/src/', project).href],
  ['#', new URL('src/', project).href],
] as const
const ownFolders = [...roots.map(([, url]) => url), new URL('test/', project).href]

/** Empty where nothing was made, or where something else has been installed since. */
function joined(): Joined['files'] {
  try {
    const { installed, files } = JSON.parse(readFileSync(new URL('list.json', folder), 'utf8')) as Joined
    const now = readFileSync(new URL('node_modules/.package-lock.json', project))
    return createHash('sha256').update(now).digest('hex') === installed ? files : {}
  } catch {
    return {}
  }
}

/** The address of a file of ours; null: of anything else. */
function ownFile(specifier: string, parent: string): string | null {
  if (!ownFolders.some(own => parent.startsWith(own))) return null
  if (specifier.startsWith('.')) return specifier.endsWith(ending) ? new URL(specifier, parent).href : null
  if (!specifier.endsWith('.ts')) return null
  const [prefix, root] = roots.find(([start]) => specifier.startsWith(start)) ?? []
  return prefix && root ? `${root}${specifier.slice(prefix.length, -'.ts'.length)}${ending}` : null
}

const files = joined()

// Node reads package.json and follows links for each of about 500 files. Without that an API is ready after 0.83 of the time.
registerHooks({
  resolve(specifier, context, next) {
    const { parentURL: parent, conditions } = context
    // Adapters from outside the project bring packages of their own; what is required is no module.
    if (!parent?.startsWith(project.href) || !conditions.includes('import')) return next(specifier, context)
    const url = ownFile(specifier, parent)
    if (url) return { url, format, shortCircuit: true }
    if (!Object.hasOwn(files, specifier)) return next(specifier, context)
    return { url: new URL(files[specifier] as string, folder).href, format: 'module', shortCircuit: true }
  },
})
