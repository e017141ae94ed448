// Makes the fixture of all later upgrades. `node test/upgrade/make-fixture.ts CHECKOUT` runs the version that is checked out there (with its
// node_modules), gives it work of every kind, stops it in the middle and keeps what it left in test/upgrade/VERSION.
// A fixture is made once, when its version is released: that of 0.1.0 from the commit which closed 0.1.0 in CHANGELOG.md.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { startPart } from '../support/chaos-process.ts'
import { cleanUp } from '../support/clean-up.ts'
import { newClient } from '../support/client.ts'
import { startReceiver } from '../support/https-receiver.ts'
import { pattern, png } from '../support/pictures.ts'
import { emptyDatabase } from '../support/postgres.ts'
import { dump } from './dump.ts'
import { type Facts, PORT } from './facts.ts'
import { collect } from './make-facts.ts'
import { underWay, waiting, worldOf } from './make-work.ts'

const project = resolve(process.argv[2] ?? '.')
const { version } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { version: string }
const kept = join(import.meta.dirname, version)
assert.ok(!existsSync(kept), `${kept} is there: a fixture is never made again`)

const data = mkdtempSync(join(tmpdir(), 'keepsake-fixture-'))
const database = await emptyDatabase()
const client = new pg.Client(database.url)
const picture = await png(pattern(48, 32, 3))
const receiver = await startReceiver({
  answer: ({ url: path }, response) => {
    if (path.startsWith('/in/hang')) return // Its worker is killed meanwhile.
    if (path.startsWith('/picture')) return void response.end(picture)
    const status = path.startsWith('/hook/gone') ? 410 : /^\/(hook\/down|in\/busy)/.test(path) ? 503 : 200
    response.writeHead(status).end('{"id": 7}')
  },
})
const env = {
  KEEPSAKE_DATA: data,
  DATABASE_URL: database.url,
  KEEPSAKE_ALLOW_HOSTS: '127.0.0.1',
  KEEPSAKE_CALLBACK_DELAYS: '600,600',
  KEEPSAKE_LOG_LEVEL: 'warn',
}

try {
  const own = { cwd: data, env: { PATH: process.env.PATH, ...env } }
  execFileSync(process.execPath, [join(project, 'src/main.ts'), 'migrate'], own)
  await client.connect()
  const api = await startPart('api', env, project)
  const admin = newClient({ url: api.url, token: readFileSync(join(data, 'admin-token'), 'utf8').trim() })
  const site = { api: api.url, admin, receiver, picture }
  const world = await worldOf(site)
  const worker = await startPart('worker', env, project)
  const begun = await underWay(site, world)
  worker.kill('SIGKILL')
  await worker.exit()
  const unfinished = [...begun, ...(await waiting(site, world))]
  const facts = await collect(site, world, unfinished, client)
  api.kill('SIGTERM')
  assert.equal(await api.exit(), 0, api.said())
  await client.query(`update workers set host = 'booth'`)
  keep({ version, made_at: new Date().toISOString(), ...facts }, await dump(client, project))
} finally {
  await cleanUp(
    () => client.end(),
    receiver.stop,
    database.drop,
    () => rmSync(data, { recursive: true, force: true }),
  )
}

/** The files, with a stand-in for the port, which is another one each time. */
function keep(facts: Facts, sql: string): void {
  const portable = (text: string): string => {
    const plain = text.replaceAll(`127.0.0.1:${receiver.port}`, `127.0.0.1:${PORT}`)
    assert.ok(!plain.includes(String(receiver.port)), 'the port stands somewhere else, too')
    return plain
  }
  mkdirSync(kept)
  writeFileSync(join(kept, 'database.sql'), portable(sql))
  writeFileSync(join(kept, 'facts.json'), `${portable(JSON.stringify(facts, null, 2))}\n`)
  for (const name of ['secret-key', 'admin-token']) writeFileSync(join(kept, name), readFileSync(join(data, name)))
  const half = join(data, 'blobs', 'unfinished')
  cpSync(join(data, 'blobs'), join(kept, 'blobs'), { recursive: true, filter: path => !path.startsWith(half) })
  console.log(`${kept}: ${facts.unfinished.length} unfinished, ${Object.keys(facts.views).length} kept as they are`)
}
