// Makes JavaScript of the code: Node strips no types below node_modules. Each file keeps its lines, so traces name the lines of the source.
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, posix } from 'node:path'
import { type Node, parse } from 'acorn'
import { root } from '../setup/run.mjs'

/** What authors of adapters import to test theirs; everything that it needs comes along. */
const TEST_KIT = 'test/contract/adapter-test-kit.ts'

/** Writes the code below `folder`. */
export function compile(folder: string): void {
  const waiting = [...globSync('src/**/*.ts', { cwd: root }), TEST_KIT].map(path => path.replaceAll('\\', '/'))
  const done = new Set<string>()
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (done.has(path)) continue
    done.add(path)
    const { code, imported } = compiled(path)
    write(join(folder, asJs(path)), code)
    waiting.push(...imported)
  }
  for (const path of globSync('src/**/*', { cwd: root, withFileTypes: true })) {
    const file = join(path.parentPath, path.name)
    if (path.isFile() && !file.endsWith('.ts')) write(join(folder, posix.relative(root, file)), readFileSync(file))
  }
}

const asJs = (path: string): string => path.replace(/\.ts$/, '.js')

function write(path: string, bytes: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, bytes)
}

function compiled(path: string): { code: string; imported: string[] } {
  const code = stripTypeScriptTypes(readFileSync(join(root, path), 'utf8'))
  const imported: string[] = []
  let made = ''
  let at = 0
  for (const { value, start, end } of specifiersIn(code)) {
    const file = ownFile(path, value)
    if (file === null) continue
    imported.push(file)
    // Names that begin with # are mapped by package.json.
    if (value.startsWith('#')) continue
    made += `${code.slice(at, start)}'${asJs(value)}'`
    at = end
  }
  return { code: made + code.slice(at), imported }
}

/** The source that a specifier means; null for a package. */
function ownFile(from: string, specifier: string): string | null {
  if (!specifier.endsWith('.ts')) return null
  if (specifier.startsWith('#client/')) return `client/src/${specifier.slice('#client/'.length)}`
  if (specifier.startsWith('#')) return `src/${specifier.slice(1)}`
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : null
}

interface Specifier {
  value: string
  start: number
  end: number
}

const IMPORTS = ['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration', 'ImportExpression']

/** In the order of the file. */
function specifiersIn(code: string): Specifier[] {
  const found: Specifier[] = []
  const look = (node: unknown): void => {
    if (Array.isArray(node)) for (const each of node) look(each)
    else if (isNode(node)) {
      const { source } = node as { source?: { type: string; value: unknown; start: number; end: number } }
      if (IMPORTS.includes(node.type) && typeof source?.value === 'string')
        found.push({ value: source.value, start: source.start, end: source.end })
      for (const child of Object.values(node)) if (typeof child === 'object') look(child)
    }
  }
  look(parse(code, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true }))
  return found.sort((one, other) => one.start - other.start)
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value
