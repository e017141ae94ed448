// The asset of `background_file_name` as a stream behind a video: a picture that stays, or a video that starts over.
import { Problem } from '#kit/errors.ts'
import type { MediaFile } from '#media/file/file.ts'
import type { Graph, VideoStream } from '#media/graph/graph.ts'
import { atRate, cutTo, fitted, stillStream } from '#media/graph/video-ops.ts'

export async function videoBackground(
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
