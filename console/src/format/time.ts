// Times as people say them: relative to now, exact in the viewer's own zone, and how long something took.

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 7],
  ['week', 4.345],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
]
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const day = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })

export function ago(iso: string, now = Date.now()): string {
  let value = (new Date(iso).getTime() - now) / 1000
  if (Math.abs(value) < 5) return 'just now'
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
  if (seconds < 10) return `${seconds.toFixed(seconds < 1 ? 2 : 1)} s`
  if (seconds < 60) return `${Math.round(seconds)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return seconds % 60 < 1 ? `${minutes} min` : `${minutes} min ${Math.floor(seconds % 60)} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

export function between(from: string | null, to: string | null, now = Date.now()): string | null {
  if (!from) return null
  return lasted(Math.max(0, (to ? new Date(to).getTime() : now) - new Date(from).getTime()))
}
