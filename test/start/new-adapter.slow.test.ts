// `npm run new:adapter NAME` in a copy of the project: what it makes is whole, and passes everything that is held of adapters.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { root } from './keepsake.ts'

const run = promisify(execFile)

/** Without what ties a process to the tests that started it. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(NODE_TEST_CONTEXT|NODE_OPTIONS|npm_)/.test(name)),
)

interface Ran {
  code: number
  said: string
}

const parts = [
  ...['src', 'test', 'docs', 'scripts', 'deploy', 'bench', 'examples', 'migrations', 'console', 'client', 'clients'],
  ...[
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'biome.json',
    'README.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'LICENSE',
  ],
]
const made = { photo: 'photo_border', video: 'video_echo', sound: 'audio_hush', destination: 'crate_upload' }

describe('a new adapter', () => {
  let project: string

  before(() => {
    project = mkdtempSync(join(tmpdir(), 'keepsake-new-'))
    const skip = new Set(['node_modules', 'dist', 'upgrade'])
    for (const name of parts)
      cpSync(join(root, name), join(project, name), { recursive: true, filter: path => !skip.has(basename(path)) })
    symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'))
  })
  after(() => rmSync(project, { recursive: true, force: true }))

  async function ran(...args: string[]): Promise<Ran> {
    try {
      const { stdout, stderr } = await run(process.execPath, args, { cwd: project, env, maxBuffer: 2 ** 26 })
      return { code: 0, said: stdout + stderr }
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
      return { code, said: stdout + stderr }
    }
  }

  /** All that is written there, as one digest. */
  function state(): string {
    const files = globSync(['{src,test,docs,scripts}/**/*', '*.*'], { cwd: project }).sort()
    const hash = createHash('sha256')
    for (const file of files.filter(each => statSync(join(project, each)).isFile()))
      hash.update(file).update(readFileSync(join(project, file)))
    return hash.digest('hex')
  }

  it('is refused with a sentence where its name is none, or is taken, and nothing is written', async () => {
    const before = state()
    const cases: [string[], RegExp][] = [
      [[], /^npm run new:adapter NAME/],
      [['Photo_Border'], /^"Photo_Border" cannot be the name of an adapter\.\n/],
      [['border'], /^"border" cannot be/],
      [['../photo_x'], /^"\.\.\/photo_x" cannot be/],
      [[`photo_${'x'.repeat(60)}`], /cannot be the name/],
      [['photo_flip'], /^There is an adapter "photo_flip" already: src\/adapters\/transformers\/photo_flip\.ts\.$/m],
      [['s3_upload'], /^There is an adapter "s3_upload" already/],
    ]
    for (const [args, words] of cases) {
      const { code, said } = await ran('scripts/new-adapter.ts', ...args)
      assert.deepEqual([code, words.test(said)], [1, true], said)
    }
    assert.equal(state(), before)
  })

  it('is made with one command, whatever its form', async () => {
    for (const name of Object.values(made)) {
      const { code, said } = await ran('scripts/new-adapter.ts', name)
      assert.equal(code, 0, said)
      assert.match(said, new RegExp(`^Made ${name}:`))
    }
  })

  it('is not written by halves where a file is not as it should be', async () => {
    const file = join(project, 'test/support/picture-cases.ts')
    const cases = readFileSync(file)
    writeFileSync(file, '')
    const before = state()
    const { code, said } = await ran('scripts/new-adapter.ts', 'photo_late')
    assert.deepEqual([code, state()], [1, before])
    assert.match(said, /^test\/support\/picture-cases\.ts has no line /)
    writeFileSync(file, cases)
  })

  /** What is there now and was not, or was other. */
  function written(): string[] {
    const files = globSync('{src,test,scripts}/**/*', { cwd: project }).filter(file =>
      statSync(join(project, file)).isFile(),
    )
    const isAsBefore = (file: string): boolean =>
      existsSync(join(root, file)) && readFileSync(join(root, file)).equals(readFileSync(join(project, file)))
    return files.filter(file => !isAsBefore(file))
  }

  it('has the style and the types of the house', async () => {
    const files = written()
    for (const name of Object.values(made))
      for (const kind of ['src/adapters', 'test/adapters'])
        assert.ok(
          files.some(file => file.startsWith(kind) && basename(file).startsWith(`${name}.`)),
          `${name} in ${kind}`,
        )
    const style = await ran('node_modules/@biomejs/biome/bin/biome', 'check', ...files)
    assert.equal(style.code, 0, style.said)
    // More than one checker do much of the work more than once.
    const types = await ran('node_modules/typescript/bin/tsc', '--noEmit', '--checkers', '1')
    assert.equal(types.code, 0, types.said)
  })

  it('passes its own tests, its contract, and what holds for all adapters and their pages', async () => {
    const own = Object.values(made).map(name => globSync(`test/adapters/*/${name}.test.ts`, { cwd: project })[0] ?? '')
    const all = ['adapters/complete', 'architecture', 'docs', 'docs-made', 'docs/failures'].map(
      name => `test/${name}.test.ts`,
    )
    const tests = await ran('--test', '--test-reporter=tap', ...own, ...all)
    assert.equal(tests.code, 0, tests.said)
    const contract = await ran(
      '--test',
      '--test-reporter=tap',
      `--test-name-pattern=${made.photo}`,
      'test/contract/image-adapters.test.ts',
    )
    assert.match(contract.said, /^# pass 2\n# fail 0$/m)
  })
})
