// Code that took over a media child finds nothing: not the data folder, not the environment of others, not the network.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { jail } from '../support/rooms.ts'
import { event, until } from '../support/until.ts'
import { clip, withFfmpeg } from '../support/videos.ts'

const CANARY = 'canary-of-the-environment'
const spies = fileURLToPath(new URL('./support/spy.ts', import.meta.url))
const jailed = { skip: jail.bwrap ? false : 'there is no bubblewrap here, or it may not be used' }
const isRoot = process.getuid?.() === 0

interface Report {
  uid: number
  tool: string
  capabilities: string[]
  noNewPrivileges: string
  limits: string[]
  read: Record<string, string>
  write: Record<string, string>
  list: Record<string, string>
  environment: string
  ownEnvironment: string[]
  connect: string
  signal: string
  input: string
  linked: string
  neighbours: string
}

/** Tells them from those of another run on this machine. */
const SLEEP_SECONDS = 600 + process.pid

/** Processes that the bomb started and that still live. */
const sleepers = (): number =>
  readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(pid => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `/usr/bin/sleep\0${SLEEP_SECONDS}\0`
      } catch {
        return false
      }
    }).length

describe('the jail of media children', jailed, () => {
  let keepsake: Keepsake
  let connections = 0
  const server = createServer(socket => {
    connections++
    socket.destroy()
  })

  before(async () => {
    process.env.KEEPSAKE_TEST_CANARY = CANARY
    server.listen(0, '127.0.0.1')
    await event('it listens', server, 'listening')
    keepsake = await startKeepsake({ settings: { adapters: [spies] } })
    for (const form of ['image', 'video', 'file']) await keepsake.configure(single(form, `spy_${form}`))
  })
  after(async () => {
    delete process.env.KEEPSAKE_TEST_CANARY
    server.close()
    await keepsake?.stop()
  })

  const targets = (): object => {
    const { data } = keepsake.settings
    const secret = join(data, 'canary')
    writeFileSync(secret, 'canary')
    return {
      read: [
        secret,
        join(data, 'secret-key'),
        '/etc/passwd',
        '/etc/shadow',
        '/proc/1/environ',
        `/proc/${process.pid}/environ`,
      ],
      write: [
        join(data, 'written'),
        '/usr/written',
        '/written',
        '/etc/written',
        fileURLToPath(new URL('../../src/written', import.meta.url)),
      ],
      list: [data, join(data, 'blobs'), '/home', '/root', fileURLToPath(new URL('../../', import.meta.url))],
      port: (server.address() as AddressInfo).port,
      signal: process.pid,
      canary: CANARY,
    }
  }

  async function spied(form: string, file: Blob, more: object = {}): Promise<Report> {
    const extras = JSON.stringify({ targets: JSON.stringify({ ...targets(), ...more }) })
    const sent = await keepsake.send('/api/task/', { configuration_name: form, data: file, extras })
    assert.equal(sent.status, 202, JSON.stringify(sent.body))
    const task = await keepsake.ended(`/api/task/${sent.body.task_id}/`)
    assert.equal(task.status, 'Succeeded', JSON.stringify(task.entries))
    return JSON.parse(task.entries[0].warnings.find((text: string) => text.startsWith('{')))
  }

  function held(report: Report): void {
    const refused = (tries: Record<string, string>): void => {
      for (const [path, outcome] of Object.entries(tries)) assert.match(outcome, /^refused/, path)
    }
    const { read, list, ...rest } = report
    // Process 1 of its own namespace is not one of ours, and its environment is empty.
    const { '/proc/1/environ': first, ...files } = read
    assert.doesNotMatch(first ?? '', new RegExp(CANARY))
    refused(files)
    refused(rest.write)
    const project = fileURLToPath(new URL('../../', import.meta.url))
    const { [project]: seen, [keepsake.settings.data]: folder, ...others } = list
    refused(others)
    // The folder of the project is there only as the way to the code.
    // `.cache` holds Node itself where set-up brought it.
    assert.match(seen ?? '', /^got \[("\.cache",)?"node_modules","package\.json","src","test"\]$/)
    assert.equal(folder, 'got ["rooms"]')
    assert.equal(rest.environment, 'got nothing')
    assert.deepEqual(
      rest.ownEnvironment.filter(
        name => !/^(NODE_|TMPDIR|KEEPSAKE_ADAPTERS|PWD|PERL_BADLANG|VIPSHOME|MALLOC_ARENA_MAX$)/.test(name),
      ),
      [],
    )
    assert.match(rest.connect, /^refused/)
    assert.equal(connections, 0)
    assert.match(rest.signal, /^refused/)
    assert.equal(rest.input, 'refused EROFS')
    assert.equal(rest.linked, 'refused EXDEV')
    if (isRoot) {
      assert.ok(report.uid >= 65_100, `it runs as ${report.uid}`)
      assert.equal(report.tool, `got ${report.uid}`)
    }
    assert.deepEqual(new Set(report.capabilities), new Set(['0000000000000000']))
    assert.equal(report.noNewPrivileges, '1')
    for (const name of ['cpu time', 'file size', 'data size', 'processes', 'open files', 'core file size']) {
      const line = report.limits.find(each => each.includes(name)) ?? ''
      assert.doesNotMatch(line.slice(0, 47), /unlimited/, line)
    }
  }

  const photo = async (): Promise<Blob> =>
    new Blob([
      Uint8Array.from(
        await sharp({ create: { width: 60, height: 40, channels: 3, background: '#246' } })
          .jpeg()
          .toBuffer(),
      ),
    ])

  it('code in a picture child reads no file of ours, no environment, and reaches nobody', async () => {
    held(await spied('image', await photo()))
  })

  it('code in a video child is held the same way', withFfmpeg, async () => {
    const { path } = await clip({ seconds: 0.4, size: '64x48' })
    held(await spied('video', new Blob([readFileSync(path)])))
  })

  it('code that goes from file to file is held the same way', async () => {
    held(await spied('file', await photo()))
  })

  it('a child sees the files of its own job alone, and its room is empty afterwards', async () => {
    const before = await spied('image', await photo())
    const again = await spied('image', await photo())
    for (const { neighbours } of [before, again]) assert.match(neighbours, /^got \["\d+"\]$/)
    const rooms = join(keepsake.settings.data, 'rooms')
    const left = readdirSync(rooms, { recursive: true, withFileTypes: true }).filter(entry => !entry.isDirectory())
    assert.deepEqual(
      left.map(({ name }) => name),
      [],
    )
  })

  it('a child that starts processes without end is stopped by the kernel, and all of them end with it', async () => {
    const extras = JSON.stringify({ targets: JSON.stringify({ ...targets(), bomb: SLEEP_SECONDS }) })
    const sent = await keepsake.send('/api/task/', { configuration_name: 'file', data: await photo(), extras })
    assert.equal((await keepsake.ended(`/api/task/${sent.body.task_id}/`)).status, 'Failed')
    held(await spied('file', await photo()))
    await until('all processes of the child have ended', () => sleepers() === 0)
  })

  it('a link to a file of ours, handed on as the result, is not followed', async () => {
    const secret = join(keepsake.settings.data, 'secret-key')
    const key = readFileSync(existsSync(secret) ? secret : spies, 'utf8')
    for (let round = 0; round < 5; round++) {
      const extras = JSON.stringify({ targets: JSON.stringify({ ...targets(), forge: secret }) })
      const sent = await keepsake.send('/api/task/', { configuration_name: 'file', data: await photo(), extras })
      const task = await keepsake.ended(`/api/task/${sent.body.task_id}/`)
      const output = await keepsake.client.send('GET', `/api/task/${task.task_id}/output/0/`)
      assert.ok(!JSON.stringify(output.body ?? '').includes(key.trim()))
      assert.ok(task.status === 'Failed' || output.status === 200)
    }
  })
})
