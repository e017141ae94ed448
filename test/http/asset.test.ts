// /api/asset/ over HTTP: made, described, replaced, listed, deleted, and sent by range.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { sweepAssetVersions } from '#assets/old-versions.ts'
import { pinAssets } from '#db/nouns/asset-rows.ts'
import { markFilesDeleted } from '#db/tasks/retention.ts'
import { newBlobs } from '#storage/blobs.ts'
import { removeFiles } from '#uploads/uploads.ts'
import { type Client, newClient } from '../support/client.ts'
import { startS3 } from '../support/s3-server.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { event, until } from '../support/until.ts'

let server: TestServer
let admin: Client

before(async () => {
  server = await startTestServer()
  admin = newClient(server)
})
after(() => server.stop())

const png = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: '#336699' } })
    .png()
    .toBuffer()

function form(parts: Record<string, string | Buffer>): RequestInit {
  const body = new FormData()
  for (const [name, value] of Object.entries(parts))
    if (typeof value === 'string') body.append(name, value)
    else body.append(name, new Blob([new Uint8Array(value)]), 'whatever.bin')
  return { body }
}
const make = (name: string, file: string | Buffer, as = admin, experience_id = 'expo') =>
  as.send('POST', '/api/asset/', form({ name, experience_id, file: Buffer.from(file) }))
const replace = (name: string, file: Buffer, as = admin) =>
  as.send('PUT', `/api/asset/${encodeURIComponent(name)}/`, form({ file }))
/** Makes a configuration that names the asset. */
async function nameIn(configuration_name: string, overlay_file_name: string): Promise<void> {
  const adapter_config = { auth: {}, defaults: { overlay_file_name } }
  const written = { configuration_name, experience_id: 'expo', adapter_name: 'photo_add_overlay', adapter_config }
  assert.equal((await admin.post('/api/configuration/', written)).status, 201)
}
const fetchFile = (name: string, init: RequestInit = {}) =>
  fetch(`${server.url}/api/asset/${encodeURIComponent(name)}/file/`, {
    ...init,
    headers: { authorization: `Bearer ${server.token}`, ...init.headers },
  })
const fileStatus = async (name: string): Promise<number> => {
  const answer = await fetchFile(name)
  await answer.bytes()
  return answer.status
}
/** Random bytes behind a beginning that no format has. */
const noise = (bytes: number) => Buffer.concat([Buffer.from([1, 2, 3, 0]), randomBytes(bytes - 4)])
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const stored = async () => (await Array.fromAsync(server.services.blobs.list())).length

/** When no replaced version and no deleted asset is kept any more. */
const sweepVersions = ({ db, services }: TestServer, before: Date) =>
  sweepAssetVersions(db, before, 100, files => removeFiles(db, services.blobs, files))
const afterKeeping = () => new Date(Date.now() + 100 * 24 * 3600_000)

/** Every blob is somebody's, and no upload is left over. */
async function assertNoOrphans(): Promise<void> {
  const versions = await server.db.selectFrom('asset_versions').select('blob').execute()
  const blobs = (await Array.fromAsync(server.services.blobs.list())).map(({ blob }) => blob)
  assert.deepEqual(blobs.sort(), versions.map(({ blob }) => blob).sort())
  assert.deepEqual(await server.db.selectFrom('uploads').selectAll().execute(), [])
  assert.deepEqual(await readdir(join(server.services.settings.data, 'work')).catch(() => []), [])
}

