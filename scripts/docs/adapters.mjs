// The lists of adapters and the tables of their options, made from the adapters' own schemas.
import { adapterList } from '../../src/adapters/index.ts'

const byName = (a, b) => (a.name < b.name ? -1 : 1)
const adapters = [...adapterList({ localRoot: null }).values()].sort(byName)
const isDestination = adapter => 'deliver' in adapter

export const adapterNames = adapters.map(({ name }) => name)

/** Every adapter on a line of its own, for docs/adapters/README.md. */
export function adapterIndex() {
  const makes = adapter =>
    isDestination(adapter) ? 'a delivery' : adapter.makes === 'same' ? 'the same' : adapter.makes
  const rows = adapters.map(
    adapter =>
      `| [${adapter.name}](${adapter.name}.md) | ${adapter.accepts.join(', ')} | ${makes(adapter)} | ${adapter.summary} |`,
  )
  return ['| adapter | takes | makes | |', '|---|---|---|---|', ...rows].join('\n')
}

/** What there is at a glance, for the README. */
export function adapterOverview() {
  const groups = {
    Photos: adapters.filter(({ name }) => name.startsWith('photo_')),
    Videos: adapters.filter(({ name }) => name.startsWith('video_')),
    Sound: adapters.filter(({ name }) => name.startsWith('audio_')),
    Destinations: adapters.filter(isDestination),
  }
  const links = list => list.map(({ name }) => `[${name}](docs/adapters/${name}.md)`).join(', ')
  return [
    '| | adapters |',
    '|---|---|',
    ...Object.entries(groups).map(([name, list]) => `| ${name} | ${links(list)} |`),
  ].join('\n')
}

/** The options of one adapter; objects inside them get a table of their own below. */
export function optionsTable(name) {
  const adapter = adapters.find(other => other.name === name)
  const assets = new Set((adapter.assets ?? []).map(asset => asset.name))
  const parts = [tableOf(adapter.options, assets)]
  for (const [option, schema] of Object.entries(adapter.options.properties)) {
    const inner = objectIn(schema)
    if (inner) parts.push(`${schema.type === 'array' ? 'Each of' : 'Inside'} \`${option}\`:`, tableOf(inner))
  }
  if (Object.keys(adapter.auth?.properties ?? {}).length > 0) parts.push('In `auth`:', tableOf(adapter.auth))
  return parts.join('\n\n')
}

const objectIn = schema =>
  [schema, schema.items, ...(schema.anyOf ?? [])].find(inner => inner?.type === 'object' && inner.properties)

function tableOf({ properties, required = [] }, assets = new Set()) {
  const rows = Object.entries(properties).map(([name, schema]) => {
    const fallback = 'default' in schema ? shown(schema.default) : required.includes(name) ? 'required' : 'none'
    const meaning = `${assets.has(name) ? '*Asset.* ' : ''}${schema.description ?? ''}`
    return `| \`${name}\` | ${typeOf(schema)} | ${fallback} | ${meaning.replaceAll('|', '\\|').replaceAll('\n', ' ')} |`
  })
  return ['| option | type | default | meaning |', '|---|---|---|---|', ...rows].join('\n')
}

const shown = value => (value === '' || value === null ? 'none' : `\`${JSON.stringify(value).replaceAll('|', '\\|')}\``)

function typeOf(schema) {
  if (schema.anyOf?.some(inner => inner.pattern?.includes('%'))) return 'pixels or "50%"'
  if (schema.anyOf) {
    return schema.anyOf
      .filter(inner => inner.type !== 'null')
      .map(typeOf)
      .join(' or ')
  }
  if (schema.enum) return schema.enum.map(value => `\`${value}\``).join(', ')
  if (schema.const !== undefined) return `\`${schema.const}\``
  if (schema.type === 'array')
    return `list of ${{ string: 'texts', object: 'objects' }[schema.items?.type] ?? 'values'}`
  if (schema.pattern?.startsWith('^#')) return 'colour'
  const named = { integer: 'whole number', string: 'text', boolean: 'true or false' }
  const bounded = schema.minimum !== undefined && schema.maximum !== undefined
  return `${named[schema.type] ?? schema.type ?? 'any'}${bounded ? `, ${schema.minimum} to ${schema.maximum}` : ''}`
}
