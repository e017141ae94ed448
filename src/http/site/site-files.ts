// The files that the documentation site serves, by the path below /docs/ where each stands.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))

const PATTERNS = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'docs/**/*',
  'examples/**/*',
  'client/README.md',
  'clients/*/README.md',
]
const LEFT_OUT = /(^|\/)(node_modules\/|\.)/

/** What is shown in the browser or loaded by a page; every other file is plain text. */
const TYPES: Record<string, string> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.json': 'application/json; charset=utf-8',
}

/** The files of the site by their place below /docs/; read from the disk at the first request. */
export function newSiteFiles(): { has(file: string): boolean; at(place: string): string | undefined; pages: string[] } {
  const files = globSync(PATTERNS, { cwd: root, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => posix.relative(root, posix.join(entry.parentPath, entry.name)))
    .filter(file => !LEFT_OUT.test(file))
    .sort()
  const byPlace = new Map(files.map(file => [placeOf(file), file]))
  return {
    has: file => existsSync(posix.join(root, file)) && byPlace.get(placeOf(file)) === file,
    at: place => byPlace.get(place),
    pages: files.filter(isPage),
  }
}

export const isPage = (file: string): boolean => file.endsWith('.md')

/** `docs/api.md` stands at `api`, `docs/README.md` at the top, and what is not in docs below `project`. */
function placeOf(file: string): string {
  const below = file.startsWith('docs/') ? file.slice('docs/'.length) : `project/${file}`
  return isPage(below) ? below.replace(/\.md$/, '').replace(/(^|\/)README$/, '') : below
}

export const addressOf = (file: string): string => {
  const place = placeOf(file)
  return place === '' ? '/docs/' : `/docs/${place}${isPage(file) ? '/' : ''}`
}

export const typeOf = (file: string): string => TYPES[posix.extname(file)] ?? 'text/plain; charset=utf-8'

export const textOf = (file: string): string => readFileSync(posix.join(root, file), 'utf8')

export const bytesOf = (file: string): Buffer => readFileSync(posix.join(root, file))
