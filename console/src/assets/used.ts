// Where an asset is used: the configurations whose options name it.
import type { Configuration, Json } from '../api/shapes.ts'
import { isObject } from '../form/json-text.ts'

const holdsAsset = (key: string): boolean => key === 'asset' || key === 'font' || /_file_names?$/.test(key)

function names(value: Json, key: string): string[] {
  if (typeof value === 'string') return holdsAsset(key) ? [value] : []
  if (Array.isArray(value)) return value.flatMap(item => names(item, key))
  return isObject(value) ? Object.entries(value).flatMap(([inner, item]) => names(item, inner)) : []
}

/** Asset name to the names of configurations. */
export function usesOf(configurations: Configuration[]): Map<string, string[]> {
  const uses = new Map<string, string[]>()
  for (const { configuration_name, adapter_config } of configurations)
    for (const asset of new Set(names(adapter_config?.defaults ?? {}, '')))
      uses.set(asset, [...(uses.get(asset) ?? []), configuration_name])
  return uses
}
