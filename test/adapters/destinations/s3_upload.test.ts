// s3_upload against a real S3 server: the contract of destinations, and every option of its own.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
} from '@aws-sdk/client-s3'
import { s3Upload } from '#adapters/destinations/s3_upload.ts'
import { isProblem, type Problem } from '#kit/errors.ts'
import type { JsonObject } from '#kit/json.ts'
import { newOutbound } from '#kit/net/outbound.ts'
import { destinationContract } from '../../contract/destination.ts'
import { s3Bed, s3Client } from '../../support/beds.ts'
import { cleanUp } from '../../support/clean-up.ts'
import { checkpointOf, randomFile, stepFor } from '../../support/delivery.ts'
import { startReceiver } from '../../support/https-receiver.ts'
import { startS3 } from '../../support/s3-server.ts'

const server = await startS3()
after(() => server?.stop())

destinationContract('s3_upload', async () => (server ? s3Bed(server) : null), {
  afterLostAnswer: 'one',
  retracts: true,
  large: true,
  resumes: true,
  partBytes: 16 * 1024 ** 2,
  refusals: [
    {
      title: 'an access point that the client cannot sign for',
      with: () => ({
        options: { bucket_name: 'arn:aws:s3::123456789012:accesspoint:mfzwi23gnjvgw.mrap', url_style: 'virtual' },
      }),
      says: /^The S3 client does not take these options/,
    },
    {
      title: 'an access point of another part of the cloud',
      with: () => ({
        options: { bucket_name: 'arn:aws-cn:s3:cn-north-1:123456789012:accesspoint/myap', url_style: 'virtual' },
      }),
      says: /^The S3 client does not take these options/,
    },
    {
      title: 'a missing bucket',
      with: () => ({ options: { bucket_name: 'not-there' } }),
      says: /^There is no bucket "not-there" at 127\.0\.0\.1:\d+\.$/,
    },
    {
      title: 'an unknown access key',
      with: ({ auth }) => ({ auth: { ...auth, access_key: 'test:nobody-knows' } }),
      says: /^The access key and the secret key do not fit together at 127/,
    },
    {
      title: 'a wrong secret key',
      with: ({ auth }) => ({ auth: { ...auth, secret_key: 'wrong-secret-key' } }),
      says: /^The access key and the secret key do not fit together at 127/,
    },
  ],
})

