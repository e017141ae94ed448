// What an entry needs of this machine and of what was uploaded before: assets of the right kind, fonts, decoders.
import { currentAssets } from '#db/asset-files.ts'
import type { Db } from '#db/database.ts'
import type { StoredFile } from '#db/tables.ts'
import { type Adapter, type AssetUse, assetUses, type CheckLine, isDestination } from '#engine/adapter.ts'
import { uninstalledFonts } from '#engine/fonts.ts'
import type { JsonObject } from '#kit/json.ts'

type Finding = Omit<CheckLine, 'what'>

/** Names that hold placeholders are known only when a task comes. */
export async function assetFindings(
  db: Db,
  experienceId: string,
  adapter: Adapter,
  options: JsonObject,
): Promise<Finding[]> {
  const uses = assetUses(adapter, options).filter(({ name }) => !name.includes('{{'))
  const names = uses.map(({ name }) => name)
  const assets = await currentAssets(db, experienceId, names)
  return uses.map(use => {
    const asset = Object.hasOwn(assets, use.name) ? assets[use.name] : undefined
    const which = `The asset "${use.name}" (${use.parameter})`
    if (!asset) return { ok: false, detail: `${which} is missing.` }
    const wrong = unfit(adapter, use, asset)
    return wrong ? { ok: false, detail: `${which} ${wrong}.` } : { ok: true, detail: `${which} is there.` }
  })
}

function unfit(adapter: Adapter, { parameter }: AssetUse, { medium, mime }: StoredFile): string | null {
  const accepts = adapter.assets?.find(({ name }) => name === parameter)?.accepts as readonly string[] | undefined
  if (parameter.startsWith('font_')) return mime.startsWith('font/') ? null : `is no font, but ${mime}`
  if (!accepts || accepts.includes(medium) || accepts.includes('file')) return null
  return `is of the wrong kind: ${mime}, where ${accepts.join(' or ')} is expected`
}

/** Fonts that are named and not here: text is drawn all the same, in another one. */
export async function fontFindings(options: JsonObject): Promise<Finding[]> {
  const missing = await uninstalledFonts(options)
  return missing.map(font => ({
    ok: false,
    detail: `The font "${font}" is not installed here; Inter would be used in its place.`,
  }))
}

/** `off`: what this machine can't do, a sentence each. */
export const decoderFindings = (adapter: Adapter, off: readonly string[]): Finding[] =>
  needsFfmpeg(adapter) ? off.map(detail => ({ ok: false, detail: `${detail}.` })) : []

const needsFfmpeg = (adapter: Adapter): boolean =>
  !isDestination(adapter) &&
  [...adapter.accepts, adapter.makes].some(medium => medium === 'video' || medium === 'audio')
