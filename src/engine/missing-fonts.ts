// Which of the fonts that options name are not on this machine.
import type { JsonObject } from '#kit/json.ts'
import type { Adapter } from './adapter.ts'
import { textsFor } from './option-roles.ts'

export async function uninstalledFonts(adapter: Adapter, options: JsonObject): Promise<string[]> {
  const named = textsFor(adapter, 'font', options).filter(font => font !== '' && !font.includes('{{'))
  if (named.length === 0) return []
  // Loaded when it is needed: drawing takes much memory.
  const { faceOf } = await import('#media/text/fonts.ts')
  const missing: string[] = []
  for (const font of named) if ((await faceOf(font)).missing !== null) missing.push(font)
  return missing
}
