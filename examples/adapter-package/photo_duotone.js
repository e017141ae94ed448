// @ts-check
// photo_duotone: a picture in two colours, one for its shadows and one for its lights.
import { applyMatrix, colourOption, imageAdapter, parseColour } from 'keepsake/adapter'

/** How bright the eye sees red, green and blue (Rec. 709). */
const [RED, GREEN, BLUE] = [0.2126, 0.7152, 0.0722]

export const photoDuotone = imageAdapter({
  name: 'photo_duotone',
  summary: 'Shows a picture in two colours, one for its shadows and one for its lights.',
  accepts: ['image'],
  makes: 'same',
  // Plain JSON Schema. `colourOption` is a piece of it that Keepsake's own adapters use too.
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['shadows', 'lights', 'strength'],
    properties: {
      shadows: colourOption('Colour of what is dark.', '#1d2b53'),
      lights: colourOption('Colour of what is bright.', '#ffd8a8'),
      strength: {
        type: 'number',
        minimum: 0,
        maximum: 1,
        default: 1,
        description: 'How much of it is seen; 0 leaves the picture as it is.',
      },
    },
  },
  image(picture, { options }) {
    const { strength } = options
    const [shadows, lights] = [parseColour(options.shadows), parseColour(options.lights)]
    /**
     * One row of the matrix: from its own colour to the one between shadows and lights.
     * @param {0 | 1 | 2} channel
     * @returns {readonly [number, number, number, number]}
     */
    const row = channel => {
      const dark = shadows[channel] / 255
      const range = lights[channel] / 255 - dark
      /** @param {number} other @param {number} weight */
      const share = (other, weight) => (other === channel ? 1 - strength : 0) + strength * range * weight
      return [share(0, RED), share(1, GREEN), share(2, BLUE), strength * dark]
    }
    return picture.draw(pixels => applyMatrix(pixels, [row(0), row(1), row(2)]))
  },
})
