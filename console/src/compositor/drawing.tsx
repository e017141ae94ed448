// One layer drawn in the page: placement is that of the service; letters and codes are cut out of what the service draws.
import { QrCode } from 'lucide-react'
import type { CSSProperties } from 'react'
import { assetFile } from '../api/configurations.ts'
import type { Json, JsonObject } from '../api/shapes.ts'
import { isObject } from '../form/json-text.ts'
import type { Cutout } from './cutouts.ts'
import { type Box, pixels, turnOf } from './model/geometry.ts'
import { wordsOf } from './model/guests.ts'

const text = (value: Json | undefined, missing = ''): string => (typeof value === 'string' ? value : missing)
const number = (value: Json | undefined, missing: number): number => (typeof value === 'number' ? value : missing)

/** Names of blends that CSS has another word for. */
const blends: Record<string, CSSProperties['mixBlendMode']> = {
  over: 'normal',
  color_dodge: 'color-dodge',
  color_burn: 'color-burn',
  hard_light: 'hard-light',
  soft_light: 'soft-light',
  add: 'plus-lighter',
}

const fits: Record<string, CSSProperties['objectFit']> = { cover: 'cover', contain: 'contain', stretch: 'fill' }

interface Props {
  layer: JsonObject
  box: Box
  /** Pixels of the screen for one of the canvas. */
  scale: number
  photo: string | null
  cutout: Cutout | null
  /** The asset of an image layer, by the layer's own name or by `layer_assets`. */
  asset: string
  context: JsonObject
  /** The browser can't read the picture: a cut-out is needed. */
  onUnreadable(): void
}

export function LayerDrawing(props: Props) {
  const { layer, box, scale } = props
  const turn = turnOf(layer)
  const blend = text(layer.blend, 'over')
  return (
    <div
      aria-hidden
      data-drawn={text(layer.name) || undefined}
      className="pointer-events-none absolute"
      style={{
        left: box.x * scale,
        top: box.y * scale,
        width: box.width * scale,
        height: box.height * scale,
        rotate: turn ? `${turn}deg` : undefined,
        opacity: number(layer.opacity, 1),
        mixBlendMode: blends[blend] ?? (blend as 'normal'),
      }}
    >
      <Content {...props} />
    </div>
  )
}

function Content({ layer, box, scale, photo, cutout, asset, context, onUnreadable }: Props) {
  if (cutout) return <img src={cutout.url} alt="" draggable={false} className="size-full" />
  const radius = layer.type === 'shape' && layer.shape === 'ellipse' ? '50%' : cornerOf(layer, box) * scale
  if (layer.type === 'photo' || layer.type === 'image') {
    const src = layer.type === 'photo' ? photo : asset && assetFile(asset)
    if (!src) return <div className="size-full border-2 border-dashed border-edge bg-edge/20" />
    return (
      <img
        src={src}
        alt=""
        draggable={false}
        onError={onUnreadable}
        className="size-full"
        style={{ objectFit: fits[text(layer.fit, 'cover')] ?? 'cover', borderRadius: radius }}
      />
    )
  }
  if (layer.type === 'shape') {
    const stroke = isObject(layer.stroke) ? layer.stroke : null
    return (
      <div
        className="size-full"
        style={{
          background: text(layer.color, '#000000'),
          borderRadius: radius,
          ...(stroke && {
            border: `${number(stroke.width, 4) * scale}px solid ${text(stroke.color, '#ffffff')}`,
            backgroundClip: 'padding-box',
          }),
        }}
      />
    )
  }
  if (layer.type === 'qr') return <QrCode className="size-full bg-white p-[6%] text-black" />
  if (layer.type === 'text') return <Words layer={layer} box={box} scale={scale} context={context} />
  return null
}

/** As the service reckons it: a share is one of the shorter side, and no corner is rounder than round. */
function cornerOf(layer: JsonObject, box: Box): number {
  const short = Math.min(box.width, box.height)
  return Math.min(pixels(layer.radius, short, 0), short / 2)
}

/** Before the first save there is nobody to ask: about as large as the letters will be. */
function Words({ layer, box, scale, context }: Pick<Props, 'layer' | 'box' | 'scale' | 'context'>) {
  const words = wordsOf(text(layer.text), context)
  const lines = words.split('\n')
  const most = Math.max(...lines.map(line => line.length), 1)
  const wraps = layer.overflow === 'wrap'
  const fitting = Math.min(box.height / (lines.length * 1.2), wraps ? box.height : box.width / (most * 0.56))
  const letters = Math.max(Math.min(number(layer.size_max, box.height), fitting), 1)
  const across = { left: 'flex-start', center: 'center', right: 'flex-end' } as const
  const down = { top: 'flex-start', middle: 'center', bottom: 'flex-end' } as const
  return (
    <div
      dir="auto"
      className="flex size-full flex-col overflow-hidden"
      style={{
        justifyContent: down[text(layer.valign, 'middle') as 'middle'] ?? 'center',
        alignItems: across[text(layer.align, 'center') as 'center'] ?? 'center',
        color: text(layer.color, '#000000'),
        fontSize: letters * scale,
        fontWeight: weightOf(text(layer.font)),
        lineHeight: 1.2,
        whiteSpace: wraps ? 'normal' : 'nowrap',
      }}
    >
      {lines.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place.
        <span key={at}>{line || ' '}</span>
      ))}
    </div>
  )
}

function weightOf(font: string): number {
  if (font.includes('Black') || font.includes('ExtraBold')) return 800
  if (font.includes('Bold')) return 700
  return font.includes('Light') || font.includes('Thin') ? 300 : 400
}
