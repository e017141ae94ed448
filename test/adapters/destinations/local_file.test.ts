// local_file: the contract of destinations, and the walls around its root.
import assert from 'node:assert/strict'
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { localFile } from '#adapters/destinations/local_file.ts'
import { isProblem } from '#kit/errors.ts'
import { destinationContract } from '../../contract/destination.ts'
import { localBed } from '../../support/beds.ts'
import { randomFile, stepFor } from '../../support/delivery.ts'

destinationContract('local_file', localBed, {
  afterLostAnswer: 'one',
  retracts: true,
  large: true,
  resumes: false,
  refusals: [
    {
      title: 'a folder outside the root',
      with: () => ({ options: { folder: '../elsewhere' } }),
      says: /^folder must lie below the root/,
    },
  ],
})

const TAKEN = /^Problem: The place belongs to another experience, or something lies there/

suite('local_file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-local-walls-'))
  const root = join(folder, 'root')
  const outside = join(folder, 'outside')
  await mkdir(root)
  await mkdir(outside)
  after(() => rm(folder, { recursive: true, force: true }))
  const adapter = localFile(root)
  const step = (options = {}) => stepFor(adapter, { options: { file_name: 'photo.jpg', ...options } })
  const photo = await randomFile(folder, 1000, '.jpg')

  test('the result names the folder and the file in it, and no path of the machine', async () => {
    assert.deepEqual(await adapter.deliver(photo, step({ folder: 'a/b', file_prefix: 'c/' })), {
      folder: 'a/b',
      file_key: 'c/photo.jpg',
    })
    assert.deepEqual(await readFile(join(root, 'a/b/c/photo.jpg')), await readFile(photo.path))
  })

  test('each experience has a folder of its own where the root names it', async () => {
    const shared = localFile(join(folder, 'shared', '{experience_id}'))
    const of = (experienceId: string) => stepFor(shared, { options: { file_name: 'latest.jpg' }, experienceId })
    for (const id of ['summer', 'winter', '..', '../..', 'a/b', '%2E%2E']) {
      const delivered = await shared.deliver(photo, of(id))
      if (id !== 'winter') await shared.retract?.(delivered, of(id))
    }
    assert.deepEqual((await readdir(join(folder, 'shared'))).sort(), [
      '%252E%252E',
      '%2E%2E',
      '..%2F..',
      'a%2Fb',
      'summer',
      'winter',
    ])
    assert.deepEqual(await readdir(join(folder, 'shared', 'winter')), ['latest.jpg'])
    assert.deepEqual(await readdir(join(folder, 'shared', 'summer')), [])
  })

  test('neither a folder nor a link leads out of the root', async () => {
    await symlink(outside, join(root, 'link'))
    for (const options of [
      { folder: '/etc' },
      { folder: '..' },
      { folder: 'a/../../x' },
      { folder: 'link' },
      { folder: 'link/deeper' },
      { file_prefix: 'link/' },
      { file_name: '../x' },
      { file_prefix: '..\\' },
    ]) {
      const error = await adapter.deliver(photo, step(options)).catch((error: unknown) => error)
      assert.ok(isProblem(error, 'bad_options', 'destination_refused'), JSON.stringify(options))
      assert.ok(!error.message.includes(folder))
    }
    assert.deepEqual(await readdir(outside), [])
  })

  test('what cannot lie below the root is wrong before anything runs, whatever placeholders stand for', () => {
    const wrong = (options: object) =>
      adapter.review?.(step(options).options, new Set()).map(({ kind, field }) => `${kind} ${field}`)
    for (const folder of ['/etc', '..', '../../z', 'a/../../x'])
      assert.deepEqual(wrong({ folder }), ['wrong folder'], folder)
    for (const file_name of ['../../z', '../{{task_id}}', 'a/', '..', 'a\nb', './{{ext}}', ' '])
      assert.deepEqual(wrong({ file_name }), ['wrong file_name'], file_name)
    for (const file_prefix of ['../', '{{name}}/../', '..\\'])
      assert.deepEqual(wrong({ file_prefix, file_name: '{{task_id}}{{ext}}' }), ['wrong file_prefix'], file_prefix)
    for (const options of [
      {},
      { folder: 'a/../b' },
      { folder: '{{where}}/..' },
      { file_name: '{{name}}' },
      { file_prefix: '{{a}}', file_name: '../x' },
      { file_prefix: '{{a}}/', file_name: '..{{b}}' },
    ])
      assert.deepEqual(wrong(options), [], JSON.stringify(options))
    assert.deepEqual(adapter.review?.(step({ folder: '/etc' }).options, new Set()), [
      { kind: 'wrong', field: 'folder', message: 'must lie below the root: no leading "/", no ".."' },
    ])
  })

  test('a link in the place of its own file is replaced, not followed; that of somebody else stays', async () => {
    const owners = new Map<string, string>()
    const own = () => stepFor(adapter, { options: { file_name: 'photo.jpg' }, owners })
    const target = join(outside, 'precious')
    await writeFile(target, 'precious')
    await symlink(target, join(root, 'photo.jpg'))
    await assert.rejects(adapter.deliver(photo, own()), TAKEN)
    assert.ok((await lstat(join(root, 'photo.jpg'))).isSymbolicLink())
    await rm(join(root, 'photo.jpg'))
    await adapter.deliver(photo, own())
    await rm(join(root, 'photo.jpg'))
    await symlink(target, join(root, 'photo.jpg'))
    await adapter.deliver(photo, own())
    assert.equal(await readFile(target, 'utf8'), 'precious')
    assert.ok((await lstat(join(root, 'photo.jpg'))).isFile())
  })

  test('a place stays with the experience that has it, by whatever way it is named', async () => {
    const owners = new Map<string, string>()
    const of = (experienceId: string, options: object) =>
      stepFor(adapter, { experienceId, owners, options: { ...options } })
    const delivered = await adapter.deliver(photo, of('a', { folder: 'inner', file_name: 'latest.jpg' }))
    await symlink('inner', join(root, 'alias'))
    const other = await randomFile(folder, 10, '.jpg')
    for (const options of [
      { folder: 'inner', file_name: 'latest.jpg' },
      { file_prefix: 'inner/', file_name: 'latest.jpg' },
      { folder: 'alias', file_name: 'latest.jpg' },
      { folder: './inner//', file_name: 'latest.jpg' },
      { folder: 'x/../inner', file_name: 'latest.jpg' },
    ])
      await assert.rejects(adapter.deliver(other, of('b', options)), TAKEN, JSON.stringify(options))
    await assert.rejects(async () => adapter.retract?.(delivered, of('b', {})), /what lies there stays/)
    assert.deepEqual(await readFile(join(root, 'inner/latest.jpg')), await readFile(photo.path))
    // A screen has shown it and taken it away: neither the name nor a folder of that name is anybody else's.
    await adapter.retract?.(delivered, of('a', {}))
    await assert.rejects(adapter.deliver(other, of('b', { folder: 'inner', file_name: 'latest.jpg' })), TAKEN)
    await assert.rejects(adapter.deliver(other, of('b', { folder: 'inner/latest.jpg', file_name: 'x' })), TAKEN)
    await adapter.deliver(other, of('a', { folder: 'alias', file_name: 'latest.jpg' }))
    assert.deepEqual(await readFile(join(root, 'inner/latest.jpg')), await readFile(other.path))
  })

  test('a file of the operator is replaced by nobody, one that an attempt of before had placed by that task alone', async () => {
    await writeFile(join(root, 'poster.jpg'), 'the operator’s')
    const options = { file_name: 'poster.jpg' }
    await assert.rejects(adapter.deliver(photo, stepFor(adapter, { options })), TAKEN)
    const elsewhere = { folder: 'other', file_key: 'poster.jpg' }
    await assert.rejects(adapter.deliver(photo, stepFor(adapter, { options, checkpoint: elsewhere })), TAKEN)
    const checkpoint = { folder: '', file_key: 'poster.jpg' }
    const owners = new Map([['poster.jpg', 'another']])
    await assert.rejects(adapter.deliver(photo, stepFor(adapter, { options, checkpoint, owners })), TAKEN)
    assert.equal(await readFile(join(root, 'poster.jpg'), 'utf8'), 'the operator’s')
    await adapter.deliver(photo, stepFor(adapter, { options, checkpoint }))
    assert.deepEqual(await readFile(join(root, 'poster.jpg')), await readFile(photo.path))
  })

  test('the name of an unfinished file is nobody’s to deliver', async () => {
    const error = await adapter
      .deliver(photo, step({ file_name: '.keepsake-0192-test-0.part' }))
      .catch((e: unknown) => e)
    assert.ok(isProblem(error, 'bad_options'), String(error))
  })

  test('a name that is too long for the disk is no place', async () => {
    const says = /^Problem: The name is too long for this disk/
    const name = `${'ä'.repeat(126)}.jpg`
    for (const options of [{ file_name: name }, { file_prefix: `${name}/` }, { folder: `a/${name}` }]) {
      await assert.rejects(adapter.deliver(photo, step(options)), says)
      assert.throws(() => adapter.aims?.(step(options)), says)
    }
    assert.ok(adapter.aims?.(step({ file_name: name.slice(1) })))
  })

  test('a folder in the place of the file is a sentence', async () => {
    await mkdir(join(root, 'taken', 'photo.jpg'), { recursive: true })
    const owners = new Map([['taken/photo.jpg', 'park']])
    await assert.rejects(
      adapter.deliver(photo, stepFor(adapter, { options: { file_name: 'photo.jpg', folder: 'taken' }, owners })),
      /^Problem: Something else already lies where the file should go\.$/,
    )
  })

  test('without a root it is off and says which setting turns it on', async () => {
    await assert.rejects(localFile(null).deliver(photo, step()), /KEEPSAKE_LOCAL_ROOT/)
  })
})
