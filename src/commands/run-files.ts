// keepsake run: runs a configuration on local files: the same steps as in a task, without its deliveries.
import { createReadStream } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { basename, extname, relative } from 'node:path'
import { type Services, withServices } from '#app.ts'
import { BadCommand } from '#kit/cannot-start.ts'
import { Problem } from '#kit/errors.ts'
import { endlessIn, isObject, type JsonObject } from '#kit/json.ts'
import type { Settings } from '#kit/settings.ts'
import { inputFile } from '#tasks/entry/input-file.ts'
import { preview } from '#tasks/try/preview.ts'
import { newUploads } from '#uploads/uploads.ts'
import type { Given } from './commands.ts'
import { type SavedFiles, savedIn } from './saved-files.ts'
import type { Terminal } from './terminal.ts'

interface Wanted {
  configuration: string
  extras: JsonObject
  results: SavedFiles
}

/** Returns the exit code: 1 if a file could not be made. The other files are still made. */
export async function run(
  settings: Settings,
  { values, positionals: files }: Given<'run'>,
  { print, say }: Terminal,
  here: (path: string) => string,
): Promise<number> {
  const { configuration, extras = '{}', out = '.' } = values
  if (configuration === undefined || files.length === 0)
    throw new BadCommand('run needs files and a configuration, for example keepsake run *.jpg -c "guest photo" --local')
  const results = await savedIn(here(out), values.force === true)
  const wanted = { configuration, extras: extrasOf(extras), results }
  let failed = false
  await withServices(settings, async services => {
    const left = files.values()
    async function work(): Promise<void> {
      for (const file of left) {
        try {
          print(`${file} > ${relative(here('.'), await make(services, wanted, here(file)))}`)
        } catch (error) {
          if (!(error instanceof Problem)) throw error
          failed = true
          say(`${file}: ${error.message}`)
        }
      }
    }
    await Promise.all(Array.from({ length: settings.concurrency }, work))
  })
  return failed ? 1 : 0
}

function extrasOf(text: string): JsonObject {
  try {
    const extras: unknown = JSON.parse(text)
    if (isObject(extras) && endlessIn(extras) === null) return extras as JsonObject
  } catch {}
  throw new BadCommand('--extras must be a JSON object, for example \'{"guest": "Ada"}\'')
}

async function make(services: Services, { configuration, extras, results }: Wanted, file: string): Promise<string> {
  const { db, blobs, settings } = services
  const uploads = newUploads(db, blobs)
  const kept = await uploads.put(readable(file), { maxBytes: settings.maxUploadBytes })
  try {
    const input = await inputFile(kept)
    const made = await preview(services, {
      configuration,
      file: input,
      extras,
      full: true,
      experiences: null,
      signal: new AbortController().signal,
    })
    await using _folder = made.folder
    const name = `${basename(file, extname(file))} ${configuration.replace(/[/\\]/g, ' ')}`
    return await results.save(name, made.ext, path => copyFile(made.path, path))
  } finally {
    await uploads.drop([kept.blob])
  }
}

async function* readable(file: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(file) as AsyncIterable<Buffer>
  } catch (error) {
    throw new Problem('bad_request', 'It cannot be read.', { cause: error })
  }
}
