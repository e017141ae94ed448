// The rules of a single configuration: its adapter, credentials, options and the assets they name.
import * as rows from '#db/configurations.ts'
import type { Trx } from '#db/database.ts'
import { type Adapter, assetUses } from '#engine/adapter.ts'
import { badField, Problem } from '#kit/errors.ts'
import type { JsonObject } from '#kit/json.ts'
import { validateAuth, validateDefaults } from './options.ts'
import type { AdapterConfig, House, Written } from './save.ts'
import { openAuth, unmaskAuth } from './secrets.ts'

export interface Single {
  adapter: Adapter
  auth: JsonObject
  defaults: JsonObject
  assets: string[]
}

export async function checkSingle(
  { adapters, secretBox }: House,
  trx: Trx,
  written: Written,
  stored: rows.ConfigurationRow | null,
): Promise<Single> {
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
  const errors = [...validateAuth(adapter, auth).map(hideValue), ...validateDefaults(adapter, defaults)]
  if (errors.length > 0) {
    const told = errors.slice(0, 5).map(({ field, message }) => `${field}: ${message}`)
    throw new Problem('bad_options', `${adapter.name} does not take this: ${told.join('; ')}.`, { errors })
  }
  const assets = await checkAssets(trx, adapter, defaults, written.experience_id)
  return { adapter, auth, defaults, assets }
}

/** Either shape of `adapter_config` as the plain one. */
export function plainConfig({
  adapter_config: nested,
  ...plain
}: NonNullable<Written['adapter_config']>): AdapterConfig {
  if (nested === undefined) return plain
  if (Object.keys(plain).length > 0)
    throw badField('adapter_config', 'has auth and defaults twice: put them here or into the inner adapter_config')
  return nested
}

/** The message would quote what came, which here may be a secret. */
const hideValue = ({ field, message }: { field: string; message: string }) => ({
  field,
  message: message.replace(/, not .*$/s, ''),
})

async function checkAssets(trx: Trx, adapter: Adapter, defaults: JsonObject, experienceId: string): Promise<string[]> {
  // A name with placeholders is known only when a task runs.
  const uses = assetUses(adapter, defaults).filter(({ name }) => !name.includes('{{'))
  const names = [...new Set(uses.map(({ name }) => name))]
  const known = await rows.assetNames(trx, experienceId, names)
  const missing = uses.filter(({ name }) => !known.includes(name))
  if (missing.length > 0) {
    const some = (await rows.someAssetNames(trx, experienceId, 20)).map(name => `"${name}"`).join(', ') || 'none yet'
    const errors = missing.map(({ parameter, name }) => ({
      field: `adapter_config.defaults.${parameter}`,
      message: `there is no asset "${name}" in the experience "${experienceId}"; known are ${some}`,
    }))
    throw new Problem('unknown_asset', errors.map(({ message }) => message).join('; '), { errors })
  }
  return names
}
