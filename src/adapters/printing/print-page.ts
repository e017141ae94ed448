// Decides from what a printer has how a picture is printed there: medium, margins, pixels, and the attributes of the job.
import type { JsonObject } from '#kit/json.ts'
import { refused } from '../delivery/failure.ts'
import type { Attributes, Collection, IppValue, Sent } from './ipp-codec.ts'
import { firstIn, numbersIn, type Printer, textIn, textsIn, words } from './printer.ts'

export interface PageOptions {
  media?: string
  media_type?: string
  media_source?: string
  borderless: boolean
  color: 'auto' | 'color' | 'monochrome'
  quality: 'draft' | 'normal' | 'high'
  fit: 'cover' | 'contain'
  background: string
  turn: boolean
  resolution: number
  copies: number
}

export interface Page {
  /** Hundredths of a millimetre, of the area that is printed on. */
  width: number
  height: number
  medium: string
  isBorderless: boolean
  job: Record<string, Sent[]>
}

/** Two metres; what claims to be larger is no paper. */
const LARGEST = 200_000
const SMALLEST = 1_000
const sides = ['top', 'left', 'right', 'bottom'] as const
const QUALITIES = { draft: 3, normal: 4, high: 5 } as const
const PORTRAIT = 3

/** Another medium must be put in first. */
export class WrongMedium extends Error {}

export function pageFor(printer: Printer, attributes: Attributes, options: PageOptions): Page {
  const { name } = printer
  if (!textsIn(attributes, 'document-format-supported').includes('image/jpeg'))
    throw refused(`${name} does not take JPEG files, and no other kind is sent`)
  const most = firstIn(attributes, 'copies-supported')
  const copies = typeof most === 'object' && most !== null && 'high' in most ? Number(most.high) : 1
  if (options.copies > Math.max(copies, 1)) throw refused(`${name} prints at most ${copies} copies of a job`)
  const medium = mediumFor(name, attributes, options.media)
  const size = sizeOf(attributes, medium)
  if (!size) throw refused(`${name} does not say how large its medium ${medium} is`)
  const isBorderless = options.borderless && sides.every(side => marginsOf(attributes, side).includes(0))
  const margin = (side: (typeof sides)[number]): number =>
    isBorderless ? 0 : Math.max(0, Math.min(...marginsOf(attributes, side), 2_000))
  const width = size.width - margin('left') - margin('right')
  const height = size.height - margin('top') - margin('bottom')
  if (width < SMALLEST || height < SMALLEST) throw refused(`${name} has no room between the margins of ${medium}`)
  const job: Record<string, Sent[]> = {
    copies: words.integer(options.copies),
    'print-color-mode': colourMode(name, attributes, options.color),
    'print-quality': words.enumeration(QUALITIES[options.quality]),
    'print-scaling': words.keyword(isBorderless ? 'fill' : 'fit'),
    'orientation-requested': words.enumeration(PORTRAIT),
    ...mediaIn(attributes, medium, size, options, margin),
  }
  return { width, height, medium, isBorderless, job: understood(attributes, job) }
}

function mediumFor(name: string, attributes: Attributes, wanted: string | undefined): string {
  const ready = textsIn(attributes, 'media-ready')
  const supported = textsIn(attributes, 'media-supported')
  if (wanted === undefined) {
    const medium = ready[0] ?? textIn(attributes, 'media-default')
    if (medium === undefined) throw refused(`${name} does not say what medium it has; set the option media`)
    return medium
  }
  if (ready.includes(wanted)) return wanted
  const known = [...supported, ...ready]
  if (known.length > 0 && !known.includes(wanted))
    throw refused(`${name} does not know the medium ${wanted}; it knows ${known.slice(0, 20).join(', ')}`)
  if (ready.length > 0) throw new WrongMedium(`has ${ready.slice(0, 5).join(', ')} in, and ${wanted} is needed`)
  return wanted
}

interface Size {
  width: number
  height: number
}

/** What the printer has ready is measured by it; else the name of a medium ends with its size (PWG 5101.1). */
function sizeOf(attributes: Attributes, medium: string): Size | null {
  const ready = collections(attributes, 'media-col-ready').find(each => named(each) === medium)
  const told = ready?.['media-size']?.[0]
  const [x, y] = isCollection(told) ? [told['x-dimension']?.[0], told['y-dimension']?.[0]] : []
  return isSide(x) && isSide(y) ? { width: x, height: y } : sizeInName(medium)
}

