// Sizes, counts and facts of media in few words.
import { locale } from '../words/language.ts'

const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
export const count = (value: number): string => number.format(value)

export function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let size = value
  let unit = 0
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000
    unit++
  }
  return `${number.format(size)} ${units[unit]}`
}

export const percent = (fraction: number): string => `${number.format(fraction * 100)} %`

interface Facts {
  mime: string
  bytes?: number | null
  width?: number | null
  height?: number | null
  duration?: number | null
}

/** `JPEG · 1920 × 1080 · 12.5 s · 1.2 MB`. */
export function facts({ mime, width, height, duration, bytes: size }: Facts): string {
  const parts = [kindName(mime)]
  if (width && height) parts.push(`${width} × ${height}`)
  if (duration) parts.push(`${number.format(duration)} s`)
  if (typeof size === 'number') parts.push(bytes(size))
  return parts.join(' · ')
}

export const kindName = (mime: string): string =>
  (mime.split('/')[1] ?? mime)
    .replace(/^(x-|vnd\.)/, '')
    .replace('svg+xml', 'svg')
    .replace('quicktime', 'mov')
    .toUpperCase()

/** The usual ending of a file of this type. */
export const extension = (mime: string): string =>
  kindName(mime).toLowerCase().replace('jpeg', 'jpg').replace('mpeg', 'mp3')
