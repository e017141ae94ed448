// video_chroma_key: another background in place of a green or blue wall.
import Type from 'typebox'
import { videoAdapter } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import type { MediaFile } from '#media/file/file.ts'
import type { Graph, VideoStream } from '#media/graph/graph.ts'
import { keyedVideo } from '#media/graph/key-ops.ts'
import { atRate, cutTo, fitted, laidOver, stillStream } from '#media/graph/video-ops.ts'
import { parseColour } from '#media/pixels/colour.ts'
import { asset, closed, colour } from '../shared/picture-options.ts'
import { pictureOf, requiredAsset } from '../shared/video-options.ts'

const options = Type.Object(
  {
    background_file_name: asset('What is put behind: a picture or a video, which starts over when it is shorter.'),
    key: colour('The colour of the wall.', '#00b140'),
    tolerance: Type.Number({
      minimum: 0.01,
      maximum: 1,
      default: 0.18,
      description: 'How far a colour may be from it and still be the wall.',
    }),
    softness: Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.08,
      description: 'Over which further distance it becomes opaque.',
    }),
    despill: Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.5,
      description: 'How strongly the wall’s light is taken off the edges.',
    }),
    fit: Type.Enum(['cover', 'contain', 'stretch'], {
      default: 'cover',
      description:
        'How the background fills the frame: `cover` cuts off what is over, `contain` leaves black bars, `stretch` ignores its shape.',
    }),
  },
  closed,
)

export const videoChromaKey = videoAdapter({
  name: 'video_chroma_key',
  summary: 'Puts a picture or a video in place of a green or blue wall.',
  accepts: ['video'],
  makes: 'video',
  options,
  assets: [{ name: 'background_file_name', accepts: ['image', 'video'] }],
  oneOf: ['background_file_name'],
  async video(graph, streams, step) {
    const { key, tolerance, softness, despill, fit } = step.options
    const video = pictureOf(streams)
    const behind = await background(graph, requiredAsset(step, 'background_file_name'), video, fit)
    const keyed = await keyedVideo(graph, video, { colour: parseColour(key), tolerance, softness, despill })
    return { video: laidOver(behind, keyed, 0, 0), audio: streams.audio }
  },
})

async function background(
  graph: Graph,
  file: MediaFile,
  { width, height, rate, frames }: VideoStream,
  fit: 'cover' | 'contain' | 'stretch',
): Promise<VideoStream> {
  const frame = { width, height, fit: fit === 'contain' ? ('pad' as const) : fit, background: '#000000' }
  if (file.medium !== 'image') {
    const { video } = await graph.open(file, 'background_file_name', { loop: true })
    if (!video)
      throw new Problem(
        'unsupported_format',
        'The asset of background_file_name is sound only; a picture or a video is needed.',
      )
    return cutTo(fitted(atRate(video, rate), frame), 0, frames)
  }
  const { parts } = await graph.still(file, 'background_file_name', { width, height, fit, background: '#000000', rate })
  return cutTo(fitted(stillStream(parts[0]!), frame), 0, frames)
}