describe('making an asset', () => {
  test('keeps the file and says what it is, whatever its name', async () => {
    const file = await png(40, 30)
    const made = await make('frame é.png', file)
    assert.equal(made.status, 201)
    assert.equal(made.headers.get('location'), '/api/asset/frame%20%C3%A9.png/')
    const { created_at, updated_at, ...rest } = made.body
    assert.deepEqual(rest, {
      name: 'frame é.png',
      experience_id: 'expo',
      mime: 'image/png',
      bytes: file.length,
      sha256: sha256(file),
      width: 40,
      height: 30,
      duration: null,
      used_by: [],
    })
    assert.equal(created_at, updated_at)
    assert.deepEqual((await admin.get('/api/asset/frame%20%C3%A9.png/')).body, made.body)
    assert.deepEqual(Buffer.from(await (await fetchFile('frame é.png')).arrayBuffer()), file)
    await assertNoOrphans()
  })

  test('takes every kind of file', async () => {
    const kinds: [string, string | Buffer, string][] = [
      ['look.cube', 'LUT_3D_SIZE 2\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n', 'application/x-cube'],
      ['template.json', '{"layers": []}', 'application/json'],
      [
        'logo.svg',
        '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="5" height="5"/></svg>',
        'image/svg+xml',
      ],
      ['notes.txt', 'anything', 'text/plain'],
      ['thing', noise(50), 'application/octet-stream'],
      ['no text', Buffer.from('{ \xff\xfe almost \xff', 'latin1'), 'application/octet-stream'],
      [
        'font.ttf',
        await readFile(fileURLToPath(import.meta.resolve('@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf'))),
        'font/ttf',
      ],
    ]
    for (const [name, file, mime] of kinds) {
      const { status, body } = await make(name, file)
      assert.deepEqual([status, body.mime], [201, mime], name)
    }
    const { body } = await admin.get('/api/asset/logo.svg/')
    assert.deepEqual([body.width, body.height], [20, 10])
  })

  test('measures a video', async t => {
    let video: Buffer
    try {
      const args =
        '-v error -f lavfi -i testsrc=s=64x48:r=10:d=2 -c:v libx264 -pix_fmt yuv420p -f mp4 -movflags frag_keyframe+empty_moov -'
      video = execFileSync(server.services.settings.ffmpeg, args.split(' '), { maxBuffer: 1e8 })
    } catch {
      return t.skip('ffmpeg is not installed')
    }
    const { status, body } = await make('intro.mp4', video)
    assert.deepEqual([status, body.mime, body.width, body.height], [201, 'video/mp4', 64, 48], JSON.stringify(body))
    assert.ok(Math.abs(body.duration - 2) < 0.2)
  })

  test('is refused with the field’s name, and leaves nothing', async () => {
    const file = await png(2, 2)
    const before = await stored()
    const cases: [Record<string, string | Buffer>, number, string, RegExp][] = [
      [{ experience_id: 'expo', file }, 400, 'bad_request', /name: is required/],
      [{ name: 'a', file }, 400, 'bad_request', /experience_id: is required/],
      [{ name: 'a', experience_id: 'expo' }, 400, 'bad_request', /file: is required/],
      [{ name: '', experience_id: 'expo', file }, 400, 'bad_request', /name: must be/],
      [{ name: 'a/b', experience_id: 'expo', file }, 400, 'bad_request', /name: must be/],
      [{ name: '..', experience_id: 'expo', file }, 400, 'bad_request', /name: must be/],
      [{ name: 'x'.repeat(129), experience_id: 'expo', file }, 400, 'bad_request', /name: must be/],
      [{ name: 'a', experience_id: 'e\0', file }, 400, 'bad_request', /experience_id/],
      [{ name: 'a', experience_id: 'expo', file, other: 'x' }, 400, 'bad_request', /other/],
      [{ name: 'a', experience_id: 'expo', file: Buffer.alloc(0) }, 400, 'bad_request', /file: is empty/],
      [{ name: 'a', experience_id: 'expo', file: file.subarray(0, 20) }, 400, 'corrupt_input', /./],
      [
        {
          name: 'a',
          experience_id: 'expo',
          file: Buffer.from(
            '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>',
          ),
        },
        400,
        'policy_blocked',
        /SVG/,
      ],
    ]
    for (const [parts, status, code, detail] of cases) {
      const answer = await admin.send('POST', '/api/asset/', form(parts))
      assert.deepEqual(
        [answer.status, answer.body.code],
        [status, code],
        JSON.stringify([Object.keys(parts), answer.body]),
      )
      assert.match(answer.body.detail, detail)
    }
    const json = await admin.post('/api/asset/', { name: 'a' })
    assert.deepEqual([json.status, json.body.code], [415, 'wrong_content_type'])
    assert.equal(await stored(), before)
    await assertNoOrphans()
  })

  test('of a name that is taken is a conflict, also for two at once', async () => {
    const file = await png(3, 3)
    const answers = await Promise.all([1, 2, 3, 4].map(() => make('once', file)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409])
    assert.equal(answers.find(({ status }) => status === 409)?.body.code, 'name_taken')
    await assertNoOrphans()
  })

  test('is limited in bytes by a setting that the answer names', async () => {
    const small = await startTestServer({ settings: { maxUploadBytes: 1000 } })
    try {
      const answer = await make('big', noise(1001), newClient(small))
      assert.deepEqual([answer.status, answer.body.code], [413, 'too_large'])
      assert.match(answer.body.detail, /KEEPSAKE_MAX_UPLOAD_BYTES/)
    } finally {
      await small.stop()
    }
  })
})

