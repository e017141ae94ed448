// Frame rates as exact fractions, and the rates that are in common use.

export interface Rate {
  readonly num: number
  readonly den: number
}

const usual: readonly Rate[] = [
  { num: 24000, den: 1001 },
  { num: 24, den: 1 },
  { num: 25, den: 1 },
  { num: 30000, den: 1001 },
  { num: 30, den: 1 },
  { num: 48, den: 1 },
  { num: 50, den: 1 },
  { num: 60000, den: 1001 },
  { num: 60, den: 1 },
  { num: 100, den: 1 },
  { num: 120, den: 1 },
]

/** Largest relative difference at which a measured rate counts as a usual one. */
const SAME = 0.0004

export const perSecond = (rate: Rate): number => rate.num / rate.den

export const rateText = ({ num, den }: Rate): string => (den === 1 ? String(num) : `${num}/${den}`)

export const sameRate = (a: Rate, b: Rate): boolean => a.num * b.den === b.num * a.den

/** The nearest usual rate, for variable or odd rates. */
export function usualRate(fps: number): Rate {
  const distance = (rate: Rate): number => Math.abs(Math.log(perSecond(rate) / fps))
  return usual.reduce((best, rate) => (distance(rate) < distance(best) ? rate : best))
}

/** A measured rate as a fraction: a usual rate when it is close enough, otherwise whole or in thousandths. */
export function exactRate(fps: number): Rate {
  const near = usualRate(fps)
  if (Math.abs(perSecond(near) / fps - 1) < SAME) return near
  if (Math.abs(fps - Math.round(fps)) < 1e-6) return { num: Math.round(fps), den: 1 }
  return { num: Math.max(1, Math.round(fps * 1000)), den: 1000 }
}

/** The frame nearest to a time. */
export const frameAt = (seconds: number, rate: Rate): number => Math.round((seconds * rate.num) / rate.den)

export const timeOf = (frame: number, rate: Rate): number => (frame * rate.den) / rate.num
