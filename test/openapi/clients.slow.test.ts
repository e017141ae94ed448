// Clients that three generators make of the document, as docs/clients.md shows: they compile with strict types and run tasks.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { cleanUp } from '../support/clean-up.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { page, root } from '../support/markdown.ts'
import { toolsFolder } from './tools.ts'

const run = promisify(execFile)
const RUN_MS = 300_000
const own = (path: string) => join(toolsFolder, 'node_modules', path)

let keepsake: Keepsake
let folder: string

/** What a wrong type would let through, and what a right one must take. */
const CHECKS = `
import type { components, webhooks } from './schema'
import type * as Hey from './hey-api'
import type * as Orval from './orval'
type Types = components['schemas']
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
export const files: [
  Same<NonNullable<Types['TaskParts']['data']>, Blob | File>,
  Same<NonNullable<Hey.TaskParts['data']>, Blob | File>,
  Same<NonNullable<Orval.TaskParts['data']>, Blob | File>,
] = [true, true, true]
const named = { configuration_name: 'a', experience_id: 'b' }
const flip = { ...named, adapter_name: 'photo_flip', adapter_config: { defaults: { method: 'ROTATE_180' } } } as const
export const right: [Types['ConfigurationInput'], Hey.ConfigurationInput, Orval.ConfigurationInput] = [flip, flip, flip]
const bent = { ...named, adapter_name: 'photo_flip', adapter_config: { defaults: { method: 'SIDEWAYS' } } } as const
// @ts-expect-error there is no such method
export const wrong1: Types['ConfigurationInput'] = bent
// @ts-expect-error there is no such method
export const wrong2: Hey.ConfigurationInput = bent
// @ts-expect-error there is no such method
export const wrong3: Orval.ConfigurationInput = bent
const chain = { ...named, call_chain: [['a', null], ['b', 0]] as [string, number | null][] }
export const chains: [Types['ConfigurationInput'], Hey.ConfigurationInput, Orval.ConfigurationInput] = [chain, chain, chain]
export const posted = (body: webhooks['task']['post']['requestBody']): unknown => body
export const url = (result: Types['S3UploadResult'] & Hey.S3UploadResult & Orval.S3UploadResult): string => result.url
`

before(async () => {
  await mkdir(toolsFolder, { recursive: true })
  folder = await mkdtemp(join(toolsFolder, 'clients-'))
  keepsake = await startKeepsake()
  await keepsake.configure(single('flip the photo', 'photo_flip', { method: 'ROTATE_180' }))
  await keepsake.configure(single('add the frame', 'photo_resize', { width: 40 }))
  const picture = sharp({ create: { width: 64, height: 48, channels: 3, background: '#a1c' } })
  await writeFile(join(folder, 'photo.jpg'), await picture.jpeg().toBuffer())
  for (const { code } of page('docs/clients.md').blocks) {
    const [, name] = /^\/\/ ([\w.-]+)\n/.exec(code) ?? assert.fail(`a block without a file name: ${code.slice(0, 40)}`)
    await writeFile(join(folder, name as string), code)
  }
  await writeFile(join(folder, 'checks.ts'), CHECKS)
  await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }')
  const compilerOptions = {
    strict: true,
    target: 'es2023',
    module: 'commonjs',
    moduleResolution: 'bundler',
    lib: ['es2024', 'dom', 'dom.iterable'],
    rewriteRelativeImportExtensions: true,
    rootDir: '.',
    outDir: 'out',
    typeRoots: [join(root, 'node_modules/@types')],
    types: ['node'],
    skipLibCheck: true,
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts', 'hey-api'] }))
})
after(() =>
  cleanUp(
    () => keepsake?.stop(),
    () => rm(folder, { recursive: true, force: true }),
  ),
)

async function node(...args: string[]): Promise<string> {
  const env = { PATH: process.env.PATH, KEEPSAKE: keepsake.url, TOKEN: keepsake.token, NO_COLOR: '1' }
  const ended = run(process.execPath, args, { cwd: folder, env, timeout: RUN_MS, maxBuffer: 10_000_000 })
  const { stdout } = await ended.catch(error => assert.fail(`${args.join(' ')}\n${error.stdout}\n${error.stderr}`))
  return stdout
}

test('the generators take the document, and the compiler takes what they make', async () => {
  await Promise.all([
    node('generate-types.mjs'),
    node(own('@hey-api/openapi-ts/bin/run.js'), '--file', 'openapi-ts.config.mjs'),
    node(own('orval/dist/bin/orval.mjs'), '--config', 'orval.config.mjs'),
  ])
  await node(join(root, 'node_modules/typescript/bin/tsc'), '--project', '.', '--checkers', '1')
})

for (const script of ['with-openapi-fetch', 'with-hey-api', 'with-orval'])
  test(`${script} runs a task and a task group`, async () => {
    const [task = '', group = ''] = (await node(`out/${script}.js`)).trim().split(' ')
    assert.equal((await keepsake.ended(`/api/task/${task}/`)).status, 'Succeeded')
    const ended = await keepsake.ended(`/api/taskgroup/${group}/`)
    assert.equal(ended.status, 'Succeeded')
    assert.equal(ended.tasks[1].entries[0].output.width, 40)
  })
