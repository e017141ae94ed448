// /docs: the lines for curl work as they stand there.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import sharp from 'sharp'
import { cleanUp } from '../support/clean-up.ts'
import { type Keepsake, startKeepsake } from '../support/keepsake.ts'
import { soon } from '../support/until.ts'

let keepsake: Keepsake
let folder: string
let page: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keepsake-curl-'))
  const picture = sharp({ create: { width: 64, height: 48, channels: 3, background: '#a1c' } })
  await writeFile(join(folder, 'photo.jpg'), await picture.clone().jpeg().toBuffer())
  await writeFile(join(folder, 'frame.png'), await picture.clone().png().toBuffer())
  keepsake = await startKeepsake()
  page = (await keepsake.client.get('/docs/reference/')).body
})
after(() =>
  cleanUp(
    () => keepsake?.stop(),
    () => rm(folder, { recursive: true, force: true }),
  ),
)

/** The line of an operation as a reader copies it. */
function lineOf(operationId: string): string {
  const [, article = ''] = page.split(`<article id="${operationId}">`)
  const line = /<pre>([\s\S]*?)<\/pre>/.exec(article)?.[1] ?? assert.fail(`${operationId} has no example`)
  return line.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
}

// biome-ignore lint/suspicious/noExplicitAny: read as it comes
async function copied(operationId: string): Promise<{ status: number; body: any }> {
  const curl = spawn('sh', ['-c', `${lineOf(operationId)} -sS -w '\n%{http_code}'`], {
    cwd: folder,
    env: { PATH: process.env.PATH, KEEPSAKE: keepsake.url, TOKEN: keepsake.token },
  })
  const [out, said] = await soon(`${operationId} is answered`, Promise.all([text(curl.stdout), text(curl.stderr)]))
  assert.equal(said, '')
  const [, body = '', status = ''] = /^([\s\S]*)\n(\d{3})$/.exec(out) ?? []
  return { status: Number(status), body: JSON.parse(body) }
}

test('what makes a configuration, an asset, a task and a task group can be copied', async () => {
  const made = await copied('createConfiguration')
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const asset = await copied('createAsset')
  assert.equal(asset.status, 201, JSON.stringify(asset.body))
  assert.equal(asset.body.mime, 'image/png')
  await keepsake.configure({
    configuration_name: 'add the frame',
    experience_id: made.body.experience_id,
    adapter_name: 'photo_add_overlay',
    adapter_config: { auth: {}, defaults: { overlay_file_name: asset.body.name } },
  })
  for (const [operationId, path] of [
    ['createTask', 'task'],
    ['createTaskGroup', 'taskgroup'],
  ] as const) {
    const { status, body } = await copied(operationId)
    assert.equal(status, 202, JSON.stringify(body))
    const ended = await keepsake.ended(`/api/${path}/${body.task_id}/`)
    assert.equal(ended.status, 'Succeeded', JSON.stringify(ended))
  }
})

test('what makes a profile and a token can be copied too', async () => {
  for (const operationId of ['createProfile', 'createToken']) {
    const { status, body } = await copied(operationId)
    assert.equal(status, 201, JSON.stringify(body))
  }
})

test('the webhooks stand there with their fields and headers', () => {
  const section = page.split('<section id="webhooks">')[1] ?? ''
  for (const word of [
    'webhook task',
    'webhook taskgroup',
    'webhook check',
    'webhook-signature (header)',
    'keepsake-event',
  ])
    assert.ok(section.includes(word), word)
})
