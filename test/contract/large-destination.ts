// What every destination must do with large files: whole wherever connections are cut, nothing sent twice, little memory.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import type { JsonObject } from '#kit/json.ts'
import { checkpointOf, sparseFile } from '../support/delivery.ts'
import { growthOf } from '../support/delivery-growth.ts'
import { random, seedOf } from '../support/seed.ts'
import { type Bed, MiB, onGround, survivesBreaks, type Traits } from './destination.ts'

/** Where connections are cut. */
const seeded = (t: TestContext): (() => number) => random(seedOf(t))

export function largeDestinationContract(
  name: string,
  startBed: () => Promise<Bed | null>,
  traits: Pick<Traits, 'afterLostAnswer' | 'resumes' | 'underWay'>,
): void {
  onGround(`${name} as a destination of large files`, startBed, traits, bed => {
    const { adapter, proxy, folder, step, newMarker, newFile, failure, assertOne } = bed

    test(`${33 * MiB + 7} bytes arrive as they are`, async () => {
      await bed.clear()
      const file = await newFile(33 * MiB + 7)
      const one = step()
      await adapter.deliver(file, one)
      await assertOne(file)
      assert.ok(one.heard.progress.length <= 110)
      assert.equal(one.heard.progress.at(-1), 1)
    })

    if (proxy) {
      test('cut off at any byte, further attempts end with exactly one whole file', async t => {
        const next = seeded(t)
        await survivesBreaks(bed, 20 * MiB, [0, 0.1, 0.5, 0.99], () => next() * 2000)
      })

      if (traits.resumes)
        test('cut off at random bytes, the next attempt sends only what is missing', async t => {
          await bed.clear()
          const next = seeded(t)
          const underWay = traits.underWay ?? 48 * MiB
          const file = await newFile(Math.max(1.5 * underWay, 16 * MiB))
          const marker = newMarker()
          let checkpoint: JsonObject | null = null
          // The first break comes when some bytes are sure to be there.
          const sure = underWay + (file.bytes - underWay) * (0.5 + next() * 0.4)
          for (const bytes of [sure, file.bytes * next() * 0.04]) {
            const broken = step({ marker, checkpoint })
            proxy.cutAfter = proxy.sent() + Math.floor(bytes)
            const { code } = await failure(adapter.deliver(file, broken))
            assert.equal(code, 'destination_unreachable')
            if (bed.unfinished) assert.equal(await bed.unfinished(), 1)
            checkpoint = checkpointOf(broken)
          }
          proxy.cutAfter = null
          const before = proxy.sent()
          await adapter.deliver(file, step({ marker, checkpoint }))
          const sent = proxy.sent() - before
          t.diagnostic(`sent ${(sent / MiB).toFixed(1)} of ${file.bytes / MiB} MiB again`)
          assert.ok(sent < file.bytes * 0.85)
          const [arrived, ...more] = await bed.delivered()
          assert.ok(arrived?.equals(await readFile(file.path)))
          assert.deepEqual(more, [])
          if (bed.unfinished) assert.equal(await bed.unfinished(), 0)
          await bed.clear()
        })
    }

    test('128 MiB make the process grow by at most 64 MiB', { timeout: 180_000 }, async t => {
      await bed.clear()
      const file = await sparseFile(folder, 128 * MiB)
      const { options, auth, marker } = step()
      const warmUp = await newFile(1000)
      const grown = await growthOf({
        adapter: name,
        options,
        auth,
        marker,
        file,
        warmUp,
        ...(bed.made && { made: bed.made }),
        ...(bed.module && { module: bed.module }),
      })
      t.diagnostic(`grew by ${(grown / MiB).toFixed(1)} MiB`)
      assert.ok(grown <= 64 * MiB, `grew by ${(grown / MiB).toFixed(1)} MiB`)
      await bed.clear()
    })
  })
}
