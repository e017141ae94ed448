// Hours in which nobody is to be disturbed: how long they still last.
import { badOption } from '#kit/errors.ts'
import { secondOfDay, secondsUntil } from './wall-clock.ts'

export interface QuietHours {
  from: string
  to: string
}

/** Seconds until the quiet hours end; 0 outside of them. They may go over midnight. */
export function quietFor({ from, to }: QuietHours, timeZone: string, now = new Date()): number {
  checkTimeZone(timeZone)
  const [begin, end, here] = [secondOf(from), secondOf(to), secondOfDay(timeZone, now)]
  const isQuiet = begin <= end ? here >= begin && here < end : here >= begin || here < end
  return isQuiet ? secondsUntil(end, timeZone, now) : 0
}

const secondOf = (time: string): number => (Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) * 60

/** Throws for a time zone that there is not. */
export function checkTimeZone(timeZone: string): void {
  try {
    secondOfDay(timeZone, new Date())
  } catch {
    throw badOption('time_zone', 'must be the name of a time zone, such as Europe/Berlin')
  }
}
