// Bodies of configurations for tests, and the path to one.

export const path = (name: string) => `/api/configuration/${encodeURIComponent(name)}/`

export const flip = (name: string, more: object = {}) => ({
  configuration_name: name,
  experience_id: 'expo',
  adapter_name: 'photo_flip',
  adapter_config: { auth: {}, defaults: { method: 'ROTATE_180' } },
  ...more,
})
export const upload = (name: string, more: object = {}) => ({
  configuration_name: name,
  experience_id: 'expo',
  adapter_name: 's3_upload',
  adapter_config: { auth: { access_key: 'AK', secret_key: 'canary-secret' }, defaults: { bucket_name: 'b' } },
  ...more,
})
export const chain = (name: string, call_chain: unknown, more: object = {}) => ({
  configuration_name: name,
  experience_id: 'expo',
  call_chain,
  ...more,
})
