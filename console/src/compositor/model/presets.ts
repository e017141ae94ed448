// What a designer chooses from: canvas sizes with their safe areas, and styles of text.

import type { JsonObject } from '../../api/shapes.ts'
import { t } from '../../words/t.ts'
import type { Size } from './geometry.ts'

export interface CanvasPreset extends Size {
  key: string
  title: string
  /** Pixels of an inch on paper; null for screens. */
  dpi: number | null
}

export const canvasPresets: readonly CanvasPreset[] = [
  { key: '4x6', title: t('Print 4 × 6 in, upright'), width: 1200, height: 1800, dpi: 300 },
  { key: '6x4', title: t('Print 6 × 4 in, wide'), width: 1800, height: 1200, dpi: 300 },
  { key: '2x6', title: t('Strip 2 × 6 in'), width: 600, height: 1800, dpi: 300 },
  { key: 'a6', title: t('Postcard A6, upright'), width: 1240, height: 1748, dpi: 300 },
  { key: 'a6-wide', title: t('Postcard A6, wide'), width: 1748, height: 1240, dpi: 300 },
  { key: 'square', title: t('Square post'), width: 1080, height: 1080, dpi: null },
  { key: 'story', title: t('Story'), width: 1080, height: 1920, dpi: null },
]

export const presetOf = ({ width, height }: Size): CanvasPreset | undefined =>
  canvasPresets.find(preset => preset.width === width && preset.height === height)

const MM_PER_INCH = 25.4

/** How large it is on paper. */
export function paperSize({ width, height }: Size, dpi: number): { width: number; height: number } {
  const mm = (px: number) => Math.round((px / dpi) * MM_PER_INCH)
  return { width: mm(width), height: mm(height) }
}

export interface Area {
  kind: 'cut' | 'safe'
  /** Distances from the edges of the canvas, in its pixels. */
  top: number
  right: number
  bottom: number
  left: number
}

const CUT_MM = 3
const SAFE_MM = 6

/** Printers cut a little off every edge, apps lay their buttons over a story: what matters stays inside. */
export function safeAreas(canvas: Size): Area[] {
  const preset = presetOf(canvas)
  const all = (kind: Area['kind'], px: number): Area => ({ kind, top: px, right: px, bottom: px, left: px })
  if (preset?.key === 'story') return [{ kind: 'safe', top: 250, right: 64, bottom: 340, left: 64 }]
  if (preset?.dpi) {
    const px = (mm: number) => Math.round((mm / MM_PER_INCH) * (preset.dpi ?? 1))
    return [all('cut', px(CUT_MM)), all('safe', px(SAFE_MM))]
  }
  return [all('safe', Math.round(Math.min(canvas.width, canvas.height) * 0.05))]
}

export interface TextStyle {
  key: string
  title: string
  fields: JsonObject
}

export const textStyles: readonly TextStyle[] = [
  { key: 'headline', title: t('Headline'), fields: { font: 'Inter Black', overflow: 'shrink' } },
  { key: 'name', title: t('Name'), fields: { font: 'Inter Bold', overflow: 'shrink' } },
  { key: 'quiet', title: t('Quiet'), fields: { font: 'Inter Light', overflow: 'shrink' } },
  { key: 'words', title: t('Paragraph'), fields: { font: 'Inter', overflow: 'wrap', valign: 'top' } },
  {
    key: 'sticker',
    title: t('Sticker'),
    fields: { font: 'Inter Black', overflow: 'shrink', color: '#ffffff', stroke: { color: '#15171c', width: 12 } },
  },
]

/** What a style decides; another style takes it back. */
const decided = ['font', 'overflow', 'valign', 'stroke'] as const

export function styled(layer: JsonObject, { fields }: TextStyle): JsonObject {
  const rest = Object.fromEntries(Object.entries(layer).filter(([name]) => !decided.some(one => one === name)))
  return { ...rest, ...fields }
}

export const isStyled = (layer: JsonObject, { fields }: TextStyle): boolean =>
  decided.every(name => JSON.stringify(layer[name]) === JSON.stringify(fields[name])) ||
  (layer.stroke === undefined &&
    layer.valign === fields.valign &&
    fields.stroke === undefined &&
    layer.font === fields.font &&
    (layer.overflow ?? 'shrink') === fields.overflow)
