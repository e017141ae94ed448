// POST /api/apply/: what is wrong with a whole event is said of the thing in it, and nothing of the event is kept.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { type Keepsake, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'

describe('an event with one thing wrong', () => {
  let keepsake: Keepsake
  let photo: Buffer
  before(async () => {
    keepsake = await startKeepsake({ worker: false })
    photo = await png(pattern(32, 24, 3))
  })
  after(() => keepsake.stop())

  const single = (configuration_name: string, adapter_name: string, defaults: object) => ({
    configuration_name,
    experience_id: 'pier',
    adapter_name,
    adapter_config: { auth: {}, defaults },
  })
  const asset = (name: string, sha256: string, part?: string) => ({ name, experience_id: 'pier', sha256, part })
  const sum = (file: Buffer | string) => createHash('sha256').update(file).digest('hex')
  const small = single('small', 'photo_resize', { width: 20 })

  const apply = (event: object, files: Record<string, Buffer | string> = {}) =>
    keepsake.send('/api/apply/', {
      event: JSON.stringify(event),
      ...Object.fromEntries(
        Object.entries(files).map(([part, file]) => [part, new Blob([Uint8Array.from(Buffer.from(file))])]),
      ),
    })

  const nothing = sum('nothing')
  const broken = Buffer.from('89504e470d0a1a0a0000000d49484452000000200000001808020000000000000000000049444154', 'hex')
  for (const [what, event, files, says, field] of [
    [
      'an option of a configuration',
      { configurations: [small, single('turned', 'photo_flip', { method: 'UPSIDE_DOWN' })] },
      {},
      /^configuration "turned": photo_flip does not take this: /,
      'event.configurations[1].adapter_config.defaults.method',
    ],
    [
      'an asset that nobody made',
      { configurations: [single('framed', 'photo_add_overlay', { overlay_file_name: 'no.png' }), small] },
      {},
      /^configuration "framed": there is no asset "no\.png"/,
      'event.configurations[0].adapter_config.defaults.overlay_file_name',
    ],
    [
      'a file that was not sent',
      { assets: [asset('frame.png', nothing)] },
      {},
      /^asset "frame\.png": the service does not have this file/,
      'event.assets[0]',
    ],
    [
      'a picture that is cut off',
      { assets: [asset('good.png', 'photo', 'file_0'), asset('bad.png', sum(broken), 'file_1')] },
      { file_1: broken },
      /^asset "bad\.png": /,
      'event.assets[1]',
    ],
  ] as const)
    test(`${what} is pointed at`, async () => {
      const assets = 'assets' in event ? event.assets : []
      const whole = {
        ...event,
        experiences: [{ experience_id: 'pier', name: 'The pier' }],
        assets: assets.map(one => (one.sha256 === 'photo' ? { ...one, sha256: sum(photo) } : one)),
      }
      const parts = assets.some(({ part }) => part === 'file_0') ? { file_0: photo, ...files } : files
      const { status, body } = await apply(whole, parts)
      assert.equal(status, 400, JSON.stringify(body))
      assert.match(body.detail, says)
      assert.deepEqual(
        body.errors.map((error: { field: string }) => error.field),
        [field],
        JSON.stringify(body),
      )
      assert.equal((await keepsake.client.get('/api/experience/pier/')).status, 404)
      for (const path of ['configuration', 'asset'])
        assert.deepEqual((await keepsake.client.get(`/api/${path}/`)).body.items, [])
    })

  test('what somebody else changed or made meanwhile is not overwritten', async () => {
    const wide = single('wide', 'photo_resize', { width: 30 })
    assert.equal((await apply({ configurations: [small], expect: { small: null } })).status, 200)
    const refused = await apply({ configurations: [wide, small], expect: { small: null } })
    assert.equal(refused.status, 412, JSON.stringify(refused.body))
    assert.equal(refused.body.code, 'changed_meanwhile')
    assert.match(refused.body.detail, /"small"/)
    assert.equal((await keepsake.client.get('/api/configuration/wide/')).status, 404, 'nothing of it is kept')
    const tag = (await keepsake.client.get('/api/configuration/small/')).headers.get('etag')
    await keepsake.client.patch('/api/configuration/small/', { adapter_config: { defaults: { width: 21 } } })
    assert.equal((await apply({ configurations: [wide, small], expect: { small: tag } })).status, 412)
    const now = (await keepsake.client.get('/api/configuration/small/')).headers.get('etag')
    assert.equal((await apply({ configurations: [wide, small], expect: { small: now, wide: null } })).status, 200)
    assert.equal((await apply({ configurations: [small], expect: { gone: 'x', small: 3 } })).status, 400)
    const gone = await apply({
      configurations: [single('gone', 'photo_resize', { width: 1 })],
      expect: { gone: '"1"' },
    })
    assert.equal(gone.status, 412)
  })
})
