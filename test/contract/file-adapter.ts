// What every adapter that goes from file to file promises: a file of the medium it names, or a clear refusal.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import type { Adapter, FileAdapter } from '#engine/adapter.ts'
import { runFile } from '#engine/run-file.ts'
import type { SegmentResult } from '#engine/segment.ts'
import { Problem } from '#kit/errors.ts'
import type { JsonObject } from '#kit/json.ts'
import { withDefaults } from '#kit/schema.ts'
import type { MediaFile } from '#media/file/file.ts'
import { probe } from '#media/probe/probe.ts'
import { type Folder, limits, newFolder, noTools } from '../support/pictures.ts'
import { describesItsOptions } from './described.ts'

export interface FileAdapterCase {
  adapter: FileAdapter
  options?: JsonObject
  assets?(folder: Folder): Promise<Record<string, MediaFile[]>>
  /** A file that it takes. */
  input(folder: Folder): Promise<MediaFile>
}

export function fileAdapterContract({
  adapter,
  options = {},
  assets = async () => ({}),
  input,
}: FileAdapterCase): void {
  describe(`${adapter.name} keeps the contract of a file adapter`, () => {
    it('describes every option and takes no other', () => describesItsOptions(adapter))

    it('makes a file of the medium it names, and leaves the input as it was', async () => {
      await using folder = await newFolder()
      const given = await input(folder)
      const before = await readFile(given.path)
      const { output, entries } = await runFileStep(folder, given, { adapter, options, assets: await assets(folder) })
      assert.equal(output.medium, adapter.makes === 'same' ? given.medium : adapter.makes)
      assert.ok(output.bytes > 0)
      assert.ok(before.equals(await readFile(given.path)))
      assert.ok(!JSON.stringify(entries).includes(folder.path), 'no path of ours is told')
    })

    it('gives a file or a problem with a sentence for a file that ends early', async () => {
      await using folder = await newFolder()
      const given = await input(folder)
      const bytes = await readFile(given.path)
      const own = { adapter, options, assets: await assets(folder) }
      for (const share of [0, 0.1, 0.5, 0.97]) {
        const cut = Math.floor(bytes.length * share)
        await folder.bytes('cut', bytes.subarray(0, cut))
        const file: MediaFile = { ...given, path: `${folder.path}/cut`, bytes: cut }
        const error = await runFileStep(folder, file, own).then(
          () => null,
          (failure: unknown) => failure,
        )
        if (error === null) continue
        assert.ok(error instanceof Problem && error.code !== 'media_failed', `${share}: ${String(error)}`)
        assert.match(error.message, /^[A-Z].*\.$/s)
        assert.ok(!error.message.includes(folder.path))
      }
    })
  })
}

async function runFileStep(
  folder: Folder,
  input: MediaFile,
  { adapter, options, assets }: { adapter: Adapter; options: JsonObject; assets: Record<string, MediaFile[]> },
): Promise<SegmentResult> {
  const entry = {
    index: 0,
    adapter: adapter.name,
    options: withDefaults(adapter.options, options),
    assets,
    context: {},
  }
  return runFile(
    {
      kind: 'segment',
      form: 'run',
      input,
      entries: [entry],
      folder: await folder.empty(),
      limits,
      tools: noTools,
      threads: 1,
    },
    new Map([[adapter.name, adapter]]),
    () => {},
    (path, within, tools) => probe(path, within, tools, async (_path, known) => known),
  )
}
