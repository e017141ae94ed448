// The waits and the clean-up of the tests: each has an end, whatever fails, and a run ends with them.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Node, parse } from 'acorn'
import { cleanUp, killAnyway, startOrCleanUp } from './clean-up.ts'
import { root } from './markdown.ts'
import { processes } from './processes.ts'
import { event, said, soon, until } from './until.ts'

const never = new Promise<never>(() => {})

test('every kind of wait ends, and says what it waited for', async () => {
  const alive = setInterval(() => {}, 1_000)
  try {
    const told = (words: string) => ({ message: `waited 0.05 s in vain until ${words}` })
    await assert.rejects(
      until('it is so', () => false, 50, 5),
      told('it is so'),
    )
    // A look that hangs is bounded, too.
    await assert.rejects(
      until('it is seen', () => never, 50, 5),
      /in vain until it is seen/,
    )
    await assert.rejects(soon('it is done', never, 50), told('it is done'))
    await assert.rejects(event('it is told', new EventEmitter(), 'news', 50), told('it is told'))
    const silent = new ReadableStream<string>().getReader()
    await assert.rejects(
      said('it is read', silent, () => true, 50),
      /in vain until it is read/,
    )
  } finally {
    clearInterval(alive)
  }
})

test('clearing away takes every step, and tells what went wrong', async () => {
  const taken: number[] = []
  const fail = (step: number) => () => {
    taken.push(step)
    throw new Error(`step ${step}`)
  }
  await assert.rejects(
    cleanUp(fail(1), () => void taken.push(2)),
    { message: 'step 1' },
  )
  await assert.rejects(cleanUp(fail(3), fail(4)), AggregateError)
  assert.deepEqual(taken, [1, 2, 3, 4])
  const cleared: number[] = []
  const half = startOrCleanUp(async later => {
    later(() => cleared.push(1))
    later(() => cleared.push(2))
    throw new Error('the third did not start')
  })
  await assert.rejects(half, { message: 'the third did not start' })
  assert.deepEqual(cleared, [2, 1])
  killAnyway(2 ** 22 + 1)
  killAnyway(undefined)
})