describe('the file of an asset', () => {
  const bytes = noise(300_000)
  before(async () => {
    assert.equal((await make('bytes', bytes)).status, 201)
  })

  test('is sent whole, with its hash as ETag and nothing a browser could run', async () => {
    const response = await fetchFile('bytes')
    assert.equal(response.status, 200)
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), bytes)
    const { headers } = response
    assert.equal(headers.get('etag'), `"${sha256(bytes)}"`)
    assert.equal(headers.get('accept-ranges'), 'bytes')
    assert.equal(headers.get('content-length'), '300000')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/)
  })

  test('is sent by range', async () => {
    for (const [range, start, end] of [
      ['bytes=0-0', 0, 0],
      ['bytes=100-199', 100, 199],
      ['bytes=299990-', 299_990, 299_999],
      ['bytes=-10', 299_990, 299_999],
      ['bytes=299000-999999', 299_000, 299_999],
      ['bytes=-999999', 0, 299_999],
    ] as const) {
      const response = await fetchFile('bytes', { headers: { range } })
      assert.equal(response.status, 206, range)
      assert.equal(response.headers.get('content-range'), `bytes ${start}-${end}/300000`)
      assert.equal(response.headers.get('content-length'), String(end - start + 1))
      assert.deepEqual(Buffer.from(await response.arrayBuffer()), bytes.subarray(start, end + 1))
    }
  })

  test('is sent whole for a range that is none, several, or meant for another version', async () => {
    for (const headers of [
      { range: 'bytes=5-2' },
      { range: 'bytes=x' },
      { range: 'bytes=0-1,5-6' },
      { range: 'lines=1-2' },
      { range: 'bytes=-' },
      { range: 'bytes=0-9', 'if-range': '"other"' },
    ] as Record<string, string>[]) {
      const response = await fetchFile('bytes', { headers })
      assert.equal(response.status, 200, JSON.stringify(headers))
      assert.equal((await response.arrayBuffer()).byteLength, 300_000)
    }
    const same = await fetchFile('bytes', { headers: { range: 'bytes=0-9', 'if-range': `"${sha256(bytes)}"` } })
    assert.equal(same.status, 206)
    await same.arrayBuffer()
  })

  test('has no range outside of itself', async () => {
    for (const range of ['bytes=300000-', 'bytes=300000-300001', 'bytes=-0']) {
      const response = await fetchFile('bytes', { headers: { range } })
      assert.equal(response.status, 416, range)
      assert.equal(response.headers.get('content-range'), 'bytes */300000')
      assert.equal(((await response.json()) as { code: string }).code, 'bad_range')
    }
  })

  test('is not sent again to who has it', async () => {
    const etag = `"${sha256(bytes)}"`
    for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const response = await fetchFile('bytes', { headers: { 'if-none-match': tag } })
      assert.deepEqual([response.status, response.headers.get('etag')], [304, etag])
    }
    const changed = await fetchFile('bytes', { headers: { 'if-none-match': '"other"' } })
    assert.equal(changed.status, 200)
    await changed.arrayBuffer()
  })

  test('is described by HEAD', async () => {
    const response = await fetchFile('bytes', { method: 'HEAD' })
    assert.deepEqual([response.status, response.headers.get('content-length')], [200, '300000'])
    assert.equal(response.headers.get('etag'), `"${sha256(bytes)}"`)
  })

  test('is closed when the reader goes away', async t => {
    if (process.platform !== 'linux') return t.skip('needs /proc')
    await make('long', noise(20_000_000))
    const { blob } = await server.db
      .selectFrom('asset_versions')
      .select('blob')
      .where('name', '=', 'long')
      .executeTakeFirstOrThrow()
    const isOpen = async () => {
      const links = (await readdir('/proc/self/fd')).map(fd => readlink(`/proc/self/fd/${fd}`).catch(() => ''))
      return (await Promise.all(links)).some(path => path.endsWith(blob))
    }
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    const asked = event('it is asked for', server.app.server, 'request')
    socket.write(`GET /api/asset/long/file/ HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.token}\r\n\r\n`)
    const [, response] = await asked
    await event('it comes', socket, 'data')
    // What nobody takes can't come to its end.
    socket.pause()
    assert.ok(await isOpen())
    const over = event('the server has noticed', response, 'close')
    socket.destroy()
    await over
    await until('the file is closed', async () => !(await isOpen()))
  })

  test('that was lost is gone, not broken', async () => {
    await make('lost', noise(10))
    const { blob } = await server.db
      .selectFrom('asset_versions')
      .select('blob')
      .where('name', '=', 'lost')
      .executeTakeFirstOrThrow()
    await server.services.blobs.delete(blob)
    const response = await fetchFile('lost')
    assert.deepEqual([response.status, ((await response.json()) as { code: string }).code], [410, 'gone'])
    await admin.delete('/api/asset/lost/')
    await sweepVersions(server, afterKeeping())
  })
})

