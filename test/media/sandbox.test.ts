import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { guarded } from '#media/process/sandbox.ts'
import { event } from '../support/until.ts'
import { folder, fresh, tools } from '../support/videos.ts'

const exec = promisify(execFile)
const guards = { prlimit: tools.prlimit ?? null, bwrap: tools.bwrap ?? null }
const bounds = { cpuSeconds: 5, fileBytes: 4096, memoryBytes: 1e9 }
const jailed = { skip: guards.bwrap ? false : 'there is no bubblewrap here, or it may not be used' }
const limited = { skip: guards.prlimit ? false : 'there is no prlimit here' }

async function shell(script: string, reads: { path: string; as: string }[] = []): Promise<string> {
  const inside = fresh()
  await mkdir(inside)
  const [command, args] = guarded('/usr/bin/sh', ['-c', script.replaceAll('FOLDER', inside)], guards, bounds, {
    folder: inside,
    reads,
  })
  const { stdout } = await exec(command, args, { env: { SECRET: 'canary' }, timeout: 60_000 })
  return stdout.trim()
}

test('it reads what it is given under the name it is told, and nothing beside', jailed, async () => {
  const canary = join(folder, 'canary')
  await writeFile(canary, 'canary')
  assert.equal(await shell('cat /in/0', [{ path: canary, as: '/in/0' }]), 'canary')
  await assert.rejects(shell(`cat ${canary}`))
  await assert.rejects(shell('cat /etc/passwd'))
})

test('it writes to its folder only', jailed, async () => {
  assert.equal(await shell('echo made > FOLDER/file && cat FOLDER/file'), 'made')
  await assert.rejects(shell('echo made > /usr/file'))
})

test('it has no network and no environment', jailed, async () => {
  let connections = 0
  const server = createServer(socket => {
    connections++
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await event('it listens', server, 'listening')
  const { port } = server.address() as AddressInfo
  const reach = ['-v', 'error', '-i', `http://127.0.0.1:${port}/video.mp4`]
  const [command, args] = guarded(tools.ffmpeg!, reach, guards, bounds, { folder, reads: [] })
  await assert.rejects(exec(command, args, { env: {} }))
  server.close()
  assert.equal(connections, 0)
  assert.equal(await shell('echo "[$SECRET]"'), '[]')
})

test('files grow to their bound and no further; there are no core files', limited, async () => {
  const big = fresh()
  const [command, args] = guarded(
    '/usr/bin/sh',
    ['-c', `ulimit -c; head -c 100000 /dev/zero > ${big}`],
    { ...guards, bwrap: null },
    bounds,
    { folder, reads: [] },
  )
  const failure: Error & { stdout?: string } = await exec(command, args, { env: {} }).then(
    () => assert.fail('it wrote all'),
    error => error,
  )
  assert.equal(failure.stdout?.trim(), '0')
  assert.ok((await readFile(big)).length <= 4096)
})
