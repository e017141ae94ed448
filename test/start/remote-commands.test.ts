// The command line against a running service, as somebody with a URL and a token uses it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import sharp from 'sharp'
import { newSigningKey, signerOf } from '#kit/secret/signed-receipt.ts'
import { cleanUp } from '../support/clean-up.ts'
import { type Keepsake, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { event } from '../support/until.ts'
import { type CommandHost, startCommandHost } from './command-host.ts'
import { root, testFolder } from './keepsake.ts'
import { type Ran, runCommand } from './remote-command.ts'

let keepsake: Keepsake
let host: CommandHost

const keepsakeIn = (folder: string, args: string[], env?: Record<string, string>, input?: string): Promise<Ran> =>
  runCommand(keepsake, folder, args, env, input)

/** For a command that another case here runs in a process of its own. */
const inHost = (folder: string, args: string[], env?: Record<string, string>): Promise<Ran> =>
  host.run(keepsake, folder, args, env)

async function folderWithPhotos(t: TestContext): Promise<string> {
  const folder = testFolder(t)
  const photo = await png(pattern(64, 48, 3))
  for (const name of ['one.png', 'two.png']) writeFileSync(join(folder, name), photo)
  writeFileSync(join(folder, 'broken.png'), 'this is no picture')
  return folder
}

describe('the command line of a server', () => {
  before(async () => {
    host = startCommandHost()
    keepsake = await startKeepsake()
    await keepsake.configure({
      configuration_name: 'small photo',
      experience_id: 'park',
      adapter_name: 'photo_resize',
      adapter_config: { auth: {}, defaults: { width: 20, height: 15 } },
    })
  })
  after(() =>
    cleanUp(
      () => host.stop(),
      () => keepsake.stop(),
    ),
  )

  test('login keeps server and token for its owner alone, and the token goes nowhere else', async t => {
    const folder = testFolder(t)
    const none = { KEEPSAKE_URL: '', KEEPSAKE_TOKEN: '' }
    const unnamed = await inHost(folder, ['get', 'tasks'], none)
    assert.deepEqual([unnamed.code, unnamed.err.includes('keepsake login URL')], [2, true])
    const wrong = await keepsakeIn(folder, ['login', keepsake.url], none, 'ks_wrong\n')
    assert.equal(wrong.code, 4)
    const signed = await keepsakeIn(folder, ['login', keepsake.url], none, `${keepsake.token}\n`)
    assert.equal(signed.code, 0, signed.err)
    const file = join(folder, '.config/keepsake/login.json')
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.ok(!signed.err.includes(keepsake.token) && !signed.out.includes(keepsake.token))
    const listed = await keepsakeIn(folder, ['get', 'configurations'], none)
    assert.match(listed.out, /^CONFIGURATION_NAME +EXPERIENCE_ID +DOES +UPDATED_AT\nsmall photo +park +photo_resize/)
    const elsewhere = await inHost(folder, ['get', 'tasks', '--url', 'http://127.0.0.1:9'], none)
    assert.deepEqual([elsewhere.code, elsewhere.err.includes('There is no token for http://127.0.0.1:9')], [2, true])
    await keepsakeIn(folder, ['logout'], none)
    assert.equal(existsSync(file), false)
  })

  test('run sends files, waits, saves what came out, and says what failed', async t => {
    const folder = await folderWithPhotos(t)
    const ran = await keepsakeIn(folder, ['run', 'one.png', 'two.png', '-c', 'small photo', '--out', 'made'])
    assert.equal(ran.code, 0, ran.err)
    assert.deepEqual(readdirSync(join(folder, 'made')).sort(), ['one small photo.png', 'two small photo.png'])
    const { width, height } = await sharp(join(folder, 'made/one small photo.png')).metadata()
    assert.deepEqual([width, height], [20, 15])
    assert.equal(ran.out.trim().split('\n').length, 2)
    const bad = await inHost(folder, [
      'run',
      'broken.png',
      'one.png',
      'nowhere.png',
      '-c',
      'small photo',
      '--wait',
      '--json',
    ])
    assert.equal(bad.code, 1)
    const lines = bad.out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    assert.equal(lines.find(({ file }) => file === 'one.png').status, 'Succeeded')
    assert.ok(lines.find(({ file }) => file === 'broken.png').error)
    assert.equal(lines.find(({ file }) => file === 'nowhere.png').error, 'It cannot be read.')
    const unknown = await inHost(folder, ['run', 'one.png', '-c', 'nothing'])
    assert.equal(unknown.code, 1)
    assert.deepEqual(unknown.err.match(/There is no configuration "nothing"/g)?.length, 1, unknown.err)
    const group = await inHost(folder, ['group', 'nothing=@one.png'])
    assert.deepEqual([group.code, group.err.match(/There is no configuration "nothing"/g)?.length], [1, 1], group.err)
  })

  test('results never overwrite each other, nor what is there before, unless that is asked for', async t => {
    const folder = await folderWithPhotos(t)
    for (const [day, width] of [
      ['day1', 40],
      ['day2', 80],
    ] as const) {
      mkdirSync(join(folder, day))
      writeFileSync(join(folder, day, 'IMG_0001.png'), await png(pattern(width, 30, 3)))
    }
    const made = join(folder, 'made')
    mkdirSync(made)
    writeFileSync(join(made, 'IMG_0001 small photo.png'), 'of yesterday')
    const args = ['run', 'day1/IMG_0001.png', 'day2/IMG_0001.png', '-c', 'small photo', '--out', 'made', '--json']
    const ran = await inHost(folder, args)
    assert.equal(ran.code, 0, ran.err)
    const saved = ran.out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).saved.slice(made.length + 1))
    assert.deepEqual(saved.sort(), ['IMG_0001 small photo 2.png', 'IMG_0001 small photo 3.png'])
    assert.deepEqual(readdirSync(made).sort(), [...saved, 'IMG_0001 small photo.png'].sort())
    assert.equal(readFileSync(join(made, 'IMG_0001 small photo.png'), 'utf8'), 'of yesterday')
    const forced = await inHost(folder, [...args, '--force'])
    assert.equal(forced.code, 0, forced.err)
    assert.equal(readdirSync(made).length, 3)
    assert.equal((await sharp(join(made, 'IMG_0001 small photo.png')).metadata()).width, 20)
    const group = ['group', 'small photo=@day1/IMG_0001.png', '--out', 'made', '--json']
    const grouped = await inHost(folder, group)
    assert.deepEqual(JSON.parse(grouped.out).saved, [join(made, 'IMG_0001 small photo 4.png')], grouped.err)
  })

  test('a group runs on files and on what earlier ones made', async t => {
    const folder = await folderWithPhotos(t)
    await keepsake.configure({
      configuration_name: 'grey',
      experience_id: 'park',
      adapter_name: 'photo_filter',
      adapter_config: { auth: {}, defaults: { preset: 'bw' } },
    })
    const ran = await keepsakeIn(folder, [
      'group',
      'small photo=@one.png',
      'grey=small photo',
      '--out',
      'made',
      '--extras',
      'small photo={"width": 10}',
    ])
    assert.equal(ran.code, 0, ran.err)
    assert.deepEqual(readdirSync(join(folder, 'made')).sort(), ['one grey.png', 'one small photo.png'])
    assert.equal((await sharp(join(folder, 'made/one grey.png')).metadata()).width, 10)
    assert.equal((await inHost(folder, ['group', 'grey'])).code, 2)
  })

  test('get lists, reads and saves; other people’s names move no cursor', async t => {
    const folder = testFolder(t)
    await keepsake.client.post('/api/profile/', { rfid: ['\u001b[2Jevil\u202e'], attributes: {} })
    const { out } = await inHost(folder, ['get', 'profiles'])
    assert.ok(!out.includes('\u001b') && !out.includes('\u202e') && out.includes('evil'))
    const { out: json } = await inHost(folder, ['get', 'tasks', '--status', 'Succeeded', '--json', '--limit', '1'])
    const [task] = JSON.parse(json)
    const saved = await keepsakeIn(folder, ['get', 'task', task.task_id, '--out', 'files'])
    assert.equal(saved.code, 0, saved.err)
    assert.equal(readdirSync(join(folder, 'files')).length, 1)
    assert.equal((await inHost(folder, ['get', 'things'])).code, 2)
    assert.equal((await inHost(folder, ['get', 'task', '00000000-0000-4000-8000-000000000000'])).code, 1)
  })

  test('what failed is counted, then run again by a filter', async t => {
    const folder = await folderWithPhotos(t)
    const counted = await keepsakeIn(folder, ['retry', '--status', 'Failed', '--dry-run'])
    assert.match(counted.out, /^\d+ tasks\n$/)
    assert.equal((await inHost(folder, ['retry'])).code, 2)
    const asked = await inHost(folder, ['retry', '--status', 'Failed'])
    assert.deepEqual([asked.code, asked.err.includes('--yes')], [2, true])
    assert.equal((await keepsakeIn(folder, ['retry', '--status', 'Failed', '--yes'])).code, 0)
  })

  test('an event is exported, changed, looked at and applied again: all of it or nothing', async t => {
    const folder = await folderWithPhotos(t)
    const frame = new FormData()
    frame.set('name', 'frame.png')
    frame.set('experience_id', 'pier')
    frame.set('file', new Blob([readFileSync(join(folder, 'one.png'))]), 'one.png')
    const auth = { authorization: `Bearer ${keepsake.token}` }
    await fetch(`${keepsake.url}/api/asset/`, { method: 'POST', body: frame, headers: auth })
    await keepsake.configure({
      configuration_name: 'framed',
      experience_id: 'pier',
      adapter_name: 'photo_add_overlay',
      adapter_config: { auth: {}, defaults: { overlay_file_name: 'frame.png' } },
    })
    await keepsake.configure({
      configuration_name: 'posted',
      experience_id: 'pier',
      adapter_name: 'http_post',
      adapter_config: { auth: { bearer: 'canary-of-the-export' }, defaults: { url: 'https://127.0.0.1:9/in' } },
    })
    const exported = await keepsakeIn(folder, ['export', 'pier'])
    assert.equal(exported.code, 0, exported.err)
    const file = join(folder, 'pier/event.yaml')
    const text = readFileSync(file, 'utf8')
    assert.ok(!text.includes('canary-of-the-export') && text.includes('{POSTED_BEARER}'), text)
    assert.deepEqual(readFileSync(join(folder, 'pier/assets/frame.png')), readFileSync(join(folder, 'one.png')))
    const unset = await inHost(folder, ['apply', 'pier/event.yaml'])
    assert.deepEqual(
      [unset.code, unset.err],
      [2, 'keepsake: pier/event.yaml: "posted" needs POSTED_BEARER, which is not set\n'],
    )
    const env = { POSTED_BEARER: 'canary-of-the-export' }
    const same = await keepsakeIn(folder, ['apply', 'pier/event.yaml'], env)
    assert.equal(same.code, 0, same.err)
    assert.deepEqual(same.out.match(/^\w+/gm), ['unchanged', 'unchanged', 'unchanged', 'unchanged'])
    // One bad line, and nothing is changed: not even the asset that stands before it.
    writeFileSync(join(folder, 'pier/assets/frame.png'), await png(pattern(32, 24, 3)))
    writeFileSync(
      file,
      text
        .replace('photo_add_overlay', 'photo_add_everything')
        .replace('experience_id: pier\n', 'experience_id: pier\n    name: The pier\n'),
    )
    const bad = await inHost(folder, ['apply', 'pier/event.yaml'], env)
    assert.equal(bad.code, 1)
    assert.match(bad.err, /"framed".*photo_add_everything/)
    assert.equal(bad.err.match(/known are/g)?.length, 1, bad.err)
    assert.equal((await keepsake.client.get('/api/asset/frame.png/')).body.width, 64)
    assert.equal((await keepsake.client.get('/api/experience/pier/')).body.name, null)
    writeFileSync(file, text.replace('experience_id: pier\n', 'experience_id: pier\n    name: The pier\n'))
    const looked = await inHost(folder, ['apply', 'pier/event.yaml', '--dry-run'], env)
    assert.match(looked.out, /^changed +experience +pier\n +name: none → "The pier"\nchanged +asset +frame.png\n/)
    assert.equal((await keepsake.client.get('/api/asset/frame.png/')).body.width, 64)
    assert.equal((await inHost(folder, ['apply', 'pier/event.yaml'], env)).code, 0)
    assert.equal((await keepsake.client.get('/api/asset/frame.png/')).body.width, 32)
    writeFileSync(file, 'configurations: []\nassets: []\nexperiences:\n  - experience_id: pier\n')
    const asked = await inHost(folder, ['apply', 'pier/event.yaml', '--prune'])
    assert.deepEqual([asked.code, asked.err.includes('--yes')], [2, true])
    const pruned = await keepsakeIn(folder, ['apply', 'pier/event.yaml', '--prune', '--yes'])
    assert.equal(pruned.code, 0, pruned.err)
    assert.deepEqual((await keepsake.client.get('/api/configuration/?experience_id=pier')).body.items, [])
    assert.deepEqual((await keepsake.client.get('/api/asset/?experience_id=pier')).body.items, [])
  })

  test('a callback is verified offline', async t => {
    const folder = testFolder(t)
    const key = Buffer.from('a secret of twenty-four b')
    const now = Math.floor(Date.now() / 1000)
    const body = '{"task_id":"x","status":"Succeeded","results":[]}'
    const signature = createHmac('sha256', key).update(`id-1.${now}.${body}`).digest('base64')
    writeFileSync(
      join(folder, 'headers'),
      `POST /hook HTTP/1.1\nWebhook-Id: id-1\nwebhook-timestamp: ${now}\nwebhook-signature: v1,${signature}\n`,
    )
    writeFileSync(join(folder, 'body'), body)
    const env = { KEEPSAKE_WEBHOOK_SECRET: `whsec_${key.toString('base64')}` }
    const args = ['verify', 'callback', '--headers', 'headers', '--body']
    const good = await keepsakeIn(folder, [...args, 'body'], env)
    assert.deepEqual([good.code, good.out.startsWith('ok  ')], [0, true], good.err)
    const changed = await keepsakeIn(folder, [...args, '-', '--json'], env, body.replace('x', 'y'))
    assert.deepEqual([changed.code, JSON.parse(changed.out).ok], [1, false])
  })

  test('the receipt of an erasure is verified without a server', async t => {
    const folder = testFolder(t)
    const { signed, publicKey } = signerOf(newSigningKey())
    const write = (name: string, what: object | string) =>
      writeFileSync(join(folder, name), typeof what === 'string' ? what : JSON.stringify(what))
    const receipt = signed('{"erasure_id":"e-1","status":"Done","made_at":"2026-11-15T03:10:00.000Z"}')
    write('receipt', receipt)
    write('changed', { ...receipt, receipt: receipt.receipt.replace('Done', 'None') })
    write('other', signerOf(newSigningKey()).signed(receipt.receipt))
    write('none', '{"receipt": 1}')
    write('key.json', publicKey)
    write('key.pem', publicKey.public_key)
    const verify = (file: string, ...more: string[]) => inHost(folder, ['verify', 'receipt', file, ...more])
    for (const [run, key] of [
      [keepsakeIn, 'key.json'],
      [inHost, 'key.pem'],
    ] as const) {
      const good = await run(folder, ['verify', 'receipt', 'receipt', '--key', key])
      assert.deepEqual([good.code, good.out.startsWith('ok  erasure e-1, Done')], [0, true], good.out + good.err)
    }
    for (const file of ['changed', 'other', 'none']) {
      const bad = await verify(file, '--key', 'key.pem', '--json')
      assert.deepEqual([bad.code, JSON.parse(bad.out).ok], [1, false], file)
    }
    for (const args of [
      ['receipt'],
      ['receipt', 'missing', '--key', 'key.pem'],
      ['receipt', 'receipt', '--key', 'none'],
      ['thing'],
    ])
      assert.equal((await inHost(folder, ['verify', ...args])).code, 2, args.join(' '))
  })

  test('check, token and doctor speak of the server', async t => {
    const folder = testFolder(t)
    const checked = await keepsakeIn(folder, ['check', 'small photo'])
    assert.equal(checked.code, 0, checked.out + checked.err)
    const made = await keepsakeIn(folder, ['token', '--name', 'booth', '--scope', 'tasks', '--experience', 'park'])
    assert.match(made.out, /^ks_/)
    const listed = await inHost(folder, ['token', 'list'])
    assert.match(listed.out, /booth +tasks +park/)
    const refused = await inHost(folder, ['token', '--name', 'x'], { KEEPSAKE_TOKEN: made.out.trim() })
    assert.equal(refused.code, 4)
    const doctor = await keepsakeIn(folder, ['doctor'])
    assert.deepEqual([doctor.code, /ok {4}Server/.test(doctor.out)], [0, true], doctor.out)
    assert.equal((await inHost(folder, ['doctor'], { KEEPSAKE_URL: 'http://127.0.0.1:9' })).code, 3)
  })

  test('paths begin where the user stands, also through npm run', async t => {
    const folder = await folderWithPhotos(t)
    mkdirSync(join(folder, 'inner'))
    const ran = await keepsakeIn(root, ['run', 'one.png', '-c', 'small photo', '--out', 'inner'], { INIT_CWD: folder })
    assert.equal(ran.code, 0, ran.err)
    assert.deepEqual(readdirSync(join(folder, 'inner')), ['one small photo.png'])
  })

  test('shells get their completion, and help knows every command', async t => {
    const folder = testFolder(t)
    const { out: script } = await keepsakeIn(folder, ['completion', 'bash'])
    writeFileSync(
      join(folder, 'try.sh'),
      `${script}\nCOMP_WORDS=(keepsake get conf); COMP_CWORD=2; _keepsake; echo "\${COMPREPLY[@]}"\nCOMP_WORDS=(keepsake ta); COMP_CWORD=1; _keepsake; echo "\${COMPREPLY[@]}"\nCOMP_WORDS=(keepsake run --ex); COMP_CWORD=2; _keepsake; echo "\${COMPREPLY[@]}"\n`,
    )
    const shell = spawn('bash', [join(folder, 'try.sh')], { stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    shell.stdout.setEncoding('utf8').on('data', text => (said += text))
    await event('the shell is through', shell, 'close')
    assert.equal(said, 'configurations\ntail\n--extras\n'.replace('--extras', '--extras --experience'))
    for (const name of ['zsh', 'fish']) assert.ok((await inHost(folder, ['completion', name])).out.length > 1000)
    const { out: help } = await inHost(folder, ['help'])
    const { commands } = await import('../../src/commands/commands.ts')
    for (const name of Object.keys(commands)) assert.match(help, new RegExp(`^  ${name} +\\S`, 'm'))
    assert.match((await inHost(folder, ['run', '--help'])).out, /-c, --configuration NAME/)
    assert.ok(readFileSync(`${root}/docs/command-line.md`, 'utf8').includes('keepsake run'))
  })
})
