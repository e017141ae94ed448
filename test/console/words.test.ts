// The words of the console: every one of them can be said in another language, and German says all of them.
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'
import { adapterList } from '#adapters/index.ts'
import { choiceOf, labelOf } from '../../console/src/form/words.ts'
import { type Forms, filled, formOf, sentenceOf, type Table } from '../../console/src/words/table.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const german: Table = JSON.parse(await readFile(`${root}console/src/words/de.json`, 'utf8'))
const files = globSync('console/src/**/*.{ts,tsx}', { cwd: root }).filter(file => !file.includes('/words/'))

interface Node {
  type: string
  start: number
  [name: string]: unknown
}

/** Attributes whose text is read by people. */
const shownAttributes = new Set(
  'aria-description aria-label aria-roledescription aria-valuetext about action alt cancel caption help hint label note placeholder reason title unit word'.split(
    ' ',
  ),
)
/** Names, keys of a keyboard and examples of input, which are the same in every language. */
const same = new Set(
  'Keepsake|Keepsake 400|Esc|A|j|k|a|h|u|JSON|curl|YAML|RFID|ks_…|https://…|admin-token|guest_page.enabled|width, quality|frame-{{table}}.png|Summer festival|whsec_••••••••••••••••|Bartholomäus Maximilian|Freiherr von und zu Hohenstein-Schillingsfürst|Inter Black|Inter Bold|Inter Light|Inter Italic|Inter 1|Inter 1 Italic|Amazon S3|Cloudflare R2|Backblaze B2|DigitalOcean Spaces|Azure Blob Storage|Google Cloud Storage|Wish you were here|Control+K Meta+K'.split(
    '|',
  ),
)

interface Use {
  where: string
  keys: (string | undefined)[]
}

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string'
const isText = (node: Node): boolean => node.type === 'Literal' && typeof node.value === 'string'

/** The texts that an expression may come to. */
function texts(node: Node): Node[] {
  if (isText(node) || node.type === 'TemplateLiteral') return [node]
  if (node.type === 'JSXExpressionContainer') return texts(node.expression as Node)
  if (node.type === 'ConditionalExpression') return [node.consequent, node.alternate].flatMap(one => texts(one as Node))
  if (node.type === 'LogicalExpression') return [node.left, node.right].flatMap(one => texts(one as Node))
  return []
}

const wordsOf = (node: Node): string =>
  node.type === 'TemplateLiteral'
    ? (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('1')
    : String(node.value).trim()

/** Reads one file: what it says by `t` and `tn`, and what it says without them. */
function read(file: string, code: string): { uses: Use[]; bare: string[] } {
  const uses: Use[] = []
  const bare: string[] = []
  const at = (node: Node) => `${file}:${code.slice(0, node.start).split('\n').length}`
  const note = (node: Node) => {
    const words = wordsOf(node)
    if (/\p{L}/u.test(words) && !same.has(words)) bare.push(`${at(node)} ${words}`)
  }
  /** A capital, then words: a sentence, whatever it is given to. */
  const isSentence = (node: Node) =>
    (isText(node) || node.type === 'TemplateLiteral') && /^\p{Lu}\p{Ll}\S* .*\p{Ll}/u.test(wordsOf(node))
  const look = (node: Node): void => {
    if (node.type === 'ImportDeclaration' || node.type.startsWith('TSLiteral')) return
    const { name } = (isNode(node.name) ? node.name : (node.callee ?? {})) as { name?: string }
    if (node.type === 'CallExpression') {
      const given = node.arguments as Node[]
      const key = (index: number) => (given[index] && isText(given[index]) ? String(given[index].value) : undefined)
      if (name === 't') uses.push({ where: at(node), keys: [key(0)] })
      if (name === 'tn') uses.push({ where: at(node), keys: [key(2), key(1)] })
      if (name === 'announce' && given[0]) texts(given[0]).forEach(note)
      // What `t` is given is said in the language of the page; the values that it fills in are looked at.
      if (name === 't' || name === 'tn') {
        given.slice(name === 't' ? 1 : 3).forEach(look)
        return
      }
    }
    if (isSentence(node)) note(node)
    if (node.type === 'JSXAttribute' && shownAttributes.has(name ?? '') && isNode(node.value))
      texts(node.value).forEach(note)
    if (node.type === 'JSXElement' || node.type === 'JSXFragment')
      for (const child of node.children as Node[]) {
        if (child.type === 'JSXText') note(child)
        if (child.type === 'JSXExpressionContainer') texts(child).forEach(note)
      }
    for (const value of Object.values(node))
      for (const one of Array.isArray(value) ? value : [value]) if (isNode(one)) look(one)
  }
  look(parseSync(file, code).program as unknown as Node)
  return { uses, bare }
}

const found = await Promise.all(files.map(async file => read(file, await readFile(root + file, 'utf8'))))
const uses = found.flatMap(one => one.uses)

interface Schema {
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  allOf?: Schema[]
  enum?: unknown[]
  const?: unknown
}

/** The names of the options of all adapters, and of their choices. */
function namesOf(schema: Schema): string[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => [labelOf(name), ...namesOf(inner)])
  const choices = [...(schema.enum ?? []), schema.const].filter(one => typeof one === 'string')
  const worded = choices.filter(one => choiceOf(one) !== one).map(one => choiceOf(one))
  const inner = [schema.items, ...(schema.anyOf ?? []), ...(schema.allOf ?? [])].filter(one => one !== undefined)
  return [...own, ...worded, ...inner.flatMap(namesOf)]
}
const offered = [...adapterList({ localRoot: '/' }).values()].flatMap(({ options, ...rest }) =>
  [options as Schema, ('auth' in rest ? rest.auth : {}) as Schema].flatMap(namesOf),
)

