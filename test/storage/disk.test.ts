// The blob store on disk: the contract, and what only a disk can do wrong.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { renameSync } from 'node:fs'
import { mkdtemp, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { isProblem } from '#kit/errors.ts'
import type { Blobs } from '#storage/blobs.ts'
import { diskBlobs } from '#storage/disk-blobs.ts'
import { blobStoreContract } from '../contract/blob-store.ts'
import { event } from '../support/until.ts'

let folder: string
let blobs: Blobs
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keepsake-disk-'))
  blobs = await diskBlobs(join(folder, 'blobs'))
})
after(() => rm(folder, { recursive: true, force: true }))

blobStoreContract('a blob store on disk', () => blobs)

describe('a blob store on disk, besides', () => {
  const unfinished = () => readdir(join(folder, 'blobs', 'unfinished'))

  it('leaves nothing aside after all of that', async () => {
    assert.deepEqual(await unfinished(), [])
  })

  it('leaves nothing of a source that breaks while the disk is busy', async () => {
    // A slow disk can open a file after a failure has already removed it.
    let isBusy = true
    async function* some(bytes: number, error?: Error) {
      yield Buffer.alloc(bytes)
      if (error) throw error
    }
    const load = [1, 2].map(async () => {
      while (isBusy) await blobs.delete((await blobs.put(some(2_000_000))).blob)
    })
    for (let tries = 0; tries < 300; tries++) await assert.rejects(blobs.put(some(10, new Error('broken'))), /broken/)
    isBusy = false
    await Promise.all(load)
    assert.deepEqual(await unfinished(), [])
  })

  it('takes in a file of the same disk without copying it', async () => {
    const path = join(folder, 'made')
    await writeFile(path, 'made')
    const { blob } = await blobs.putFile({ path, bytes: 4, sha256: '' })
    assert.equal((await stat(await blobs.local(blob, folder))).ino, (await stat(path)).ino)
  })

  it('shows a killed writer’s file to nobody, and sweeps it', async () => {
    const writer = child(`
      const { diskBlobs } = await import('#storage/disk-blobs.ts')
      const blobs = await diskBlobs(${JSON.stringify(join(folder, 'blobs'))})
      async function* endless() {
        yield Buffer.alloc(3_000_000)
        process.stdout.write('begun')
        await new Promise(resolve => setTimeout(resolve, 60_000))
      }
      await blobs.put(endless())`)
    const listed = await Array.fromAsync(blobs.list())
    await event('it writes', writer.stdout, 'data')
    assert.equal((await unfinished()).length, 1)
    assert.equal(await blobs.sweep(), 0, 'its writer lives')
    writer.kill('SIGKILL')
    await event('it has ended', writer, 'exit')
    assert.deepEqual(await Array.fromAsync(blobs.list()), listed)
    assert.equal(await blobs.sweep(), 1)
    assert.deepEqual(await unfinished(), [])
  })

  it('sweeps what another machine left only when it is a day old', async () => {
    const path = join(folder, 'blobs', 'unfinished', 'elsewhere.1.1.blob')
    await writeFile(path, 'half')
    assert.equal(await blobs.sweep(), 0)
    const long = new Date(Date.now() - 25 * 3600 * 1000)
    await utimes(path, long, long)
    assert.equal(await blobs.sweep(), 1)
  })

  it('answers unavailable when the disk takes no more, and leaves nothing', async () => {
    // A file size limit is the one way to a full disk that needs no rights.
    const full = join(folder, 'full')
    const writer = child(
      `const { diskBlobs } = await import('#storage/disk-blobs.ts')
      const blobs = await diskBlobs(${JSON.stringify(full)})
      async function* big() { for (let i = 0; i < 64; i++) yield Buffer.alloc(100_000) }
      await blobs.put(big()).catch(error => process.stdout.write(error.code + ': ' + error.message))`,
      '1024',
    )
    const [answer] = await event('it writes', writer.stdout, 'data')
    assert.equal(String(answer), 'unavailable: The file store is full.')
    await event('it has ended', writer, 'exit')
    assert.deepEqual(await readdir(join(full, 'unfinished')), [])
  })

  it('answers unavailable while the folder is away, and goes on when it is back', async () => {
    const other = join(folder, 'mounted')
    const store = await diskBlobs(other)
    await rename(other, `${other}-away`)
    await assert.rejects(store.check(), error => isProblem(error, 'unavailable'))
    await rename(`${other}-away`, other)
    await store.check()
  })

  it('takes no file for gone or deleted while the folder is away, not even when it comes back in that moment', async () => {
    const other = join(folder, 'flapping')
    const store = await diskBlobs(other)
    const { blob } = await store.put(Readable.from([Buffer.from('kept')]))
    for (const work of [() => store.local(blob, folder), () => store.read(blob), () => store.delete(blob)]) {
      await rename(other, `${other}-away`)
      await assert.rejects(work(), error => isProblem(error, 'unavailable'))
      renameSync(`${other}-away`, other)
    }
    for (let time = 0; time < 300; time++) {
      renameSync(other, `${other}-away`)
      const looked = store.local(blob, folder)
      renameSync(`${other}-away`, other)
      await looked.catch(error => assert.ok(isProblem(error, 'unavailable'), String(error)))
    }
    await store.delete(blob)
    await assert.rejects(store.local(blob, folder), error => isProblem(error, 'gone'))
    await store.delete(blob)
  })

  it('takes the next bytes of a file only when those before are on the disk', async () => {
    const chunk = Buffer.alloc(64 * 1024)
    const own = join(folder, 'big')
    const store = await diskBlobs(own)
    let [sent, most] = [0, 0]
    async function* zeros() {
      for (; sent < 32 * 1024 ** 2; sent += chunk.length) {
        const [writing] = await readdir(join(own, 'unfinished'))
        const written = writing === undefined ? 0 : (await stat(join(own, 'unfinished', writing))).size
        most = Math.max(most, sent - written)
        yield chunk
      }
    }
    const { bytes } = await store.put(zeros())
    assert.equal(bytes, sent)
    assert.ok(most <= 2 * 1024 ** 2, `${most / 1024 ** 2} MiB were held at once`)
  })
})

/** Another process of ours; `blocks` limits the size of a file it may write, in KiB. */
function child(code: string, blocks?: string) {
  const run = blocks === undefined ? 'exec "$@"' : `ulimit -f ${blocks}; exec "$@"`
  return spawn('bash', ['-c', run, 'bash', process.execPath, '--input-type=module', '-e', code], {
    cwd: join(import.meta.dirname, '../..'),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}
