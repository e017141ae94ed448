// QR codes as pictures: whole pixels for every module, so that any reader finds its way.
import qrcode from 'qrcode'
import { Problem } from '#kit/errors.ts'
import { newBitmap } from './pixel-memory.ts'
import type { Pixels } from './pixels.ts'
import type { Size } from './turn.ts'

export const eccLevels = ['L', 'M', 'Q', 'H'] as const

/** What an operator should know of a code: that it did not fit, or can't be read where it lies. */
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

export interface QrOptions {
  ecc: (typeof eccLevels)[number]
  /** Modules of white around it. */
  quiet: number
}

/** A square of `size` pixels with the code in its middle; larger only where a module would be less than a pixel. */
export function drawQr(data: string, size: number, { ecc, quiet }: QrOptions): Pixels {
  const { modules } = create(data, ecc)
  const across = modules.size + 2 * quiet
  const scale = Math.max(1, Math.floor(size / across))
  const side = Math.max(size, across * scale)
  const from = Math.floor((side - modules.size * scale) / 2)
  const pixels = newBitmap({ width: side, height: side }, 4).fill(255)
  for (let row = 0; row < modules.size; row++) {
    for (let column = 0; column < modules.size; column++) {
      if (!modules.get(row, column)) continue
      for (let y = 0; y < scale; y++) {
        const start = ((from + row * scale + y) * side + from + column * scale) * 4
        for (let x = start; x < start + scale * 4; x += 4) pixels.fill(0, x, x + 3)
      }
    }
  }
  return { data: pixels, width: side, height: side, channels: 4, depth: 8 }
}

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
