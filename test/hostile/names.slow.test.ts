// Names that JavaScript's own objects have: ordinary names here, wherever somebody may choose one.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'

const names = ['toString', 'constructor', '__proto__', 'hasOwnProperty', 'valueOf', '__defineGetter__', 'isPrototypeOf']
/** `__proto__` is refused as a key of JSON, and is a name like any other elsewhere. */
const keys = names.filter(name => name !== '__proto__')

describe('names of JavaScript’s own objects', () => {
  let keepsake: Keepsake
  let data: Blob

  before(async () => {
    keepsake = await startKeepsake()
    data = new Blob([new Uint8Array(await png(pattern(320, 240, 3)))])
    await keepsake.configure(single('overlay', 'photo_add_overlay', { overlay_file_name: '{{which}}' }))
    await keepsake.configure(single('text', 'photo_add_text', { text: 'x' }))
    await keepsake.configure(single('layers', 'photo_compositor', { layers: [] }))
  })
  after(() => keepsake.stop())

  const post = (extras: object, configuration_name: string) =>
    keepsake.send('/api/task/', { configuration_name, data, extras: JSON.stringify(extras) })

  async function ends(extras: object, configuration: string) {
    const { status, body } = await post(extras, configuration)
    assert.equal(status, 202, JSON.stringify(body))
    return keepsake.ended(`/api/task/${body.task_id}/`)
  }

  const preview = (extras: object, configuration: string) =>
    keepsake.send(`/api/configuration/${configuration}/preview/`, { data, extras: JSON.stringify(extras) })

  for (const name of names) {
    const context = (value: string) => ({ additional_context: { which: value } })

    it(`an asset ${name} that is not there is told, at once and by the task`, async () => {
      const { status, body } = await keepsake.client.post(
        '/api/configuration/',
        single('new', 'photo_add_overlay', { overlay_file_name: name }),
      )
      assert.deepEqual([status, body.code], [400, 'unknown_asset'], JSON.stringify(body))
      const direct = await post({ overlay_file_name: name }, 'overlay')
      assert.deepEqual([direct.status, direct.body.code], [400, 'unknown_asset'], JSON.stringify(direct.body))
      const seen = await preview(context(name), 'overlay')
      assert.deepEqual([seen.status, seen.body.code], [400, 'asset_missing'], JSON.stringify(seen.body))
      const task = await ends(context(name), 'overlay')
      assert.deepEqual(
        [task.status, task.entries[0].error.code],
        ['Failed', 'asset_missing'],
        JSON.stringify(task.entries),
      )
    })

    it(`a template ${name} that is not there is told`, async () => {
      const defaults = { template_file_name: name }
      const { status, body } = await keepsake.client.post(
        '/api/configuration/',
        single('new', 'photo_compositor', defaults),
      )
      assert.deepEqual([status, body.code], [400, 'unknown_asset'], JSON.stringify(body))
      const direct = await post(defaults, 'layers')
      assert.deepEqual([direct.status, direct.body.code], [400, 'unknown_asset'], JSON.stringify(direct.body))
    })

    it(`an asset, a configuration, an experience and a layer may be called ${name}`, async () => {
      const form = { name, experience_id: 'park', file: data }
      const made = await keepsake.send('/api/asset/', form)
      assert.equal(made.status, 201, JSON.stringify(made.body))
      const task = await ends(context(name), 'overlay')
      assert.equal(task.status, 'Succeeded', JSON.stringify(task.entries))
      await keepsake.configure(single(name, 'photo_add_overlay', { overlay_file_name: name }))
      const own = await ends({}, name)
      assert.equal(own.status, 'Succeeded', JSON.stringify(own.entries))
      await keepsake.configure(chain(`${name} chain`, [[name, null]]))
      assert.equal((await ends({}, `${name} chain`)).status, 'Succeeded')
      const layers = [{ type: 'image', name, asset: name, width: '50%' }]
      const layered = await ends({ layers }, 'layers')
      assert.equal(layered.status, 'Succeeded', JSON.stringify(layered.entries))
      const elsewhere = { ...single(`${name} elsewhere`, 'photo_flip', { method: 'ROTATE_180' }), experience_id: name }
      await keepsake.configure(elsewhere)
      assert.equal((await ends({}, `${name} elsewhere`)).experience_id, name)
      assert.equal((await keepsake.client.get(`/api/experience/${name}/`)).status, 200)
      assert.equal((await keepsake.client.get(`/api/asset/${name}/`)).status, 200)
      assert.equal((await keepsake.client.get(`/api/configuration/${name}/`)).body.configuration_name, name)
      const checked = await keepsake.client.post(`/api/configuration/${name}/check/`)
      assert.equal(checked.status, 200, JSON.stringify(checked.body))
    })

    it(`a group takes parts called by ${name}, and outputs of it in place of assets`, async () => {
      await keepsake.configure(single(`${name}-after`, 'photo_compositor', { layers: [{ type: 'image', name }] }))
      const { status, body } = await keepsake.send('/api/taskgroup/', {
        configuration_names: JSON.stringify([name, `${name}-after`]),
        [`${name}_data`]: data,
        [`${name}-after_input`]: name,
        [`${name}-after_extras`]: JSON.stringify({ [`${name}_override`]: name }),
      })
      assert.equal(status, 202, JSON.stringify(body))
      const group = await keepsake.ended(`/api/taskgroup/${body.task_id}/`)
      assert.equal(group.status, 'Succeeded', JSON.stringify(group.tasks))
    })

    it(`what is unknown and called ${name} is unknown`, async () => {
      const unknown = 'x'.concat(name)
      const answers: [number, { status: number; body: { code?: string } }][] = [
        [400, await post({}, unknown)],
        [404, await keepsake.client.get(`/api/asset/${unknown}/`)],
        [404, await keepsake.client.get(`/api/adapter/${name}/`)],
        [404, await keepsake.client.get(`/api/task/${name}/`)],
        [404, await keepsake.client.get(`/api/profile/${name}/`)],
        [400, await keepsake.client.get(`/api/task/?${name}=1`)],
        [400, await keepsake.client.get(`/api/task/?status=${name}`)],
        [400, await keepsake.client.post('/api/configuration/', single('new', name))],
        [400, await keepsake.client.post('/api/configuration/', single('new', 'photo_flip', { method: name }))],
        [400, await keepsake.send('/api/task/', { configuration_name: 'text', data, [name]: 'x' })],
        [404, await keepsake.client.get(`/api/${name}/`)],
      ]
      for (const [i, [expected, { status, body }]] of answers.entries())
        assert.equal(status, expected, `${i}: ${JSON.stringify(body)}`)
    })
  }

  for (const name of keys) {
    it(`${name} is a placeholder, a key of the extras, of a context and of a profile like any other`, async () => {
      const missing = await ends({ text: `{{${name}}} {{profile.${name}}}` }, 'text')
      assert.equal(missing.status, 'Succeeded')
      assert.match(missing.entries[0].warnings.join(), new RegExp(`no value for \\{\\{${name}\\}\\}`))
      const known = await ends({ text: `{{${name}}}`, additional_context: { [name]: 'Ada' } }, 'text')
      assert.deepEqual([known.status, known.entries[0].warnings], ['Succeeded', []])
      const idle = await post({ [name]: 'x' }, 'text')
      assert.equal(idle.status, 202)
      assert.match(idle.body.warnings.join(), new RegExp(`extras\\.${name} is not an option`))
      const profile = await keepsake.client.post('/api/profile/', {
        rfid: name,
        attributes: { [name]: 'Ada', deep: { [name]: 1 } },
      })
      assert.equal(profile.status, 201, JSON.stringify(profile.body))
      assert.equal(profile.body.attributes[name], 'Ada')
      const patched = await keepsake.client.patch(`/api/profile/${profile.body.profile_id}/`, {
        attributes: { [name]: { [name]: 2 }, deep: { [name]: null } },
      })
      assert.deepEqual(patched.body.attributes, { [name]: { [name]: 2 }, deep: {} })
      const greeted = await ends({ rfid: [name], text: `{{profile.${name}.${name}}}` }, 'text')
      assert.deepEqual([greeted.status, greeted.entries[0].warnings], ['Succeeded', []])
    })
  }

  it('the key __proto__ is refused wherever JSON is read', async () => {
    const poison = '{"additional_context": {"__proto__": {"which": "x"}}}'
    const { status, body } = await keepsake.send('/api/task/', { configuration_name: 'text', data, extras: poison })
    assert.deepEqual([status, body.errors[0].field], [400, 'extras.additional_context.__proto__'])
  })
})
