// Every route of a server, as tests call it: with ids that are there, and a body that is accepted.
import type { RouteOptions } from 'fastify'
import type { Answer } from './client.ts'
import type { Seeded } from './seed-rows.ts'
import type { TestServer } from './server.ts'

export const served = ({ routes }: TestServer): RouteOptions[] =>
  routes.filter(({ method, url }) => method !== 'HEAD' && url.startsWith('/api/'))
export const named = ({ method, url }: RouteOptions): string => `${method} ${url}`
export const pathTo = ({ url }: RouteOptions, ids: Seeded): string =>
  url.replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent((ids as Record<string, string>)[name] ?? '0'))

export const json = { 'content-type': 'application/json' }

/** Bodies that are accepted, where `{}` is not. */
export const good: Record<string, Record<string, unknown>> = {
  'POST /api/configuration/': {
    configuration_name: 'good',
    experience_id: 'ours',
    adapter_name: 'photo_flip',
    adapter_config: { auth: {}, defaults: {} },
    activity_config: { experience_id: 'ours', activity_type: 't', payload: { object_id: 'o' } },
  },
  'POST /api/experience/': { experience_id: 'good' },
  'POST /api/keepsake/': { experience_id: 'ours' },
  'POST /api/profile/:profile_id/merge/': { profile_id: 'nobody' },
  'POST /api/token/': { name: 'good', scopes: ['read'] },
  'POST /api/session/': { token: 'ks_nonsense' },
}

good['POST /api/configuration/check/'] = good['POST /api/configuration/'] as Record<string, unknown>
good['PUT /api/configuration/:configuration_name/'] = {
  ...good['POST /api/configuration/'],
  configuration_name: 'ours configuration',
}

export function emptyBody({ schema, method, url }: RouteOptions): RequestInit {
  if (schema?.consumes) return { body: new FormData() }
  return schema?.body ? { body: JSON.stringify(good[`${method} ${url}`] ?? {}), headers: json } : {}
}

/** The fields that a problem names. */
export const fieldsOf = ({ body }: Answer): string[] =>
  (body.errors ?? []).map((error: { field: string }) => error.field)
