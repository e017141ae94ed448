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

  test('a link in the place of the file is replaced, not followed', async () => {
    const target = join(outside, 'precious')
    await writeFile(target, 'precious')
    await symlink(target, join(root, 'photo.jpg'))
    await adapter.deliver(photo, step())
    assert.equal(await readFile(target, 'utf8'), 'precious')
    assert.ok((await lstat(join(root, 'photo.jpg'))).isFile())
  })

  test('a folder in the place of the file is a sentence', async () => {
    await mkdir(join(root, 'taken', 'photo.jpg'), { recursive: true })
    await assert.rejects(
      adapter.deliver(photo, step({ folder: 'taken' })),
      /^Problem: Something else already lies where the file should go\.$/,
    )
  })

  test('without a root it is off and says which setting turns it on', async () => {
    await assert.rejects(localFile(null).deliver(photo, step()), /KEEPSAKE_LOCAL_ROOT/)
  })
})
