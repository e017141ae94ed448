// Picture formats that we can write, and the features of each.

export type Format = 'jpeg' | 'png' | 'webp' | 'gif' | 'avif' | 'tiff'

export interface FormatKind {
  mime: string
  ext: string
  alpha: boolean
  /** 16 bits per channel. */
  deep: boolean
  animated: boolean
  /** sharp writes the orientation of the opened file into this format, even when the pixels are turned already. */
  keepsTurn: boolean
}

export const formats: Record<Format, FormatKind> = {
  jpeg: { mime: 'image/jpeg', ext: '.jpg', alpha: false, deep: false, animated: false, keepsTurn: false },
  png: { mime: 'image/png', ext: '.png', alpha: true, deep: true, animated: false, keepsTurn: false },
  webp: { mime: 'image/webp', ext: '.webp', alpha: true, deep: false, animated: true, keepsTurn: false },
  gif: { mime: 'image/gif', ext: '.gif', alpha: true, deep: false, animated: true, keepsTurn: false },
  avif: { mime: 'image/avif', ext: '.avif', alpha: true, deep: false, animated: false, keepsTurn: true },
  tiff: { mime: 'image/tiff', ext: '.tif', alpha: true, deep: true, animated: false, keepsTurn: true },
}
