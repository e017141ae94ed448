// Which of the fonts that options name are not on this machine.
import type { Json, JsonObject } from '#kit/json.ts'

export async function uninstalledFonts(options: JsonObject): Promise<string[]> {
  const named = [...new Set(fontsIn(options))].filter(font => !font.includes('{{'))
  if (named.length === 0) return []
  // Loaded when it is needed: drawing takes much memory.
  const { faceOf } = await import('#media/text/fonts.ts')
  const missing: string[] = []
  for (const font of named) if ((await faceOf(font)).missing !== null) missing.push(font)
  return missing
}

/** Options and layers alike call it `font`. */
function fontsIn(value: Json): string[] {
  if (value === null || typeof value !== 'object') return []
  if (Array.isArray(value)) return value.flatMap(fontsIn)
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'font' && typeof inner === 'string' && inner !== '' ? [inner] : fontsIn(inner),
  )
}
