// An adapter that takes its time with media: a child does nothing else meanwhile. It counts as work on videos.
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Type from 'typebox'
import { fileAdapter } from '#engine/adapter.ts'

export default fileAdapter({
  name: 'media_slow',
  summary: 'Copies the file after a while.',
  accepts: ['image', 'video'],
  makes: 'same',
  options: Type.Object({ seconds: Type.Number({ description: 'How long.' }) }, { additionalProperties: false }),
  async run(input, { options, folder }) {
    await sleep(options.seconds * 1000)
    const path = join(folder, `copy${input.ext}`)
    await copyFile(input.path, path)
    return { path }
  },
})
