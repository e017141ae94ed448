// Checks a single configuration: its adapter, credentials, options and the assets they name.

import type { Trx } from '#db/database.ts'
import { currentAssets } from '#db/nouns/asset-files.ts'
import * as rows from '#db/nouns/configuration-rows.ts'
import { type Adapter, assetUses, overridable } from '#engine/adapter.ts'
import { remarksOf } from '#engine/children/sizes.ts'
import { optionFor } from '#engine/option-roles.ts'
import { withStandIns } from '#engine/placeholders.ts'
import { badField, badFields, type FieldError, isProblem, Problem } from '#kit/errors.ts'
import { type JsonObject, own, stableJson } from '#kit/json.ts'
import { checkUrlField } from '#kit/net/outbound.ts'
import { schemaErrors } from '#kit/schema.ts'
import { openAuth, unmaskAuth } from './credentials.ts'
import { mergeOptions, sortExtras, validateAuth, validateDefaults } from './options.ts'
import { readTemplate, templateName } from './read-template.ts'
import type { AdapterConfig, ConfigurationServices, Written } from './save-configuration.ts'
import { checkTarget } from './target.ts'

interface Single {
  adapter: Adapter
  auth: JsonObject
  defaults: JsonObject
  assets: string[]
  /** Required parts of new credentials that were not given. */
  lacking: FieldError[]
}

export async function checkSingle(
  services: ConfigurationServices,
  trx: Trx,
  written: Written,
  stored: rows.ConfigurationRow | null,
): Promise<Single> {
  const { adapters, secretBox } = services
  const adapter = adapters.get(written.adapter_name ?? '')
  if (!adapter) {
    const known = [...adapters.keys()].sort().join(', ')
    throw badField(
      'adapter_name',
      `there is no adapter "${written.adapter_name}"; known are ${known}`,
      'unknown_adapter',
    )
  }
  const { auth: given = {}, defaults = {} } = plainConfig(written.adapter_config ?? {})
  const old = stored ? openAuth(secretBox, stored.configuration_name, stored.auth) : {}
  const auth = unmaskAuth(given, old)
  if (stored && stored.adapter_name !== null)
    checkTarget(
      adapters,
      { adapter_name: stored.adapter_name, defaults: stored.defaults ?? {}, auth: old },
      { adapter_name: adapter.name, defaults, auth },
      given,
    )
  const [lacking = [], unfit = []] = [true, false].map(isLacking =>
    validateAuth(adapter, auth).filter(({ kind }) => (kind === 'required') === isLacking),
  )
  refuse(adapter, [...unfit, ...validateDefaults(adapter, defaults, undefined, auth)])
  const template = await templateOf(services, trx, adapter, defaults, written.experience_id)
  const options = mergeOptions(adapter, defaults, sortExtras({}, '').sorted, template)
  const wrong = remarksOf(adapter, options, new Set(), services.limits).filter(({ kind }) => kind === 'wrong')
  refuse(
    adapter,
    wrong.map(({ field, message, kind }) => ({ field: `adapter_config.defaults.${field}`, message, kind })),
  )
  checkAddresses(services, adapter, options)
  const shared = written.experience_id === null ? sharedErrors(adapter, written.overridable ?? [], options) : []
  refuse(adapter, shared)
  const assets = await checkAssets(trx, adapter, options, written.experience_id)
  const isKept = stored?.adapter_name === adapter.name && stableJson(old) === stableJson(auth)
  return { adapter, auth, defaults, assets, lacking: isKept ? [] : lacking }
}

/** Experience and task stand in front of a name, and the whole must not be longer than a name may be. */
const LONGEST_NAME = 320

