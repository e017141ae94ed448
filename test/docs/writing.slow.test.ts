// The code that docs/adapters/writing.md gives to authors of adapters is a package that is tested, installed and loaded.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import type { DestinationAdapter } from '#engine/adapter.ts'
import { withForeign } from '#engine/foreign.ts'
import { catalogue, type Fault, isProblem, Problem } from '#kit/errors.ts'
import { loadSettings } from '#kit/settings.ts'
import { cleanUp } from '../support/clean-up.ts'
import { checkpointOf, randomFile, stepFor } from '../support/delivery.ts'
import { type Receiver, startReceiver } from '../support/https-receiver.ts'
import { page, root, rowsOf } from '../support/markdown.ts'

const run = promisify(execFile)
const { blocks, text, prose } = page('docs/adapters/writing.md')
const scripts = blocks.filter(({ language }) => language === 'sh').map(({ code }) => code.trim().split('\n'))
const files = blocks
  .filter(({ language }) => language === 'js')
  .map(({ code }) => [/^\/\/ (\S+\.js)$/m.exec(code)?.[1] ?? '', code] as const)

/** Without what ties a process to the tests that started it, or npm to the project it was started in. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(NODE_TEST_CONTEXT|NODE_OPTIONS|npm_)/.test(name)),
)

describe('the package of the page', () => {
  let top: string
  let own: string
  before(async () => {
    top = await realpath(await mkdtemp(join(tmpdir(), 'keepsake-writing-')))
    own = join(top, 'photo-warm')
    await mkdir(own)
    const manifest = { name: 'photo-warm', version: '1.0.0', type: 'module', exports: './index.js' }
    await writeFile(join(own, 'package.json'), JSON.stringify(manifest))
    for (const [name, code] of files) await writeFile(join(own, name), code)
    // A checkout beside it, whose code is ours.
    await mkdir(join(top, 'keepsake'))
    await cp(join(root, 'package.json'), join(top, 'keepsake/package.json'))
    for (const name of ['src', 'test']) await symlink(join(root, name), join(top, 'keepsake', name))
  })
  after(() => rm(top, { recursive: true, force: true }))

  const shell = (line: string, cwd: string) =>
    run('sh', ['-c', line.startsWith('npm ') ? `${line} --offline --no-audit --no-fund` : line], { cwd, env })

  it('every block of code is one of its files, or a command that is run here', () => {
    assert.deepEqual(
      files.map(([name]) => name),
      ['index.js', 'faults.js', 'archive_send.js', 'index.test.js'],
    )
    assert.equal(blocks.length, files.length + scripts.length)
    assert.deepEqual(
      scripts.map(lines => lines.length),
      [2, 2],
    )
  })

  it('its tests are run with the commands that are shown, and pass', async () => {
    for (const line of scripts[0] ?? []) {
      const { stdout } = await shell(line, own)
      if (line.startsWith('node')) assert.match(stdout, /pass 2\n.*fail 0\n/)
    }
  })

  it('it is installed with the commands that are shown, and loaded from there', async () => {
    const [install = '', setting = ''] = (scripts[1] ?? []).map(line => line.replaceAll('/srv', top))
    await run('npm', ['pack', '--offline', '--pack-destination', top], { cwd: own, env })
    await shell(install, top)
    const [, name = '', value = ''] = /^export (\w+)=(\S+)$/.exec(setting) ?? []
    const settings = loadSettings({ [name]: value }, join(top, '.env'))
    assert.deepEqual([...(await withForeign(new Map(), settings.adapters, join(top, 'data'))).keys()], ['photo_warm'])
  })

  it('its problems have the faults that the table says', async () => {
    const { thrown } = await import(join(own, 'faults.js'))
    const faults = Object.entries(thrown as Record<string, () => unknown>).map(([name, make]) => {
      const problem = make()
      assert.ok(problem instanceof Problem)
      return [name, problem.fault, problem.retryAfterSeconds]
    })
    assert.deepEqual(faults, [
      ['noFace', 'input', undefined],
      ['wrongKey', 'destination', undefined],
      ['tomorrow', 'quota', 86_400],
      ['busy', 'transient', 20],
    ])
  })

  describe('its destination', () => {
    let archive: Receiver
    const places = new Map<string, Buffer | null>()
    const state = { isBroken: false }
    before(async () => {
      archive = await startReceiver({
        answer({ method, url, headers, body }, response) {
          if (headers.authorization !== 'Bearer right-key-right') return void response.writeHead(403).end('no')
          if (state.isBroken && method === 'PUT') return void response.writeHead(503).end()
          if (method === 'POST') {
            places.set('/places/7', null)
            return void response.writeHead(201).end('{"number": 7}')
          }
          if (method === 'PUT') places.set(url, body)
          response.writeHead(method === 'DELETE' && !places.delete(url) ? 404 : 204).end()
        },
      })
    })
    after(() => cleanUp(() => archive.stop()))

    const adapterOf = async (): Promise<DestinationAdapter> =>
      (await withForeign(new Map(), [join(own, 'archive.js')])).get('archive_send') as DestinationAdapter
    before(() => writeFile(join(own, 'archive.js'), `export { archiveSend as default } from './archive_send.js'`))

    it('goes on from its checkpoint, takes away what nobody goes on with, and takes back what it delivered', async () => {
      const adapter = await adapterOf()
      const file = await randomFile(top, 5000)
      const options = { url: archive.url }
      const auth = { key: 'right-key-right' }
      state.isBroken = true
      const first = stepFor(adapter, { options, auth })
      await assert.rejects(adapter.deliver(file, first), error => isProblem(error, 'destination_unreachable'))
      assert.deepEqual(checkpointOf(first), { number: 7 })
      state.isBroken = false
      const second = stepFor(adapter, { options, auth, checkpoint: checkpointOf(first) })
      assert.deepEqual(await adapter.deliver(file, second), { number: 7 })
      assert.equal(archive.received.filter(({ method }) => method === 'POST').length, 1)
      assert.equal(places.get('/places/7')?.length, 5000)
      await adapter.abandon?.(second)
      assert.equal(places.size, 0)
      await adapter.retract?.({ number: 7 }, second)
    })

    it('is refused with words of the target', async () => {
      const adapter = await adapterOf()
      const step = stepFor(adapter, { options: { url: archive.url }, auth: { key: 'wrong-key-wrong' } })
      await assert.rejects(
        adapter.deliver(await randomFile(top, 10), step),
        error => isProblem(error, 'destination_refused') && / does not allow this .* \(403\): no$/.test(error.message),
      )
    })
  })
})

it('the table of faults names every fault, and codes that have it', () => {
  const [, below = ''] = text.split('## Faults')
  const rows = rowsOf(below.split('\n## ')[0] ?? '').slice(1)
  const faults = rows.map(([fault = '']) => fault.replaceAll('`', '') as Fault)
  assert.deepEqual(faults.toSorted(), [...new Set(Object.values(catalogue).map(({ fault }) => fault))].sort())
  for (const [at, [, , codes = '']] of rows.entries())
    for (const [, code = ''] of codes.matchAll(/`(\w+_\w+)`/g))
      assert.equal(catalogue[code as keyof typeof catalogue]?.fault, faults[at], code)
})

it('every name on the page is exported, or a part of the contract', async () => {
  const kit = { ...(await import('keepsake/adapter')), ...(await import('keepsake/adapter/test')) }
  const sources = ['src/engine/adapter.ts', 'src/kit/errors.ts', 'test/contract/destination.ts']
  const contract = sources.map(file => readFileSync(root + file, 'utf8')).join('\n')
  // Of JSON Schema.
  const keywords = ['additionalProperties', 'patternProperties', 'anyOf', 'allOf', 'oneOf', 'contentMediaType']
  const named = new Set([...prose.matchAll(/(?<=`[^`\n]*)\b[a-z]+[A-Z]\w*/g)].map(([name]) => name))
  assert.ok(named.size > 25, String(named.size))
  const unknown = [...named].filter(
    name => !(name in kit) && !keywords.includes(name) && !new RegExp(`\\b${name}\\b`).test(contract),
  )
  assert.deepEqual(unknown, [])
})
