// Times as they are on the clock of another place: for fields that ask when an event begins there.

/** `2026-11-15T09:00` in the zone, of an ISO time. */
export function localIn(iso: string | null, zone: string): string {
  if (!iso) return ''
  const parts = new Map(
    new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    })
      .formatToParts(new Date(iso))
      .map(({ type, value }) => [type, value]),
  )
  const get = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? ''
  return `${get('year')}-${get('month')}-${get('day')}T${get('hour')}:${get('minute')}`
}

/** The ISO time at which a clock of the zone shows this; null for nothing. */
export function isoIn(local: string, zone: string): string | null {
  if (local === '') return null
  const wanted = Date.parse(`${local}:00Z`)
  if (Number.isNaN(wanted)) return null
  // What the clock there shows at a guess tells how far the guess is off; twice, since the hours change in between.
  let guess = wanted
  for (let turn = 0; turn < 2; turn++)
    guess += wanted - Date.parse(`${localIn(new Date(guess).toISOString(), zone)}:00Z`)
  return new Date(guess).toISOString()
}

export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'
export const allZones = (): string[] => Intl.supportedValuesOf('timeZone')
