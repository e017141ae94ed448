// Times as people say them: relative to now, exact in the viewer's own zone, and how long something took.
import { locale, wordLocale } from '../words/language.ts'
import { t } from '../words/t.ts'

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 7],
  ['week', 4.345],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
]
const relative = new Intl.RelativeTimeFormat(wordLocale, { numeric: 'auto', style: 'short' })
const exact = new Intl.DateTimeFormat(wordLocale, { dateStyle: 'full', timeStyle: 'long' })
const digits = (number: number) =>
  new Intl.NumberFormat(locale, { minimumFractionDigits: number, maximumFractionDigits: number })
const tenths = digits(1)
const hundredths = digits(2)
const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const day = new Intl.DateTimeFormat(wordLocale, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })

export function ago(iso: string, now = Date.now()): string {
  let value = (new Date(iso).getTime() - now) / 1000
  if (Math.abs(value) < 5) return t('just now')
  for (const [unit, size] of steps) {
    if (Math.abs(value) < size) return relative.format(Math.round(value), unit)
    value /= size
  }
  return exactly(iso)
}

export const exactly = (iso: string): string => exact.format(new Date(iso))
export const clockTime = (iso: string): string => clock.format(new Date(iso))
export const dayOf = (iso: string): string => day.format(new Date(iso))

/** `0.34 s`, `12 s`, `3 min 20 s`, `2 h 5 min`. */
export function lasted(ms: number): string {
  const seconds = ms / 1000
  if (seconds === 0) return '0 s'
  if (seconds < 10) return `${(seconds < 1 ? hundredths : tenths).format(seconds)} s`
  if (seconds < 60) return `${Math.round(seconds)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60)
    return seconds % 60 < 1
      ? t('{minutes} min', { minutes })
      : t('{minutes} min {seconds} s', { minutes, seconds: Math.floor(seconds % 60) })
  return t('{hours} h {minutes} min', { hours: Math.floor(minutes / 60), minutes: minutes % 60 })
}

export function between(from: string | null, to: string | null, now = Date.now()): string | null {
  if (!from) return null
  return lasted(Math.max(0, (to ? new Date(to).getTime() : now) - new Date(from).getTime()))
}

const stamp = {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
} as const
const here = new Intl.DateTimeFormat(locale, stamp)

/** `17 Nov 2026, 05:12:03`, in the viewer's own zone. */
export const stamped = (iso: string): string => here.format(new Date(iso))

export const ownZone = (): string => here.resolvedOptions().timeZone

/** The same in another zone, with its short name. */
export function stampedIn(iso: string, timeZone: string): string {
  return new Intl.DateTimeFormat(locale, { ...stamp, timeZone, timeZoneName: 'short' }).format(new Date(iso))
}
