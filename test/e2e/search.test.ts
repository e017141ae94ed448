// The search: guests, tasks, groups, configurations and assets by a part of what people call them.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { idsFrom } from '#db/tasks/search-rows.ts'
import type { Client } from '../support/client.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'

type Kind = 'profiles' | 'tasks' | 'taskgroups' | 'configurations' | 'assets'
const idOf: Record<Kind, string> = {
  profiles: 'profile_id',
  tasks: 'task_id',
  taskgroups: 'task_id',
  configurations: 'configuration_name',
  assets: 'name',
}

describe('search', () => {
  let keepsake: Keepsake
  let zoo: Client
  let picture: Buffer
  const guests: Record<string, string> = {}

  before(async () => {
    keepsake = await startKeepsake()
    picture = await png(pattern(9, 5, 3))
    const guest = async (name: string, body: object) => {
      const answer = await keepsake.client.post('/api/profile/', body)
      assert.equal(answer.status, 201, JSON.stringify(answer.body))
      guests[name] = answer.body.profile_id
    }
    await guest('ada', {
      experience_id: 'park',
      email: ['Ada.Lovelace@Example.com', 'countess@example.org'],
      qr_code: 'QR-100%_sure',
      rfid: '04A2B9C1',
      attributes: {
        first_name: 'Ada',
        family: { name: 'Müller-Lüdenscheidt', tags: ['Größe XL', 'back\\slash'] },
        age: 36,
      },
    })
    await guest('bob', { experience_id: 'zoo', email: 'bob@example.com', attributes: { note: 'a friend of Ada' } })
    await guest('nobody', { email: 'roaming@nowhere.net', attributes: {} })
    await keepsake.configure(single('Polaroid “wow” 50%', 'photo_flip', { method: 'ROTATE_180' }))
    await keepsake.configure(single('polaroid_zoo', 'photo_flip', { method: 'ROTATE_180' }, { experience_id: 'zoo' }))
    for (const [name, experience_id] of [
      ['Frame-Gold', 'park'],
      ['frame-zoo', 'zoo'],
    ] as const)
      await keepsake.send('/api/asset/', { name, experience_id, file: new Blob([new Uint8Array(picture)]) })
    const { body } = await keepsake.client.post('/api/token/', { name: 'z', scopes: ['read'], experiences: ['zoo'] })
    zoo = keepsake.client.as(body.token)
  })
  after(() => keepsake.stop())

  const file = (name: string): File => new File([new Uint8Array(picture)], name)
  const found = async (q: string, client = keepsake.client): Promise<Record<Kind, string[]>> => {
    const { status, body } = await client.get(`/api/search/?q=${encodeURIComponent(q)}`)
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(Object.keys(body).sort(), Object.keys(idOf).sort())
    return Object.fromEntries(
      Object.entries(idOf).map(([kind, id]) => {
        assert.equal(body[kind].more, false)
        return [kind, body[kind].items.map((item: Record<string, string>) => item[id])]
      }),
    ) as Record<Kind, string[]>
  }
  const names = async (q: string, client?: Client): Promise<string[]> =>
    (await found(q, client)).profiles.map(id => Object.keys(guests).find(name => guests[name] === id) ?? id).sort()

  it('guests by any part of a look-up value or of a text in attributes, in any case', async () => {
    for (const q of ['lovelace@EX', 'OUNTESS', '4a2b', 'B9C1', 'QR-', 'first', 'üLLER'])
      assert.deepEqual(await names(q), q === 'first' ? [] : ['ada'], q)
    assert.deepEqual(await names('größe x'), ['ada'])
    assert.deepEqual(await names('LÜD'), ['ada'])
    assert.deepEqual(await names('lu\u0308den'), ['ada'], 'composed or not')
    assert.deepEqual(await names('ada'), ['ada', 'bob'])
    assert.deepEqual(await names('ad'), ['ada', 'bob'], 'two characters')
    assert.deepEqual(await names('ü'.repeat(2)), [])
    assert.deepEqual(await names('  ada  '), ['ada', 'bob'])
    assert.deepEqual(await names('36'), [], 'a number is no text')
    assert.deepEqual(await names('dao'), [], 'its pieces elsewhere are not enough')
    assert.deepEqual(await names('roaming'), ['nobody'])
  })

  it('no character has a meaning of its own', async () => {
    assert.deepEqual(await names('100%_s'), ['ada'])
    assert.deepEqual(await names('%_'), ['ada'])
    for (const q of ['__', '%%', 'a%a', 'A_a', '100_', '..', '.*', '\\%', "';", '""', '{}', '$1'])
      assert.deepEqual(await names(q), [], q)
    assert.deepEqual(await names('k\\s'), ['ada'])
    assert.deepEqual((await found('50%')).configurations, ['Polaroid “wow” 50%'])
    assert.deepEqual((await found('“WOW”')).configurations, ['Polaroid “wow” 50%'])
    assert.deepEqual((await found('d_z')).configurations, ['polaroid_zoo'])
  })

  it('configurations and assets by any part of their name', async () => {
    const { configurations, assets } = await found('rOi')
    assert.deepEqual(configurations.sort(), ['Polaroid “wow” 50%', 'polaroid_zoo'])
    assert.deepEqual(assets, [])
    assert.deepEqual((await found('ame-')).assets.sort(), ['Frame-Gold', 'frame-zoo'])
    const masked = await keepsake.client.get('/api/search/?q=gold')
    const { body: asset } = await keepsake.client.get('/api/asset/Frame-Gold/')
    assert.deepEqual(masked.body.assets.items, [asset], 'as everywhere else')
  })

  it('tasks and groups by the start of their id or of a file name, groups by their configurations too', async () => {
    const send = async (path: string, parts: Record<string, string | Blob>) => {
      const { status, body } = await keepsake.send(path, parts)
      assert.equal(status, 202, JSON.stringify(body))
      return body
    }
    const task = await send('/api/task/', { configuration_name: 'Polaroid “wow” 50%', data: file('IMG_0042 (Ä).jpg') })
    assert.equal(task.input.file_name, 'IMG_0042 (Ä).jpg')
    const other = await send('/api/task/', { configuration_name: 'polaroid_zoo', data: file('img_9.jpg') })
    const group = await send('/api/taskgroup/', {
      configuration_names: '["polaroid_zoo"]',
      polaroid_zoo_data: file('Clip-7.png'),
    })
    assert.equal(group.tasks[0].input.file_name, 'Clip-7.png')
    assert.deepEqual((await found(task.task_id)).tasks, [task.task_id])
    assert.deepEqual((await found(task.task_id.toUpperCase().slice(0, 35))).tasks, [task.task_id])
    assert.deepEqual((await found(task.task_id)).taskgroups, [])
    assert.deepEqual((await found(group.task_id)).taskgroups, [group.task_id])
    assert.deepEqual((await found(group.task_id)).tasks, [])
    assert.deepEqual((await found(task.task_id.slice(0, 2))).tasks, [other.task_id, task.task_id], 'newest first')
    assert.deepEqual((await found(task.task_id.slice(2, 8))).tasks, [], 'the start alone')
    assert.deepEqual((await found('img_00')).tasks, [task.task_id])
    assert.deepEqual((await found('IMG_0042 (ä')).tasks, [task.task_id])
    assert.deepEqual((await found('im')).tasks.sort(), [task.task_id, other.task_id].sort())
    assert.deepEqual((await found('mg_0')).tasks, [], 'the start alone')
    assert.deepEqual((await found('CLIP')).taskgroups, [group.task_id])
    assert.deepEqual((await found('CLIP')).tasks, [])
    assert.deepEqual((await found('OID_z')).taskgroups, [group.task_id])
    assert.deepEqual((await found('img', zoo)).tasks, [other.task_id])
    assert.deepEqual((await found(task.task_id, zoo)).tasks, [])
    assert.deepEqual((await found('aroi', zoo)).taskgroups, [group.task_id])
    const place = `/api/task/${task.task_id}/`
    await keepsake.ended(place)
    const failed = await send('/api/task/', { configuration_name: 'polaroid_zoo', data: new File(['x'], 'broken.jpg') })
    await keepsake.ended(`/api/task/${failed.task_id}/`)
    assert.deepEqual((await found('broken.j')).tasks, [failed.task_id])
    assert.equal((await keepsake.send(`/api/task/${failed.task_id}/retry/`, { data: file('mended.jpg') })).status, 202)
    assert.deepEqual((await found('mended')).tasks, [failed.task_id])
    assert.deepEqual((await found('broken.j')).tasks, [])
    assert.equal((await keepsake.client.delete(place)).status, 204)
    assert.deepEqual((await found('img_00')).tasks, [])
  })

  it('of one’s own experiences alone, and never what was erased', async () => {
    assert.deepEqual(await names('example', zoo), ['bob'])
    assert.deepEqual(await names('ada', zoo), ['bob'])
    assert.deepEqual(await names('roaming', zoo), [])
    assert.deepEqual((await found('fr', zoo)).assets, ['frame-zoo'])
    assert.deepEqual((await found('roid', zoo)).configurations, ['polaroid_zoo'])
    assert.deepEqual((await found('experience zoo')).profiles, [], 'what the index needs is not found')
    await keepsake.client.patch(`/api/profile/${guests.bob}/`, {
      email: 'robert@example.com',
      attributes: { note: null },
    })
    assert.deepEqual(await names('bob'), [])
    assert.deepEqual(await names('robert'), ['bob'])
    await keepsake.client.patch(`/api/profile/${guests.bob}/`, { experience_id: 'park' })
    assert.deepEqual(await names('robert', zoo), [])
    await keepsake.client.delete(`/api/profile/${guests.bob}/`)
    assert.deepEqual(await names('robert'), [])
  })

  it('at most 20, with a word that there are more', async () => {
    for (let n = 0; n < 21; n++)
      await keepsake.client.post('/api/profile/', { experience_id: 'park', rfid: `crowd-${n}`, qr_code: `crowd-q${n}` })
    const { body } = await keepsake.client.get('/api/search/?q=crowd')
    assert.deepEqual([body.profiles.items.length, body.profiles.more], [20, true])
    assert.equal(body.profiles.items[0].rfid[0], 'crowd-20', 'newest first')
    assert.deepEqual([body.tasks.items, body.tasks.more], [[], false])
    const rest = await keepsake.client.get('/api/search/?q=crowd-1')
    assert.deepEqual([rest.body.profiles.items.length, rest.body.profiles.more], [11, false])
  })

  it('what is too short, too long or no text is refused', async () => {
    for (const query of [
      '',
      '?q=',
      '?q=a',
      '?q=%20a%20',
      '?q=e%CC%81',
      `?q=${'a'.repeat(201)}`,
      '?q=aa&q=bb',
      '?q=aa&limit=5',
      '?q=a%00b',
      '?Q=aa',
    ])
      assert.equal((await keepsake.client.get(`/api/search/${query}`)).status, 400, query)
    assert.equal((await keepsake.client.get('/api/search?q=%F0%9F%98%80%F0%9F%98%80')).status, 200)
    assert.equal((await keepsake.client.as('ks_nobody').get('/api/search/?q=aa')).status, 401)
  })
})

describe('ids by their start', () => {
  it('are a range; what no id begins with is none', () => {
    assert.deepEqual(idsFrom('019A84'), {
      first: '019a8400-0000-0000-0000-000000000000',
      last: '019a84ff-ffff-ffff-ffff-ffffffffffff',
    })
    assert.deepEqual(idsFrom('019a8424-5'), {
      first: '019a8424-5000-0000-0000-000000000000',
      last: '019a8424-5fff-ffff-ffff-ffffffffffff',
    })
    for (const text of ['019a84245', '01-', 'xy', '-', 'é0', '019a8424-5d3e-7c31-9d0b-5a2f3e0c7b110'])
      assert.equal(idsFrom(text), null, text)
  })
})
