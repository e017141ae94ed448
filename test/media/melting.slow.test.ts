// Melted equals one by one, for the kinds of pictures that take long.
import { describe, it } from 'node:test'
import sharp from 'sharp'
import { png, scene } from '../support/pictures.ts'
import { everyPair, looksForPeople } from './melted.ts'

describe('melted pictures', () => {
  it('every ordered pair with an adapter that looks for people equals one by one, exactly, without alpha', () =>
    everyPair(
      async folder => folder.file('in.png', await png(scene(80, 60))),
      pair => !looksForPeople(pair),
    ))

  it('every ordered pair equals one by one, exactly, with alpha', () =>
    everyPair(async folder => folder.file('in.png', await png(scene(80, 60, 4)))))

  it('every ordered pair equals one by one, exactly, with 16 bits', () =>
    everyPair(async folder => {
      const deep = new Uint16Array(80 * 60 * 3).map((_, i) => (i * 40503) % 65536)
      return folder.file(
        'in.png',
        await sharp(deep, { raw: { width: 80, height: 60, channels: 3 } })
          .toColourspace('rgb16')
          .png()
          .toBuffer(),
      )
    }))

  it('every ordered pair equals one by one, exactly, in every frame of an animation', () =>
    everyPair(
      async folder => {
        const frames = [1, 2].map(seed => ({
          ...scene(24, 18, 4),
          data: scene(24, 18, 4).data.map(value => value ^ (seed * 8)) as Buffer,
        }))
        const roll = Buffer.concat(frames.map(({ data }) => data))
        const webp = sharp(roll, { raw: { width: 24, height: 36, channels: 4, pageHeight: 18 } }).webp({
          lossless: true,
          exact: true,
          delay: [50, 80],
        })
        return folder.file('in.webp', await webp.toBuffer())
        // The compositor and the converter were asked for PNG, which does not move, and what comes after a lossy WebP differs.
      },
      pair => pair.some(({ adapter }) => ['photo_compositor', 'photo_convert', 'photo_collage'].includes(adapter.name)),
    ))
})
