// What the clocks of a time zone show.
const DAY = 24 * 60 * 60

/** Seconds since the midnight that they show. Throws a RangeError for a time zone that there is not. */
export function secondOfDay(timeZone: string, now: Date): number {
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  const [hours = 0, minutes = 0, seconds = 0] = clock.format(now).split(':').map(Number)
  return (hours * 60 + minutes) * 60 + seconds
}

/** Seconds until they next show `second` of the day. A time that they leave out counts as if they had not been put on. */
export function secondsUntil(second: number, timeZone: string, now: Date): number {
  const shownAfter = (seconds: number): number => secondOfDay(timeZone, new Date(now.getTime() + seconds * 1000))
  const inDay = (seconds: number): number => (seconds + DAY) % DAY
  const seconds = inDay(second - secondOfDay(timeZone, now)) || DAY
  // Put on or back meanwhile, they show another time then.
  const ahead = inDay(shownAfter(seconds) - second + DAY / 2) - DAY / 2
  return shownAfter(seconds - ahead) === second ? seconds - ahead : seconds
}
