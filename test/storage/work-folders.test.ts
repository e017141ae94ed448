// Folders for one piece of work.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { access, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { makeWorkFolder, newWorkFolder, sweepWorkFolders, workFolderOff } from '#storage/work-folders.ts'
import { event } from '../support/until.ts'

describe('a work folder', () => {
  let data: string
  before(async () => {
    data = await mkdtemp(join(tmpdir(), 'keepsake-work-'))
  })
  after(() => rm(data, { recursive: true, force: true }))

  it('is its owner’s alone, and gone with all it holds when the work is over', async () => {
    let path: string
    {
      await using folder = await newWorkFolder(data)
      path = makeWorkFolder(folder.path)
      await writeFile(join(path, 'file'), 'x')
      assert.equal((await stat(path)).mode & 0o777, 0o700)
    }
    await assert.rejects(access(path))
  })

  it('is swept when its process was killed, and not before', async () => {
    const script = `
      const { makeWorkFolder, newWorkFolder } = await import('#storage/work-folders.ts')
      const folder = await newWorkFolder(${JSON.stringify(data)})
      process.stdout.write(makeWorkFolder(folder.path))
      setTimeout(() => {}, 60_000)`
    const worker = spawn(process.execPath, ['--input-type=module', '-e', script], {
      cwd: join(import.meta.dirname, '../..'),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [path] = await event('it has a folder', worker.stdout, 'data')
    await using mine = await newWorkFolder(data)
    makeWorkFolder(mine.path)
    assert.equal(await sweepWorkFolders(data), 0)
    worker.kill('SIGKILL')
    await event('it has ended', worker, 'exit')
    assert.equal(await sweepWorkFolders(data), 1)
    await assert.rejects(access(String(path)))
    await access(mine.path)
  })

  it('that cannot be made is no trouble of a file', async () => {
    assert.equal(await workFolderOff(data), null)
    const other = join(data, 'other')
    await mkdir(other)
    await writeFile(join(other, 'work'), 'no folder')
    await using folder = await newWorkFolder(other)
    assert.throws(() => makeWorkFolder(folder.path), { code: 'unavailable', retryAfterSeconds: 30 })
    assert.match((await workFolderOff(other)) ?? '', /^the work folder cannot be written \(E[A-Z]+\)/)
  })

  it('is no trouble where there never was one', async () => {
    assert.equal(await sweepWorkFolders(join(data, 'nothing')), 0)
  })
})
