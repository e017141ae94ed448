// The short commands, the set-up that has nothing to do, and the check-up of a machine.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openDatabase } from '#db/database.ts'
import { findTokenByHash } from '#db/nouns/token-rows.ts'
import { newLog } from '#kit/log.ts'
import { tokenHash } from '#kit/secret/secrets.ts'
import { commands } from '../../src/commands/commands.ts'
import { emptyDatabase } from '../support/postgres.ts'
import { startCommandHost } from './command-host.ts'
import { isRoot, root, start, testFolder } from './keepsake.ts'

const host = startCommandHost()
after(() => host.stop())

test('help and version answer without any setting being right', async t => {
  const data = join(testFolder(t), 'data')
  const help = start(t, { data, args: ['--help'], env: { PORT: 'x' } })
  assert.equal(await help.exit(), 0)
  assert.match(help.said(), /doctor +what this machine has and lacks/)
  const version = start(t, { data, args: ['version'], env: { PORT: 'x' } })
  assert.equal(await version.exit(), 0)
  assert.match(version.said(), /^\d+\.\d+\.\d+\n$/)
})

for (const [args, says] of [
  [
    ['fly'],
    `keepsake: There is no command "fly"; there are ${Object.keys(commands).join(', ')}
`,
  ],
  [['--fast'], `keepsake: There is no command "--fast"; there are ${Object.keys(commands).join(', ')}\n`],
  [['token'], 'keepsake: --name must say what the token is for\n'],
  [['apply'], 'keepsake: apply needs a file, for example keepsake apply event.yaml\n'],
  [['apply', 'nowhere.json'], 'keepsake: nowhere.json cannot be read\n'],
  [
    ['run', 'photo'],
    'keepsake: run needs files and a configuration, for example keepsake run *.jpg -c "guest photo" --wait\n',
  ],
  [
    ['run', 'photo', '--local'],
    'keepsake: run needs files and a configuration, for example keepsake run *.jpg -c "guest photo" --local\n',
  ],
  [
    ['run', 'a.jpg', '-c', 'photo', '--extras', '[]'],
    'keepsake: --extras must be a JSON object, for example \'{"guest": "Ada"}\'\n',
  ],
  [
    ['token', '--name', 'x', '--scope', 'god'],
    'keepsake: --scope must be one of read, tasks, write, admin, not "god"\n',
  ],
  [
    ['token', '--name', 'x', '--limit', 'streams'],
    'keepsake: --limit must be NAME=NUMBER with one of requests_per_minute, waiting_tasks, upload_bytes_per_day, streams\n',
  ],
  [
    ['token', '--name', 'x', '--limit', 'streams=0'],
    'keepsake: --limit streams must be a whole number from 1 to 10000, not 0\n',
  ],
] as const) {
  test(`keepsake ${args.join(' ')} is refused in one line`, async t => {
    const folder = testFolder(t)
    const { code, out, err } = await host.run({ url: '', token: '' }, folder, [...args], {
      KEEPSAKE_DATA: join(folder, 'data'),
    })
    assert.equal(code, 2)
    assert.equal(out + err, says)
  })
}

test('so it is by a process of its own', async t => {
  const run = start(t, { data: join(testFolder(t), 'data'), args: ['token'] })
  assert.equal(await run.exit(), 2)
  assert.equal(run.said(), 'keepsake: --name must say what the token is for\n')
})

test('a token made on the command line is valid, and migrations run first', async t => {
  const { url } = await emptyDatabase(t)
  const run = start(t, {
    data: join(testFolder(t), 'data'),
    env: { DATABASE_URL: url },
    args: [
      'token',
      '--name',
      'photo booth',
      '--scope',
      'tasks',
      '--experience',
      'gala',
      '--expires',
      '2999-01-01T00:00:00Z',
      '--limit',
      'waiting_tasks=50',
      '--limit',
      'streams=2',
    ],
  })
  assert.equal(await run.exit(), 0, run.said())
  const token = run.said().trim()
  assert.match(token, /^ks_/)
  const { db, close } = openDatabase(url, newLog('silent', 'test'), { max: 1 })
  try {
    const row = await findTokenByHash(db, tokenHash(token))
    assert.deepEqual([row?.name, row?.scopes, row?.experiences], ['photo booth', ['tasks'], ['gala']])
    assert.deepEqual(row?.limits, { waiting_tasks: 50, streams: 2 })
  } finally {
    await close()
  }
})

