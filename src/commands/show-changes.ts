// Prints what an apply changes: a line for each thing, and below it each field that differs.
import { isObject, stableJson } from '#kit/json.ts'
import { safe } from './terminal.ts'

export interface Change {
  kind: string
  name: string
  change: string
  before: object | null
  after: object | null
}

export function changeLines(changes: readonly Change[], withFields: boolean): string[] {
  return changes.flatMap(({ kind, name, change, before, after }) => {
    const line = safe(`${change.padEnd(9)}  ${kind.padEnd(13)}  ${name}`)
    if (!withFields || change !== 'changed') return [line]
    return [line, ...differences(before ?? {}, after ?? {}, '')]
  })
}

function differences(before: object, after: object, path: string): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap(name => {
    const [one, other] = [before, after].map(side => (side as Record<string, unknown>)[name])
    const field = path === '' ? name : `${path}.${name}`
    if (stableJson(one ?? null) === stableJson(other ?? null)) return []
    if (isObject(one) && isObject(other)) return differences(one, other, field)
    return [safe(`           ${field}: ${shown(one)} → ${shown(other)}`)]
  })
}

const LONGEST = 120

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'none'
  const text = JSON.stringify(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
