// gcs_upload against Google's public protocol: the contract of destinations, and every option of its own.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { gcsUpload } from '#adapters/destinations/gcs_upload.ts'
import type { JsonObject } from '#kit/json.ts'
import { destinationContract } from '../../contract/destination.ts'
import { gcsAuth, gcsBed, newGoogle, newKeys } from '../../support/beds.ts'
import { checkpointOf, randomFile, stepFor } from '../../support/delivery.ts'
import { startProxy } from '../../support/flaky-proxy.ts'
import { startReceiver } from '../../support/https-receiver.ts'

const google = await newGoogle()
after(() => google.stop())

destinationContract('gcs_upload', () => gcsBed(google), {
  afterLostAnswer: 'one',
  retracts: true,
  large: true,
  resumes: true,
  partBytes: 16 * 1024 ** 2,
  refusals: [
    {
      title: 'a missing bucket',
      with: () => ({ options: { bucket_name: 'not-there' } }),
      says: /^There is no bucket "not-there" at 127\.0\.0\.1:\d+\.$/,
    },
    {
      title: 'another account’s key',
      with: ({ auth }) => ({ auth: { ...auth, private_key: newKeys().privateKey } }),
      says: /no longer accepts the sign-in/,
    },
    {
      title: 'something that is no key',
      with: ({ auth }) => ({ auth: { ...auth, private_key: 'not a key at all' } }),
      says: /^The private_key of the service account is not a usable key/,
    },
  ],
})

suite('gcs_upload', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-gcs-'))
  after(() => rm(folder, { recursive: true, force: true }))
  const step = (options: JsonObject = {}, rest = {}) =>
    stepFor(gcsUpload, {
      options: { bucket_name: 'contract', api_base_url: google.url, file_name: 'photo.jpg', ...options },
      auth: gcsAuth(google.url),
      ...rest,
    })
  const photo = await randomFile(folder, 20_000, '.jpg', 'image/jpeg')

  test('the result names bucket, key and URL; type, name and ACL are stored', async () => {
    const result = await gcsUpload.deliver(photo, step({ public: true, force_download: true, file_prefix: 'día/' }))
    assert.deepEqual(result, {
      bucket_name: 'contract',
      file_key: 'día/photo.jpg',
      url: `${google.url}/contract/d%C3%ADa/photo.jpg`,
    })
    const { contentType, contentDisposition, acl } = google.objects.get('contract/día/photo.jpg')!
    assert.deepEqual(
      [contentType, contentDisposition, acl],
      ['image/jpeg', 'attachment; filename="photo.jpg"', 'publicRead'],
    )
  })

  test('a bucket with uniform access is used without an ACL, with a warning', async () => {
    const one = step({ bucket_name: 'uniform', public: true })
    await gcsUpload.deliver(photo, one)
    assert.match(one.heard.warnings[0] ?? '', /^The bucket "uniform" refuses ACLs/)
    assert.equal(google.objects.get('uniform/photo.jpg')?.acl, undefined)
    const lines = await Array.fromAsync(gcsUpload.check!(step({ bucket_name: 'uniform', public: true })))
    assert.match(lines.find(({ what }) => what === 'ACL')?.detail ?? '', /refuses ACLs/)
  })

  test('the check opens the URL as a guest where the file is to be public', async () => {
    const whats = async (bucket_name: string) =>
      (await Array.fromAsync(gcsUpload.check!(step({ bucket_name, public: true })))).map(({ ok, what }) => [ok, what])
    const lines = (guest: boolean) => [
      [true, 'Write a file'],
      [true, 'ACL'],
      [true, 'Read it back'],
      [guest, 'Open the URL as a guest'],
      [true, 'Delete it'],
    ]
    assert.deepEqual(await whats('contract'), lines(true))
    assert.deepEqual(await whats('uniform'), lines(false))
  })

  test('a token that ends half-way is renewed', async () => {
    const file = await randomFile(folder, 17 * 1024 ** 2)
    const one = step({ file_name: 'long.bin' })
    let expired = false
    one.progress = fraction => {
      if (fraction < 0.5 || expired) return
      expired = true
      google.expireTokens()
    }
    await gcsUpload.deliver(file, one)
    assert.deepEqual(google.objects.get('contract/long.bin')?.bytes, await readFile(file.path))
  })

  test('a session that takes nothing is not fed for ever, and one begun with other words not gone on with', async () => {
    const file = await randomFile(folder, 1024 ** 2)
    const deaf = step({ file_name: 'deaf.bin' })
    google.failures.push({ when: /PUT \/upload\/storage/, status: 308, times: 100 })
    await assert.rejects(gcsUpload.deliver(file, deaf), /kept nothing of what was sent\.$/)
    google.failures.length = 0
    const changed = step({ file_name: 'deaf.bin', force_download: true }, { checkpoint: checkpointOf(deaf) })
    await gcsUpload.deliver(file, changed)
    const { contentDisposition, bytes } = google.objects.get('contract/deaf.bin')!
    assert.equal(contentDisposition, 'attachment; filename="deaf.bin"')
    assert.deepEqual(bytes, await readFile(file.path))
  })

  test('a session that Google forgot is begun again, and another file never continues it', async () => {
    const proxy = await startProxy({ port: google.port })
    const url = `http://127.0.0.1:${proxy.port}`
    const file = await randomFile(folder, 2 * 1024 ** 2)
    const other = await randomFile(folder, 2 * 1024 ** 2)
    const broken = step({ api_base_url: url, file_name: 'forgotten.bin' }, { auth: gcsAuth(url) })
    proxy.cutAfter = 1024 ** 2
    await assert.rejects(gcsUpload.deliver(file, broken))
    proxy.cutAfter = null
    await gcsUpload.deliver(other, step({ file_name: 'forgotten.bin' }, { checkpoint: checkpointOf(broken) }))
    assert.deepEqual(google.objects.get('contract/forgotten.bin')?.bytes, await readFile(other.path))
    google.forgetSessions()
    await gcsUpload.deliver(file, step({ file_name: 'forgotten.bin' }, { checkpoint: checkpointOf(broken) }))
    assert.deepEqual(google.objects.get('contract/forgotten.bin')?.bytes, await readFile(file.path))
    await proxy.stop()
  })

  test('a session at another target than now is not gone on with, and hears of no token', async () => {
    const elsewhere = await startReceiver()
    const file = await randomFile(folder, 1000)
    const broken = step({ file_name: 'moved.bin' })
    google.failures.push({ when: /PUT \/upload\/storage/, status: 308, times: 1 })
    await assert.rejects(gcsUpload.deliver(file, broken), /kept nothing of what was sent/)
    google.failures.length = 0
    const checkpoint = { ...checkpointOf(broken), session: `${elsewhere.url}/upload?upload_id=1` }
    await gcsUpload.deliver(file, step({ file_name: 'moved.bin' }, { checkpoint }))
    assert.deepEqual(google.objects.get('contract/moved.bin')?.bytes, await readFile(file.path))
    assert.equal(elsewhere.connections(), 0)
    await elsewhere.stop()
  })
})