const named = (each: Collection): IppValue | undefined => each['media-size-name']?.[0] ?? each['media-key']?.[0]
const isSide = (value: unknown): value is number => typeof value === 'number' && value >= SMALLEST && value <= LARGEST

function sizeInName(medium: string): Size | null {
  const [, x, y, unit] = /_(\d{1,5}(?:\.\d{1,4})?)x(\d{1,5}(?:\.\d{1,4})?)(in|mm)$/.exec(medium) ?? []
  const scale = unit === 'in' ? 2540 : 100
  const [width, height] = [Math.round(Number(x) * scale), Math.round(Number(y) * scale)]
  return isSide(width) && isSide(height) ? { width, height } : null
}

const isCollection = (value: unknown): value is Collection =>
  typeof value === 'object' && value !== null && !('low' in value)
const collections = (attributes: Attributes, name: string): Collection[] =>
  (attributes.get(name) ?? []).filter(isCollection)
const marginsOf = (attributes: Attributes, side: string): number[] =>
  numbersIn(attributes, `media-${side}-margin-supported`).filter(margin => margin >= 0)

function colourMode(name: string, attributes: Attributes, wanted: PageOptions['color']): Sent[] {
  const modes = textsIn(attributes, 'print-color-mode-supported')
  if (wanted === 'color' && (firstIn(attributes, 'color-supported') === false || isWithout(modes, 'color')))
    throw refused(`${name} prints no colour`)
  if (modes.length === 0 || modes.includes(wanted)) return words.keyword(wanted)
  // A printer without "auto" prints in colour if it can.
  return words.keyword(wanted === 'auto' && modes.includes('color') ? 'color' : (modes[0] ?? wanted))
}

const isWithout = (modes: readonly string[], mode: string): boolean => modes.length > 0 && !modes.includes(mode)

function mediaIn(
  attributes: Attributes,
  medium: string,
  { width, height }: Size,
  { media_type, media_source }: PageOptions,
  margin: (side: (typeof sides)[number]) => number,
): Record<string, Sent[]> {
  const members = textsIn(attributes, 'media-col-supported')
  if (!members.includes('media-size')) return { media: words.keyword(medium) }
  const margins = sides.map(side => [`media-${side}-margin`, words.integer(margin(side))] as const)
  const column: Record<string, Sent[]> = {
    'media-size': words.collection({ 'x-dimension': words.integer(width), 'y-dimension': words.integer(height) }),
    ...Object.fromEntries(margins.filter(([name]) => members.includes(name))),
    ...(media_type !== undefined && { 'media-type': words.keyword(media_type) }),
    ...(media_source !== undefined && { 'media-source': words.keyword(media_source) }),
  }
  return { 'media-col': words.collection(column) }
}

/** Printers may refuse a job for an attribute that they don't know, so only those are sent that they name. */
function understood(attributes: Attributes, job: Record<string, Sent[]>): Record<string, Sent[]> {
  const known = textsIn(attributes, 'job-creation-attributes-supported')
  const scalings = textsIn(attributes, 'print-scaling-supported')
  const isKnown = (name: string): boolean => {
    if (name === 'print-scaling') return scalings.includes(String(job[name]?.[0]?.value))
    if (name === 'media-col' || name === 'media' || name === 'copies') return true
    return known.includes(name) || attributes.has(`${name}-supported`)
  }
  return Object.fromEntries(Object.entries(job).filter(([name]) => isKnown(name)))
}

/** Pixels of the longer side at most: 24 inches at 300 dpi. */
const MOST_PIXELS = 7_200

/** The steps that turn a picture of this size and fit it to the page. */
export function stepsFor(
  { width, height }: Pick<Page, 'width' | 'height'>,
  options: PageOptions,
  picture: Size,
): { adapter: string; options: JsonObject }[] {
  const dpi = Math.min(options.resolution, (MOST_PIXELS * 2540) / Math.max(width, height))
  const pixels = (hundredths: number): number => Math.max(1, Math.round((hundredths / 2540) * dpi))
  const isLying = options.turn && picture.width > picture.height !== width > height && picture.width !== picture.height
  return [
    ...(isLying && width !== height ? [{ adapter: 'photo_flip', options: { method: 'ROTATE_90' } }] : []),
    {
      adapter: 'photo_resize',
      options: {
        width: pixels(width),
        height: pixels(height),
        fit: options.fit,
        gravity: 'center',
        enlarge: true,
        background: options.background,
      },
    },
    { adapter: 'photo_convert', options: { format: 'jpeg', quality: 95, max_side: null } },
  ]
}
