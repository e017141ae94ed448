// sftp_upload against a real SFTP server: the contract of destinations, and every option of its own.
import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import ssh2 from 'ssh2'
import { sftpUpload } from '#adapters/destinations/sftp_upload.ts'
import { isProblem, type Problem } from '#kit/errors.ts'
import type { JsonObject } from '#kit/json.ts'
import { destinationContract } from '../../contract/destination.ts'
import { sftpBed, sftpUser as user } from '../../support/beds.ts'
import { cleanUp } from '../../support/clean-up.ts'
import { checkpointOf, randomFile, stepFor } from '../../support/delivery.ts'
import { newSshKeys, startSftp } from '../../support/sftp.ts'

destinationContract('sftp_upload', sftpBed, {
  afterLostAnswer: 'one',
  retracts: true,
  large: true,
  resumes: true,
  refusals: [
    {
      title: 'a wrong password',
      with: () => ({ auth: { ...user, password: 'pass-word-2' } }),
      says: /^127\.0\.0\.1 refused the user name, the password or the key\.$/,
    },
    {
      title: 'another host key',
      with: () => ({ options: { host_key: `SHA256:${'A'.repeat(43)}` } }),
      says: /^The host key of 127\.0\.0\.1 is another one \(SHA256:\S+\) than host_key says\.$/,
    },
    {
      title: 'a file in the way of the folder',
      with: () => ({ options: { path: '/dev/null/x' } }),
      says: /^127\.0\.0\.1 (could not do it|says that|does not let)/,
    },
  ],
})

suite('sftp_upload', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-sftp-options-'))
  const home = join(folder, 'home')
  await mkdir(home)
  const pair = newSshKeys('let me in')
  const server = await startSftp(home, { ...user, publicKey: pair.public })
  const plain = await startSftp(home, user, { plain: true })
  after(() =>
    cleanUp(
      () => server.stop(),
      () => plain.stop(),
      () => rm(folder, { recursive: true, force: true }),
    ),
  )
  const photo = await randomFile(folder, 20_000, '.jpg', 'image/jpeg')
  const step = (options: JsonObject = {}, rest = {}) =>
    stepFor(sftpUpload, {
      options: { host: '127.0.0.1', port: server.port, file_name: 'photo.jpg', host_key: server.hostKey, ...options },
      auth: user,
      ...rest,
    })
  const problem = async (work: Promise<unknown>): Promise<Problem> => {
    const error = await work.then(
      () => assert.fail('it was delivered'),
      (error: unknown) => error,
    )
    if (!isProblem(error)) throw error
    return error
  }

  test('the result names the host and the path; a relative one begins in the home', async () => {
    assert.deepEqual(await sftpUpload.deliver(photo, step({ path: 'ä/b', file_prefix: 'c/' })), {
      host: '127.0.0.1',
      path: 'ä/b/c/photo.jpg',
    })
    assert.deepEqual(await readFile(join(home, 'ä/b/c/photo.jpg')), await readFile(photo.path))
    const absolute = join(folder, 'elsewhere')
    assert.deepEqual(await sftpUpload.deliver(photo, step({ path: absolute })), {
      host: '127.0.0.1',
      path: join(absolute, 'photo.jpg'),
    })
  })

  test('a private key with a passphrase serves in place of the password', async () => {
    const auth = { username: user.username, private_key: pair.private, passphrase: 'let me in' }
    await sftpUpload.deliver(photo, step({}, { auth }))
    assert.match(
      (await problem(sftpUpload.deliver(photo, step({}, { auth: { ...auth, passphrase: 'wrong' } })))).message,
      /^The private key cannot be read/,
    )
    assert.equal(
      (
        await problem(
          sftpUpload.deliver(photo, step({}, { auth: { username: 'booth' } })).catch(error => Promise.reject(error)),
        )
      ).code,
      'option_missing',
    )
  })

  test('a server that asks for the password is answered, and shows the kind of key that is known', async () => {
    const second = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 })
    const asking = await startSftp(home, user, { asks: true, second })
    const known = `files.example.com ${second.public}`
    await sftpUpload.deliver(photo, step({ port: asking.port, host_key: known, file_name: 'asked.jpg' }))
    assert.deepEqual(await readFile(join(home, 'asked.jpg')), await readFile(photo.path))
    const wrong = step({ port: asking.port, host_key: known }, { auth: { ...user, password: 'pass-word-2' } })
    assert.match((await problem(sftpUpload.deliver(photo, wrong))).message, /refused the user name, the password/)
    await asking.stop()
  })

  test('without a host key the server is believed, with a warning that names the key', async () => {
    const { host_key: _none, ...options } = step().options as JsonObject
    const one = stepFor(sftpUpload, { options, auth: user })
    await sftpUpload.deliver(photo, one)
    assert.deepEqual(one.heard.warnings, [
      `The host key of 127.0.0.1 is not checked; set host_key to "${server.fingerprint}".`,
    ])
  })

  test('a server without OpenSSH’s extensions serves too, and a file is replaced there', async () => {
    await writeFile(join(home, 'old.jpg'), 'old')
    await sftpUpload.deliver(
      photo,
      step({ port: plain.port, host_key: plain.fingerprint, file_name: 'old.jpg', path: 'made/here/..' }),
    )
    await sftpUpload.deliver(photo, step({ port: plain.port, host_key: plain.fingerprint, file_name: 'old.jpg' }))
    assert.deepEqual(await readFile(join(home, 'old.jpg')), await readFile(photo.path))
  })

  test('a delivery that is called off takes the half file away', async () => {
    const cancel = new AbortController()
    const one = step({ path: 'cancelled' }, { signal: cancel.signal })
    one.progress = fraction => void (fraction > 0.2 && cancel.abort(new Error('enough')))
    await assert.rejects(sftpUpload.deliver(await randomFile(folder, 8 * 1024 ** 2), one), /enough/)
    await sftpUpload.abandon!(step({ path: 'cancelled' }, { checkpoint: checkpointOf(one) }))
    assert.deepEqual(await readdir(join(home, 'cancelled')), [])
  })

  test('a folder that may not be written to is said plainly', { skip: process.getuid?.() === 0 }, async () => {
    await mkdir(join(home, 'closed'))
    await chmod(join(home, 'closed'), 0o500)
    assert.match(
      (await problem(sftpUpload.deliver(photo, step({ path: 'closed' })))).message,
      /does not let this user write there/,
    )
  })
})
