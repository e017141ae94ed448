// What every adapter that grows the video graph must do, whatever it does.
import assert from 'node:assert/strict'
import { open, readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { type Adapter, formOf } from '#engine/adapter.ts'
import type { JsonObject } from '#kit/json.ts'
import { schemaErrors, withDefaults } from '#kit/schema.ts'
import type { MediaFile } from '#media/file/file.ts'
import { clip, look, run, withFfmpeg } from '../support/videos.ts'
import { describesItsOptions } from './described.ts'

export interface Example {
  options?: JsonObject
  assets?: () => Promise<Record<string, MediaFile | MediaFile[]>>
  /** Where it takes something else than a video with sound. */
  input?: () => Promise<MediaFile>
  /** Frames a second of its inputs; fewer where each of them takes long. */
  rate?: number
  /** Whether videos of every shape go through it. What they become is the same work for all adapters. */
  everyShape?: boolean
}

const shapes = { landscape: '320x180', portrait: '180x320', odd: '161x91' }

export function videoAdapterContract(
  adapter: Adapter,
  { options = {}, assets = async () => ({}), input, rate = 30, everyShape = false }: Example = {},
): void {
  describe(`${adapter.name} keeps the contract of a video adapter`, withFfmpeg, () => {
    test('it describes every option, with a default or as required, and knows no others', () => {
      assert.equal(formOf(adapter), 'video')
      describesItsOptions(adapter)
      const { properties, required = [] } = adapter.options
      for (const [name, property] of Object.entries(properties))
        assert.ok('default' in property || required.includes(name), `${name} has neither a default nor is it required`)
    })

    test('its defaults are valid', () => {
      assert.deepEqual(schemaErrors(adapter.options, withDefaults(adapter.options, options)), [])
    })

    test('it leaves the input as it was', async () => {
      const file = await (input ?? (() => clip({ rate: String(rate) })))()
      const before = await readFile(file.path)
      await run(file, [{ adapter, options, assets: await assets() }])
      assert.ok(before.equals(await readFile(file.path)))
    })

    if (adapter.makes === 'video' && !input) {
      for (const [name, size] of Object.entries(everyShape ? shapes : { odd: shapes.odd })) {
        test(`a ${name} video without sound becomes an even, upright BT.709 video that starts at zero`, async () => {
          const args = name === 'odd' ? ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv444p'] : undefined
          const file = await clip({ size, tone: null, seconds: 1.5, rate: String(rate), ...(args ? { args } : {}) })
          const { output, progress } = await run(file, [{ adapter, options, assets: await assets() }])
          const seen = await look(output.path)
          assert.equal(seen.width % 2, 0)
          assert.equal(seen.height % 2, 0)
          assert.deepEqual([output.width, output.height], [seen.width, seen.height])
          if (seen.codec === 'h264') assert.equal(seen.pixelFormat, 'yuv420p')
          assert.equal(seen.colour, 'bt709/bt709/bt709/tv')
          assert.ok(seen.startsAt < 0.03, `starts at ${seen.startsAt}`)
          assert.ok(Math.abs((output.duration ?? 0) - seen.seconds) < 0.04 || seen.seconds === 0)
          assert.equal(progress.at(-1), 1)
          if (output.mime === 'video/mp4')
            assert.ok(await indexComesFirst(output.path), 'the index is not at the beginning')
        })
      }
    }
  })
}

export async function indexComesFirst(path: string): Promise<boolean> {
  await using file = await open(path, 'r')
  const { buffer } = await file.read(Buffer.alloc(64), 0, 64, 0)
  const size = buffer.readUInt32BE(0)
  const { buffer: next } = await file.read(Buffer.alloc(8), 0, 8, size)
  return next.toString('latin1', 4, 8) === 'moov'
}
