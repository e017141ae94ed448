// video_chroma_key: another background in place of a green or blue wall.
import Type from 'typebox'
import { videoAdapter } from '#engine/adapter.ts'
import { keyedVideo } from '#media/graph/key-ops.ts'
import { laidOver } from '#media/graph/video-ops.ts'
import { parseColour } from '#media/pixels/colour.ts'
import { asset, closed, colour } from '../shared/picture-options.ts'
import { videoBackground } from '../shared/video-background.ts'
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
    const behind = await videoBackground(graph, requiredAsset(step, 'background_file_name'), video, fit)
    const keyed = await keyedVideo(graph, video, { colour: parseColour(key), tolerance, softness, despill })
    return { video: laidOver(behind, keyed, 0, 0), audio: streams.audio }
  },
})
