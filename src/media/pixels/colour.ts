// Parses colours written as `#rgb`, `#rrggbb` or `#rrggbbaa`.
import { Problem } from '#kit/errors.ts'

/** Red, green, blue and alpha, 0 to 255 each. */
export type Colour = readonly [r: number, g: number, b: number, a: number]

export const colourPattern = '^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$'

const valid = new RegExp(colourPattern)

export function parseColour(text: string): Colour {
  if (!valid.test(text))
    throw new Problem('bad_options', `"${text}" is not a colour; write it as #rgb, #rrggbb or #rrggbbaa.`)
  const digits = text.length === 4 ? [...text.slice(1)].map(digit => digit + digit).join('') : text.slice(1)
  const [r, g, b, a = 255] = (digits.match(/../g) ?? []).map(pair => Number.parseInt(pair, 16))
  return [r!, g!, b!, a]
}

export const hex = ([r, g, b]: Colour): string =>
  `#${[r, g, b].map(value => value.toString(16).padStart(2, '0')).join('')}`
