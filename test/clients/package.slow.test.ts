// The npm package as others get it: packed, installed, typed, its README run as it stands there, in Node and in a browser.
import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { launch, PATIENCE_MS, skip } from '../console/browser.ts'
import { cleanUp, killAnyway } from '../support/clean-up.ts'
import { freePort } from '../support/free-port.ts'
import { type Receiver, startReceiver } from '../support/https-receiver.ts'
import { type Keepsake, startKeepsake } from '../support/keepsake.ts'
import { readPage, root } from '../support/markdown.ts'
import { until } from '../support/until.ts'

const run = promisify(execFile)
const { blocks } = readPage('client/README.md')
const examples = blocks.filter(({ language }) => language === 'js').map(({ code }) => code)
const example = (words: string): string => examples.find(code => code.includes(words)) ?? assert.fail(words)
const plainEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(NODE_TEST_CONTEXT|NODE_OPTIONS|npm_)/.test(name)),
)

let keepsake: Keepsake
let folder: string
let site: Receiver
let installed: string

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-package-'))
  installed = join(folder, 'node_modules/keepsake-client')
  site = await startReceiver({
    answer({ url }, response) {
      const file = url === '/' ? join(folder, 'index.html') : join(folder, decodeURI(url))
      if (!existsSync(file)) return void response.writeHead(404).end()
      response.setHeader('content-type', file.endsWith('.js') ? 'text/javascript' : 'text/html')
      response.end(readFileSync(file))
    },
  })
  keepsake = await startKeepsake({ settings: { corsOrigins: [site.url] } })
  cpSync(join(root, 'docs/images/guest.jpg'), join(folder, 'guest.jpg'))
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  const [install = ''] = blocks.filter(({ language }) => language === 'sh').map(({ code }) => code)
  const quiet = { npm_config_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' }
  await run('sh', ['-e', '-c', install], { cwd: folder, env: { ...plainEnv, ...quiet, CHECKOUT: root } })
})
after(() =>
  cleanUp(
    () => keepsake?.stop(),
    () => site?.stop(),
    () => rmSync(folder, { recursive: true, force: true }),
  ),
)

const sizeOf = async (name: string) => {
  const { width, height } = await sharp(join(folder, name)).metadata()
  return [width, height]
}

/** Runs an example as it stands in the README, and answers what it printed. */
async function play(code: string, node = process.execPath): Promise<string> {
  const file = join(folder, 'example.js')
  writeFileSync(file, code)
  const env = { ...plainEnv, KEEPSAKE_URL: keepsake.url, KEEPSAKE_TOKEN: keepsake.token }
  const { stdout, stderr } = await run(node, [file], { cwd: folder, env, timeout: 60_000 })
  assert.equal(stderr, '')
  return stdout
}

