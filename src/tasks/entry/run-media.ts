// Runs neighbouring entries of a chain in a media child: for a task, a preview, or the file of a melted entry.

import type { Form } from '#engine/adapter.ts'
import type { MediaRun } from '#engine/children/media.ts'
import type { MediaFile } from '#engine/files.ts'
import type { SegmentEntry, SegmentResult } from '#engine/segment.ts'
import type { Chain, Loaded } from './loaded.ts'
import { assetsOf, newFolder, withFiles } from './local-files.ts'
import { type PreparedEntry, prepareEntry } from './prepare-entry.ts'

interface Neighbours {
  form: Form
  /** The entries to run, in order. */
  entries: readonly number[]
  input: MediaFile
  /** For its output. */
  folder: string
  /** Further entries that run after these, in the same segment. */
  more?: readonly SegmentEntry[]
}

export interface MediaMade {
  prepared: readonly PreparedEntry[]
  result: SegmentResult
}

export async function runMedia(
  run: Loaded,
  chain: Chain,
  { form, entries, input, folder, more = [] }: Neighbours,
  watch: Pick<MediaRun, 'onProgress' | 'onBegin' | 'alone'> = {},
): Promise<MediaMade> {
  const { media, settings } = run.services
  const prepared = await Promise.all(entries.map(index => prepareEntry(run, chain, index, input)))
  const steps = prepared.map(
    ({ index, adapter, options, assets, context }): SegmentEntry => ({
      index,
      adapter: adapter.name,
      options,
      assets,
      context,
    }),
  )
  const result = await withFiles([input, ...prepared.flatMap(assetsOf)], () =>
    media.run(
      {
        form: form as Exclude<Form, 'deliver'>,
        input,
        entries: [...steps, ...more],
        folder: newFolder(folder),
        experienceId: run.task.experience_id,
      },
      { signal: run.signal, timeoutMs: settings.maxEntrySeconds * 1000, ...watch },
    ),
  )
  return { prepared, result }
}
