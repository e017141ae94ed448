// A configuration as it may be shown: every credential masked.

import type { ActivityConfig, ChainEntry, ConfigurationKind } from '#db/tables.ts'
import type { Purpose, WithoutConsent } from '#kit/guest/consent.ts'
import type { JsonObject } from '#kit/json.ts'
import type { SecretBox } from '#kit/secret/secrets.ts'
import { maskAuth, openAuth } from './credentials.ts'

/** A stored configuration, or one of its versions. */
interface StoredConfiguration {
  configuration_name: string
  experience_id: string | null
  kind: ConfigurationKind
  adapter_name: string | null
  defaults: JsonObject | null
  auth: Buffer | null
  activity_config: ActivityConfig | null
  call_chain: ChainEntry[] | null
  webhook_url: string | null
  overridable: string[] | null
  needs_consent: Purpose[]
  without_consent: WithoutConsent
}

interface MaskedView {
  configuration_name: string
  experience_id: string | null
  kind: ConfigurationKind
  adapter_name?: string
  adapter_config?: { auth: JsonObject; defaults: JsonObject }
  activity_config?: ActivityConfig
  call_chain?: ChainEntry[]
  webhook_url?: string
  overridable?: string[]
  needs_consent?: Purpose[]
  without_consent?: WithoutConsent
}

export function maskedView(secretBox: SecretBox, row: StoredConfiguration): MaskedView {
  const { configuration_name, experience_id, kind, activity_config, call_chain, webhook_url } = row
  const single = row.adapter_name !== null && {
    adapter_name: row.adapter_name,
    adapter_config: {
      auth: maskAuth(openAuth(secretBox, configuration_name, row.auth)),
      defaults: row.defaults ?? {},
    },
    ...(activity_config ? { activity_config } : {}),
  }
  return {
    configuration_name,
    experience_id,
    kind,
    ...(single || {}),
    ...(call_chain ? { call_chain } : {}),
    ...(webhook_url === null ? {} : { webhook_url }),
    ...(row.overridable === null ? {} : { overridable: row.overridable }),
    ...consentOf(row),
  }
}

/** Empty for a configuration that needs no consent. */
const consentOf = ({
  needs_consent,
  without_consent,
}: StoredConfiguration): Pick<MaskedView, 'needs_consent' | 'without_consent'> =>
  needs_consent.length === 0 ? {} : { needs_consent, without_consent }

/** What those may know of a shared configuration who may only use it. */
export const outerView = ({
  configuration_name,
  experience_id,
  kind,
  adapter_name,
}: StoredConfiguration): MaskedView => ({
  configuration_name,
  experience_id,
  kind,
  ...(adapter_name === null ? {} : { adapter_name }),
})

/** The same of what was before. Credentials whose key is gone are left out, so that they stand in nobody's way. */
export function maskedPast(secretBox: SecretBox, row: StoredConfiguration): MaskedView {
  try {
    return maskedView(secretBox, row)
  } catch {
    return maskedView(secretBox, { ...row, auth: null })
  }
}
