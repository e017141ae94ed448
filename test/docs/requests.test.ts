// The whole requests of docs/api.md and its upload by hand are run as they stand there, and answer what is shown.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import sharp from 'sharp'
import { cleanUp } from '../support/clean-up.ts'
import { chain, single, startKeepsake } from '../support/keepsake.ts'
import { runSteps, stepsOf } from '../support/literally.ts'
import { blocksOf, page } from '../support/markdown.ts'
import { soon, until } from '../support/until.ts'

const hasCurl = spawnSync('curl', ['--version']).error === undefined

/** Whatever is shown is in the answer; of files only the kind of value, because each has its own. */
function holds(answer: unknown, shown: unknown, path = 'the answer'): void {
  if (typeof shown !== 'object' || shown === null) {
    if (/\.(bytes|sha256)$/.test(path)) assert.equal(typeof answer, typeof shown, path)
    else assert.equal(answer, shown, path)
    return
  }
  if (Array.isArray(shown)) assert.equal((answer as unknown[]).length, shown.length, path)
  for (const [key, value] of Object.entries(shown))
    holds((answer as Record<string, unknown>)[key], value, `${path}.${key}`)
}

test('every request of the page is answered as it shows', {
  skip: hasCurl ? false : 'there is no curl here',
}, async t => {
  const keepsake = await startKeepsake({ worker: false })
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-docs-'))
  t.after(() => cleanUp(keepsake.stop, () => rmSync(folder, { recursive: true })))
  const shot = await sharp({ create: { width: 20, height: 10, channels: 3, background: '#c06020' } })
    .jpeg()
    .toBuffer()
  for (const number of [1, 2, 3, 4]) writeFileSync(join(folder, `shot-${number}.jpg`), shot)
  writeFileSync(join(folder, 'ride.mp4'), 'a ride')
  const form = new FormData()
  form.append('name', 'frame.png')
  form.append('experience_id', 'park')
  form.append('file', new Blob([new Uint8Array(shot)]))
  // A busy machine may need more than the time that a look at a file may take.
  const made = async () => (await keepsake.client.send('POST', '/api/asset/', { body: form })).status === 201
  await until('the asset is made', made)
  await keepsake.configure(single('strip', 'photo_collage', { layout: 'strip4' }))
  await keepsake.configure(single('frame', 'video_add_overlay', { overlay_file_name: 'frame.png' }))
  await keepsake.configure(single('join', 'video_join'))
  for (const name of ['portrait', 'share'])
    await keepsake.configure(single(name, 'photo_flip', { method: 'ROTATE_180' }))
  await keepsake.configure(
    chain('clip', [
      ['frame', null],
      ['join', 0],
    ]),
  )
  const [, section = ''] = page('docs/api.md').text.split('## Whole requests\n')
  const blocks = blocksOf(section.split(/^## /m)[0] ?? '')
  const requests = blocks.filter(({ language }) => language === 'sh')
  const answers = blocks.filter(({ language }) => language === 'json')
  assert.equal(requests.length, 4)
  assert.equal(answers.length, 4)
  for (const [at, { code }] of requests.entries()) {
    const shell = spawn('sh', ['-e'], {
      cwd: folder,
      env: { ...process.env, URL: keepsake.url, TOKEN: keepsake.token },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    shell.stdin.end(code)
    holds(JSON.parse(await soon('curl has answered', text(shell.stdout))), JSON.parse(answers[at]?.code ?? ''))
  }
  const [, uploads = ''] = page('docs/api.md').text.split('## Files uploaded before\n')
  const steps = stepsOf(uploads.split(/^## /m)[0] ?? '')
  assert.equal(steps.filter(({ shown }) => shown).length, 2)
  await runSteps(t, folder, { ...process.env, URL: keepsake.url, TOKEN: keepsake.token }, steps)
  const { body } = await keepsake.client.get('/api/task/?configuration=clip&limit=1')
  const input = await keepsake.client.send('GET', `/api/task/${body.items[0].task_id}/input/`)
  assert.equal(input.body, 'a ride')
})