const braces = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').sort()
const formsOf = (entry: string | Forms): string[] => (typeof entry === 'string' ? [entry] : Object.values(entry))

test('no page says a word that only English has', () => {
  assert.deepEqual(
    found.flatMap(one => one.bare),
    [],
  )
})

test('the check of the pages sees bare words wherever they stand', () => {
  const page = `const a = <p title="Title here">Text {count} more{b ? 'one' : \`\${c} others\`}<i aria-label={d && 'Label'} className="x y"/></p>
    announce('Told.'); t(key); tn(2, 'One', 'Many', { x: act({ word: \`Retry \${n} now\` }) })`
  const { bare, uses } = read('page.tsx', page)
  assert.deepEqual(
    bare.map(line => line.replace(/^\S+ /, '')),
    ['Text', 'more', 'one', '1 others', 'Title here', 'Title here', 'Label', 'Told.', 'Retry 1 now'],
  )
  assert.deepEqual(
    uses.map(({ keys }) => keys),
    [[undefined], ['Many', 'One']],
  )
})

test('every sentence is written where it is said, so that translators find it', () => {
  const computed = uses.filter(({ keys }) => keys.includes(undefined)).map(({ where }) => where)
  assert.deepEqual(computed, [])
  const odd = uses.filter(({ keys }) => keys.some(key => key !== key?.trim())).map(({ where }) => where)
  assert.deepEqual(odd, [], 'spaces at the ends are for the page, not for the sentence')
})

test('German has every sentence, every option of every adapter, and none that nobody says', () => {
  const said = new Set([...uses.map(({ keys }) => keys[0] as string), ...offered])
  // Proper names need no translation.
  const proper = new Set(['SMS', 'WhatsApp', 'MinIO', 'Bucket', 'Container', 'SAS token', 'YouTube'])
  const missing = [...said].filter(key => !Object.hasOwn(german, key) && !proper.has(key))
  assert.deepEqual(missing, [], 'these lack a German sentence')
  assert.deepEqual(
    Object.keys(german).filter(key => !said.has(key)),
    [],
    'nobody says these any more',
  )
})

test('a German sentence has the placeholders of its English one, and each form that its number needs', () => {
  const plural = new Map(uses.filter(({ keys }) => keys.length === 2).map(({ keys }) => [keys[0], keys[1]]))
  const needed = new Intl.PluralRules('de').resolvedOptions().pluralCategories.toSorted()
  for (const [key, entry] of Object.entries(german)) {
    if (plural.has(key)) {
      assert.ok(typeof entry === 'object', `${key} needs forms`)
      assert.deepEqual(Object.keys(entry).toSorted(), needed, key)
      assert.deepEqual(braces(entry.other), braces(key), key)
      // "1 task" says its number itself.
      const known = new Set([...braces(plural.get(key) ?? ''), ...braces(key)])
      for (const form of formsOf(entry))
        assert.ok(
          braces(form).every(name => known.has(name)),
          form,
        )
    } else {
      assert.equal(typeof entry, 'string', `${key} has no number`)
      assert.deepEqual(braces(entry as string), braces(key), key)
    }
    for (const form of formsOf(entry)) {
      assert.ok(form.trim() === form && form !== '', key)
      assert.doesNotMatch(form, /”|'|--|\.\.\./, 'German has its own quotation marks')
    }
  }
})

test('a sentence is found, filled in and counted', () => {
  const table: Table = {
    'Made by {name}': 'Von {name} gemacht',
    'Open|verb': 'Öffnen',
    '{count} tasks': {
      one: '{count} zadanie',
      few: '{count} zadania',
      many: '{count} zadań',
      other: '{count} zadania',
    },
  }
  const polish = new Intl.PluralRules('pl')
  const tasks = (count: number) => filled(formOf(table, polish, count, '1 task', '{count} tasks'), { count }).join('')
  assert.deepEqual([1, 3, 5, 1.5].map(tasks), ['1 zadanie', '3 zadania', '5 zadań', '1.5 zadania'])
  assert.equal(filled(sentenceOf(table, 'Made by {name}'), { name: 'Ada {name}' }).join(''), 'Von Ada {name} gemacht')
  assert.equal(sentenceOf(table, 'Open|verb'), 'Öffnen')
  assert.equal(sentenceOf({}, 'Open|verb'), 'Open', 'the note for translators is never shown')
  assert.equal(filled('{{profile.name}} and {gone}', {}).join(''), '{{profile.name}} and {gone}')
  assert.equal(sentenceOf(table, 'toString'), 'toString', 'a name of JavaScript is a sentence like any other')
  assert.equal(formOf({}, polish, 2, '1 task', '{count} tasks'), '{count} tasks')
})
