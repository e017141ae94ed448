// Types what depends on the adapter in the document: the options and credentials of a configuration, and results.
import type { Adapter, Adapters, ObjectSchema } from '#engine/adapter.ts'
import { isObject } from '#kit/json.ts'
import { served } from '../contract/served-schema.ts'
import { type Node, plainTree } from './portable-schema.ts'

const ref = (name: string): Node => ({ $ref: `#/components/schemas/${name}` })

/** The components, with those of the installed adapters: of this deployment, so of foreign ones too. */
export function withAdapters(schemas: Node, adapters: Adapters): Node {
  if (adapters.size === 0) return schemas
  const named = withNames([...adapters.values()].sort((a, b) => (a.name < b.name ? -1 : 1)))
  const input = schemas.ConfigurationInput as Node & { properties: Node }
  return {
    ...schemas,
    ...Object.assign({}, ...named.map(each => ({ ...optionComponents(each), ...inputComponent(each) }))),
    ...configurationInputs(named, input),
    ...results(named, schemas.Result as Node),
  }
}

interface Named {
  /** What its components are called after: `PhotoFlip`. */
  name: string
  adapter: Adapter
}

/** Foreign names may be spelled in ways that a component can't, and become alike. */
function withNames(adapters: Adapter[]): Named[] {
  const taken = new Set<string>()
  return adapters.map(adapter => {
    const words = adapter.name.split(/[^A-Za-z0-9]+/).filter(word => word !== '')
    const plain = words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join('') || 'Adapter'
    let name = plain
    for (let count = 2; taken.has(name); count++) name = `${plain}${count}`
    taken.add(name)
    return { name, adapter }
  })
}

function optionComponents({ name, adapter }: Named): Node {
  const { summary, options, auth } = adapter
  const defaults = { description: `Options of \`${adapter.name}\`. ${summary}`, ...optional(options) }
  const credentials = auth
    ? { [`${name}Auth`]: { description: `Credentials of \`${adapter.name}\`.`, ...optional(auth) } }
    : {}
  const parts = {
    auth: auth ? ref(`${name}Auth`) : { type: 'object', maxProperties: 0, description: 'It takes no credentials.' },
    defaults: ref(`${name}Defaults`),
  }
  const nested = { type: 'object', description: 'The nested shape.', properties: parts, additionalProperties: false }
  return {
    [`${name}Defaults`]: defaults,
    ...credentials,
    [`${name}AdapterConfig`]: {
      type: 'object',
      description: `Credentials and default options of \`${adapter.name}\`.`,
      properties: { ...parts, adapter_config: nested },
      additionalProperties: false,
    },
  }
}

/** What is required may be left to the extras of a task, and credentials to a later change. */
function optional(schema: ObjectSchema): Node {
  const plain = plainTree(served(JSON.parse(JSON.stringify(schema)))) as Node
  // It refers to places inside of itself, which are others in this document.
  if (holdsReference(plain)) return { type: 'object', additionalProperties: true }
  const { required: _needed, ...rest } = plain
  return { ...rest, additionalProperties: false }
}

function holdsReference(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(holdsReference)
  if (!isObject(node)) return false
  return (
    ['$ref', '$dynamicRef', '$id', '$defs', '$anchor'].some(key => key in node) ||
    Object.values(node).some(holdsReference)
  )
}

type Input = Node & { properties: Node }

function inputComponent({ name, adapter }: Named): Node {
  return {
    [`${name}ConfigurationInput`]: {
      description: adapter.summary,
      allOf: [
        ref('SingleConfigurationFields'),
        {
          type: 'object',
          properties: {
            adapter_name: { type: 'string', enum: [adapter.name] },
            adapter_config: ref(`${name}AdapterConfig`),
          },
          required: ['adapter_name'],
        },
      ],
      unevaluatedProperties: false,
    },
  }
}

function configurationInputs(named: Named[], { properties, description }: Input): Node {
  const { adapter_name: _name, adapter_config: _config, call_chain, ...shared } = properties
  const { activity_config: _activity, ...chained } = shared
  const members = named.map(({ name, adapter }) => [adapter.name, `${name}ConfigurationInput`] as const)
  return {
    ConfigurationInput: {
      title: 'ConfigurationInput',
      description,
      anyOf: [ref('SingleConfigurationInput'), ref('ChainedConfigurationInput')],
    },
    SingleConfigurationInput: {
      title: 'SingleConfigurationInput',
      description: 'One adapter with its options. The adapters are those of this deployment.',
      oneOf: members.map(([, member]) => ref(member)),
      discriminator: {
        propertyName: 'adapter_name',
        mapping: Object.fromEntries(members.map(([adapter, member]) => [adapter, ref(member).$ref])),
      },
    },
    SingleConfigurationFields: {
      title: 'SingleConfigurationFields',
      type: 'object',
      description: 'What every configuration of one adapter has.',
      properties: shared,
      required: ['configuration_name', 'experience_id'],
    },
    ChainedConfigurationInput: {
      title: 'ChainedConfigurationInput',
      type: 'object',
      description: 'Other configurations, in order.',
      properties: { ...chained, call_chain },
      required: ['configuration_name', 'experience_id', 'call_chain'],
      additionalProperties: false,
    },
  }
}

const activity = {
  type: 'array',
  items: { type: 'string', format: 'uuid' },
  description: 'The activities that were created; there once the task has ended.',
}

/** Open: later versions and other adapters answer in further forms. */
function results(named: Named[], open: Node): Node {
  const own = named.flatMap(({ name, adapter }): [string, Node][] => {
    if (!('deliver' in adapter) || !adapter.result) return []
    const { additionalProperties: _closed, ...schema } = plainTree(
      served(JSON.parse(JSON.stringify(adapter.result))),
    ) as Input
    if (holdsReference(schema)) return []
    const properties = { ...schema.properties, activity }
    return [[`${name}Result`, { description: `What \`${adapter.name}\` answers.`, ...schema, properties }]]
  })
  return {
    ...Object.fromEntries(own),
    TransformerResult: {
      type: 'object',
      description: 'What a transformer answers.',
      properties: { success: { type: 'boolean' } },
      required: ['success'],
    },
    OtherResult: { ...open, title: 'OtherResult', description: 'What any other adapter answers.' },
    Result: {
      title: 'Result',
      description:
        'As its adapter answers: what a transformer made is its output, what a destination answers says where the file is.',
      anyOf: [...own.map(([name]) => name), 'TransformerResult', 'OtherResult'].map(ref),
    },
  }
}
