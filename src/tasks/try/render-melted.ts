// Makes the file of an entry that melted into the next one, when somebody asks for it after all.

import type { StoredFile } from '#db/tables.ts'
import { snapshotsOf } from '#db/tasks/snapshots.ts'
import type { WholeTask } from '#db/tasks/task-rows.ts'
import { type Adapter, formOf } from '#engine/adapter.ts'
import { planChain } from '#engine/plan.ts'
import { Problem } from '#kit/errors.ts'
import { newWorkFolder, type WorkFolder } from '#storage/work-folders.ts'
import { guestsOf } from '../entry/guests.ts'
import type { Chain, Loaded, RunServices } from '../entry/loaded.ts'
import { localFile, newFolder } from '../entry/local-files.ts'
import { prepareEntry } from '../entry/prepare-entry.ts'

export interface Rendered {
  mime: string
  ext: string
  bytes: number
  sha256: string
  path: string
  /** Where it lies; to be disposed of when nobody needs it. */
  folder: WorkFolder
}

export async function renderMelted(
  services: Omit<RunServices, 'workerId'>,
  task: WholeTask,
  chain: Chain,
  index: number,
  signal: AbortSignal,
): Promise<Rendered> {
  const { db, adapters, media, settings } = services
  const plan = planChain(
    chain.entries.map(({ index, input_idx, adapter_name }) => ({
      index,
      input_idx,
      form: formOf(adapters.get(adapter_name) as Adapter),
      done: false,
    })),
  )
  const segment = plan.find(({ entries }) => entries.includes(index))
  const source = segment?.input == null ? chainFile(chain) : chain.entries[segment.input]?.output
  if (!segment || segment.form === 'deliver' || !source?.blob)
    throw new Problem('not_found', `Entry ${index} has handed on no file.`)
  const folder = await newWorkFolder(settings.data)
  try {
    const run: Loaded = {
      services: { ...services, workerId: '' },
      task,
      snapshots: await snapshotsOf(db, task.chains),
      guests: await guestsOf(db, task),
      folder: folder.path,
      signal,
    }
    const input = await localFile(run, source as StoredFile, folder.path)
    const upTo = segment.entries.filter(each => each <= index)
    const prepared = await Promise.all(upTo.map(each => prepareEntry(run, chain, each, input, folder.path)))
    const entries = prepared.map(({ index, adapter, options, assets, context }) => ({
      index,
      adapter: adapter.name,
      options,
      assets,
      context,
    }))
    const { output } = await media.run(
      { form: segment.form, input, entries, folder: newFolder(folder.path), experienceId: task.experience_id },
      { signal, timeoutMs: settings.maxEntrySeconds * 1000 },
    )
    signal.throwIfAborted()
    const { mime, ext, bytes, sha256, path } = output
    return { mime, ext, bytes, sha256, path, folder }
  } catch (error) {
    await folder[Symbol.asyncDispose]()
    throw error
  }
}

const chainFile = ({ input }: Chain): StoredFile | null => ('file' in input ? input.file : null)
