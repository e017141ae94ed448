// What every blob store must do; one suite run over each of them.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { isProblem } from '#kit/errors.ts'
import { newId } from '#kit/ids.ts'
import type { Blobs } from '#storage/blobs.ts'
import type { Growth } from '#storage/growing-blobs.ts'

const MiB = 1024 ** 2

export function blobStoreContract(title: string, blobsOf: () => Blobs): void {
  describe(title, () => {
    let blobs: Blobs
    let folder: string
    beforeEach(async () => {
      blobs = blobsOf()
      folder = await mkdtemp(join(tmpdir(), 'keepsake-blobs-'))
    })
    afterEach(async () => {
      await rm(folder, { recursive: true, force: true })
    })

    it('gives back exactly the bytes it was given, with their count, hash and beginning', async () => {
      const bytes = randomBytes(200_000)
      const kept = await blobs.put(inChunks(bytes, 7_001))
      assert.equal(kept.bytes, bytes.length)
      assert.equal(kept.sha256, sha256(bytes))
      assert.deepEqual(kept.head, bytes.subarray(0, 4100))
      assert.deepEqual(await bytesOf(blobs, kept.blob), bytes)
    })

    it('keeps an empty file', async () => {
      const kept = await blobs.put(inChunks(Buffer.alloc(0), 1))
      assert.equal(kept.bytes, 0)
      assert.equal(kept.sha256, sha256(Buffer.alloc(0)))
      assert.equal((await bytesOf(blobs, kept.blob)).length, 0)
    })

    it('keeps a file of many parts', async () => {
      const bytes = randomBytes(21 * MiB + 5)
      const kept = await blobs.put(inChunks(bytes, 64 * 1024))
      assert.equal(kept.sha256, sha256(bytes))
      assert.equal(sha256(await bytesOf(blobs, kept.blob)), kept.sha256)
    })

    it('reads a range, both ends included', async () => {
      const bytes = randomBytes(1000)
      const { blob } = await blobs.put(inChunks(bytes, 100))
      for (const [start, end] of [
        [0, 0],
        [0, 999],
        [10, 19],
        [999, 999],
      ] as const) {
        const range = Buffer.concat(await (await blobs.read(blob, { start, end })).toArray())
        assert.deepEqual(range, bytes.subarray(start, end + 1))
      }
    })

    it('refuses a file over the limit and leaves nothing', async () => {
      const before = await everything(blobs)
      for (const bytes of [1001, 20 * MiB]) {
        await assert.rejects(blobs.put(inChunks(Buffer.alloc(bytes), 64 * 1024), { maxBytes: bytes - 1 }), error =>
          isProblem(error, 'too_large'),
        )
      }
      assert.deepEqual(await everything(blobs), before)
      assert.equal((await blobs.put(inChunks(Buffer.alloc(1000), 64), { maxBytes: 1000 })).bytes, 1000)
    })

    it('passes on the error of a source that breaks and leaves nothing', async () => {
      const before = await everything(blobs)
      const broken = new Error('the client went away')
      for (const bytes of [10, 20 * MiB]) {
        await assert.rejects(blobs.put(breaking(Buffer.alloc(bytes), broken)), error => error === broken)
      }
      assert.deepEqual(await everything(blobs), before)
    })

    it('leaves nothing of sources that break at once', async () => {
      const before = await everything(blobs)
      const broken = new Error('the client went away')
      const puts = Array.from({ length: 50 }, () => blobs.put(breaking(Buffer.alloc(0), broken)))
      for (const { status } of await Promise.allSettled(puts)) assert.equal(status, 'rejected')
      assert.deepEqual(await everything(blobs), before)
    })

    it('stops at once when it is aborted, though the source hangs, and leaves nothing', async () => {
      const before = await everything(blobs)
      const control = new AbortController()
      const reason = new Error('enough')
      const hanging = Promise.withResolvers<void>()
      async function* source() {
        yield Buffer.alloc(100)
        control.abort(reason)
        await hanging.promise
      }
      const put = blobs.put(source(), { signal: control.signal })
      await assert.rejects(put, error => error === reason)
      hanging.resolve()
      assert.deepEqual(await everything(blobs), before)
    })

    it('announces a blob after its bytes and before it can be seen', async () => {
      const seen: string[] = []
      const announce = async (blob: string): Promise<void> => {
        await assert.rejects(blobs.read(blob), error => isProblem(error, 'gone'))
        seen.push(blob)
      }
      const path = join(folder, 'made')
      await writeFile(path, 'made')
      const stream = await blobs.put(inChunks(Buffer.alloc(100), 10), { announce })
      const file = await blobs.putFile({ path, bytes: 4, sha256: sha256(Buffer.from('made')) }, { announce })
      assert.deepEqual(seen, [stream.blob, file.blob])
    })

    it('keeps nothing whose announcement failed', async () => {
      const before = await everything(blobs)
      const failed = new Error('the database is away')
      const announce = () => Promise.reject(failed)
      await assert.rejects(blobs.put(inChunks(Buffer.alloc(100), 10), { announce }), error => error === failed)
      assert.deepEqual(await everything(blobs), before)
    })

    it('takes in a finished file, which may then go', async () => {
      const path = join(folder, 'made')
      const bytes = randomBytes(9 * MiB)
      await writeFile(path, bytes)
      const stored = await blobs.putFile({ path, bytes: bytes.length, sha256: sha256(bytes) })
      await rm(path)
      assert.deepEqual([stored.bytes, stored.sha256], [bytes.length, sha256(bytes)])
      assert.equal(sha256(await bytesOf(blobs, stored.blob)), stored.sha256)
    })

    it('takes in no link, whatever it points to', async () => {
      await writeFile(join(folder, 'target'), 'private')
      await symlink(join(folder, 'target'), join(folder, 'link'))
      await assert.rejects(blobs.putFile({ path: join(folder, 'link'), bytes: 7, sha256: '' }))
    })

    it('gives tools a local path, also when several ask at once', async () => {
      const bytes = randomBytes(3 * MiB)
      const { blob } = await blobs.put(inChunks(bytes, 64 * 1024))
      const paths = await Promise.all([1, 2, 3].map(() => blobs.local(blob, folder)))
      for (const path of paths) assert.deepEqual(await readFile(path), bytes)
    })

    it('says gone for what is not there', async () => {
      await assert.rejects(blobs.read(newId()), error => isProblem(error, 'gone'))
      await assert.rejects(blobs.local(newId(), folder), error => isProblem(error, 'gone'))
    })

    it('refuses an id that is none of its own making', async () => {
      await assert.rejects(blobs.read('../../etc/passwd'), /not the id of a blob/)
    })

    it('deletes, and does not mind deleting again', async () => {
      const { blob } = await blobs.put(inChunks(Buffer.alloc(10), 10))
      await blobs.delete(blob)
      await blobs.delete(blob)
      await assert.rejects(blobs.read(blob), error => isProblem(error, 'gone'))
    })

    it('lists every blob with its size and age', async () => {
      const aMinuteAgo = new Date(Date.now() - 60_000)
      const kept = await Promise.all([1, 2, 3].map(bytes => blobs.put(inChunks(Buffer.alloc(bytes), 10))))
      const listed = new Map((await Array.fromAsync(blobs.list())).map(info => [info.blob, info]))
      for (const { blob, bytes } of kept) {
        assert.equal(listed.get(blob)?.bytes, bytes)
        const { modifiedAt } = listed.get(blob)!
        assert.ok(modifiedAt > aMinuteAgo && modifiedAt < new Date(Date.now() + 60_000), modifiedAt.toISOString())
      }
    })

    it('proves itself without leaving a trace', async () => {
      const before = await everything(blobs)
      await blobs.check()
      assert.deepEqual(await everything(blobs), before)
    })

    it('sweeps nothing that is still being written', async () => {
      const goOn = Promise.withResolvers<void>()
      async function* slow() {
        yield Buffer.alloc(9 * MiB)
        await goOn.promise
      }
      const put = blobs.put(slow())
      assert.equal(await blobs.sweep(), 0)
      goOn.resolve()
      assert.equal((await put).bytes, 9 * MiB)
    })

    describe('a blob that grows', () => {
      const nothing: Growth = { bytes: 0, place: null }
      /** Appends, and answers what was noted last, also when the source broke. */
      async function grown(
        blob: string,
        from: Growth,
        source: AsyncIterable<Uint8Array>,
        error?: Error,
      ): Promise<Growth> {
        let growth = from
        const appended = blobs.growing.append(blob, from, source, async next => {
          assert.ok(next.bytes > growth.bytes, 'each note tells of more')
          // As the owner keeps it.
          growth = JSON.parse(JSON.stringify(next))
        })
        if (error) await assert.rejects(appended, thrown => thrown === error)
        else await appended
        return growth
      }
      const broken = new Error('the client went away')

      it('is received in pieces of any size, and is then a blob like any other', async () => {
        for (const pieces of [[], [0], [1], [10, 0, 20], [4 * MiB, 4 * MiB, 1], [11 * MiB, 3, 6 * MiB]]) {
          const blob = newId()
          const bytes = randomBytes(pieces.reduce((sum, each) => sum + each, 0))
          let growth = nothing
          for (const piece of pieces)
            growth = await grown(blob, growth, inChunks(bytes.subarray(growth.bytes, growth.bytes + piece), 64 * 1024))
          assert.equal(growth.bytes, bytes.length)
          await assert.rejects(blobs.read(blob), error => isProblem(error, 'gone'))
          await blobs.growing.complete(blob, growth)
          assert.equal(sha256(await bytesOf(blobs, blob)), sha256(bytes))
          // Its owner may have died before it could note that.
          await blobs.growing.complete(blob, growth)
          assert.equal(sha256(await bytesOf(blobs, blob)), sha256(bytes))
          await blobs.delete(blob)
        }
      })

      it('keeps every byte that came before the source broke', async () => {
        const blob = newId()
        const bytes = randomBytes(13 * MiB)
        let growth = nothing
        for (const cut of [1, 70_000, 5 * MiB, 5 * MiB + 1, 12 * MiB]) {
          growth = await grown(blob, growth, breaking(bytes.subarray(growth.bytes, cut), broken), broken)
          assert.equal(growth.bytes, cut)
        }
        growth = await grown(blob, growth, inChunks(bytes.subarray(growth.bytes), 1 * MiB))
        await blobs.growing.complete(blob, growth)
        assert.equal(sha256(await bytesOf(blobs, blob)), sha256(bytes))
      })

      it('forgets what was stored and not noted', async () => {
        const blob = newId()
        const bytes = randomBytes(8 * MiB)
        const first = await grown(blob, nothing, inChunks(bytes.subarray(0, 2 * MiB), MiB))
        const away = new Error('the database is away')
        for (const other of [randomBytes(MiB), randomBytes(9 * MiB)]) {
          const lost = blobs.growing.append(blob, first, inChunks(other, 64 * 1024), () => Promise.reject(away))
          await assert.rejects(lost, error => error === away)
        }
        // The first bytes of what was lost are those that follow: a client sends the same file again.
        const partly = blobs.growing.append(blob, first, inChunks(bytes.subarray(2 * MiB, 3 * MiB), MiB), () =>
          Promise.reject(away),
        )
        await assert.rejects(partly, error => error === away)
        const growth = await grown(blob, first, inChunks(bytes.subarray(2 * MiB), MiB))
        await blobs.growing.complete(blob, growth)
        assert.equal(sha256(await bytesOf(blobs, blob)), sha256(bytes))
      })

      for (const [noted, inHand] of [
        [0, 100_000],
        [6 * MiB, 6 * MiB],
      ] as const)
        for (const when of ['between two requests', 'within a request', 'within a request though it is told'])
          it(`is the same file when one who has lost it writes late, ${when} (${noted})`, async () => {
            const blob = newId()
            const bytes = randomBytes(14 * MiB + 3)
            const part = (from: number, to: number) => inChunks(bytes.subarray(from, to), 64 * 1024)
            const first = await grown(blob, nothing, part(0, noted))
            const awake = Promise.withResolvers<void>()
            async function* inHandOfFirst() {
              await awake.promise
              yield bytes.subarray(noted, noted + inHand)
              throw broken
            }
            const lost = new AbortController()
            const overtaken = new Error('somebody else went on')
            const note = () => Promise.reject(overtaken)
            const late = blobs.growing.append(blob, first, inHandOfFirst(), note, lost.signal)
            late.catch(() => {})
            const wake = async (): Promise<void> => {
              if (when.endsWith('told')) lost.abort(overtaken)
              awake.resolve()
              await assert.rejects(late, error => error === overtaken)
            }
            async function* rest(from: number) {
              yield* part(from, 13 * MiB)
              if (when.startsWith('within')) await wake()
              yield* part(13 * MiB, bytes.length)
            }
            const second = await grown(blob, first, part(noted, noted + MiB))
            if (when.startsWith('between')) await wake()
            await blobs.growing.complete(blob, await grown(blob, second, rest(second.bytes)))
            assert.equal(sha256(await bytesOf(blobs, blob)), sha256(bytes))
          })

      it('stores what a silent source gave before it goes on', async () => {
        const blob = newId()
        const goOn = Promise.withResolvers<void>()
        async function* silent() {
          yield Buffer.alloc(1000, 1)
          await goOn.promise
          yield Buffer.alloc(500, 2)
        }
        const notes: number[] = []
        await blobs.growing.append(blob, nothing, silent(), async ({ bytes }) => {
          notes.push(bytes)
          goOn.resolve()
        })
        assert.deepEqual(notes, [1000, 1500])
      })

      it('leaves nothing when it is discarded, whole or not, and does not mind doing it again', async () => {
        const before = await everything(blobs)
        for (const size of [0, 1000, 7 * MiB])
          for (const isWhole of [false, true]) {
            const blob = newId()
            const growth = await grown(blob, nothing, inChunks(Buffer.alloc(size), 64 * 1024))
            if (isWhole) await blobs.growing.complete(blob, growth)
            for (let time = 0; time < 2; time++) await blobs.growing.discard(blob, growth)
            if (size > 0)
              await assert.rejects(grown(blob, growth, inChunks(Buffer.alloc(1), 1)), error => isProblem(error))
            await blobs.growing.discard(blob, growth)
          }
        assert.deepEqual(await everything(blobs), before)
      })

      it('is swept by nobody but its owner', async () => {
        const blob = newId()
        const growth = await grown(blob, nothing, inChunks(randomBytes(6 * MiB), 64 * 1024))
        assert.equal(await blobs.sweep(), 0)
        await blobs.growing.complete(blob, growth)
        assert.equal((await bytesOf(blobs, blob)).length, 6 * MiB)
      })
    })
  })
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

const bytesOf = async (blobs: Blobs, blob: string): Promise<Buffer> =>
  Buffer.concat(await (await blobs.read(blob)).toArray())

const everything = async (blobs: Blobs): Promise<string[]> =>
  (await Array.fromAsync(blobs.list())).map(({ blob }) => blob).sort()

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function* breaking(bytes: Buffer, error: Error): AsyncGenerator<Buffer> {
  yield* inChunks(bytes, 64 * 1024)
  throw error
}
