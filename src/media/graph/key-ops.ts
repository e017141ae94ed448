// Makes one colour of a video transparent by the same rule as for pictures, through lookup tables.
import { type Key, keyed, strongest } from '../pixels/chroma-key.ts'
import type { Graph, VideoStream } from './graph.ts'
import { toRgb } from './source-filters.ts'
import { filter, stillStream, through } from './video-ops.ts'

/** Hald level 8: 64 steps per channel. The filter interpolates between them. */
const LEVEL = 8
const SIDE = LEVEL ** 3
const STEPS = LEVEL ** 2

export async function keyedVideo(graph: Graph, video: VideoStream, key: Key): Promise<VideoStream> {
  const { data } = keyed({ data: identity(), width: SIDE, height: SIDE, channels: 4, depth: 8 }, key)
  const [colours, alphas] = [Buffer.from(data), Buffer.alloc(data.length, 255)]
  const main = strongest(key.colour)
  for (let i = 0; i < data.length; i += 4) {
    const alpha = data[i + 3]!
    // In 4:2:0 video four pixels share one colour. Transparent pixels lose the key colour too, or it would show at the edge.
    const rest = Math.max(...[0, 1, 2].filter(channel => channel !== main).map(channel => data[i + channel]!))
    const value = data[i + main]!
    if (value > rest) colours[i + main] = rest + Math.round(((value - rest) * alpha) / 255)
    colours[i + 3] = 255
    alphas.fill(alpha, i, i + 3)
  }
  const lookUp = async (table: Buffer): Promise<VideoStream> =>
    stillStream(await graph.table({ data: table, width: SIDE, height: SIDE }, video.rate))
  // Packed RGB: with planar RGB, ffmpeg 5.1 mixes up the planes of a table.
  const rgb = through([video], toRgb())
  const coloured = through([rgb, await lookUp(colours)], [filter('haldclut')])
  const mask = through(
    [rgb, await lookUp(alphas)],
    [filter('haldclut'), filter('format', { pix_fmts: 'gbrp' }), filter('extractplanes', { planes: 'g' })],
  )
  return through(
    [coloured, mask],
    [
      filter('alphamerge'),
      filter('scale', { out_color_matrix: 'bt709', out_range: 'tv' }),
      filter('format', { pix_fmts: 'yuva420p' }),
    ],
    { alpha: true },
  )
}

/** A table that maps every colour to itself: red runs fastest, then green, then blue. */
function identity(): Buffer {
  const data = Buffer.alloc(SIDE * SIDE * 4, 255)
  const value = (step: number): number => Math.round((step * 255) / (STEPS - 1))
  for (let i = 0, at = 0; i < STEPS ** 3; i++, at += 4) {
    data[at] = value(i % STEPS)
    data[at + 1] = value(Math.floor(i / STEPS) % STEPS)
    data[at + 2] = value(Math.floor(i / STEPS ** 2))
  }
  return data
}
