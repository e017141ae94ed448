// The docs are true: links lead somewhere, examples are accepted, and what is named exists.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { adapterList } from '#adapters/index.ts'
import { validateAuth, validateDefaults } from '#configurations/options.ts'
import { plainConfig } from '#configurations/single.ts'
import { ConfigurationInput } from '#http/contract/configuration-shapes.ts'
import { schemaErrors } from '#kit/schema.ts'
import { table } from '#kit/settings.ts'
import { anchorsOf, linksOf, page, pages, readPage, root } from './support/markdown.ts'

const adapters = adapterList({ localRoot: null })

test('every link inside the project leads to a file, and to a heading of it', () => {
  const broken = pages.flatMap(from =>
    linksOf(from)
      .filter(link => !/^[a-z]+:/.test(link))
      .filter(link => {
        const [path = '', anchor] = link.split('#')
        const file = path === '' ? from.file : normalize(join(dirname(from.file), decodeURI(path)))
        if (!existsSync(root + file)) return true
        return anchor !== undefined && !anchorsOf(readPage(file)).has(anchor)
      })
      .map(link => `${from.file} -> ${link}`),
  )
  assert.deepEqual(broken, [])
})

test('every page can be reached from the README', () => {
  const reached = new Set(['README.md'])
  for (const file of reached) {
    if (!file.endsWith('.md') || !existsSync(root + file)) continue
    for (const link of linksOf(readPage(file)).filter(each => !/^[a-z]+:|^#/.test(each))) {
      const target = normalize(join(dirname(file), link.split('#')[0] ?? ''))
      // A link to a folder shows what lies in it.
      if (!target.endsWith('/')) reached.add(target)
      else for (const inner of globSync(`${target}*.md`, { cwd: root })) reached.add(inner)
    }
  }
  assert.deepEqual(
    pages.map(({ file }) => file).filter(file => !reached.has(file)),
    [],
  )
})

const examples = [
  ...pages.flatMap(({ file, blocks }) =>
    blocks.filter(({ language }) => language === 'json').map(({ code }) => ({ file, code })),
  ),
  ...globSync('docs/examples/*.json', { cwd: root }).map(file => ({ file, code: readFileSync(root + file, 'utf8') })),
]

test('every JSON example is JSON, and every configuration among them would be accepted', () => {
  const wrong = examples.flatMap(({ file, code }) => {
    const value = JSON.parse(code)
    // An answer that is shown in part; the test that runs the command above it looks at it.
    if ('…' in value) return []
    if (value.configuration_name === undefined || (!value.adapter_name && !value.call_chain)) return []
    const errors = schemaErrors(ConfigurationInput, value)
    if (value.adapter_name) {
      const adapter = adapters.get(value.adapter_name)
      if (!adapter) return [`${file}: there is no adapter ${value.adapter_name}`]
      const { auth = {}, defaults = {} } = plainConfig(value.adapter_config ?? {})
      errors.push(...validateDefaults(adapter, defaults), ...validateAuth(adapter, auth))
    } else if (value.call_chain.some(([, input]: [string, number | null], at: number) => input !== null && input >= at))
      errors.push({ field: 'call_chain', message: 'takes the output of a later entry' })
    return errors.map(({ field, message }) => `${file}, ${value.configuration_name}: ${field} ${message}`)
  })
  assert.deepEqual(wrong, [])
})

test('the configuration that the README shows is the one that its commands send', () => {
  const [shown] = page('README.md').blocks.filter(({ language }) => language === 'json')
  assert.equal(shown?.code, readFileSync(`${root}docs/examples/polaroid.json`, 'utf8'))
})

test('every adapter has its page with its options and an example, and every page its adapter', () => {
  const written = globSync('docs/adapters/*.md', { cwd: root })
    .map(file => basename(file, '.md'))
    .filter(name => !['README', 'writing'].includes(name))
  assert.deepEqual(written.sort(), [...adapters.keys()].sort())
  const without = written
    .map(name => page(`docs/adapters/${name}.md`))
    .filter(({ file, text, blocks }) => {
      const name = basename(file, '.md')
      const example = blocks.some(({ language, code }) => language === 'json' && code.includes(`"${name}"`))
      return !text.startsWith(`# ${name}\n`) || !text.includes('<!-- made: options -->') || !example
    })
  assert.deepEqual(
    without.map(({ file }) => file),
    [],
  )
})

test('every setting that the docs name exists', () => {
  const namesIn = (text: string): string[] => text.match(/\b(?:KEEPSAKE|AWS|FFMPEG|FFPROBE)_[A-Z_]*[A-Z]\b/g) ?? []
  const ofTests = globSync(['test/**/*.ts', 'bench/**/*.ts'], { cwd: root })
    .filter(file => !file.startsWith('test/docs'))
    .flatMap(file => namesIn(readFileSync(root + file, 'utf8')))
  const known = new Set<string>([...Object.values(table).map(({ name }) => name), ...ofTests])
  const wrong = pages.flatMap(({ file, text }) =>
    [...new Set(namesIn(text))].filter(name => !known.has(name)).map(name => `${file}: ${name}`),
  )
  assert.deepEqual(wrong, [])
})

test('a decision fits on a page and has its four parts', () => {
  const parts = ['Situation', 'Choice', 'What we gave up', 'What would change our mind']
  const decisions = pages.filter(({ file }) => /^docs\/decisions\/\d/.test(file))
  for (const [at, { file, text }] of decisions.entries()) {
    assert.deepEqual(
      [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title),
      parts,
      file,
    )
    assert.ok(text.split('\n').length <= 41, `${file} is too long`)
    assert.match(
      basename(file),
      new RegExp(`^${String(at + 1).padStart(4, '0')}-`),
      'decisions are numbered one by one',
    )
    assert.ok(text.startsWith(`# ${at + 1}. `), file)
  }
})

test('pictures of the docs are small', () => {
  const large = globSync('docs/**/*.{jpg,png,webp,gif,svg}', { cwd: root }).filter(
    file => statSync(root + file).size > 250_000,
  )
  assert.deepEqual(large, [])
})

/** Written so that they do not match themselves. */
const foreign: Record<string, RegExp> = {
  'a path of one machine': /(?<![\w.])\/(?:wor[k]|hom[e]|Use[r]s)\/\w/,
  'a package registry': /registry\.(?:np[m]js|yar[n]pkg)\.|artifactor[y]/,
  'how the work was organised':
    /\b(?:issu[e] #?\d|brie[f]\.md|see[d]\.md|contrac[t]\.md|guarantee[s]\.md|this sessio[n] of)\b/i,
}

test('the repository speaks of the product alone', () => {
  const { stdout, status } = spawnSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
  const files =
    status === 0
      ? stdout.split('\0').filter(file => file !== '')
      : globSync(['*.*', 'src/**/*.ts', 'docs/**/*.md', 'test/**/*.ts'], { cwd: root })
  const texts = files.filter(
    file => existsSync(root + file) && /\.(?:ts|tsx|mjs|md|json|sql|css|html|svg|py|yml)$|^[^.]*$|^\.\w+$/.test(file),
  )
  const found = texts.flatMap(file => {
    const text = readFileSync(root + file, 'utf8')
    return Object.entries(foreign).flatMap(([what, pattern]) => {
      const match = pattern.exec(text)
      return match ? [`${file} names ${what}: ${match[0]}`] : []
    })
  })
  assert.deepEqual(found, [])
})