function sharedErrors(adapter: Adapter, listed: readonly string[], options: JsonObject): FieldError[] {
  const known = [...new Set([...Object.keys(adapter.options.properties), ...overridable(adapter, options)])]
  const name = optionFor(adapter, 'name')
  const length = name === null ? 0 : String(options[name] ?? '').length
  return [
    ...listed.flatMap((key, at) =>
      known.includes(key)
        ? []
        : [
            {
              field: `overridable[${at}]`,
              message: `"${key}" is no option of ${adapter.name} (it has ${known.join(', ')})`,
            },
          ],
    ),
    // Nobody else could bring it.
    ...schemaErrors(adapter.options, options)
      .filter(({ kind, field }) => kind === 'required' && !listed.includes(field))
      .map(({ field }) => ({
        field: `adapter_config.defaults.${field}`,
        message: 'is required, because extras may not bring it: give it, or list it in overridable',
        kind: 'required' as const,
      })),
    ...(name !== null && length > LONGEST_NAME
      ? [
          {
            field: `adapter_config.defaults.${name}`,
            message: `must be at most ${LONGEST_NAME} characters long in a shared configuration, which puts experience and task before it`,
          },
        ]
      : []),
  ]
}

function refuse(adapter: Adapter, errors: FieldError[]): void {
  if (errors.length > 0) throw badFields(errors, `${adapter.name} does not take this`, 'bad_options')
}

/** These options may have placeholders in their paths only, so the host is known. */
function checkAddresses({ outbound }: ConfigurationServices, { addresses = [] }: Adapter, options: JsonObject): void {
  const given = addresses.flatMap(key => [options[key]].flat().map(url => ({ key, url })))
  for (const { key, url } of given) {
    if (typeof url !== 'string') continue
    // Printers speak HTTP under a name of their own.
    checkUrlField(outbound, `adapter_config.defaults.${key}`, withStandIns(url).replace(/^ipp(?=s?:)/, 'http'))
  }
}

/** The current template. A missing one is reported with the other assets; a name with placeholders is resolved when a task runs. */
async function templateOf(
  { blobs }: ConfigurationServices,
  trx: Trx,
  adapter: Adapter,
  defaults: JsonObject,
  experienceId: string | null,
): Promise<JsonObject | undefined> {
  const name = templateName(adapter, defaults)
  if (name === null) return undefined
  const file = own(await currentAssets(trx, experienceId, [name]), name)
  if (!file) return undefined
  try {
    return await readTemplate(blobs, adapter, `The asset "${name}"`, file)
  } catch (error) {
    if (!isProblem(error, 'bad_options')) throw error
    const field = `adapter_config.defaults.${adapter.template?.parameter}`
    throw new Problem('bad_options', error.message, { errors: [{ field, message: error.message }] })
  }
}

/** Turns either shape of `adapter_config` into the plain one. */
export function plainConfig({
  adapter_config: nested,
  ...plain
}: NonNullable<Written['adapter_config']>): AdapterConfig {
  if (nested === undefined) return plain
  if (Object.keys(plain).length > 0)
    throw badField('adapter_config', 'has auth and defaults twice: put them here or into the inner adapter_config')
  return nested
}

async function checkAssets(
  trx: Trx,
  adapter: Adapter,
  options: JsonObject,
  experienceId: string | null,
): Promise<string[]> {
  // A name with placeholders is known only when a task runs.
  const uses = assetUses(adapter, options).filter(({ name }) => !name.includes('{{'))
  const names = [...new Set(uses.map(({ name }) => name))]
  const known = await rows.assetNames(trx, experienceId, names)
  const missing = uses.filter(({ name }) => !known.has(name))
  if (missing.length > 0) {
    const some = (await rows.someAssetNames(trx, experienceId, 20)).map(name => `"${name}"`).join(', ') || 'none yet'
    const errors = missing.map(({ parameter, name }) => ({
      field: `adapter_config.defaults.${parameter}`,
      message: `there is no asset "${name}" ${experienceId === null ? 'that is shared' : `in the experience "${experienceId}"`}; known are ${some}`,
    }))
    throw new Problem('unknown_asset', errors.map(({ message }) => message).join('; '), { errors })
  }
  return [...known.values()]
}
