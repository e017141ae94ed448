// Configurations as YAML and back; the library is fetched when it is first needed.

import { writable } from '../api/configurations.ts'
import type { Configuration } from '../api/shapes.ts'
import { isObject } from '../form/json-text.ts'
import { t } from '../words/t.ts'

/** Credentials come masked from the service and mean "as stored": they do not belong in a file. */
function withoutAuth(configuration: Configuration): Configuration {
  const body = writable(configuration)
  if (!body.adapter_config) return body
  const { auth: _masked, ...rest } = body.adapter_config
  return { ...body, adapter_config: rest }
}

export async function toYaml(configurations: Configuration[]): Promise<string> {
  const { stringify } = await import('yaml')
  const ordered = configurations.toSorted((a, b) => Number(Boolean(a.call_chain)) - Number(Boolean(b.call_chain)))
  return stringify({ configurations: ordered.map(withoutAuth) }, { lineWidth: 110 })
}

/** Takes a list, one configuration, or an object with `configurations`; YAML or JSON. */
export async function fromYaml(text: string): Promise<Configuration[]> {
  const { parse } = await import('yaml')
  const read: unknown = parse(text)
  const list =
    isObject(read) && Array.isArray(read.configurations) ? read.configurations : Array.isArray(read) ? read : [read]
  return list.map((one, at) => {
    if (!isObject(one) || typeof one.configuration_name !== 'string')
      throw new Error(t('Entry {at} is not a configuration: it has no configuration_name.', { at: at + 1 }))
    return one as unknown as Configuration
  })
}

/** What others are made of comes first, so that a chain finds its members. */
export function inOrder(configurations: Configuration[]): Configuration[] {
  const byName = new Map(configurations.map(one => [one.configuration_name, one]))
  const done = new Set<string>()
  const sorted: Configuration[] = []
  const visit = (one: Configuration) => {
    if (done.has(one.configuration_name)) return
    done.add(one.configuration_name)
    for (const [member] of one.call_chain ?? []) {
      const found = byName.get(member)
      if (found) visit(found)
    }
    sorted.push(one)
  }
  configurations.forEach(visit)
  return sorted
}
