// Every pattern of the service is held against the rules that make it linear, so that no text can stop it.
import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { test } from 'node:test'
import { parse } from 'acorn'
import { adapterList } from '../../src/adapters/index.ts'
import { slowness } from '../support/patterns.ts'

const root = new URL('../../', import.meta.url)

interface Node {
  type: string
  loc: { start: { line: number } }
}

/** All nodes of a syntax tree. */
function* nodesOf(value: unknown): Generator<Node & Record<string, unknown>> {
  if (value === null || typeof value !== 'object') return
  if (!Array.isArray(value) && 'type' in value) yield value as Node & Record<string, unknown>
  for (const inner of Object.values(value)) yield* nodesOf(inner)
}

function* sourceNodes(): Generator<{ where: string; file: string; node: Node & Record<string, unknown> }> {
  for (const file of readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.endsWith('.d.ts')) continue
    const code = stripTypeScriptTypes(readFileSync(new URL(`src/${file}`, root), 'utf8'))
    const tree = parse(code, { ecmaVersion: 'latest', sourceType: 'module', locations: true })
    for (const node of nodesOf(tree)) yield { where: `src/${file}:${node.loc?.start.line}`, file, node }
  }
}

test('no pattern of the sources can take more than linear time', () => {
  const slow: string[] = []
  let seen = 0
  for (const { where, node } of sourceNodes()) {
    const regex = node.type === 'Literal' ? (node.regex as { pattern: string; flags: string } | undefined) : undefined
    if (!regex) continue
    seen++
    const why = slowness(regex.pattern, regex.flags)
    if (why !== null) slow.push(`${where} /${regex.pattern}/${regex.flags}: ${why}`)
  }
  assert.deepEqual(slow, [])
  assert.ok(seen > 100, `${seen} patterns were found`)
})

test('patterns are made at run time only from what is our own', () => {
  const made = new Set<string>()
  for (const { file, node } of sourceNodes())
    if ((node.type === 'NewExpression' || node.type === 'CallExpression') && isRegExp(node.callee)) made.add(file)
  assert.deepEqual([...made].sort(), [
    'db/away.ts', // from a list of messages
    'http/hooks/not-found.ts', // from the paths of the routes
    'kit/schema.ts', // from schemas, which the next test looks at
    'kit/secret/redaction.ts', // from the letters of secrets, each escaped
    'media/pixels/colour.ts', // from the pattern of the schema
  ])
})

const isRegExp = (callee: unknown): boolean => (callee as { name?: string } | null)?.name === 'RegExp'

test('no pattern of a schema can take more than linear time', async () => {
  const found = new Set<string>()
  const kept = new Set<unknown>()
  function collect(value: unknown): void {
    if (value === null || typeof value !== 'object' || kept.has(value)) return
    kept.add(value)
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'pattern' && typeof inner === 'string') found.add(inner)
      if (key === 'patternProperties') for (const pattern of Object.keys(inner as object)) found.add(pattern)
      collect(inner)
    }
  }
  collect([...adapterList({ localRoot: null }).values()])
  const contract = globSync('src/http/contract/**/*.ts', { cwd: root })
  for (const path of contract) collect({ ...(await import(new URL(path, root).href)) })
  const slow = [...found].map(pattern => [pattern, slowness(pattern, 'u')]).filter(([, why]) => why !== null)
  assert.deepEqual(slow, [])
  assert.ok(found.size > 10, `${found.size} patterns were found`)
})

test('the rules know slow patterns from fast ones', () => {
  const slow = [
    /\{\{\s*([^{}]+?)\s*\}\}/g,
    /\s+$/,
    /^(a+)+$/,
    /^(a|ab)*c/,
    /(\w*)*x/,
    /<[^>]*>/g,
    /<!DOCTYPE[^>[]*(?:\[[^\]]*\])?\s*>/,
    /url\(\s*["']?\s*(?!#|["'\s])/i,
    /^\s*a/m,
    /a.*b.*c/,
    /^a.*b.*c/,
    /(?=a*b)/,
    /^(\w+)\s\1/,
  ]
  for (const { source, flags } of slow) assert.notEqual(slowness(source, flags), null, source)
  const fast = [/^\s*a/, /\{[^{}]*\}/g, /[a-z]+/g, /^.*x/s, /a{1,9}b?c/, /^(?:[a-z]+\.)*\d+$/, /href\s*=\s*["']/i]
  for (const { source, flags } of fast) assert.equal(slowness(source, flags), null, source)
})