describe('replacing an asset', () => {
  test('keeps its name and brings the new file; the old one stays until it is swept', async () => {
    const [small, large] = [await png(10, 10), await png(20, 20)]
    const made = await make('replaced', small)
    const before = await stored()
    const { status, body } = await replace('replaced', large)
    assert.equal(status, 200)
    assert.deepEqual([body.width, body.sha256, body.created_at], [20, sha256(large), made.body.created_at])
    assert.ok(body.updated_at > made.body.updated_at)
    assert.deepEqual(Buffer.from(await (await fetchFile('replaced')).arrayBuffer()), large)
    assert.equal(await stored(), before + 1)
    await assertNoOrphans()
    assert.equal((await sweepVersions(server, new Date(0))).gone.length, 0)
    assert.equal((await sweepVersions(server, afterKeeping())).gone.length, 1)
    assert.equal(await stored(), before)
    assert.equal(await fileStatus('replaced'), 200)
  })

  test('of an unknown name without an experience is 404, and another name is refused', async () => {
    assert.equal((await replace('unknown', await png(1, 1))).status, 404)
    const both = await admin.send('PUT', '/api/asset/replaced/', form({ name: 'other', file: await png(1, 1) }))
    assert.deepEqual([both.status, both.body.errors[0].field], [400, 'name'])
    assert.equal((await admin.send('PUT', '/api/asset/replaced/', form({}))).status, 400)
    await assertNoOrphans()
  })

  test('by another kind of file is refused while a configuration names it', async () => {
    await make('named.png', await png(8, 8))
    await nameIn('uses named', 'named.png')
    const refused = await replace('named.png', Buffer.from('text'))
    assert.deepEqual([refused.status, refused.body.code], [409, 'in_use'])
    assert.match(refused.body.detail, /"uses named"/)
    assert.equal((await replace('named.png', await png(9, 9))).status, 200)
    await assertNoOrphans()
  })

  test('by several at once leaves one of them and no orphan', async () => {
    await make('contested', await png(5, 5))
    const answers = await Promise.all([6, 7, 8, 9].map(async size => replace('contested', await png(size, size))))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200],
    )
    await assertNoOrphans()
    const versions = await server.db
      .selectFrom('asset_versions')
      .select('replaced_at')
      .where('name', '=', 'contested')
      .execute()
    assert.equal(versions.filter(({ replaced_at }) => replaced_at === null).length, 1)
  })
})

