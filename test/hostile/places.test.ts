// Attacks of a limited token on files that another experience delivered into the same folder of this machine.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { cleanUp } from '../support/clean-up.ts'
import type { Client } from '../support/client.ts'
import { type Keepsake, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'

describe('a folder that experiences share', () => {
  let keepsake: Keepsake
  let root: string
  /** Tokens of scope write, each limited to the experience of its name. */
  const writers: Record<string, Client> = {}
  const pictures: Record<string, Buffer> = {}

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'keepsake-places-'))
    keepsake = await startKeepsake({ settings: { localRoot: root } })
    for (const [index, experience] of ['ours', 'theirs'].entries()) {
      const named = { name: experience, scopes: ['write'], experiences: [experience] }
      writers[experience] = keepsake.client.as((await keepsake.client.post('/api/token/', named)).body.token)
      pictures[experience] = await png(pattern(20 + index, 10, 3))
    }
  })
  after(() =>
    cleanUp(
      () => keepsake.stop(),
      () => rm(root, { recursive: true, force: true }),
    ),
  )

  /** Makes the configuration with the limited token, as an attacker would. */
  async function configured(experience: string, configuration_name: string, defaults: object): Promise<void> {
    const adapter_config = { auth: {}, defaults }
    const made = { configuration_name, experience_id: experience, adapter_name: 'local_file', adapter_config }
    const { status, body } = await (writers[experience] as Client).post('/api/configuration/', made)
    assert.equal(status, 201, JSON.stringify(body))
  }

  async function begin(experience: string, configuration_name: string, extras = {}): Promise<string> {
    const body = new FormData()
    body.append('configuration_name', configuration_name)
    body.append('extras', JSON.stringify(extras))
    body.append('data', new Blob([new Uint8Array(pictures[experience] as Buffer)]))
    const answer = await (writers[experience] as Client).send('POST', '/api/task/', { body })
    assert.equal(answer.status, 202, JSON.stringify(answer.body))
    return answer.body.task_id
  }

  const run = async (...given: Parameters<typeof begin>) => keepsake.ended(`/api/task/${await begin(...given)}/`)
  const lies = (name: string) => readFile(join(root, name))
  const refusedEntry = ({
    status,
    entries,
  }: {
    status: string
    entries: { error: { code: string; message: string } }[]
  }) => {
    assert.equal(status, 'Failed')
    assert.equal(entries[0]?.error.code, 'destination_refused')
    assert.match(entries[0]?.error.message ?? '', /^The place belongs to another experience.*Accepted is/)
    assert.ok(!entries[0]?.error.message.includes('theirs'))
  }

  it('keeps each file from being named, replaced or taken back by another experience', async () => {
    await configured('theirs', 'their-screen', { folder: 'hall', file_name: 'latest.jpg' })
    assert.equal((await run('theirs', 'their-screen')).status, 'Succeeded')
    await configured('ours', 'our-screen', { folder: 'hall', file_name: 'latest.jpg' })
    refusedEntry(await run('ours', 'our-screen'))
    for (const extras of [
      { folder: 'hall/' },
      { folder: '', file_prefix: 'hall/' },
      { folder: 'x/../hall' },
      { file_name: 'LATEST.jpg' },
      { file_name: 'x.jpg', folder: 'hall', file_prefix: 'latest.jpg/' },
    ]) {
      const { status, entries } = await run('ours', 'our-screen', extras)
      assert.equal(status, 'Failed', JSON.stringify(extras))
      assert.equal(entries[0].error.code, 'destination_refused', JSON.stringify(entries))
    }
    // A refused task has delivered nothing, so it takes nothing back; neither does running it again help.
    const failed = await run('ours', 'our-screen')
    const retracted = await (writers.ours as Client).post(`/api/task/${failed.task_id}/retract/`)
    assert.deepEqual(retracted.body.removed, [])
    await (writers.ours as Client).post(`/api/task/${failed.task_id}/retry/`)
    refusedEntry(await keepsake.ended(`/api/task/${failed.task_id}/`))
    assert.deepEqual(await lies('hall/latest.jpg'), pictures.theirs)
    assert.equal((await run('theirs', 'their-screen')).status, 'Succeeded', 'its own file is replaced')
  })

  it('keeps a result of before from taking back what another experience has there now', async () => {
    await configured('ours', 'our-door', { file_name: 'door.jpg' })
    const task = await run('ours', 'our-door')
    assert.equal(task.status, 'Succeeded')
    // As it can be in data of a version that had no such wall: the last who delivered has the place.
    const database = new pg.Client(keepsake.databaseUrl)
    await database.connect()
    await database.query(`update local_places set experience_id = 'theirs' where experience_id = 'ours'`)
    await database.end()
    await writeFile(join(root, 'door.jpg'), pictures.theirs as Buffer)
    const { body } = await (writers.ours as Client).post(`/api/task/${task.task_id}/retract/`)
    assert.deepEqual(body.removed, [])
    assert.match(body.kept[0].reason, /what lies there stays/)
    assert.deepEqual(await lies('door.jpg'), pictures.theirs)
  })

  it('keeps files of the operator', async () => {
    await writeFile(join(root, 'poster.jpg'), 'poster')
    await configured('ours', 'our-poster', { file_name: 'poster.jpg' })
    refusedEntry(await run('ours', 'our-poster'))
    assert.equal((await lies('poster.jpg')).toString(), 'poster')
  })

  it('gives a place that several want at once to one of them, with all of its files', async () => {
    await configured('theirs', 'their-race', {})
    await configured('ours', 'our-race', {})
    for (let round = 0; round < 8; round++) {
      const extras = { folder: 'race', file_name: `${round}.jpg` }
      const begun = await Promise.all([
        begin('ours', 'our-race', extras),
        begin('theirs', 'their-race', extras),
        begin('ours', 'our-race', extras),
        begin('theirs', 'their-race', extras),
      ])
      const ended = await Promise.all(begun.map(task_id => keepsake.ended(`/api/task/${task_id}/`)))
      const won = ended.filter(({ status }) => status === 'Succeeded').map(({ experience_id }) => experience_id)
      assert.equal(won.length, 2, JSON.stringify(ended.map(({ status, entries }) => [status, entries[0].error])))
      assert.equal(new Set(won).size, 1)
      assert.deepEqual(await lies(`race/${round}.jpg`), pictures[won[0] as string])
    }
    assert.deepEqual((await readdir(join(root, 'race'))).length, 8, 'nothing unfinished is left')
  })
})
