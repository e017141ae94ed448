// keepsake apply: makes assets and configurations match files, so that an event can be kept in a repository.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import Type, { type Static } from 'typebox'
import { type Services, withServices } from '#app.ts'
import { putAsset } from '#assets/save-asset.ts'
import { applyConfigurations, type Change } from '#configurations/apply-all.ts'
import type { Written } from '#configurations/save-configuration.ts'
import { readAsset } from '#db/nouns/asset-rows.ts'
import { AssetName } from '#http/contract/asset-shapes.ts'
import { ConfigurationInput } from '#http/contract/configuration-shapes.ts'
import { ExperienceId, Input } from '#http/contract/shapes.ts'
import { commandLine } from '#kit/actor.ts'
import { CannotStart } from '#kit/cannot-start.ts'
import { isProblem } from '#kit/errors.ts'
import { ENDLESS, endlessIn, isObject, type Json, own } from '#kit/json.ts'
import { schemaErrors } from '#kit/schema.ts'
import { ownEnvironment, type Settings } from '#kit/settings.ts'
import { newUploads } from '#uploads/uploads.ts'

const EventFile = Input({
  assets: Type.Optional(
    Type.Array(Input({ name: AssetName, experience_id: ExperienceId, file: Type.String({ minLength: 1 }) })),
  ),
  configurations: Type.Optional(Type.Array(ConfigurationInput)),
})

type AssetFile = NonNullable<Static<typeof EventFile>['assets']>[number]

const actor = commandLine('apply')

/** Prints one line per change. */
export async function apply(settings: Settings, args: string[], print: (line: string) => void): Promise<void> {
  const { positionals } = parseArgs({ args, allowPositionals: true, options: {} })
  if (positionals.length === 0) throw new CannotStart('apply needs a file, for example keepsake apply event.json')
  const files = await Promise.all(positionals.map(readEvent))
  const assets = files.flatMap(file => file.assets)
  const configurations = files.flatMap(file => file.configurations)
  refuseTwice(assets.map(({ name }) => name))
  refuseTwice(configurations.map(({ configuration_name }) => configuration_name))
  const say = (what: string, name: string, change: Change) => print(`${change.padEnd(9)}  ${what}  ${name}`)
  await withServices(settings, async services => {
    for (const asset of assets) say('asset        ', asset.name, await applyAsset(services, asset))
    const { db, secretBox, adapters, outbound, blobs } = services
    const { maxChain, maxVersions } = settings
    const house = { db, secretBox, adapters, outbound, blobs, maxChain, maxVersions, limits: settings }
    const changes = await applyConfigurations(house, null, configurations, { dryRun: false, actor })
    for (const [name, change] of changes) say('configuration', name, change)
  })
}

async function readEvent(path: string): Promise<{ assets: AssetFile[]; configurations: Written[] }> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new CannotStart(`${path} cannot be read`)
  })
  const wrong = (why: string): CannotStart => new CannotStart(`${path}: ${why}`)
  let event: unknown
  try {
    event = JSON.parse(text)
  } catch (error) {
    throw wrong(`is not JSON: ${(error as Error).message}`)
  }
  const endless = endlessIn(event)
  if (endless !== null) throw wrong(`${endless}: ${ENDLESS}`)
  const [error] = schemaErrors(EventFile, event)
  if (error) throw wrong(`${error.field || 'the file'}: ${error.message}`)
  const { assets = [], configurations = [] } = event as Static<typeof EventFile>
  return {
    assets: assets.map(asset => ({ ...asset, file: resolve(dirname(path), asset.file) })),
    configurations: configurations.map(one => withSecrets(one as Written, wrong)),
  }
}

const VARIABLE = /\$\{(\w+)\}/g

/** Credentials do not belong in a repository: `${NAME}` in them is read from the environment. */
function withSecrets(written: Written, wrong: (why: string) => CannotStart): Written {
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
      ...(auth && { auth: filled(auth) as typeof auth }),
      ...(nested?.auth && { adapter_config: { ...nested, auth: filled(nested.auth) as typeof nested.auth } }),
    },
  }
}

function refuseTwice(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) throw new CannotStart(`"${twice}" is in the files twice`)
}

async function applyAsset(services: Services, { name, experience_id, file }: AssetFile): Promise<Change> {
  const { db, blobs, secretBox, media, settings } = services
  const stored = await readAsset(db, null, name).catch(error => {
    if (!isProblem(error, 'not_found')) throw error
    return null
  })
  if (stored && stored.experience_id !== experience_id)
    throw new CannotStart(`The asset "${name}" belongs to the experience "${stored.experience_id}"`)
  if (stored?.version.sha256 === (await sha256Of(file))) return 'unchanged'
  const uploads = newUploads(db, blobs)
  const probe = (path: string) => media.probe(path)
  const house = { db, blobs, secretBox, dataFolder: settings.data, keep: settings, actor, probe }
  const kept = await uploads.put(createReadStream(file), { maxBytes: settings.maxUploadBytes })
  try {
    await putAsset(house, null, { name, experienceId: experience_id, file: kept })
  } finally {
    // Deletes the file only if no row owns it.
    await uploads.drop([kept.blob])
  }
  return stored ? 'changed' : 'made'
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash).catch(() => {
    throw new CannotStart(`${path} cannot be read`)
  })
  return hash.digest('hex')
}
