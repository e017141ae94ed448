// Reads event files: experiences, assets and configurations as YAML or JSON, so that an event can be kept in a repository.
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import Type, { type Static } from 'typebox'
import { parseDocument } from 'yaml'
import { AssetName } from '#http/contract/asset-shapes.ts'
import { ConfigurationInput } from '#http/contract/configuration-shapes.ts'
import { ExperienceInput } from '#http/contract/experience-shapes.ts'
import { Input, OwnerId } from '#http/contract/shapes.ts'
import { BadCommand } from '#kit/cannot-start.ts'
import { sha256Of } from '#kit/file-facts.ts'
import { ENDLESS, endlessIn, isObject, type Json, own } from '#kit/json.ts'
import { schemaErrors } from '#kit/schema.ts'
import { ownEnvironment } from '#kit/settings.ts'
import { safe } from './terminal.ts'

const EventFile = Input({
  experiences: Type.Optional(Type.Array(ExperienceInput)),
  assets: Type.Optional(
    Type.Array(Input({ name: AssetName, experience_id: OwnerId, file: Type.String({ minLength: 1 }) })),
  ),
  configurations: Type.Optional(Type.Array(ConfigurationInput)),
})
type EventFile = Static<typeof EventFile>

export interface ReadEvent {
  experiences: NonNullable<EventFile['experiences']>
  /** `path` is absolute. */
  assets: { name: string; experience_id: string | null; path: string; sha256: string }[]
  configurations: NonNullable<EventFile['configurations']>
}

/** All files together are one event. Nothing is sent before all of them are right. */
export async function readEvents(paths: readonly string[], here: (path: string) => string): Promise<ReadEvent> {
  if (paths.length === 0) throw new BadCommand('apply needs a file, for example keepsake apply event.yaml')
  const files: ReadEvent[] = []
  for (const path of paths) files.push(await readEvent(path, here(path)))
  const event = {
    experiences: files.flatMap(file => file.experiences),
    assets: files.flatMap(file => file.assets),
    configurations: files.flatMap(file => file.configurations),
  }
  refuseTwice(event.experiences.map(({ experience_id }) => experience_id))
  refuseTwice(event.assets.map(({ name }) => name))
  refuseTwice(event.configurations.map(({ configuration_name }) => configuration_name))
  return event
}

async function readEvent(shown: string, path: string): Promise<ReadEvent> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new BadCommand(`${shown} cannot be read`)
  })
  const wrong = (why: string): BadCommand => new BadCommand(`${shown}: ${safe(why)}`)
  const event = /\.ya?ml$/i.test(path) ? yaml(text, wrong) : json(text, wrong)
  const endless = endlessIn(event)
  if (endless !== null) throw wrong(`${endless}: ${ENDLESS}`)
  const [error] = schemaErrors(EventFile, event)
  if (error) throw wrong(`${error.field || 'the file'}: ${error.message}`)
  const { experiences = [], assets = [], configurations = [] } = event as EventFile
  const read: ReadEvent['assets'] = []
  for (const { name, experience_id, file } of assets) {
    const place = resolve(dirname(path), file)
    const sha256 = await sha256Of(place).catch(() => {
      throw new BadCommand(`${file} cannot be read`)
    })
    read.push({ name, experience_id, path: place, sha256 })
  }
  return { experiences, assets: read, configurations: configurations.map(one => withSecrets(one, wrong)) }
}

function json(text: string, wrong: (why: string) => BadCommand): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw wrong(`is not JSON: ${(error as Error).message}`)
  }
}

function yaml(text: string, wrong: (why: string) => BadCommand): unknown {
  // A file of aliases could grow without end.
  const document = parseDocument(text, { strict: true, uniqueKeys: true })
  const [error] = document.errors
  if (error) throw wrong(`is not YAML: ${error.message.split('\n', 1)[0]}`)
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch (failure) {
    throw wrong(`is not YAML: ${(failure as Error).message}`)
  }
}

const VARIABLE = /\$\{(\w+)\}/g

/** Credentials do not belong in a repository: `${NAME}` in them is read from the environment. */
function withSecrets(written: ReadEvent['configurations'][number], wrong: (why: string) => BadCommand): typeof written {
  const environment = ownEnvironment()
  const filled = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(filled)
    if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, filled(inner)]))
    if (typeof value !== 'string') return value
    return value.replace(VARIABLE, (_match, name: string) => {
      const found = own(environment, name)
      if (found === undefined) throw wrong(`"${written.configuration_name}" needs ${name}, which is not set`)
      return found
    })
  }
  const { adapter_config } = written
  if (!adapter_config) return written
  const { auth, adapter_config: nested } = adapter_config
  return {
    ...written,
    adapter_config: {
      ...adapter_config,
      ...(auth && { auth: filled(auth as Json) as typeof auth }),
      ...(nested?.auth && { adapter_config: { ...nested, auth: filled(nested.auth as Json) as typeof nested.auth } }),
    },
  }
}

function refuseTwice(names: readonly string[]): void {
  const seen = new Set<string>()
  for (const name of names) {
    if (seen.has(name)) throw new BadCommand(`"${name}" is in the files twice`)
    seen.add(name)
  }
}
