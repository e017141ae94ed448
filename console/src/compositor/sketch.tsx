// A rough idea of a layer, until the service has made the picture: placement is exact, drawing is not.
import { QrCode } from 'lucide-react'
import { assetFile } from '../api/configurations.ts'
import type { Json, JsonObject } from '../api/shapes.ts'
import type { Size } from './geometry.ts'

const text = (value: Json | undefined, missing = ''): string => (typeof value === 'string' ? value : missing)
const number = (value: Json | undefined, missing: number): number => (typeof value === 'number' ? value : missing)

interface Props {
  layer: JsonObject
  photo: string | null
  canvas: Size
  size: Size
  /** Values for placeholders. */
  context: JsonObject
}

const filled = (template: string, context: JsonObject): string =>
  template.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) => text(context[name], whole))

export function LayerSketch({ layer, photo, canvas, size, context }: Props) {
  const fit =
    ({ cover: 'object-cover', contain: 'object-contain', stretch: 'object-fill' } as const)[
      text(layer.fit, 'cover') as 'cover'
    ] ?? 'object-cover'
  const opacity = number(layer.opacity, 1)
  if (layer.type === 'photo' && photo)
    return <img src={photo} alt="" draggable={false} className={`size-full ${fit}`} style={{ opacity }} />
  if (layer.type === 'image' && text(layer.asset))
    return (
      <img
        src={assetFile(text(layer.asset))}
        alt=""
        draggable={false}
        className={`size-full ${fit}`}
        style={{ opacity }}
      />
    )
  if (layer.type === 'qr')
    return <QrCode aria-hidden className="size-full bg-white p-[6%] text-black" style={{ opacity }} />
  if (layer.type === 'shape')
    return <div className="size-full" style={{ background: text(layer.color, text(layer.fill, '#888888')), opacity }} />
  if (layer.type === 'text') {
    const align = text(layer.align, 'center')
    const words = filled(text(layer.text), context)
    // About as wide as the letters of a usual font are.
    const letters = Math.min(number(layer.size_max, size.height), size.height * 0.8, size.width / (words.length * 0.52))
    return (
      <div
        className="flex size-full items-center overflow-hidden leading-tight whitespace-nowrap"
        style={{
          justifyContent: align === 'left' ? 'flex-start' : align === 'right' ? 'flex-end' : 'center',
          color: text(layer.color, '#000000'),
          fontSize: `${(letters / canvas.width) * 100}cqw`,
          opacity,
        }}
      >
        {words}
      </div>
    )
  }
  return <div className="size-full bg-edge/20" />
}
