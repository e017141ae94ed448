// Many files as one archive: opened by a real unzip, byte for byte, with safe and unique names, within limits and one's own experiences.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { openDatabase } from '#db/database.ts'
import { newLog } from '#kit/log.ts'
import { type ZipFile, zipLength, zipStream } from '../../src/http/wire/zip-stream.ts'
import type { Client } from '../support/client.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'

const run = promisify(execFile)
const NAME = '../../etc/passwd: "Ünïcode" ﷽ 🎉 CON.'
let folder: string
let keepsake: Keepsake
let admin: Client
let limited: Client
let ids: string[]
let guest: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keepsake-test-'))
  keepsake = await startKeepsake()
  admin = keepsake.client
  await keepsake.configure(single('turn', 'photo_flip', { method: 'ROTATE_90' }))
  await keepsake.configure(single('small', 'photo_resize', { width: 20 }))
  await keepsake.configure({ ...single('elsewhere', 'photo_flip', { method: 'ROTATE_90' }), experience_id: 'zoo' })
  const { body } = await admin.post('/api/token/', { name: 'zoo', scopes: ['read'], experiences: ['zoo'] })
  limited = admin.as(body.token)
  guest = (await admin.post('/api/profile/', { email: 'ada@example.com', experience_id: 'park' })).body.profile_id
  ids = [await made('turn', 1), await made('turn', 2), await made('elsewhere', 3)]
})
after(async () => {
  await keepsake?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function made(configuration_name: string, seed: number): Promise<string> {
  const data = new Blob([new Uint8Array(await png(pattern(40 + seed, 30, 3)))])
  const parts = { configuration_name, data, extras: '{"email": "ada@example.com"}' }
  const { status, body } = await keepsake.send('/api/task/', parts)
  assert.equal(status, 202, JSON.stringify(body))
  await keepsake.ended(`/api/task/${body.task_id}/`)
  return body.task_id
}

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** The files of an archive by their names, as unzip makes them. */
async function opened(archive: Uint8Array): Promise<Map<string, string>> {
  const place = await mkdtemp(join(folder, 'zip-'))
  await writeFile(join(place, 'a.zip'), archive)
  await run('unzip', ['-tq', join(place, 'a.zip')])
  await run('unzip', ['-q', join(place, 'a.zip'), '-d', join(place, 'out')], {
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  })
  const names = await readdir(join(place, 'out'), { recursive: true })
  return new Map(
    await Promise.all(names.map(async name => [name, digest(await readFile(join(place, 'out', name)))] as const)),
  )
}

async function zip(path: string, client = keepsake): Promise<Map<string, string>> {
  const response = await fetch(`${keepsake.url}${path}`, { headers: { authorization: `Bearer ${client.token}` } })
  const bytes = new Uint8Array(await response.arrayBuffer())
  assert.equal(response.status, 200, new TextDecoder().decode(bytes))
  assert.equal(response.headers.get('content-type'), 'application/zip')
  assert.match(response.headers.get('content-disposition') ?? '', /^attachment; filename="[a-z]+-[\d-]+\.zip"$/)
  assert.equal(Number(response.headers.get('content-length')), bytes.length)
  return opened(bytes)
}

const sums = async (taskIds: string[], kind = 'task') =>
  Promise.all(
    taskIds.map(async id => {
      const { body } = await admin.get(`/api/${kind}/${id}/`)
      return body.entries.at(-1).output.sha256 as string
    }),
  )

test('the files of tasks are in it byte for byte, by ids and by filter', async () => {
  const chosen = ids.slice(0, 2)
  const files = await zip(`/api/task/zip/?ids=${chosen.join(',')}`)
  assert.deepEqual([...files.values()].sort(), (await sums(chosen)).sort())
  for (const name of files.keys()) assert.match(name, /^\d{4}-\d\d-\d\d \d\d-\d\d-\d\d turn( \d)?\.png$/)
  const filtered = await zip('/api/task/zip/?experience_id=zoo')
  assert.deepEqual([...filtered.values()], await sums(ids.slice(2)))
  assert.equal((await zip('/api/task/zip/')).size, 3)
})

test('names are safe and unique, whatever configurations are called', async () => {
  const { db, close } = openDatabase(keepsake.databaseUrl, newLog('silent', 'test'), { max: 1 })
  const names = sql`update chains set configuration = ${NAME} where task_id = any(${ids}::uuid[])`
  const times = sql`update tasks set created_at = '2026-11-15T12:00:00Z' where task_id = any(${ids}::uuid[])`
  await names.execute(db)
  await times.execute(db)
  const files = await zip(`/api/task/zip/?ids=${ids.join(',')}`)
  assert.equal(files.size, 3)
  for (const name of files.keys()) assert.match(name, /^2026-11-15 12-00-00 [\p{L}\p{N} _-]+\.png$/u)
  assert.ok([...files.keys()].some(name => name.includes('Ünïcode')))
  await sql`update chains c set configuration = t.configuration from tasks t where t.task_id = c.task_id`.execute(db)
  await close()
})

test('groups give the file of each configuration, a guest gets all', async () => {
  const mirror = new Blob([new Uint8Array(await png(pattern(60, 50, 3)))])
  const parts = { configuration_names: '["turn","small"]', turn_data: mirror, small_input: 'turn' }
  const { body } = await keepsake.send('/api/taskgroup/', { ...parts, turn_extras: '{"email": "ada@example.com"}' })
  await keepsake.ended(`/api/taskgroup/${body.task_id}/`)
  assert.equal((await zip(`/api/taskgroup/zip/?ids=${body.task_id}`)).size, 2)
  const all = await zip(`/api/profile/${guest}/zip/`)
  const tasks = (await admin.get(`/api/task/?profile_id=${guest}`)).body.items.length
  assert.equal(all.size, tasks + 2)
})

test('nobody gets what is not theirs, and what is wrong is said', async () => {
  const { status, body } = await limited.get(`/api/task/zip/?ids=${ids.slice(0, 2).join(',')}`)
  assert.deepEqual([status, body.code], [404, 'not_found'])
  assert.equal((await limited.get(`/api/profile/${guest}/zip/`)).status, 404)
  assert.equal((await admin.as(null).get('/api/task/zip/')).status, 401)
  for (const wrong of [
    '?ids=x',
    `?ids=${ids[0]},`,
    `?ids=${ids[0]}&status=Failed`,
    '?nonsense=1',
    `?ids=${'a'.repeat(12_000)}`,
  ]) {
    const answer = await admin.get(`/api/task/zip/${wrong}`)
    assert.equal(answer.status, 400, `${wrong.slice(0, 40)}: ${JSON.stringify(answer.body)}`)
  }
  assert.equal((await admin.get('/api/task/zip/?status=Failed')).status, 404)
  assert.equal((await admin.get('/api/task/zip/?experience_id=nowhere')).status, 404)
})

test('more than one archive may have is refused before a byte is sent', async () => {
  const { db, close } = openDatabase(keepsake.databaseUrl, newLog('silent', 'test'), { max: 1 })
  const tasks = (number: number, experience: string) => sql`
    insert into tasks (task_id, flow_id, is_group, configuration, experience_id, status, lane, warnings, created_at, ended_at)
    select gen_random_uuid(), gen_random_uuid(), false, 'turn', ${experience}, 'Succeeded', 'picture', '[]', now(), now()
    from generate_series(1, ${number})`
  await tasks(501, 'many').execute(db)
  await tasks(2_001, 'bare').execute(db)
  await sql`
    insert into chains (chain_id, task_id, index, configuration, snapshot_id, status, extras, input, assets)
    select gen_random_uuid(), t.task_id, 0, 'turn', c.snapshot_id, 'Succeeded', '{}', c.input, c.assets
    from tasks t, (select * from chains where task_id = ${ids[0]}) c where t.experience_id = 'many'`.execute(db)
  await sql`
    insert into entries (chain_id, index, configuration, adapter_name, status, warnings, output)
    select n.chain_id, 0, 'turn', 'photo_flip', 'Succeeded', '[]', e.output
    from chains n join tasks t using (task_id), (select e.* from entries e join chains c using (chain_id) where c.task_id = ${ids[0]}) e
    where t.experience_id = 'many'`.execute(db)
  for (const experience of ['many', 'bare']) {
    const { status, body } = await admin.get(`/api/task/zip/?experience_id=${experience}`)
    assert.equal(status, 400, experience)
    assert.match(body.errors[0].message, /more than 500 files, or more than 2000 tasks/)
  }
  await sql`delete from tasks where task_id = (select task_id from tasks where experience_id = 'many' limit 1)`.execute(
    db,
  )
  await close()
  assert.equal((await zip('/api/task/zip/?experience_id=many')).size, 500)
})

test('an archive beyond 4 GiB is one that unzip opens', async () => {
  // Zeros are not written, so the archive takes no room on the disk.
  const large = 2 ** 32 + 5
  const chunk = Buffer.alloc(4 * 1024 * 1024)
  const zeros = async (bytes: number) =>
    Readable.from(
      (function* () {
        for (let left = bytes; left > 0; left -= chunk.length)
          yield left < chunk.length ? chunk.subarray(0, left) : chunk
      })(),
    )
  const files: ZipFile[] = [
    { name: 'large.bin', bytes: large, at: new Date(), open: () => zeros(large) },
    { name: 'after.txt', bytes: 5, at: new Date(), open: async () => Readable.from([Buffer.from('after')]) },
  ]
  const path = join(folder, 'large.zip')
  const file = await open(path, 'w')
  let length = 0
  for await (const piece of zipStream(files)) {
    if (piece.length < 100_000) await file.write(piece, 0, piece.length, length)
    length += piece.length
  }
  await file.truncate(length)
  await file.close()
  assert.equal(length, zipLength(files))
  const { stdout: list } = await run('unzip', ['-l', path])
  assert.match(list, /4294967301 .*large\.bin/)
  assert.equal((await run('unzip', ['-p', path, 'after.txt'])).stdout, 'after')
})
