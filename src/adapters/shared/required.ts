// For adapters of others that say in their own review: at least one of these must be set. Ours declare it as `oneOf`.
import type { Remark } from '#engine/adapter.ts'

/** They may be left to a task, and an override fills an asset parameter as well as a name does. */
export function needsOneOf(first: string, ...others: string[]) {
  const message = `${others.map(name => `or ${name} `).join('')}is required`
  return (options: object, overridden: ReadonlySet<string>): Remark[] => {
    const given = new Map(Object.entries(options))
    const isSet = (name: string): boolean => overridden.has(name) || (given.get(name) ?? '') !== ''
    return [first, ...others].some(isSet) ? [] : [{ kind: 'missing', field: first, message }]
  }
}
