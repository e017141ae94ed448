// A rough idea of a layer, until the service has made the picture: placement is exact, drawing is not.
import { QrCode } from 'lucide-react'
import { assetFile } from '../api/configurations.ts'
import type { Json, JsonObject } from '../api/shapes.ts'
import type { Size } from './geometry.ts'

const text = (value: Json | undefined, missing = ''): string => (typeof value === 'string' ? value : missing)
const number = (value: Json | undefined, missing: number): number => (typeof value === 'number' ? value : missing)

export function LayerSketch({ layer, photo, canvas }: { layer: JsonObject; photo: string | null; canvas: Size }) {
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
    return (
      <div
        className="flex size-full items-center overflow-hidden leading-tight"
        style={{
          justifyContent: align === 'left' ? 'flex-start' : align === 'right' ? 'flex-end' : 'center',
          color: text(layer.color, '#000000'),
          fontSize: `${(number(layer.size_max, 48) / canvas.width) * 78}cqw`,
          opacity,
        }}
      >
        {text(layer.text)}
      </div>
    )
  }
  return <div className="size-full bg-edge/20" />
}