test('the doctor finds this machine fit, and names a setting that is not', async t => {
  const folder = testFolder(t)
  const fine = start(t, { data: join(folder, 'data'), args: ['doctor'] })
  assert.equal(await fine.exit(), 0, fine.said())
  for (const what of ['Node', 'machine', 'settings', 'data folder', 'disk', 'database', 'files', 'ffmpeg', 'pictures'])
    assert.match(fine.said(), new RegExp(`^(ok|warn) +${what} `, 'm'))
  const ill = start(t, { data: join(folder, 'data'), env: { KEEPSAKE_CONCURRENCY: 'all of them' }, args: ['doctor'] })
  assert.equal(await ill.exit(), 1)
  assert.match(ill.said(), /^fail +settings +KEEPSAKE_CONCURRENCY must be/m)
})

test('without ffmpeg the doctor warns', async t => {
  const run = start(t, { data: join(testFolder(t), 'data'), env: { FFMPEG_PATH: '/nowhere/ffmpeg' }, args: ['doctor'] })
  assert.equal(await run.exit(), 0, run.said())
  assert.match(run.said(), /^warn +ffmpeg +not found/m)
})

test('without an answer of ffmpeg the doctor says so, and waits for none', async t => {
  const folder = testFolder(t)
  const env = { FFMPEG_PATH: join(folder, 'ffmpeg') }
  writeFileSync(env.FFMPEG_PATH, '#!/bin/sh\nkill -9 $$\n', { mode: 0o755 })
  const run = start(t, { data: join(folder, 'data'), env, args: ['doctor'] })
  assert.equal(await run.exit(), 0, run.said())
  assert.match(run.said(), /^warn +ffmpeg +ffmpeg was ended by signal 9: not known yet; the service asks again/m)
})

test('a second set-up has nothing to do and says nothing', () => {
  const again = () => spawnSync(process.execPath, [join(root, 'scripts/setup.mjs')], { cwd: root, encoding: 'utf8' })
  assert.equal(again().status, 0)
  const { status, stdout, stderr } = again()
  assert.deepEqual([status, stdout, stderr], [0, '', ''])
})

/** As an ordinary user, for whom nothing is installed, with no program in sight. */
function setUp(t: Parameters<typeof testFolder>[0], mode: string): { status: number | null; said: string } {
  const empty = join(testFolder(t), 'empty')
  mkdirSync(empty)
  const user = isRoot ? { uid: 65534, gid: 65534 } : {}
  const run = spawnSync(process.execPath, [join(root, 'scripts/setup.mjs'), mode], {
    ...user,
    cwd: '/',
    env: { PATH: empty },
    encoding: 'utf8',
  })
  return { status: run.status, said: run.stderr }
}

test('a start and the tests go on without ffmpeg, and say in one line what that means', {
  skip: process.platform !== 'linux' && 'Linux only',
}, t => {
  const forStart = setUp(t, 'start')
  assert.equal(forStart.status, 0, forStart.said)
  assert.match(
    forStart.said,
    /^\[setup\] warning: ffmpeg is missing, so the video adapters are off\. Install with: sudo apt-get install [^\n]*ffmpeg[^\n]*\n$/,
  )
  const forTests = setUp(t, 'test')
  assert.equal(forTests.status, 0, forTests.said)
  assert.match(
    forTests.said,
    /^\[setup\] without ffmpeg,[^\n]* the tests that need them are skipped\. Install with: sudo apt-get install ffmpeg[^\n]*\n$/,
  )
})
