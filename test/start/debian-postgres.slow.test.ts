// A whole Keepsake on the oldest PostgreSQL it promises to run on, where the system has one installed.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ordinaryUser } from '#postgres/postgres-binaries.ts'
import { readPidFile } from '#postgres/postmaster.ts'
import { freePort } from '../support/free-port.ts'
import { event, until } from '../support/until.ts'
import { answers, start, testFolder } from './keepsake.ts'

const bin = globSync('/usr/lib/postgresql/*/bin')
  .filter(folder => existsSync(join(folder, 'initdb')))
  .sort()[0]

/** Run by an ordinary user that can reach the folder; it ends with the test. */
async function startDebian(t: TestContext, programs: string): Promise<string> {
  const user = ordinaryUser()
  const folder = testFolder(t)
  const cluster = join(folder, 'cluster')
  const password = join(cluster, 'password')
  const data = join(cluster, 'data')
  mkdirSync(cluster)
  writeFileSync(password, 'a password')
  if (user.uid !== undefined) for (const path of [folder, cluster, password]) chownSync(path, user.uid, user.gid ?? 0)
  execFileSync(
    join(programs, 'initdb'),
    [
      '-D',
      data,
      '-U',
      'operator',
      `--pwfile=${password}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
    ],
    { ...user, cwd: cluster, stdio: 'pipe' },
  )
  const port = await freePort()
  const args = [
    '-D',
    data,
    '-p',
    String(port),
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    'unix_socket_directories=',
    '-c',
    'fsync=off',
  ]
  const server = spawn(join(programs, 'postgres'), args, { ...user, cwd: cluster, stdio: 'ignore' })
  t.after(async () => {
    if (server.exitCode !== null || server.signalCode !== null) return
    server.kill('SIGQUIT')
    await event('the server has ended', server, 'exit')
  })
  await until('the server is ready', () => readPidFile(data)?.status === 'ready')
  return `postgres://operator:a%20password@127.0.0.1:${port}/postgres`
}

test("Keepsake runs on the system's own PostgreSQL", {
  skip: !bin && 'no PostgreSQL is installed in /usr/lib/postgresql',
}, async t => {
  const url = await startDebian(t, bin ?? '')
  const data = join(testFolder(t), 'data')
  const keepsake = start(t, { data, env: { DATABASE_URL: url } })
  const address = await keepsake.ready()
  assert.equal(await answers(address, '/readyz'), 200)
  const token = readFileSync(join(data, 'admin-token'), 'utf8').trim()
  const response = await fetch(new URL('/api/stats/', address), { headers: { authorization: `Bearer ${token}` } })
  assert.equal(response.status, 200, await response.text())
  assert.ok(!existsSync(join(data, 'postgres')))
  keepsake.kill('SIGTERM')
  assert.equal(await keepsake.exit(), 0, keepsake.said())
})