suite('s3_upload', async () => {
  if (!server) return
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-s3-upload-'))
  const client = s3Client(server)
  const bucket = `souvenirs-${randomUUID().slice(0, 8)}`
  const noAcl = `no-acl-${randomUUID().slice(0, 8)}`
  before(async () => {
    await server.createBucket(bucket)
    await server.createBucket(noAcl)
  })
  after(() =>
    cleanUp(
      () => client.destroy(),
      () => rm(folder, { recursive: true, force: true }),
    ),
  )
  const auth = { access_key: server.accessKey, secret_key: server.secretKey }
  const step = (options: JsonObject = {}, rest = {}) =>
    stepFor(s3Upload, {
      options: { bucket_name: bucket, bucket_url: server.endpoint, file_name: 'photo.jpg', ...options },
      auth,
      ...rest,
    })
  const photo = () => randomFile(folder, 20_000, '.jpg', 'image/jpeg')
  const asGuest = (url: string) => fetch(url)
  const problem = async (work: Promise<unknown>): Promise<Problem> => {
    const error = await work.then(
      () => assert.fail('it was delivered'),
      (error: unknown) => error,
    )
    if (!isProblem(error)) throw error
    return error
  }

  test('the result is exactly bucket_name, file_key and url', async () => {
    const result = await s3Upload.deliver(await photo(), step({ file_prefix: 'day 1/ä+' }))
    assert.deepEqual(result, {
      bucket_name: bucket,
      file_key: 'day 1/ä+photo.jpg',
      url: `${server.endpoint}/${bucket}/day%201/%C3%A4%2Bphoto.jpg`,
    })
    const { ContentType, ContentDisposition } = await client.send(
      new HeadObjectCommand({ Bucket: bucket, Key: 'day 1/ä+photo.jpg' }),
    )
    assert.deepEqual([ContentType, ContentDisposition], ['image/jpeg', undefined])
  })

  test('a private file stays private, a public one opens for anyone', async () => {
    const file = await photo()
    const hidden = await s3Upload.deliver(file, step({ file_name: 'hidden.jpg' }))
    assert.equal((await asGuest(String(hidden.url))).status, 403)
    const open = await s3Upload.deliver(file, step({ file_name: 'open.jpg', public: true }))
    const answer = await asGuest(String(open.url))
    assert.equal(answer.status, 200)
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), await readFile(file.path))
  })

  test('a large public file opens for anyone too', async () => {
    const file = await randomFile(folder, 17 * 1024 ** 2, '.mp4', 'video/mp4')
    const { url } = await s3Upload.deliver(file, step({ file_name: 'open.mp4', public: true, force_download: true }))
    const answer = await asGuest(String(url))
    assert.equal(answer.headers.get('content-type'), 'video/mp4')
    assert.equal(answer.headers.get('content-disposition'), 'attachment; filename="open.mp4"')
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), await readFile(file.path))
  })

  test('a bucket that refuses ACLs is used without one, with a warning', async () => {
    for (const bytes of [1000, 17 * 1024 ** 2]) {
      const auto = step({ bucket_name: noAcl, public: true, file_name: `${bytes}.jpg` })
      const { file_key } = await s3Upload.deliver(await randomFile(folder, bytes), auto)
      assert.equal(auto.heard.warnings.length, 1)
      assert.match(
        auto.heard.warnings[0] ?? '',
        /^The bucket "no-acl-\w+" refuses ACLs, so the file was stored without one/,
      )
      await client.send(new HeadObjectCommand({ Bucket: noAcl, Key: String(file_key) }))
    }
  })

  test('acl_mode acl insists on the ACL, none never sends one', async () => {
    const insisting = await problem(
      s3Upload.deliver(await photo(), step({ bucket_name: noAcl, public: true, acl_mode: 'acl' })),
    )
    assert.equal(insisting.code, 'destination_refused')
    assert.match(insisting.message, /AccessControlListNotSupported/)
    const silent = step({ bucket_name: noAcl, public: true, acl_mode: 'none' })
    await s3Upload.deliver(await photo(), silent)
    assert.deepEqual(silent.heard.warnings, [])
  })

  test('force_download names the file, in any script', async () => {
    const { file_key: Key } = await s3Upload.deliver(
      await photo(),
      step({ force_download: true, file_prefix: 'x/', file_name: 'Größe "1" 記念.jpg' }),
    )
    const { ContentDisposition } = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: String(Key) }))
    assert.equal(
      ContentDisposition,
      `attachment; filename="Gro_e _1_ __.jpg"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22%20%E8%A8%98%E5%BF%B5.jpg`,
    )
  })

  test('cache_control and metadata are kept, in any script', async () => {
    const { file_key: Key } = await s3Upload.deliver(
      await photo(),
      step({ cache_control: 'public, max-age=60', metadata: { event: 'Straßenfest', 'guest-no': '7' } }),
    )
    const head = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: String(Key) }))
    assert.equal(head.CacheControl, 'public, max-age=60')
    assert.equal(head.Metadata?.['guest-no'], '7')
    assert.equal(head.Metadata?.event, `=?UTF-8?B?${Buffer.from('Straßenfest').toString('base64')}?=`)
  })

  test('the url may be virtual, on an own domain or signed', async () => {
    const own = await s3Upload.deliver(
      await photo(),
      step({ public_base_url: 'https://cdn.example.com/x/', file_prefix: 'a b/' }),
    )
    assert.equal(own.url, 'https://cdn.example.com/x/a%20b/photo.jpg')
    const file = await photo()
    const signed = await s3Upload.deliver(file, step({ file_name: 'signed ü.jpg', signed_url_ttl: 600 }))
    assert.match(String(signed.url), /X-Amz-Expires=600/)
    const answer = await asGuest(String(signed.url))
    assert.deepEqual([answer.status, Buffer.from(await answer.arrayBuffer())], [200, await readFile(file.path)])
    const port = new URL(server.endpoint).port
    const virtual = step(
      { bucket_url: `http://localhost:${port}`, url_style: 'virtual' },
      { allowHosts: ['*.localhost'] },
    )
    const failed = await s3Upload.deliver(await photo(), virtual).then(
      ({ url }) => String(url),
      (error: Problem) => error.message,
    )
    assert.match(failed, new RegExp(`${bucket}\\.localhost`))
  })

  test('names that a URL would fold, that are empty or too long are refused before anything is sent', async () => {
    for (const [file_prefix, file_name] of [
      ['../', 'x'],
      ['a/./', 'x'],
      ['', '..'],
      ['', ' '],
      ['x/', 'y/'],
      ['', 'a\u0000b'],
      ['é'.repeat(500), 'é'.repeat(100)],
    ]) {
      const error = await problem(
        s3Upload.deliver(await photo(), step({ file_prefix: file_prefix ?? '', file_name: file_name ?? '' })),
      )
      assert.equal(error.code, 'bad_options')
      assert.match(error.message, /^file_prefix and file_name together must make a usable name: /)
    }
  })

  const uploads = async () =>
    ((await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))).Uploads ?? []).map(({ Key }) => Key)

  test('a process that dies before it learns the id of its upload leaves nothing that stays', async () => {
    const file = await randomFile(folder, 17 * 1024 ** 2)
    for (const end of ['deliver', 'abandon'] as const) {
      const dying = step({ file_name: 'died.bin' })
      const save = dying.save
      dying.save = async checkpoint => {
        if ('upload_id' in checkpoint) throw new Error('as if killed')
        await save(checkpoint)
      }
      await assert.rejects(s3Upload.deliver(file, dying), /as if killed/)
      // Its neighbour's upload is none of its business.
      const neighbour = { Bucket: bucket, Key: 'died.bin2' }
      const { UploadId } = await client.send(new CreateMultipartUploadCommand(neighbour))
      assert.deepEqual(await uploads(), ['died.bin', 'died.bin2'])
      const next = step({ file_name: 'died.bin' }, { checkpoint: checkpointOf(dying) })
      if (end === 'deliver') await s3Upload.deliver(file, next)
      else await s3Upload.abandon!(next)
      assert.deepEqual(await uploads(), ['died.bin2'])
      await client.send(new AbortMultipartUploadCommand({ ...neighbour, UploadId }))
    }
  })

  test('a delivery that is called off leaves no parts', async () => {
    const cancel = new AbortController()
    const cancelled = step({ file_name: 'off.bin' }, { signal: cancel.signal })
    cancelled.progress = fraction => void (fraction > 0.5 && cancel.abort(new Error('enough')))
    await assert.rejects(s3Upload.deliver(await randomFile(folder, 17 * 1024 ** 2), cancelled), /enough/)
    await s3Upload.abandon!(step({ file_name: 'off.bin' }, { checkpoint: checkpointOf(cancelled) }))
    assert.deepEqual(await uploads(), [])
  })

  test('an unreachable host and an unknown name are said plainly', async () => {
    const refused = await problem(s3Upload.deliver(await photo(), step({ bucket_url: 'http://127.0.0.1:1' })))
    assert.equal(refused.message, 'Could not connect to 127.0.0.1: connection refused.')
    // No name server of the network is asked: it may be slow, or away.
    const resolve = () => Promise.reject(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }))
    const outbound = newOutbound({ allowHosts: [], resolve })
    const nowhere = { ...step({ bucket_url: 'https://store.invalid' }), outbound }
    const unknown = await problem(s3Upload.deliver(await photo(), nowhere))
    assert.match(unknown.message, /^Could not connect to store\.invalid: the name /)
  })

  test('the check opens the URL as a guest where the file is to be public', async () => {
    const green = await Array.fromAsync(s3Upload.check!(step({ public: true })))
    assert.deepEqual(
      green.map(({ ok, what }) => [ok, what]),
      [
        [true, 'Write a file'],
        [true, 'ACL'],
        [true, 'Read it back'],
        [true, 'Open the URL as a guest'],
        [true, 'Begin a large file'],
        [true, 'Delete it'],
      ],
    )
    const red = await Array.fromAsync(s3Upload.check!(step({ public: true, bucket_name: noAcl })))
    assert.match(red.find(({ what }) => what === 'ACL')?.detail ?? '', /refuses ACLs/)
    assert.match(red.find(({ ok }) => !ok)?.detail ?? '', /gets the status 403, not the file/)
    assert.equal(red.at(-1)?.ok, true)
  })

  test('the check leaves nothing behind, also where uploads may not be listed', async () => {
    const door = await startReceiver({
      raw: (asked, response) => {
        const { method, headers, url = '/' } = asked
        if (method === 'GET' && /[?&]uploads/.test(url))
          return void response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>')
        const passed = request(new URL(url, server.endpoint), { method, headers, setHost: false }, answer => {
          response.writeHead(answer.statusCode ?? 500, answer.headers)
          answer.pipe(response)
        })
        asked.pipe(passed)
      },
    })
    try {
      const lines = await Array.fromAsync(s3Upload.check!(step({ bucket_url: door.url })))
      assert.equal(lines.find(({ what }) => what === 'Begin a large file')?.ok, false, JSON.stringify(lines))
      assert.deepEqual(await uploads(), [])
    } finally {
      await door.stop()
    }
  })
})
