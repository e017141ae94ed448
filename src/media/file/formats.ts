// The formats pictures are written in, and what each can hold.

export type Format = 'jpeg' | 'png' | 'webp' | 'gif' | 'avif' | 'tiff'

export interface FormatKind {
  mime: string
  ext: string
  alpha: boolean
  /** 16 bits a channel. */
  deep: boolean
  animated: boolean
  /** sharp writes the turn of the file it was opened from into it, also when that has been done. */
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
