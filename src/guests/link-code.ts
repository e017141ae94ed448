// The QR code of a link, as a file: for screens, prints and the guest desk.
import qrcode from 'qrcode'

const common = { errorCorrectionLevel: 'M', margin: 4 } as const

/** Without a size of its own, so it fills its place. */
export const qrSvg = (text: string): Promise<string> => qrcode.toString(text, { ...common, type: 'svg' })

export const qrPng = (text: string, width: number): Promise<Buffer> =>
  qrcode.toBuffer(text, { ...common, type: 'png', width })
