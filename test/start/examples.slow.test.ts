// The examples, each by its one command against a running service.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import sharp from 'sharp'
import { killAnyway } from '../support/clean-up.ts'
import { statusOf } from '../support/client.ts'
import { type Keepsake, startKeepsake } from '../support/keepsake.ts'
import { event } from '../support/until.ts'
import { root, testFolder } from './keepsake.ts'

let keepsake: Keepsake

/** A checkout of links, whose examples are copies that may write beside themselves. */
function checkout(t: TestContext): string {
  const folder = testFolder(t)
  for (const name of readdirSync(root))
    if (!['data', 'examples', '.git'].includes(name)) symlinkSync(join(root, name), join(folder, name))
  mkdirSync(join(folder, 'examples'))
  cpSync(join(root, 'examples'), join(folder, 'examples'), {
    recursive: true,
    filter: source => !/[\\/](made|node_modules)$/.test(source),
  })
  return folder
}

async function run(
  folder: string,
  command: string[],
  env: Record<string, string> = {},
): Promise<{ code: unknown; said: string }> {
  const child = spawn(command[0] ?? '', command.slice(1), {
    cwd: folder,
    env: { ...process.env, HOME: folder, KEEPSAKE_URL: keepsake.url, KEEPSAKE_TOKEN: keepsake.token, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', text => (said += text))
  const [code] = await event('the example is through', child, 'close')
  return { code, said }
}

describe('the examples', () => {
  before(async () => {
    keepsake = await startKeepsake()
  })
  after(() => keepsake.stop())

  test('strip of four', async t => {
    const folder = checkout(t)
    const { code, said } = await run(folder, ['sh', 'examples/strip-of-four/run.sh'])
    assert.equal(code, 0, said)
    const { width, height } = await sharp(
      join(folder, 'examples/strip-of-four/made/guest example-strip.jpg'),
    ).metadata()
    assert.deepEqual([width, height], [600, 1800])
  })

  test('group with an override', async t => {
    const folder = checkout(t)
    const { code, said } = await run(folder, ['sh', 'examples/group-with-override/run.sh'])
    assert.equal(code, 0, said)
    const made = readdirSync(join(folder, 'examples/group-with-override/made'))
    assert.deepEqual(made.map(name => name.replace(/^\S+ /, '')).sort(), [
      'example-badge-of-today.jpg',
      'example-card.jpg',
      'example-portrait.jpg',
    ])
  })

  const noFfmpeg = spawnSync('ffmpeg', ['-version']).error ? 'there is no ffmpeg here' : false
  test('ride video', { skip: noFfmpeg }, async t => {
    const folder = checkout(t)
    const { code, said } = await run(folder, ['sh', 'examples/ride-video/run.sh'])
    assert.equal(code, 0, said)
    assert.ok(readdirSync(join(folder, 'examples/ride-video/made')).includes('ride example-ride.mp4'))
  })

  test('stadium clip to YouTube: what is missing is said before anything is sent', async t => {
    const folder = checkout(t)
    const command = ['sh', 'examples/stadium-to-youtube/run.sh', 'docs/images/guest.jpg', 'A "goal"']
    const unset = await run(folder, command)
    assert.deepEqual([unset.code, /needs YOUTUBE_CLIENT_ID, which is not set/.test(unset.said)], [2, true], unset.said)
    const secrets = { YOUTUBE_CLIENT_ID: 'a', YOUTUBE_CLIENT_SECRET: 'b', YOUTUBE_REFRESH_TOKEN: 'c' }
    const refused = await run(folder, command, secrets)
    assert.equal(refused.code, 1, refused.said)
    assert.match(refused.said, /made +configuration +example-stadium\n/)
    assert.match(refused.said, /^fail {2}example-stadium/m)
  })

  test('photo booth: the page, a picture that is sent twice and made once', async t => {
    const folder = checkout(t)
    const booth = spawn(process.execPath, ['examples/photo-booth/serve.mjs'], {
      cwd: folder,
      env: { ...process.env, KEEPSAKE_URL: keepsake.url, KEEPSAKE_TOKEN: keepsake.token, BOOTH_PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.after(() => killAnyway(booth.pid))
    const [line] = await event('the booth says where it is', booth.stdout, 'data')
    const url = /http:\S+/.exec(String(line))?.[0] ?? ''
    assert.match(await (await fetch(url)).text(), /<title>Photo booth<\/title>/)
    const picture = await sharp({ create: { width: 300, height: 300, channels: 3, background: '#2a9d8f' } })
      .jpeg()
      .toBuffer()
    const send = async () => {
      const answer = await fetch(`${url}/photo?name=Mia&code=`, {
        method: 'POST',
        body: new Blob([new Uint8Array(picture)]),
        headers: { 'idempotency-key': 'one-picture' },
      })
      return (await answer.json()) as { task_id: string }
    }
    const first = await send()
    assert.deepEqual(await send(), first)
    await keepsake.ended(`/api/task/${first.task_id}/`)
    const made = await fetch(`${url}/photo/${first.task_id}/picture`)
    assert.deepEqual([made.status, (await sharp(Buffer.from(await made.arrayBuffer())).metadata()).width], [200, 1200])
    assert.equal(await statusOf(`${url}/../package.json`), 404)
  })
})