describe('deleting an asset', () => {
  test('says where it is used, in the list too, as long as it is', async () => {
    await make('shared.png', await png(10, 10))
    await nameIn('z uses it', 'shared.png')
    await nameIn('a uses it', 'shared.png')
    const used_by = ['a uses it', 'z uses it']
    assert.deepEqual((await admin.get('/api/asset/shared.png/')).body.used_by, used_by)
    const { items } = (await admin.get('/api/asset/?limit=1')).body
    assert.deepEqual([items[0].name, items[0].used_by], ['shared.png', used_by])
    assert.equal((await admin.delete('/api/configuration/a%20uses%20it/')).status, 204)
    assert.deepEqual((await admin.get('/api/asset/shared.png/')).body.used_by, ['z uses it'])
  })

  test('is refused while a configuration names it, and says which', async () => {
    await make('held.png', await png(8, 8))
    await nameIn('holds it', 'held.png')
    const refused = await admin.delete('/api/asset/held.png/')
    assert.deepEqual([refused.status, refused.body.code], [409, 'in_use'])
    assert.match(refused.body.detail, /"holds it"/)
    assert.equal((await admin.delete('/api/configuration/holds%20it/')).status, 204)
    assert.equal((await admin.delete('/api/asset/held.png/')).status, 204)
    assert.equal((await admin.get('/api/asset/held.png/')).status, 404)
    assert.equal((await admin.delete('/api/asset/held.png/')).status, 404)
    assert.equal(await fileStatus('held.png'), 404)
  })

  test('keeps its file while a task that was accepted with it may need it', async () => {
    await make('pinned', await png(6, 6))
    const version = await server.db
      .selectFrom('asset_versions')
      .selectAll()
      .where('name', '=', 'pinned')
      .executeTakeFirstOrThrow()
    const id = '019a8424-5d3e-7c31-9d0b-5a2f3e0c7b11'
    const now = new Date()
    const task = {
      task_id: id,
      flow_id: id,
      is_group: false,
      configuration: 'c',
      experience_id: 'expo',
      status: 'Waiting' as const,
      lane: 'picture' as const,
      warnings: '[]',
      created_at: now,
    }
    await server.db.insertInto('tasks').values(task).execute()
    const pinned = JSON.stringify({ pinned: { blob: version.blob } })
    await server.db
      .insertInto('chains')
      .values({
        chain_id: id,
        task_id: id,
        index: 0,
        configuration: 'c',
        snapshot_id: 's',
        status: 'Waiting',
        extras: '{}',
        input: '{}',
        assets: pinned,
      })
      .execute()
    await server.db.transaction().execute(trx => pinAssets(trx, id))
    assert.equal((await admin.delete('/api/asset/pinned/')).status, 204)
    const later = afterKeeping()
    await sweepVersions(server, later)
    await server.services.blobs.local(version.blob, '/nowhere')
    await server.db.updateTable('tasks').set({ status: 'Failed', ended_at: now }).where('task_id', '=', id).execute()
    await server.db.transaction().execute(trx => markFilesDeleted(trx, id))
    assert.equal((await sweepVersions(server, later)).gone.length, 1)
    await assertNoOrphans()
  })
})

describe('assets and access', () => {
  test('a list goes by cursor, newest first, within an experience', async () => {
    for (const name of ['l1', 'l2', 'l3']) await make(name, 'x', admin, 'listed')
    const first = await admin.get('/api/asset/?experience_id=listed&limit=2')
    assert.deepEqual(
      first.body.items.map((asset: { name: string }) => asset.name),
      ['l3', 'l2'],
    )
    const second = await admin.get(`/api/asset/?experience_id=listed&limit=2&cursor=${first.body.next_cursor}`)
    assert.deepEqual(
      second.body.items.map((asset: { name: string }) => asset.name),
      ['l1'],
    )
    assert.equal(second.body.next_cursor, null)
  })

  test('a token of one experience sees nothing of another', async () => {
    await make('theirs', 'x', admin, 'theirs')
    const { body } = await admin.post('/api/token/', { name: 'mine', scopes: ['write'], experiences: ['mine'] })
    const mine = admin.as(body.token)
    for (const path of [
      '/api/asset/theirs/',
      '/api/asset/theirs/file/',
      '/api/asset/nothing/',
      '/api/asset/nothing/file/',
    ])
      assert.equal((await mine.get(path)).status, 404, path)
    assert.equal((await replace('theirs', Buffer.from('y'), mine)).status, 404)
    assert.equal((await mine.delete('/api/asset/theirs/')).status, 404)
    assert.deepEqual((await mine.get('/api/asset/')).body.items, [])
    assert.deepEqual((await mine.get('/api/asset/?experience_id=theirs')).body.items, [])
    assert.equal((await make('x', 'x', mine, 'theirs')).body.code, 'forbidden')
    assert.equal((await make('theirs', 'x', mine, 'mine')).body.code, 'name_taken')
    assert.equal((await make('mine', 'x', mine, 'mine')).status, 201)
    await assertNoOrphans()
  })

  test('writing needs the scope write', async () => {
    const { body } = await admin.post('/api/token/', { name: 'booth', scopes: ['tasks'] })
    const booth = admin.as(body.token)
    assert.equal((await make('booth', 'x', booth)).status, 403)
    assert.equal((await booth.get('/api/asset/theirs/file/')).status, 200)
    assert.equal((await make('nobody', 'x', admin.as(null))).status, 401)
  })
})

