// An adapter that ends its own process at every picture that is 7 pixels wide.
import Type from 'typebox'
import { imageAdapter } from '#engine/adapter.ts'

export default imageAdapter({
  name: 'photo_deadly',
  summary: 'Dies of pictures that are 7 pixels wide.',
  accepts: ['image'],
  makes: 'same',
  options: Type.Object({}, { additionalProperties: false }),
  image(picture) {
    if (picture.width === 7) process.kill(process.pid, 'SIGKILL')
    return picture
  },
})
