// The README's first minute, as it stands there: its commands are run, and what it shows is what comes out.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { cleanUp } from '../support/clean-up.ts'
import { startKeepsake } from '../support/keepsake.ts'
import { event } from '../support/until.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const readme = readFileSync(`${root}README.md`, 'utf8')
const hasCurl = spawnSync('curl', ['--version']).error === undefined

/** The commands that a newcomer types into the second terminal. */
const commands = [...readme.matchAll(/```sh\n([\s\S]+?)```/g)].map(([, text = '']) => text)

test('the commands of the README make the picture that it shows', {
  skip: hasCurl ? false : 'there is no curl here',
}, async t => {
  const keepsake = await startKeepsake()
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-readme-'))
  t.after(() => cleanUp(keepsake.stop, () => rmSync(folder, { recursive: true })))
  await mkdir(join(folder, 'data'))
  writeFileSync(join(folder, 'data/admin-token'), `${keepsake.token}\n`)
  symlinkSync(`${root}docs`, join(folder, 'docs'))
  const script = commands.join('\n').replace('URL=http://127.0.0.1:8080', `URL=${keepsake.url}`)
  const shell = spawn('sh', ['-e', '-c', script], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  shell.stdout.setEncoding('utf8').on('data', text => (said += text))
  t.after(() => shell.kill('SIGKILL'))
  await event('the commands are through', shell, 'close')
  assert.match(said, /^\{"configuration_name":"polaroid"/)
  assert.match(said, /event: end\nid: \d+\ndata: \{"status":"Succeeded"\}\n\n$/)
  const pixels = (file: string) => sharp(file).resize(300, 360).raw().toBuffer({ resolveWithObject: true })
  const [made, shown] = await Promise.all([
    pixels(join(folder, 'souvenir.jpg')),
    pixels(`${root}docs/images/souvenir.jpg`),
  ])
  assert.deepEqual(made.info, shown.info)
  // The QR code holds the id of the task, so that corner differs.
  const different = made.data.reduce(
    (sum, value, at) => sum + (Math.abs(value - (shown.data[at] ?? 0)) > 32 ? 1 : 0),
    0,
  )
  assert.ok(different / made.data.length < 0.03, `${different} of ${made.data.length} samples differ`)
})