test('a file whose tests left something open ends, as a failure, and its processes with it', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-net-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const scripts: Record<string, { script: string; why: string; limits?: object }> = {
    'left-open': {
      script: `test('passes', () => { setInterval(() => {}, 1000); console.log('child', spawn('sleep', ['300']).pid) })`,
      why: 'All tests are over, but something keeps',
    },
    'hanging-hook': {
      script: `test('passes', t => t.after(() => new Promise(() => setInterval(() => {}, 1000))))`,
      why: '4 s are over for',
      limits: { KEEPSAKE_TEST_FILE_MS: '4000' },
    },
  }
  for (const [name, { script, why, limits }] of Object.entries(scripts)) {
    const path = join(folder, `${name}.test.mjs`)
    writeFileSync(path, `import { spawn } from 'node:child_process'\nimport { test } from 'node:test'\n${script}`)
    const net = `--import=${join(root, 'test/support/safety-net.ts')}`
    const reporter = `--test-reporter=${join(root, 'test/support/reporter.ts')}`
    const run = spawn(process.execPath, [net, '--test', reporter, path], {
      env: { PATH: process.env.PATH, KEEPSAKE_TEST_AFTERWARDS_MS: '300', ...limits },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.after(() => run.kill('SIGKILL'))
    let output = ''
    run.stdout.setEncoding('utf8').on('data', text => (output += text))
    const [code] = await event(`the run of ${name} has ended`, run, 'close')
    assert.equal(code, 1, output)
    const [, failures = ''] = output.split('failing tests:')
    assert.match(failures, new RegExp(`its process ended with exit code 1; last heard: (.*\\n)*${why}`))
    const child = Number(/child (\d+)/.exec(output)?.[1])
    await until(
      'what it started has ended, too',
      () => !processes().some(({ pid, name: command }) => pid === child && command === 'sleep'),
    )
  }
})

test('no test waits by a loop or by a bare event of its own', () => {
  const waits = [
    /import \{[^}]*\bonce\b[^}]*\} from 'node:events'/,
    /(?:while \(|for \(;;|for \(const (?:limit|end|deadline)\b)[^\n]*(?:\n[^\n]*){0,6}?(?:sleep\(|setTimeout\(resolve|setImmediate\(resolve|waitForTimeout\()/,
  ]
  const wrong = globSync('test/**/*.ts', { cwd: root })
    .filter(file => file !== 'test/support/until.ts')
    .filter(file => waits.some(wait => wait.test(readFileSync(join(root, file), 'utf8'))))
  assert.deepEqual(wrong, [], 'test/support/until.ts has what they need')
})

/** Why a file that `npm test` runs does what the rule below forbids. */
const exceptions: Record<string, string> = {
  'test/http/upload.test.ts Date.now': 'knows between which times the service reckoned',
  'test/start/keepsake.ts sleep': 'children that outlive a service may hold its pipes',
  'test/support/google.ts Date.now': 'refuses a token that is over, as Google does',
  'test/support/postgres.ts Date.now': 'finds what an earlier run left',
  'test/support/until.ts Date.now': 'ends a test that would hang',
  'test/support/waits.test.ts until': 'tests the limit',
  'test/support/waits.test.ts soon': 'tests the limit',
  'test/support/waits.test.ts event': 'tests the limit',
  'test/support/waits.test.ts said': 'tests the limit',
  'test/upgrade/upgrade.test.ts Date.now': 'moves the times of old data to now',
  'test/tasks/changes.test.ts sleep': 'of 0, 1 or 2 ms',
}

test('nothing that npm test runs decides by a clock, by memory or by chance', () => {
  const found: { place: string; key: string }[] = []
  const files = new Set(globSync('test/**/*.test.ts', { cwd: root }).filter(file => !file.endsWith('.slow.test.ts')))
  for (const file of files)
    for (const node of nodesIn(file)) {
      const imported = join(file, '..', node.source?.value ?? '')
      if (/^test\/[^#]*\.ts$/.test(imported)) files.add(imported)
      // What helps tests may wait as it needs to; it measures nothing.
      const isHelp = /^test\/support\/(?!.*\.test\.ts$)/.test(file)
      const what = measures(node) ?? (isHelp ? null : waits(node))
      if (what) found.push({ place: `${file}:${node.loc?.start.line} ${what}`, key: `${file} ${what}` })
    }
  const wrong = new Set(found.filter(({ key }) => !exceptions[key]).map(({ place }) => place))
  assert.deepEqual([...wrong], [], 'assert a fact in place of it, or move the test to a .slow.test.ts')
  const needless = Object.keys(exceptions).filter(key => !found.some(each => each.key === key))
  assert.deepEqual(needless, [], 'exceptions that nobody needs')
})

// biome-ignore lint/suspicious/noExplicitAny: the kinds of nodes are many
type Tree = Node & Record<string, any>

function* nodesIn(file: string): Generator<Tree> {
  const code = stripTypeScriptTypes(readFileSync(join(root, file), 'utf8'))
  yield* nodesOf(parse(code, { ecmaVersion: 'latest', sourceType: 'module', locations: true }))
}

/** All but what is inside of a `new Date(…)`: a time as data is free. */
function* nodesOf(node: Tree): Generator<Tree> {
  if (node.type === 'NewExpression' && node.callee.name === 'Date') return
  yield node
  for (const child of Object.values(node).flat()) if (child?.type) yield* nodesOf(child)
}

const nameOf = ({ object, property, name }: Tree): string => (object ? `${object.name}.${property.name}` : name)

const hasNow = (node: Tree): boolean => [...nodesOf(node)].some(({ callee }) => callee && nameOf(callee) === 'Date.now')
const isConstant = (node: Tree): boolean =>
  [...nodesOf(node)].every(({ type, name }) => /^(Lit|Bin)|^[A-Z_]+$/.test(name ?? type))

function measures(node: Tree): string | undefined {
  if (node.type === 'BinaryExpression' && /^[<>]=?$/.test(node.operator) && hasNow(node)) return 'Date.now'
  // A time that lies so long ago may be data; what has passed since is none.
  if (node.operator === '-' && node.left && (hasNow(node.right) || (hasNow(node.left) && !isConstant(node.right))))
    return 'Date.now'
  const said =
    node.type === 'MemberExpression'
      ? nameOf(node)
      : (node.name ?? node.regex?.pattern ?? node.value?.raw ?? node.value)
  return /^performance\.now$|^(cpu|memory)Usage$|Vm(RSS|HWM)/.exec(said)?.[0]
}

/** Where the limit stands among the arguments of a wait. */
const limitAt: Record<string, number> = { until: 2, soon: 2, event: 3, said: 3 }
const MOST_MS = 50

function waits({ type, callee, arguments: given }: Tree): string | undefined {
  if (type !== 'CallExpression') return
  const name = nameOf(callee)
  const limit = given[limitAt[name] ?? given.length]
  if (limit && limit.name !== 'undefined') return name
  if (name === 'sleep' && !(given[0].value <= MOST_MS)) return name
  if (name === 'setTimeout' && given[1]?.value > MOST_MS) return name
  if (name === 'seedOf' && given.length < 2) return name
}
