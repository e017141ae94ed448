// photo_filter: the look of a picture: presets, brightness and the like, a look-up table, blur and sharpness.
import Type from 'typebox'
import { imageAdapter } from '#engine/adapter.ts'
import { applyCube, readCube } from '#media/pixels/cube.ts'
import { smoothed } from '#media/pixels/smooth.ts'
import { applyMatrix, brightness, contrast, identity, type Matrix, saturation, then } from '#media/pixels/tone.ts'
import { asset, closed } from '../shared/picture-options.ts'

const presets = {
  none: identity,
  bw: saturation(0),
  sepia: [
    [0.393, 0.769, 0.189, 0],
    [0.349, 0.686, 0.168, 0],
    [0.272, 0.534, 0.131, 0],
  ],
  // Less colour, lifted shadows, warm lights and a little blue in the dark.
  vintage: then(saturation(0.7), [
    [0.86, 0.06, 0, 0.06],
    [0.02, 0.84, 0, 0.04],
    [0, 0.04, 0.7, 0.09],
  ]),
  vivid: then(saturation(1.4), contrast(1.12)),
} as const satisfies Record<string, Matrix>

type Preset = keyof typeof presets

const factor = (description: string) => Type.Number({ minimum: 0, maximum: 4, default: 1, description })

const options = Type.Object(
  {
    preset: Type.Enum(Object.keys(presets) as Preset[], {
      default: 'none',
      description: 'A ready look; the other options come on top of it.',
    }),
    brightness: factor('1 leaves it, 0 is black, 2 twice as bright.'),
    contrast: factor('1 leaves it, 0 is plain grey.'),
    saturation: factor('1 leaves it, 0 is without colour.'),
    sharpen: Type.Number({
      minimum: 0,
      maximum: 10,
      default: 0,
      description: 'Radius of sharpening in pixels; 0 is off, about 1 suits a photo.',
    }),
    blur: Type.Number({ minimum: 0, maximum: 100, default: 0, description: 'Radius of the blur in pixels; 0 is off.' }),
    lut_file_name: asset('Asset with a look-up table (.cube), applied after the colours above.'),
  },
  closed,
)

export const photoFilter = imageAdapter({
  name: 'photo_filter',
  summary: 'Changes the look of a picture: colours, brightness, sharpness, a look-up table.',
  accepts: ['image'],
  makes: 'same',
  options,
  assets: [{ name: 'lut_file_name', accepts: ['file'] }],
  async image(picture, step) {
    const { preset, blur, sharpen, ...tones } = step.options
    const tuned = [brightness(tones.brightness), contrast(tones.contrast), saturation(tones.saturation)]
    const matrix = tuned.reduce<Matrix>(then, presets[preset])
    const [lut] = step.assets('lut_file_name')
    const cube = lut ? await readCube(lut) : null
    return picture.draw(async pixels => {
      applyMatrix(pixels, matrix)
      if (cube) applyCube(pixels, cube)
      return smoothed(pixels, blur, sharpen)
    })
  },
})
