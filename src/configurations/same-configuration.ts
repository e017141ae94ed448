// Tells whether a configuration that is written is the one that is stored, so that writing it again changes nothing.
import type { ConfigurationRow, NewConfiguration } from '#db/nouns/configuration-rows.ts'
import { stableJson } from '#kit/json.ts'
import type { SecretBox } from '#kit/secret/secrets.ts'
import { openAuth } from './credentials.ts'

const plain = ['experience_id', 'kind', 'adapter_name', 'webhook_url', 'without_consent'] as const
const nested = ['defaults', 'activity_config', 'call_chain', 'overridable', 'needs_consent'] as const

export function isSame(secretBox: SecretBox, stored: ConfigurationRow, row: NewConfiguration): boolean {
  const name = stored.configuration_name
  return (
    plain.every(field => stored[field] === (row[field] ?? null)) &&
    nested.every(field => stableJson(stored[field]) === stableJson(parsed(row[field]))) &&
    // Compare them opened: the same credentials sealed again are other bytes.
    stableJson(openAuth(secretBox, name, stored.auth)) === stableJson(openAuth(secretBox, name, row.auth ?? null))
  )
}

const parsed = (text: unknown): unknown => (typeof text === 'string' ? JSON.parse(text) : (text ?? null))
