// Makes a schema one that tools in any language understand: no keywords of our own, no patterns that only some engines take.

import { isObject } from '#kit/json.ts'

export type Node = { [key: string]: unknown }

const VALUES = ['example', 'examples', 'default', 'enum', 'const', 'required']
/** Their keys are names, not keywords. */
const MAPS = ['properties', 'patternProperties', 'schemas', 'headers']

/** Every schema below a node in its plain form, from the inside out; `change` sees each. */
export function plainTree(node: unknown, change: (schema: Node) => Node = schema => schema): unknown {
  const visit = (inner: unknown, key: string): unknown => {
    if (Array.isArray(inner)) return inner.map(item => visit(item, ''))
    if (!isObject(inner)) return inner
    const isMap = MAPS.includes(key)
    const entries = Object.entries(isMap ? inner : plainSchema(inner))
    const changed = Object.fromEntries(
      entries.map(([name, value]) => [name, VALUES.includes(name) && !isMap ? value : visit(value, name)]),
    )
    return isMap ? changed : change(changed)
  }
  return visit(node, '')
}

/** Takes out our own keywords. A pattern that not every engine takes is left out: its other rules and its words stay. */
function plainSchema(node: Node): Node {
  const { expects: _words, portable, names: _names, placeholders: _places, role: _role, ...plain } = node
  if (typeof plain.pattern === 'string') {
    if (typeof portable === 'string') plain.pattern = portable
    else if (portable === null || !isPortable(plain.pattern)) delete plain.pattern
  }
  // A tuple ends where it ends. Our own checks read `items` as the rule of every item.
  if (Array.isArray(plain.prefixItems) && plain.items === undefined) plain.items = false
  return withType(withNames(plain))
}

/** TypeBox writes an object whose names are free as one pattern of names, which generators pass over. */
function withNames(node: Node): Node {
  const [[pattern, value] = [], ...others] = Object.entries((node.patternProperties as Node | undefined) ?? {})
  if (pattern === undefined || others.length > 0)
    return isEmpty(node.additionalProperties) ? { ...node, additionalProperties: true } : node
  const { patternProperties: _names, additionalProperties: _rest, ...plain } = node
  return {
    ...plain,
    ...(/^\^(\.|\[\\s\\S\])\*\$$/.test(pattern) ? {} : { propertyNames: { type: 'string', pattern } }),
    additionalProperties: isEmpty(value) ? true : value,
  }
}

const isEmpty = (node: unknown): boolean => isObject(node) && Object.keys(node).length === 0

/** TypeBox lists the values of an enum without their type, which generators want to know. */
function withType(node: Node): Node {
  if (node.type !== undefined) return node
  const values = Array.isArray(node.enum) ? node.enum : []
  return values.length > 0 && values.every(value => typeof value === 'string') ? { type: 'string', ...node } : node
}

/** RE2 (Go, and much alike Rust) looks neither around nor back, and repeats 1000 times at most. */
const REFUSED = /\(\?(?:[=!]|<[=!])|\\[1-9kucpP]/
const MOST_REPEATED = 1000

function isPortable(pattern: string): boolean {
  const bare = pattern.replaceAll('\\\\', '')
  const counts = [...bare.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].flatMap(([, from, to]) => [Number(from), Number(to ?? 0)])
  return !REFUSED.test(bare) && counts.every(count => count <= MOST_REPEATED)
}
