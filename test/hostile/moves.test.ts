// Attacks of a limited token that try to move things over the walls between experiences, in both directions.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { cleanUp } from '../support/clean-up.ts'
import type { Client } from '../support/client.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'

describe('nothing moves over the wall by a token that does not see both sides', () => {
  let keepsake: Keepsake
  let admin: Client
  let writer: Client
  let picture: Blob

  before(async () => {
    keepsake = await startKeepsake({ worker: false })
    admin = keepsake.client
    picture = new Blob([new Uint8Array(await png(pattern(4, 4, 3)))])
    const named = { name: 'w', scopes: ['write'], experiences: ['ours'] }
    writer = admin.as((await admin.post('/api/token/', named)).body.token)
    for (const experience_id of ['ours', 'theirs']) {
      await asset(admin, 'POST', '/api/asset/', { name: `${experience_id}-asset`, experience_id })
      await keepsake.configure({
        ...single(`${experience_id}-single`, 'photo_add_overlay', { overlay_file_name: `${experience_id}-asset` }),
        experience_id,
      })
    }
  })
  after(() => cleanUp(() => keepsake.stop()))

  function asset(client: Client, method: string, path: string, fields: Record<string, string>) {
    const body = new FormData()
    for (const [name, value] of Object.entries(fields)) body.append(name, value)
    body.append('file', picture)
    return client.send(method, path, { body })
  }

  const refused = ({ status, body }: { status: number; body: unknown }, what: string) =>
    assert.ok([400, 403, 404].includes(status), `${what}: ${status} ${JSON.stringify(body)}`)

  it('a configuration, neither away nor here, nor by its activities', async () => {
    const path = (name: string) => `/api/configuration/${name}/`
    const activity = { activity_type: 't', payload: { object_id: 'o' } }
    for (const [name, change] of [
      ['ours-single', { experience_id: 'theirs' }],
      ['theirs-single', { experience_id: 'ours' }],
      ['ours-single', { activity_config: { ...activity, experience_id: 'theirs' } }],
      ['ours-single', { adapter_config: { auth: {}, defaults: { overlay_file_name: 'theirs-asset' } } }],
    ] as const)
      refused(await writer.send('PATCH', path(name), { body: JSON.stringify(change), headers: json }), name)
    const chain = { configuration_name: 'c', experience_id: 'ours', call_chain: [['theirs-single', null]] }
    refused(await writer.post('/api/configuration/', chain), 'a chain of foreign ones')
    for (const experience_id of ['ours', 'theirs'])
      assert.equal((await admin.get(path(`${experience_id}-single`))).body.experience_id, experience_id)
  })

  it('an asset, by replacing it or by naming its experience', async () => {
    const before = (await admin.get('/api/asset/')).body.items
    refused(await asset(writer, 'PUT', '/api/asset/theirs-asset/', {}), 'replacing a foreign one')
    refused(await asset(writer, 'PUT', '/api/asset/ours-asset/', { experience_id: 'theirs' }), 'moving one')
    refused(await asset(writer, 'POST', '/api/asset/', { name: 'new', experience_id: 'theirs' }), 'making one there')
    assert.equal((await writer.send('DELETE', '/api/asset/theirs-asset/')).status, 404)
    assert.deepEqual((await admin.get('/api/asset/')).body.items, before)
  })

  it('what a configuration names stays with it when somebody who sees both moves it', async () => {
    const change = JSON.stringify({ experience_id: 'theirs' })
    const moved = await admin.send('PATCH', '/api/configuration/ours-single/', { body: change, headers: json })
    refused(moved, 'a configuration without its asset')
    await keepsake.configure({ ...single('plain', 'photo_flip', { method: 'ROTATE_180' }), experience_id: 'ours' })
    const chain = { configuration_name: 'chain', experience_id: 'ours', call_chain: [['plain', null]] }
    assert.equal((await writer.post('/api/configuration/', chain)).status, 201)
    const member = await admin.send('PATCH', '/api/configuration/plain/', { body: change, headers: json })
    assert.equal(member.body.code, 'in_use')
  })

  it('a member that is moved while a chain comes to name it', async () => {
    for (let round = 0; round < 10; round++) {
      const name = `raced-${round}`
      await keepsake.configure({ ...single(name, 'photo_flip', { method: 'ROTATE_180' }), experience_id: 'ours' })
      const chain = { configuration_name: `c-${round}`, experience_id: 'ours', call_chain: [[name, null]] }
      await Promise.all([
        writer.post('/api/configuration/', chain),
        admin.send('PATCH', `/api/configuration/${name}/`, {
          body: JSON.stringify({ experience_id: 'theirs' }),
          headers: json,
        }),
      ])
      const [made, member] = [
        await admin.get(`/api/configuration/c-${round}/`),
        await admin.get(`/api/configuration/${name}/`),
      ]
      assert.ok(made.status === 404 || member.body.experience_id === 'ours', 'a chain names what is foreign')
    }
  })
})

const json = { 'content-type': 'application/json' }
