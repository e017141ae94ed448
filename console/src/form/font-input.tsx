// The name of a font: typed, or picked from those there are.

import type { ComponentProps } from 'react'
import { useFonts } from '../api/configurations.ts'
import type { Font } from '../api/shapes.ts'
import { TextInput } from './typed-controls.tsx'

const weights = ['Thin', 'ExtraLight', 'Light', 'Medium', 'SemiBold', 'Bold', 'ExtraBold', 'Black']

/** Every style of the font that is shipped, and the usual ones of those that are installed. */
const stylesOf = ({ family, shipped }: Font): string[] =>
  shipped
    ? [family, `${family} Italic`, ...weights.flatMap(weight => [`${family} ${weight}`, `${family} ${weight} Italic`])]
    : [family, `${family} Bold`]

export function FontInput(props: Omit<ComponentProps<typeof TextInput>, 'offer'>) {
  const fonts = (useFonts().data ?? []).toSorted((a, b) => Number(b.shipped) - Number(a.shipped))
  return <TextInput {...props} offer={fonts.flatMap(stylesOf)} />
}
