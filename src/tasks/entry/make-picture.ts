// Works on a picture for a destination, in a media child like every other work on files of guests.
import type { DeliveryStep } from '#engine/adapter.ts'
import type { MediaFile } from '#engine/files.ts'
import { newId } from '#kit/ids.ts'
import type { Loaded } from './loaded.ts'
import { newFolder } from './local-files.ts'

export async function makePicture(
  { services: { media, settings }, task, signal }: Loaded,
  file: MediaFile,
  steps: Parameters<DeliveryStep['picture']>[1],
  folder: string,
): Promise<MediaFile> {
  const facts = file.width === null ? await media.probe(file.path, signal, task.experience_id) : file
  const entries = steps({ width: facts.width ?? 0, height: facts.height ?? 0 }).map(({ adapter, options }, index) => ({
    index,
    adapter,
    options,
    assets: {},
    context: {},
  }))
  const { output } = await media.run(
    {
      form: 'image',
      input: { ...file, ...facts },
      entries,
      folder: newFolder(folder, newId()),
      experienceId: task.experience_id,
    },
    { signal, timeoutMs: settings.maxEntrySeconds * 1000 },
  )
  return output
}
