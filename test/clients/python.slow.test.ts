// The Python client against a running service: its own tests, and its README run as it stands there.
import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { cleanUp, killAnyway } from '../support/clean-up.ts'
import { freePort } from '../support/free-port.ts'
import { type Keepsake, startKeepsake } from '../support/keepsake.ts'
import { readPage, root } from '../support/markdown.ts'
import { until } from '../support/until.ts'

const run = promisify(execFile)
const own = join(root, 'clients/python')
/** The oldest that the package is for comes first, where the machine has it. */
const python = ['python3.9', 'python3', '/usr/bin/python3'].find(
  name => spawnSync(name, ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0,
)
const skip = python === undefined ? 'there is no python3 of version 3.9 or newer here' : false

const { blocks } = readPage('clients/python/README.md')
const example = (words: string): string =>
  blocks.find(({ language, code }) => language === 'python' && code.includes(words))?.code ?? assert.fail(words)

describe('the Python client', { skip }, () => {
  let keepsake: Keepsake
  let folder: string
  let env: Record<string, string>
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'keepsake-python-'))
    keepsake = await startKeepsake()
    cpSync(join(root, 'docs/images/guest.jpg'), join(folder, 'guest.jpg'))
    env = {
      PATH: process.env.PATH ?? '',
      PYTHONPATH: own,
      PYTHONDONTWRITEBYTECODE: '1',
      KEEPSAKE_URL: keepsake.url,
      KEEPSAKE_TOKEN: keepsake.token,
      PHOTO: join(folder, 'guest.jpg'),
    }
  })
  after(() =>
    cleanUp(
      () => keepsake?.stop(),
      () => rmSync(folder, { recursive: true, force: true }),
    ),
  )

  /** Runs an example as it stands in the README, and answers what it printed. */
  async function play(code: string): Promise<string> {
    writeFileSync(join(folder, 'example.py'), code)
    const { stdout, stderr } = await run(python ?? '', ['example.py'], { cwd: folder, env, timeout: 60_000 })
    assert.equal(stderr, '')
    return stdout
  }
  const sizeOf = async (name: string) => {
    const { width, height } = await sharp(join(folder, name)).metadata()
    return [width, height]
  }

  test('its own tests pass, and none is skipped', async () => {
    const args = ['-W', 'error', '-m', 'unittest', 'discover', '-s', 'tests', '-t', '.']
    const ran = run(python ?? '', args, { cwd: own, env, timeout: 110_000 })
    const { stderr } = await ran.catch((error: { stderr: string }) => error)
    assert.match(stderr, /\nRan [1-9]\d* tests in [\d.]+s\n\nOK\n$/)
  })

  test('the first photo of the README', async () => {
    await play(example('"configuration_name": "portrait"'))
    assert.equal(await play(example('result.save("portrait.jpg")')), 'Succeeded\n')
    assert.deepEqual(await sizeOf('portrait.jpg'), [400, 500])
  })

  test('its steps, one by one', async () => {
    assert.match(await play(example('save("small.jpg")')), /1\n$/)
    assert.deepEqual(await sizeOf('small.jpg'), [200, 250])
  })

  test('its group', async () => {
    assert.equal(await play(example('run_group')), "['portrait: Succeeded', 'turned: Succeeded']\n")
    assert.deepEqual(await sizeOf('turned.jpg'), [500, 400])
  })

  test('its upload that resumes', async () => {
    assert.match(await play(example('upload-id')), /100 %\n(?:Waiting|Running|Succeeded)\n$/)
    assert.ok(!existsSync(join(folder, 'upload-id')))
  })

  test('its receiver of callbacks', async t => {
    const { body: experience } = await keepsake.client.get('/api/experience/winter-market/')
    const port = await freePort()
    writeFileSync(join(folder, 'receiver.py'), example('ThreadingHTTPServer'))
    const server = spawn(python ?? '', ['receiver.py'], {
      cwd: folder,
      env: { ...env, PORT: String(port), WEBHOOK_SECRET: experience.webhook_secret },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
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
    await keepsake.client.patch('/api/configuration/turned/', { webhook_url: url })
    const photo = new Blob([new Uint8Array(readFileSync(join(folder, 'guest.jpg')))])
    const { body: task } = await keepsake.send('/api/task/', { configuration_name: 'turned', data: photo })
    await until('the callback is told', () => said.includes(`task ${task.task_id} Succeeded\n`))
  })
})
