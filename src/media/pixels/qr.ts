// Draws QR codes with whole pixels for every module, so that any reader can read them.
import qrcode from 'qrcode'
import { Problem } from '#kit/errors.ts'
import type { Size } from '../file/geometry.ts'
import { newCopy } from './pixel-memory.ts'
import type { Pixels } from './pixels.ts'

export const eccLevels = ['L', 'M', 'Q', 'H'] as const

/** Warnings for the operator: the code is larger than asked for, or reaches over the edge. */
export function qrWarnings(code: Size, wanted: number, place: { left: number; top: number }, on: Size): string[] {
  const over =
    place.left < 0 || place.top < 0 || place.left + code.width > on.width || place.top + code.height > on.height
  return [
    ...(code.width > wanted
      ? [`The QR code needs ${code.width} pixels for its modules; ${wanted} were asked for.`]
      : []),
    ...(over ? ['The QR code reaches over the edge of the picture, so readers may not find it.'] : []),
  ]
}

interface QrOptions {
  ecc: (typeof eccLevels)[number]
  /** Width of the white border, in modules. */
  quiet: number
}

interface Qr extends Size {
  modules: qrcode.QRCode['modules']
  /** Pixels per module. */
  scale: number
  /** White pixels before the first module. */
  from: number
}

/** A square of `size` pixels with the code in its middle; larger only when a module would be less than a pixel. */
export function qrOf(data: string, size: number, { ecc, quiet }: QrOptions): Qr {
  const { modules } = create(data, ecc)
  const across = modules.size + 2 * quiet
  const scale = Math.max(1, Math.floor(size / across))
  const side = Math.max(size, across * scale)
  return { width: side, height: side, modules, scale, from: Math.floor((side - modules.size * scale) / 2) }
}

export function drawQr(data: string, size: number, options: QrOptions): Pixels {
  const code = qrOf(data, size, options)
  const { width, height } = code
  return paintQr({ data: newCopy(code, 4), width, height, channels: 4, depth: 8 }, code, { left: 0, top: 0 })
}

/** Paints in place, clipped to the base. Makes no bitmap of the code, however large it is. */
export function paintQr(base: Pixels, code: Qr, { left, top }: { left: number; top: number }): Pixels {
  const { modules, scale, from, width, height } = code
  const [x0, x1] = [Math.max(0, left), Math.min(base.width, left + width)]
  const [y0, y1] = [Math.max(0, top), Math.min(base.height, top + height)]
  if (x1 <= x0) return base
  const colour = 3 * (base.depth / 8)
  const pixel = base.channels * (base.depth / 8)
  const line = Buffer.alloc((x1 - x0) * pixel)
  let drawn: number | null = null
  for (let y = y0; y < y1; y++) {
    const row = Math.floor((y - top - from) / scale)
    if (row !== drawn) {
      line.fill(255)
      for (let x = x0; x < x1; x++) {
        if (!isDark(modules, row, Math.floor((x - left - from) / scale))) continue
        const at = (x - x0) * pixel
        for (let i = at; i < at + colour; i++) line[i] = 0
      }
      drawn = row
    }
    line.copy(base.data, (y * base.width + x0) * pixel)
  }
  return base
}

const isDark = (modules: Qr['modules'], row: number, column: number): boolean =>
  row >= 0 && column >= 0 && row < modules.size && column < modules.size && modules.get(row, column) !== 0

function create(data: string, ecc: QrOptions['ecc']): qrcode.QRCode {
  if (data === '') throw new Problem('option_missing', 'A QR code needs data.')
  try {
    return qrcode.create(data, { errorCorrectionLevel: ecc })
  } catch (cause) {
    throw new Problem(
      'bad_options',
      `The data is too long for a QR code: ${data.length} characters at error correction ${ecc}.`,
      { cause },
    )
  }
}
