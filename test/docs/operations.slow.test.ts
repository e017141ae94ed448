// The commands of docs/operations.md, run in order: roles on one database, readiness, a folder of pictures, the doctor.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import sharp from 'sharp'
import { newToken } from '#kit/secret/secrets.ts'
import { cleanUp, killAnyway } from '../support/clean-up.ts'
import { freePort } from '../support/free-port.ts'
import { single } from '../support/keepsake.ts'
import { runSteps, type Step, stepsOf } from '../support/literally.ts'
import { page, root } from '../support/markdown.ts'
import { testDatabase } from '../support/postgres.ts'
import { workingIn } from '../support/processes.ts'
import { until } from '../support/until.ts'

test('every command of the page does what it says', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-operations-'))
  const left = () => workingIn(folder)
  const database = await testDatabase()
  t.after(() =>
    cleanUp(
      () => left().forEach(pid => void killAnyway(pid, 'SIGTERM')),
      () =>
        until('all has stopped', () => left().length === 0, 30_000).catch(() =>
          left().forEach(pid => void killAnyway(pid)),
        ),
      database.drop,
      () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
    ),
  )
  for (const name of readdirSync(root))
    if (!['data', '.env', '.git'].includes(name)) symlinkSync(root + name, join(folder, name))
  mkdirSync(join(folder, 'party'))
  for (const name of ['mia.jpg', 'noah.jpg']) cpSync(`${root}docs/images/guest.jpg`, join(folder, 'party', name))

  const port = await freePort()
  const token = newToken()
  /** What the reader has to fill in, with what is here in its place. */
  const own: [string, string][] = [
    ['postgres://keepsake:…@db.example/keepsake', database.url],
    ['postgres://keepsake:…@pooler.example:6432/keepsake', database.url],
    ['postgres://keepsake:…@db.example:5432/keepsake', database.url],
    ["'s3://keepsake/files?region=eu-central-1'", `file:${join(folder, 'blobs')}`],
    ['KEEPSAKE_SECRET_KEY=…', `KEEPSAKE_SECRET_KEY=${randomBytes(32).toString('base64')}`],
    ['KEEPSAKE_ADMIN_TOKEN=…', `KEEPSAKE_ADMIN_TOKEN=${token}`],
    ['http://127.0.0.1:8080', `http://127.0.0.1:${port}`],
  ]
  const steps = stepsOf(page('docs/operations.md').text).map((step, at) => ({
    ...step,
    // What the page starts on a machine of its own has a data folder of its own.
    code: (step.kind === 'background' ? `export KEEPSAKE_DATA=machine-${at}\n` : '') + filledIn(step.code, own),
  }))
  assert.ok(own.every(([placeholder]) => page('docs/operations.md').text.includes(placeholder)))
  assert.deepEqual(
    steps.map(({ code }) => code).filter(code => code.includes('…')),
    [],
  )
  const isReady = steps.findIndex(({ code }) => code.includes('readyz'))
  steps.splice(isReady + 1, 0, makeConfiguration(`http://127.0.0.1:${port}`, token))
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, LANG: 'C.UTF-8', PORT: String(port), NODE_COMPILE_CACHE: join(root, '.cache/compile') }
  await runSteps(t, folder, env, steps)

  const made = readdirSync(join(folder, 'made')).sort()
  assert.equal(made.length, 2, String(made))
  for (const name of made) assert.equal((await sharp(join(folder, 'made', name)).metadata()).width, 300)
  for (const [at, { kind }] of steps.entries())
    if (kind === 'background')
      assert.match(readFileSync(join(folder, `background-${at}.log`), 'utf8'), /ready|working/i)
})

const filledIn = (code: string, own: [string, string][]): string =>
  own.reduce((text, [placeholder, value]) => text.replaceAll(placeholder, value), code)

/** The page speaks of a configuration that its reader has. */
const makeConfiguration = (url: string, token: string): Step => ({
  kind: 'command',
  code: `curl -sf ${url}/api/configuration/ -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '${JSON.stringify(
    single('guest photo', 'photo_resize', { width: 600 }),
  )}'\n`,
})
