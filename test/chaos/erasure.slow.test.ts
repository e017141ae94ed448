// Canaries in all that is known of a person: after the erasure they turn up nowhere.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { newGrounds, settled } from '../support/chaos.ts'
import { cleanUp } from '../support/clean-up.ts'
import { around, dump } from '../support/leaks.ts'
import { pattern, png } from '../support/pictures.ts'
import { startS3 } from '../support/s3-server.ts'

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))

test('nothing of an erased person turns up in tables, files, buckets or logs', async t => {
  const root = await mkdtemp(join(tmpdir(), 'keepsake-erased-'))
  const grounds = await newGrounds({ env: { KEEPSAKE_LOG_LEVEL: 'trace', KEEPSAKE_LOCAL_ROOT: root } })
  const store = await startS3()
  t.after(() =>
    cleanUp(
      () => grounds.stop(),
      () => store?.stop(),
      () => rm(root, { recursive: true, force: true }),
    ),
  )
  const [api, worker] = [await grounds.start('api'), await grounds.start('worker')]
  const client = grounds.client(api.url)
  const canary = (what: string): string => `canary-${what}-7f3a9`
  const person = {
    email: `${canary('email')}@x.org`,
    rfid: canary('rfid'),
    qr_code: canary('qr'),
    attributes: { first_name: canary('name'), more: { note: canary('note') } },
  }
  const bucket = { bucket_name: 'guests', bucket_url: store?.endpoint ?? grounds.destination.url }
  await store?.createBucket('guests')
  const named = { file_prefix: '{{profile.first_name}}/' }
  const auth = { access_key: store?.accessKey ?? 'a', secret_key: store?.secretKey ?? 'b' }
  const park = { experience_id: 'park' }
  const activity_config = { ...park, activity_type: 'photo', payload: { object_id: 'ride' } }
  const webhook_url = `${grounds.receiver.url}/hook`
  for (const configuration of [
    {
      configuration_name: 'text',
      adapter_name: 'photo_add_text',
      adapter_config: { auth: {}, defaults: { text: 'x' } },
    },
    {
      configuration_name: 'bucket',
      adapter_name: 's3_upload',
      adapter_config: { auth, defaults: { ...bucket, ...named } },
      activity_config,
    },
    {
      configuration_name: 'folder',
      adapter_name: 'local_file',
      adapter_config: { auth: {}, defaults: { folder: 'out', ...named } },
      activity_config,
    },
    {
      configuration_name: 'broken',
      adapter_name: 'http_post',
      adapter_config: { auth: {}, defaults: { url: `${grounds.receiver.url}/x` } },
    },
    {
      configuration_name: 'all',
      webhook_url,
      call_chain: [
        ['text', null],
        ['bucket', 0],
        ['folder', 0],
        ['broken', 0],
      ],
    },
  ]) {
    const { status, body } = await client.post('/api/configuration/', { ...park, ...configuration })
    assert.equal(status, 201, JSON.stringify(body))
  }
  await client.patch('/api/experience/park/', { guest_page: { enabled: true } })
  const { body: profile } = await client.post('/api/profile/', { ...person, ...park })
  await client.patch(`/api/profile/${profile.profile_id}/`, { attributes: { seat: canary('seat') } })

  // The marker behind the picture is one in its metadata: it goes wherever the file goes as it is.
  const bytes = Buffer.concat([await png(pattern(40, 30, 3)), Buffer.from(canary('bytes'))])
  const extras = {
    email: person.email,
    rfid: [person.rfid],
    qr_code: person.qr_code,
    text: canary('text'),
    [canary('unknown-key')]: canary('unknown'),
    additional_context: { guest: canary('context') },
  }
  const send = async (path: string, parts: Record<string, string>, file: string, key: string) => {
    const body = new FormData()
    for (const [name, value] of Object.entries(parts)) body.append(name, value)
    body.append(file, new Blob([bytes]), `${canary('file')}.png`)
    const answer = await client.send('POST', path, { body, headers: { 'idempotency-key': canary(key) } })
    assert.equal(answer.status, 202, JSON.stringify(answer.body))
    return answer.body.task_id as string
  }
  const words = JSON.stringify(extras)
  await send('/api/task/', { configuration_name: 'all', extras: words }, 'data', 'key')
  await send(
    '/api/taskgroup/',
    {
      configuration_names: '["text","folder"]',
      text_extras: words,
      folder_extras: JSON.stringify({ email: person.email }),
      folder_input: 'text',
      webhook_url: `${webhook_url}?guest=${canary('webhook')}`,
    },
    'text_data',
    'group-key',
  )
  await settled(grounds)
  const before = await dump(grounds.databaseUrl())
  for (const what of ['email', 'rfid', 'name', 'seat', 'text', 'unknown', 'context', 'file', 'key', 'webhook'])
    assert.ok(before.includes(canary(what)), `${what} was there before`)
  assert.ok(filesBelow(root).some(path => path.includes(canary('name'))))

  const { status, body } = await client.delete(`/api/profile/${profile.profile_id}/?media=retract`)
  assert.equal(status, 202, JSON.stringify(body))
  assert.equal(body.status, 'Done', JSON.stringify(body))
  const trace = 'canary-'
  const after = await dump(grounds.databaseUrl())
  assert.ok(!after.includes(trace), around(after, trace))
  for (const folder of [join(grounds.folder, 'blobs'), root])
    for (const path of filesBelow(folder)) {
      assert.ok(!path.includes(trace), path)
      assert.ok(!readFileSync(path).includes(trace), path)
    }
  if (store) {
    const s3 = new S3Client({
      endpoint: store.endpoint,
      region: store.region,
      forcePathStyle: true,
      credentials: { accessKeyId: store.accessKey, secretAccessKey: store.secretKey },
    })
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: 'guests' }))
    s3.destroy()
    assert.deepEqual(Contents, [])
  }
  for (const part of [api, worker]) assert.ok(!part.said().includes(trace), around(part.said(), trace))
  assert.ok(!JSON.stringify(body).includes(trace))
  const receipt = (await client.get(`/api/erasure/${body.erasure_id}/`)).body.receipt
  assert.ok(!receipt.includes(trace) && !receipt.includes(profile.profile_id))
})
