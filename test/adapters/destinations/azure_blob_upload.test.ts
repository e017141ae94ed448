// azure_blob_upload against Azurite, Microsoft's emulator: the contract of destinations, and every option of its own.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import {
  AccountSASPermissions,
  AccountSASResourceTypes,
  AccountSASServices,
  BlobServiceClient,
  generateAccountSASQueryParameters,
  StorageSharedKeyCredential,
} from '@azure/storage-blob'
import { azureBlobUpload } from '#adapters/destinations/azure_blob_upload.ts'
import type { JsonObject } from '#kit/json.ts'
import { destinationContract } from '../../contract/destination.ts'
import { startAzurite } from '../../support/azurite.ts'
import { azureBed } from '../../support/beds.ts'
import { randomFile, stepFor } from '../../support/delivery.ts'

const azurite = await startAzurite()
after(() => azurite.stop())
const credential = new StorageSharedKeyCredential(azurite.accountName, azurite.accountKey)
const service = new BlobServiceClient(azurite.serviceUrl, credential)
const auth = { account_name: azurite.accountName, account_key: azurite.accountKey }

destinationContract('azure_blob_upload', () => azureBed(azurite), {
  afterLostAnswer: 'one',
  retracts: true,
  large: true,
  resumes: true,
  partBytes: 8 * 1024 ** 2,
  refusals: [
    {
      title: 'a missing container',
      with: () => ({ options: { container_name: 'not-there' } }),
      says: /^There is no container "not-there" at 127\.0\.0\.1:\d+\.$/,
    },
    {
      title: 'a wrong key',
      with: () => ({ auth: { ...auth, account_key: Buffer.from('wrong key').toString('base64') } }),
      says: /^127\.0\.0\.1:\d+ does not accept the account key for this: /,
    },
    {
      title: 'a wrong token',
      with: () => ({
        auth: {
          account_name: azurite.accountName,
          sas_token: 'sv=2021-12-02&ss=b&srt=o&sp=rwd&se=2030-01-01T00:00:00Z&sig=d3Jvbmctd3Jvbmc%3D',
        },
      }),
      says: /^127\.0\.0\.1:\d+ does not accept the SAS token for this: /,
    },
  ],
})

suite('azure_blob_upload', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-azure-'))
  after(() => rm(folder, { recursive: true, force: true }))
  const container = service.getContainerClient('souvenirs')
  await container.create()
  await service.getContainerClient('open').create({ access: 'blob' })
  const step = (options: JsonObject = {}, rest = {}) =>
    stepFor(azureBlobUpload, {
      options: { container_name: 'souvenirs', service_url: azurite.serviceUrl, file_name: 'photo.jpg', ...options },
      auth,
      ...rest,
    })
  const photo = await randomFile(folder, 20_000, '.jpg', 'image/jpeg')

  test('the result names container, key and URL; headers are kept, in any script', async () => {
    const given = {
      file_prefix: 'día 1/',
      file_name: 'Größe 記念.jpg',
      force_download: true,
      cache_control: 'public, max-age=60',
    }
    const result = await azureBlobUpload.deliver(photo, step(given))
    assert.deepEqual(result, {
      container_name: 'souvenirs',
      file_key: 'día 1/Größe 記念.jpg',
      url: `${azurite.serviceUrl}/souvenirs/d%C3%ADa%201/Gr%C3%B6%C3%9Fe%20%E8%A8%98%E5%BF%B5.jpg`,
    })
    const { contentType, contentDisposition, cacheControl } = await container
      .getBlobClient(String(result.file_key))
      .getProperties()
    assert.deepEqual([contentType, cacheControl], ['image/jpeg', 'public, max-age=60'])
    assert.equal(
      contentDisposition,
      `attachment; filename="Gro_e __.jpg"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%E8%A8%98%E5%BF%B5.jpg`,
    )
  })

  test('a SAS token serves in place of the key', async () => {
    const sas_token = generateAccountSASQueryParameters(
      {
        expiresOn: new Date(Date.now() + 3_600_000),
        permissions: AccountSASPermissions.parse('rwdc'),
        resourceTypes: AccountSASResourceTypes.parse('o').toString(),
        services: AccountSASServices.parse('b').toString(),
      },
      credential,
    ).toString()
    for (const token of [sas_token, `?${sas_token}`]) {
      const file = await randomFile(folder, 9 * 1024 ** 2)
      const one = step({ file_name: 'by-token.bin' }, { auth: { account_name: azurite.accountName, sas_token: token } })
      await azureBlobUpload.deliver(file, one)
      assert.deepEqual(await container.getBlobClient('by-token.bin').downloadToBuffer(), await readFile(file.path))
    }
  })

  test('a public file in a container that keeps guests out is a warning, and a red line', async () => {
    const closed = step({ public: true })
    await azureBlobUpload.deliver(photo, closed)
    assert.deepEqual(closed.heard.warnings, [
      'The container "souvenirs" does not let guests read its blobs; set its access level to "Blob".',
    ])
    const lines = await Array.fromAsync(azureBlobUpload.check!(closed))
    assert.deepEqual(
      lines.map(({ ok }) => ok),
      [true, true, false, true],
    )
    const open = step({ public: true, container_name: 'open' })
    const { url } = await azureBlobUpload.deliver(photo, open)
    assert.deepEqual(open.heard.warnings, [])
    assert.deepEqual(Buffer.from(await (await fetch(String(url))).arrayBuffer()), await readFile(photo.path))
  })

  test('without key and token it says what is missing', async () => {
    await assert.rejects(
      azureBlobUpload.deliver(photo, step({}, { auth: { account_name: 'keepsake' } })),
      /auth needs an account_key or a sas_token/,
    )
  })
})