test('assets live as well in S3', async t => {
  const s3 = await startS3()
  if (!s3) return t.skip('python3-swift is not installed')
  t.after(() => s3.stop())
  await s3.createBucket('files')
  const { accessKey, secretKey } = s3
  const blobs = await newBlobs(`s3://files/a?endpoint=${s3.endpoint}`, '', { accessKey, secretKey, sessionToken: null })
  const other = await startTestServer({ blobs })
  t.after(() => other.stop())
  const client = newClient(other)
  const file = await png(50, 40)
  const { status, body } = await make('frame.png', file, client)
  assert.deepEqual([status, body.width, body.sha256], [201, 50, sha256(file)])
  const range = { headers: { authorization: `Bearer ${other.token}`, range: 'bytes=1-3' } }
  const part = await fetch(`${other.url}/api/asset/frame.png/file/`, range)
  assert.deepEqual([part.status, await part.text()], [206, 'PNG'])
  assert.equal((await replace('frame.png', await png(60, 40), client)).body.width, 60)
  assert.equal((await client.delete('/api/asset/frame.png/')).status, 204)
  assert.equal((await sweepVersions(other, afterKeeping())).gone.length, 2)
  assert.deepEqual(await Array.fromAsync(blobs.list()), [])
  assert.deepEqual(await readdir(join(other.services.settings.data, 'work')), [])
})

test('the file of every version can be had, also of an asset that was deleted, and of no foreign one', async () => {
  const files = [await png(10, 10), await png(20, 20)]
  await make('aged', files[0]!)
  assert.equal((await admin.send('PUT', '/api/asset/aged/', form({ file: files[1]! }))).status, 200)
  const had = async (
    version: string | number,
    token: string | null = server.token,
    headers: Record<string, string> = {},
    name = 'aged',
  ) => {
    const answer = await fetch(`${server.url}/api/asset/${name}/versions/${version}/file/`, {
      headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) },
    })
    return { status: answer.status, type: answer.headers.get('content-type'), bytes: await answer.bytes() }
  }
  const assertBoth = async () => {
    for (const [i, bytes] of files.entries()) {
      const answer = await had(i + 1)
      assert.deepEqual([answer.status, answer.type], [200, 'image/png'])
      assert.ok(bytes.equals(answer.bytes))
    }
  }
  await assertBoth()
  const part = await had(1, server.token, { range: 'bytes=0-3' })
  assert.deepEqual([part.status, part.bytes.length], [206, 4])
  assert.equal((await had(1, server.token, { 'if-none-match': `"${sha256(files[0]!)}"` })).status, 304)
  for (const version of [0, 3, 'last', '1e3']) assert.equal((await had(version)).status, 404)
  assert.equal((await had(1, null)).status, 401)
  const narrow = await admin.post('/api/token/', { name: 'narrow', scopes: ['read'], experiences: ['elsewhere'] })
  for (const name of ['aged', 'never']) assert.equal((await had(1, narrow.body.token, {}, name)).status, 404)
  assert.equal((await admin.delete('/api/asset/aged/')).status, 204)
  await assertBoth()
})
