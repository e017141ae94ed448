// A tool inside of a media child: it sees the room of the child alone, and has tighter limits than the child.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { show } from '#media/process/child-room.ts'
import { guarded } from '#media/process/sandbox.ts'
import { jail, jailed, jailedRoom } from '../support/rooms.ts'
import { event } from '../support/until.ts'
import { folder, fresh, tools, withFfmpeg } from '../support/videos.ts'

const exec = promisify(execFile)
const guards = { prlimit: tools.prlimit ?? null }
const bounds = { cpuSeconds: 5, fileBytes: 4096, memoryBytes: 1e9 }
const inJail = { skip: jail.bwrap ? false : 'there is no bubblewrap here, or it may not be used' }
const limited = { skip: guards.prlimit ? false : 'there is no prlimit here' }

/** Runs a tool as a media child in this room does. */
async function inRoom(room: ReturnType<typeof jailedRoom>, tool: string, args: string[]): Promise<string> {
  const [command, line] = guarded(tool, args, guards, bounds)
  const [first = command, ...rest] = [...jailed(room), command, ...line]
  const { stdout } = await exec(first, rest, { env: {}, timeout: 60_000 })
  return stdout.trim()
}

const shell = (script: string, room = jailedRoom()): Promise<string> =>
  inRoom(room, '/usr/bin/sh', ['-c', script.replaceAll('FOLDER', room.out)])

test('it reads what is in the room of its child, and nothing beside', inJail, async () => {
  const canary = join(folder, 'canary')
  await writeFile(canary, 'canary')
  const room = jailedRoom()
  assert.equal(await shell(`cat ${await show(room, canary)}`, room), 'canary')
  await assert.rejects(shell(`cat ${canary}`))
  await assert.rejects(shell('cat /etc/passwd'))
})

test('it writes to the room of its child only, and never to the input', inJail, async () => {
  const room = jailedRoom()
  assert.equal(await shell('echo made > FOLDER/file && cat FOLDER/file', room), 'made')
  await assert.rejects(shell('echo made > /usr/file'))
  const input = join(folder, 'input')
  await writeFile(input, 'as it was')
  await assert.rejects(shell(`echo made > ${await show(room, input)}`, room))
  assert.equal(await readFile(input, 'utf8'), 'as it was')
})

test('it has no network and no environment', { skip: inJail.skip || withFfmpeg.skip }, async () => {
  let connections = 0
  const server = createServer(socket => {
    connections++
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await event('it listens', server, 'listening')
  const { port } = server.address() as AddressInfo
  const reach = ['-v', 'error', '-i', `http://127.0.0.1:${port}/video.mp4`]
  await assert.rejects(inRoom(jailedRoom(), tools.ffmpeg!, reach))
  server.close()
  assert.equal(connections, 0)
  assert.equal(await shell('echo "[$SECRET]"'), '[]')
})

test('files grow to their bound and no further; there are no core files', limited, async () => {
  const big = fresh()
  const [command, args] = guarded('/usr/bin/sh', ['-c', `ulimit -c; head -c 100000 /dev/zero > ${big}`], guards, bounds)
  const failure: Error & { stdout?: string } = await exec(command, args, { env: {} }).then(
    () => assert.fail('it wrote all'),
    error => error,
  )
  assert.equal(failure.stdout?.trim(), '0')
  assert.ok((await readFile(big)).length <= 4096)
})