test('the package holds JavaScript and its types, and nothing that a browser lacks outside of its entry for Node', () => {
  assert.deepEqual(readdirSync(installed).sort(), ['LICENSE', 'README.md', 'dist', 'package.json'])
  const own = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  assert.deepEqual([own.dependencies, own.peerDependencies], [undefined, undefined])
  const files = globSync('dist/**/*', { cwd: installed })
  assert.deepEqual(
    files.filter(name => !/\.(?:js|d\.ts)$/.test(name)),
    [],
  )
  const forNode = files.filter(name =>
    /from ["']node:|\bprocess\.[a-z]/.test(readFileSync(join(installed, name), 'utf8')),
  )
  assert.deepEqual(forNode, ['dist/node.js'])
})

test('its types are found and right, in a project that knows of Node and in one that does not', async () => {
  const check = async (text: string, libs: string) => {
    writeFileSync(join(folder, 'use.ts'), text)
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', libs, '--types', '']
    return await run(process.execPath, [tsc, ...options, '--checkers', '1', 'use.ts'], { cwd: folder }).then(
      () => '',
      ({ stdout }) => String(stdout),
    )
  }
  const use = `import { Keepsake, verifyCallback, type Task } from 'keepsake-client'
const keepsake = new Keepsake({ url: 'https://a', token: 'b' })
export const status: Promise<Task['status']> = keepsake.run(new Blob(['x']), { configuration: 'c' }).then(({ task }) => task.status)
export async function first(): Promise<string> {
  for await (const task of keepsake.tasks.list({ status: 'Failed' })) return task.task_id
  const callback = await verifyCallback(new Headers(), '', 'whsec_')
  return callback.event === 'task' ? callback.body.configuration : callback.id
}
`
  assert.equal(await check(use, 'es2022,dom,dom.iterable,dom.asynciterable'), '')
  assert.equal(await check(use.replace("'keepsake-client'", "'keepsake-client/node'"), 'es2022,dom,dom.iterable'), '')
  const wrong = await check(use.replace("'Failed'", "'Broken'"), 'es2022,dom,dom.iterable,dom.asynciterable')
  assert.match(wrong, /Type '"Broken"' is not assignable/)
})

test('the first photo of the README', async () => {
  await play(example("configurations.create({\n  configuration_name: 'square'"))
  assert.equal(await play(example("runTo('souvenir.jpg'")), 'Succeeded 600\n')
  assert.deepEqual(await sizeOf('souvenir.jpg'), [600, 600])
  const node = ['/usr/bin/node', '/usr/local/bin/node'].find(existsSync)
  const [, major = '0'] = /^v(\d+)/.exec(node ? spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout : '') ?? []
  // The oldest Node that the package is for, where the machine has it.
  if (node && Number(major) >= 20) assert.equal(await play(example("runTo('souvenir.jpg'"), node), 'Succeeded 600\n')
})

test('its steps, one by one', async () => {
  const said = await play(example("saveTo('small.jpg'"))
  assert.match(said, /1\n$/)
  assert.deepEqual(await sizeOf('small.jpg'), [300, 300])
})

test('its group', async () => {
  assert.equal(await play(example('runGroupTo')), "[ 'square: Succeeded', 'mirror: Succeeded' ]\n")
  assert.deepEqual(await sizeOf('mirrored.jpg'), [600, 600])
})

test('its upload that resumes', async () => {
  const said = await play(example('upload-id'))
  assert.match(said, /100 %\n(?:Waiting|Running|Succeeded)\n$/)
  assert.ok(!existsSync(join(folder, 'upload-id')))
})

test('its receiver of callbacks', async t => {
  const { body: experience } = await keepsake.client.get('/api/experience/summer-festival/')
  const port = await freePort()
  writeFileSync(join(folder, 'receiver.js'), example('createServer'))
  const env = { ...plainEnv, PORT: String(port), WEBHOOK_SECRET: experience.webhook_secret }
  const server = spawn(process.execPath, [join(folder, 'receiver.js')], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => killAnyway(server.pid))
  let said = ''
  server.stdout.setEncoding('utf8').on('data', text => (said += text))
  const url = `http://127.0.0.1:${port}/`
  const forged = await until('the receiver answers', () =>
    fetch(url, { method: 'POST', body: '{}' }).then(
      answer => answer.status,
      () => undefined,
    ),
  )
  assert.equal(forged, 400)
  await keepsake.client.patch('/api/configuration/mirror/', { webhook_url: url })
  const photo = new Blob([new Uint8Array(readFileSync(join(folder, 'guest.jpg')))])
  const { body: task } = await keepsake.send('/api/task/', { configuration_name: 'mirror', data: photo })
  await until('the callback is told', () => said.includes(`task ${task.task_id} Succeeded\n`))
  // It tells of the callback before it answers.
  const attempt = await until('the answer is noted', async () => {
    const { body } = await keepsake.client.get(`/api/callback/?task_id=${task.task_id}`)
    return body.items[0].attempts[0]
  })
  assert.equal(attempt.status_code, 204)
})

test('its page in a browser', { skip }, async t => {
  const [page = ''] = blocks.filter(({ language }) => language === 'html').map(({ code }) => code)
  writeFileSync(join(folder, 'index.html'), `<!doctype html><meta charset="utf-8">${page}`)
  writeFileSync(join(folder, 'settings.json'), JSON.stringify({ url: keepsake.url, token: keepsake.token }))
  cpSync(join(installed, 'dist'), join(folder, 'keepsake-client'), { recursive: true })
  const browser = await launch()
  t.after(() => browser.close())
  const tab = await browser.newPage()
  tab.setDefaultTimeout(PATIENCE_MS)
  const errors: string[] = []
  tab.on('pageerror', error => errors.push(String(error)))
  await tab.goto(site.url, { waitUntil: 'networkidle' })
  await tab.setInputFiles('#photo', join(folder, 'guest.jpg'))
  // As text: the page's own words are none of this project's types.
  const width = await until('the result is shown', () => tab.evaluate("document.querySelector('#result').naturalWidth"))
  assert.deepEqual([width, errors], [600, []])
})
