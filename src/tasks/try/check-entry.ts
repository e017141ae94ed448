// Checks what an entry needs of this machine and its assets: files of the right kind, fonts, decoders.
import { readTemplate, templateName } from '#configurations/read-template.ts'
import type { Db } from '#db/database.ts'
import { currentAssets } from '#db/nouns/asset-files.ts'
import type { StoredFile } from '#db/tables.ts'
import { type Adapter, type AssetUse, assetUses, type CheckLine } from '#engine/adapter.ts'
import { type MediaLimits, remarksOf } from '#engine/children/sizes.ts'
import { uninstalledFonts } from '#engine/missing-fonts.ts'
import { Problem } from '#kit/errors.ts'
import { type JsonObject, own } from '#kit/json.ts'
import { worksOnVideo } from '../lane.ts'
import type { TaskServices } from '../task-services.ts'

type Finding = Omit<CheckLine, 'what'>

/** Skips names with placeholders: they are known only when a task runs. */
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
    const asset = own(assets, use.name)
    const which = `The asset "${use.name}" (${use.parameter})`
    if (!asset) return { ok: false, detail: `${which} is missing.` }
    const wrong = unfit(adapter, use, asset)
    return wrong ? { ok: false, detail: `${which} ${wrong}.` } : { ok: true, detail: `${which} is there.` }
  })
}

function unfit(adapter: Adapter, use: AssetUse, { medium, mime }: StoredFile): string | null {
  const { parameter } = use
  const declared = adapter.assets?.find(({ name }) => name === parameter)
  const accepts: readonly string[] | undefined = use.accepts ?? declared?.accepts
  if (declared?.isFont) return mime.startsWith('font/') ? null : `is no font, but ${mime}`
  if (!accepts || accepts.includes(medium) || accepts.includes('file')) return null
  return `is of the wrong kind: ${mime}, where ${accepts.join(' or ')} is expected`
}

interface ReadTemplate {
  template?: JsonObject
  findings: Finding[]
  /** Its content is not known: it comes with the task, or cannot be read. */
  isOpen: boolean
}

/** Reads the template that these options name, or reports why it cannot be used. */
export async function templateFindings(
  { db, blobs }: Pick<TaskServices, 'db' | 'blobs'>,
  experienceId: string,
  adapter: Adapter,
  options: JsonObject,
): Promise<ReadTemplate> {
  const name = templateName(adapter, options)
  if (name === null) return { findings: [], isOpen: false }
  const assets = await currentAssets(db, experienceId, name.includes('{{') ? [] : [name])
  const file = own(assets, name)
  if (!file) return { findings: [], isOpen: true }
  try {
    return { template: await readTemplate(blobs, adapter, `The asset "${name}"`, file), findings: [], isOpen: false }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { findings: [{ ok: false, detail: error.message }], isOpen: true }
  }
}

/** Reports errors in the options as a whole. Missing options are allowed: they may come with a task. */
export function optionFindings(
  configuration: string,
  adapter: Adapter,
  options: JsonObject,
  isOpen: boolean,
  limits: MediaLimits,
): Finding[] {
  const remarks = remarksOf(adapter, options, new Set(), limits).filter(({ kind }) => kind === 'wrong' || !isOpen)
  return remarks.map(({ kind, field, message }) =>
    kind === 'missing'
      ? {
          ok: true,
          detail: `${field} ${message}. It must come with every task.`,
          needs: { configuration, option: field },
        }
      : { ok: false, detail: `${field} ${message}.` },
  )
}

/** Reports fonts that are not installed: text is still drawn, in another font. */
export async function fontFindings(adapter: Adapter, options: JsonObject): Promise<Finding[]> {
  const missing = await uninstalledFonts(adapter, options)
  return missing.map(font => ({
    ok: false,
    detail: `The font "${font}" is not installed here; Inter would be used in its place.`,
  }))
}

/** `off`: what this machine cannot do, one sentence each. */
export const decoderFindings = (adapter: Adapter, off: readonly string[]): Finding[] =>
  worksOnVideo(adapter) ? off.map(detail => ({ ok: false, detail: `${detail}.` })) : []

/** Has a picture looked at by the very models that the entry will use. */
export async function visionFindings(
  adapter: Adapter,
  options: JsonObject,
  look: () => Promise<string>,
): Promise<Finding[]> {
  if (!adapter.looksForPeople?.(options)) return []
  try {
    return [{ ok: true, detail: await look() }]
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return [{ ok: false, detail: error.message }]
  }
}
