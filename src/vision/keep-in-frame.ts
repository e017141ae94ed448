// Decides which part of a video is kept where it is cut: a position, what people look at, or a window that follows faces.
import { type Rate, timeOf } from '#media/file/frame-rate.ts'
import type { Size } from '#media/file/geometry.ts'
import { type Graph, secondsOf, type VideoStream } from '#media/graph/graph.ts'
import { coveringSize, cutTo, type Path, previewSize } from '#media/graph/video-ops.ts'
import { lookedAt } from '#media/picture/attention.ts'
import { placed } from '#media/pixels/fit.ts'
import { counted, type Gravity, positionOf, type Witness } from './crop-to-faces.ts'
import { type Face, facesOnWhole, inside, scaledBy } from './faces.ts'
import { followFaces, type Look } from './follow-faces.ts'
import { visionOff } from './runtime.ts'
import { coloursOf, cutsOf } from './scenes.ts'

/** The longest side of a frame that is looked at. */
const SIDE = 384
/** Looks a second, and at all: those of a long video are farther apart. */
const LOOKS_A_SECOND = 4
const MOST_LOOKS = 160

/** Where the window of `size` lies in the video once it is scaled to cover it. */
export async function keptPath(
  graph: Graph,
  video: VideoStream,
  size: Size,
  gravity: Gravity,
  witness: Witness,
): Promise<Path> {
  const whole = coveringSize(video, size)
  const isCut = whole.width > size.width || whole.height > size.height
  if (!isCut || (gravity !== 'faces' && gravity !== 'attention' && gravity !== 'entropy'))
    return [{ at: 0, ...placed(size, whole, positionOf(gravity)) }]
  const path = gravity === 'faces' ? await facePath(graph, video, whole, size, witness) : null
  return path ?? [await attentive(graph, video, whole, size, gravity === 'entropy' ? 'entropy' : 'attention')]
}

async function facePath(
  graph: Graph,
  video: VideoStream,
  whole: Size,
  size: Size,
  witness: Witness,
): Promise<Path | null> {
  const off = visionOff()
  if (off !== null) {
    witness.warn(`${off}; \`attention\` decided what is kept.`)
    return null
  }
  const looks: Look[] = []
  const colours: ReturnType<typeof coloursOf>[] = []
  let most: Face[] = []
  const rate = lookRate(video)
  for await (const pixels of graph.frames(video, previewSize(video, SIDE), rate)) {
    const faces = await facesOnWhole(pixels)
    const scaled = faces.map(face => scaledBy(face, whole.width / pixels.width))
    looks.push({ at: timeOf(looks.length, rate), faces: scaled })
    colours.push(coloursOf(pixels))
    if (faces.length > most.length) most = faces.map(face => inside(scaledBy(face, video.width / pixels.width), video))
  }
  const isAnybody = looks.some(({ faces }) => faces.length > 0)
  const cuts = isAnybody ? await cutsOf(graph, video, colours, rate) : []
  const path = followFaces(looks, whole, size, cuts, timeOf(1, video.rate))
  if (!path) {
    witness.decide('No face was found, so `attention` decided what is kept.')
    return null
  }
  witness.saw(video, most)
  const moves =
    path.length === 1
      ? 'one window keeps them from start to end'
      : cuts.length === 0
        ? 'the window follows them'
        : `the window follows them through ${cuts.length + 1} scenes`
  witness.decide(`Found ${counted(most.length)} at once in ${looks.length} looks; ${moves}.`)
  return path
}

/** What people look at in the middle of the video. */
async function attentive(
  graph: Graph,
  video: VideoStream,
  whole: Size,
  size: Size,
  gravity: 'attention' | 'entropy',
): Promise<Path[number]> {
  const middle = Math.floor(video.frames / 2)
  const one = cutTo(video, middle, middle + 1)
  for await (const pixels of graph.frames(one, previewSize(video, SIDE), video.rate)) {
    const window = {
      width: Math.min(pixels.width, Math.round((size.width * pixels.width) / whole.width)),
      height: Math.min(pixels.height, Math.round((size.height * pixels.height) / whole.height)),
    }
    const { left, top } = await lookedAt(pixels, window, gravity)
    return {
      at: 0,
      left: Math.min((left * whole.width) / pixels.width, whole.width - size.width),
      top: Math.min((top * whole.height) / pixels.height, whole.height - size.height),
    }
  }
  return { at: 0, ...placed(size, whole, 'center') }
}

function lookRate(video: VideoStream): Rate {
  const perSecond = Math.min(LOOKS_A_SECOND, MOST_LOOKS / secondsOf(video), video.rate.num / video.rate.den)
  return { num: Math.max(1, Math.round(perSecond * 1000)), den: 1000 }
}
