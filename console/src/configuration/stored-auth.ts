// Credentials of an imported configuration that its file does not hold.
import type { Configuration } from '../api/shapes.ts'
import { isObject } from '../form/json-text.ts'

/**
 * Masks for the credentials that an export left out, since a whole configuration without them would drop them. The service
 * refuses them where they would be sent elsewhere.
 */
export function withStoredAuth(written: Configuration, stored: Configuration | undefined): Configuration {
  const auth = stored?.adapter_config?.auth
  const config = written.adapter_config ?? {}
  const inner = 'adapter_config' in config && isObject(config.adapter_config) ? config.adapter_config : config
  if (!auth || !written.adapter_name || 'auth' in config || 'auth' in inner) return written
  const kept = { ...inner, auth }
  return { ...written, adapter_config: inner === config ? kept : { adapter_config: kept } } as Configuration
}
