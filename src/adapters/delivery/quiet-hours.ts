// Hours in which nobody is to be disturbed: how long they still last.
import { badOption } from '#kit/errors.ts'

export interface QuietHours {
  from: string
  to: string
}

/** Seconds until the quiet hours end; 0 outside of them. They may go over midnight. */
export function quietFor({ from, to }: QuietHours, timeZone: string, now = new Date()): number {
  const [begin, end] = [minutesOf(from), minutesOf(to)]
  const parts = clockIn(timeZone).formatToParts(now)
  const part = (type: string): number => Number(parts.find(each => each.type === type)?.value ?? 0)
  const here = (part('hour') % 24) * 60 + part('minute')
  const isQuiet = begin <= end ? here >= begin && here < end : here >= begin || here < end
  if (!isQuiet) return 0
  return ((end - here + DAY) % DAY) * 60 - part('second')
}

const DAY = 24 * 60
const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

function clockIn(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', second: '2-digit' })
  } catch {
    throw badOption('time_zone', 'must be the name of a time zone, such as Europe/Berlin')
  }
}

/** Throws for a time zone that there is not. */
export const checkTimeZone = (timeZone: string): void => void clockIn(timeZone)
