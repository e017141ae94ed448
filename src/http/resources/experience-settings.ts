// Settings of an experience as requests give them, as they are stored.
import type { NewSettings } from '#access/experiences.ts'
import type { ExperiencePatch } from '../contract/experience-shapes.ts'
import { readTime } from '../wire/read-time.ts'

export function settingsOf({ starts_at, ends_at, ...settings }: Omit<ExperiencePatch, 'webhook_headers'>): NewSettings {
  const times = { starts_at, ends_at }
  const given = Object.entries(times).filter(([, text]) => text !== undefined)
  return { ...settings, ...Object.fromEntries(given.map(([field, text]) => [field, text && readTime(field, text)])) }
}
