// Renders the file of a melted entry, when somebody asks for it.

import type { StoredFile } from '#db/tables.ts'
import type { WholeTask } from '#db/tasks/task-rows.ts'
import { type Adapter, formOf } from '#engine/adapter.ts'
import type { MediaFile } from '#engine/files.ts'
import { planChain } from '#engine/plan.ts'
import { Problem } from '#kit/errors.ts'
import { newWorkFolder, type WorkFolder } from '#storage/work-folders.ts'
import { guestsOf } from '../entry/guests.ts'
import { type Chain, chainFile, isPassedOver, type Loaded, loadStored } from '../entry/loaded.ts'
import { localFile } from '../entry/local-files.ts'
import { runMedia } from '../entry/run-media.ts'

/** A file that was rendered for a request. */
export interface Rendered extends Pick<MediaFile, 'mime' | 'ext' | 'bytes' | 'path'> {
  sha256: string
  /** Holds the file. The caller disposes of it when nobody needs the file. */
  folder: WorkFolder
}

/** Makes a file in a new work folder. The folder is removed at once if this fails or the request is gone. */
export async function rendered(
  { services, signal }: Pick<Loaded, 'services' | 'signal'>,
  make: (folder: string) => Promise<MediaFile & { sha256: string }>,
): Promise<Rendered> {
  const folder = await newWorkFolder(services.settings.data)
  try {
    const { mime, ext, bytes, sha256, path } = await make(folder.path)
    signal.throwIfAborted()
    return { mime, ext, bytes, sha256, path, folder }
  } catch (error) {
    await folder[Symbol.asyncDispose]()
    throw error
  }
}

export async function renderMelted(
  services: Loaded['services'],
  stored: WholeTask,
  chainIndex: number,
  index: number,
  signal: AbortSignal,
): Promise<Rendered> {
  const { db, adapters } = services
  const task = await loadStored(db, adapters, stored)
  const chain = task.chains[chainIndex] as Chain
  const plan = planChain(
    chain.entries.map(entry => ({
      index: entry.index,
      input_idx: entry.input_idx,
      form: formOf(entry.adapter as Adapter),
      done: false,
      alone: isPassedOver(entry),
    })),
  )
  const segment = plan.find(({ entries }) => entries.includes(index))
  const source = segment?.input == null ? chainFile(task, chain) : chain.entries[segment.input]?.output
  if (!segment || segment.form === 'deliver' || !source?.blob)
    throw new Problem('not_found', `Entry ${index} has handed on no file.`)
  return rendered({ services, signal }, async folder => {
    const run = { services, task, guests: await guestsOf(services, task), folder, signal }
    const input = await localFile(run, source as StoredFile)
    const entries = segment.entries.filter(each => each <= index)
    return (await runMedia(run, chain, { form: segment.form, entries, input, folder })).result.output
  })
}
