// What every adapter says of itself, whatever its form: each option with a description, no unknown ones, no asset without an option.
import assert from 'node:assert/strict'
import type { Adapter } from '#engine/adapter.ts'

export function describesItsOptions(adapter: Adapter): void {
  for (const schema of [adapter.options, ...(adapter.auth ? [adapter.auth] : [])]) {
    const { properties, additionalProperties } = schema as unknown as {
      properties: Record<string, { description?: string }>
      additionalProperties?: unknown
    }
    assert.equal(additionalProperties, false, 'additionalProperties must be false')
    for (const [name, { description }] of Object.entries(properties))
      assert.match(description ?? '', /^\S.*[.)]$/s, `the description of ${name} must be a sentence`)
  }
  for (const { name } of adapter.assets ?? [])
    assert.ok(name in adapter.options.properties, `${name} is an asset, but no option`)
  for (const option of adapter.target ?? []) {
    const schema = option.startsWith('auth.') ? adapter.auth : adapter.options
    assert.ok(option.replace('auth.', '') in (schema?.properties ?? {}), `${option} is a target, but no option`)
  }
}
