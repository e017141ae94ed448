// A picture on its way through the steps: operations stay pending as long as possible, then raw pixels, encoded once at the end.
import { Problem } from '#kit/errors.ts'
import { own } from '#kit/json.ts'
import type { MediaFile } from '../file/file.ts'
import { type Format, formats } from '../file/formats.ts'
import type { Rect, Size } from '../file/geometry.ts'
import { checkPicture, type MediaLimits } from '../file/media-limits.ts'
import { canMirror, mirror } from '../pixels/mirror.ts'
import { isUpright, type Method, methods, upright } from '../pixels/orientation.ts'
import { claim } from '../pixels/pixel-memory.ts'
import { flattened, fromPixels, type Pixels, release, to8, toPixels, turning } from '../pixels/pixels.ts'
import { type Sharp, vips } from '../pixels/vips.ts'
import { toScreen } from './hdr-still.ts'
import { decodeHeic } from './heic.ts'
import { type Header, isHeic, pictureSource, readHeader } from './picture-header.ts'
import { nothing, type Plan, sizeOf, withCrop, withSize, withTurn } from './picture-plan.ts'
import { shrinkFor } from './shrink-on-load.ts'

/** A file that is decoded only when needed. */
interface Encoded extends Size {
  path: string | Buffer
  header: Header
}

type Source = Encoded | Pixels

interface Animation {
  /** Milliseconds that each frame is shown. */
  delays: number[]
  /** Number of plays; 0 means for ever. */
  loop: number
}

interface Output {
  format: Format
  /** Null: the default of the format. */
  quality: number | null
  lossless: boolean
  /** Taken over from the source JPEG. */
  fineColours: boolean
}

/** Collects the decisions and warnings of opening. */
interface Report {
  decisions: string[]
  warnings: string[]
}

interface State {
  /** One for a still, or one for each frame of an animation. */
  sources: readonly Source[]
  plan: Plan
  /** True when a step has turned the picture, beyond the turn in the header. */
  turned: boolean
  animation: Animation | null
  output: Output
  limits: MediaLimits
}

const isEncoded = (source: Source): source is Encoded => 'header' in source

const isJpeg = (source: Source): boolean => isEncoded(source) && source.header.mime === 'image/jpeg'

/** Every method returns the next picture. The previous one must not be used once pixels have been drawn on. */
export class Picture {
  readonly #state: State
  readonly width: number
  readonly height: number

  private constructor(state: State) {
    this.#state = state
    const { width, height } = sizeOf(this.#first, state.plan)
    this.width = width
    this.height = height
  }

  static async open(file: MediaFile, limits: MediaLimits, report?: Report): Promise<Picture> {
    const header = await readHeader(file.path, file.mime)
    checkPicture(header, limits)
    const { mime, stored, turn, delays, loop, lossless, fineColours } = header
    tell(header, report)
    const output: Output = { format: formatFor(header), quality: null, lossless, fineColours }
    const plan = { ...nothing, turn }
    const still = { plan, turned: false, animation: null, output, limits }
    if (isHeic(mime)) return new Picture({ ...still, sources: [await decodeHeic(file.path, header)] })
    const encoded: Encoded = { ...stored, path: await pictureSource(file.path, mime), header }
    if (header.hdr)
      return new Picture({ ...still, sources: [toScreen(await toPixels(decoding(encoded), 8), header.hdr)] })
    if (header.frames === null) return new Picture({ ...still, sources: [encoded] })
    return new Picture({ ...still, sources: await decodeFrames(encoded), animation: { delays, loop } })
  }

  /** A picture from pixels that we made. */
  static of(pixels: Pixels, limits: MediaLimits, format: Format = 'png'): Picture {
    const output: Output = { format, quality: null, lossless: false, fineColours: false }
    return new Picture({ sources: [pixels], plan: nothing, turned: false, animation: null, output, limits })
  }

  get frames(): number {
    return this.#state.sources.length
  }

  get animation(): Animation | null {
    return this.#state.animation
  }

  get output(): Output {
    return this.#state.output
  }

  /** The limits it was opened under. They also apply to assets that are drawn on it. */
  get limits(): MediaLimits {
    return this.#state.limits
  }

  get hasAlpha(): boolean {
    return isEncoded(this.#first) ? this.#first.header.alpha : this.#first.channels === 4
  }

  get #first(): Source {
    const [first] = this.#state.sources
    if (!first) throw new Problem('corrupt_input', 'The animation has no frames.')
    return first
  }

  #next(change: Partial<State>): Picture {
    return new Picture({ ...this.#state, ...change })
  }

  transpose(method: Method): Picture {
    const plan = withTurn(this.#first, this.#state.plan, methods[method])
    return this.#next({ plan, turned: true })
  }

  /** `rect` must lie inside the picture. */
  crop(rect: Rect): Picture {
    const { left, top, width, height } = rect
    if (left === 0 && top === 0 && width === this.width && height === this.height) return this
    return this.#next({ plan: withCrop(this.#first, this.#state.plan, rect) })
  }

  /** Resizes to exactly this size, whatever its proportions. */
  async resize(size: Size): Promise<Picture> {
    checkPicture({ ...size, frames: this.animation ? this.frames : null }, this.limits)
    if (size.width === this.width && size.height === this.height) return this
    const { plan, turned } = this.#state
    // Resizing before a quarter turn swaps the order of the two resize passes, and the last bit may differ.
    const exact = !(plan.turn.swap && turned) || this.#shrinksOnLoad(size)
    const resized = exact ? withSize(plan, size) : null
    if (resized) return this.#next({ plan: resized })
    return (await this.settle()).resize(size)
  }

  /** libjpeg can skip pixels while it decodes. */
  #shrinksOnLoad(size: Size): boolean {
    const { plan } = this.#state
    return isJpeg(this.#first) && !plan.crop && !plan.size && shrinkFor(this, size).factor > 1
  }

  /** Does everything that is pending: raw pixels, nothing left to plan. */
  async settle(): Promise<Picture> {
    return this.#next({ sources: await this.pixels(), plan: nothing, turned: false })
  }

  /** The pixels of every frame. */
  async pixels(): Promise<Pixels[]> {
    const { sources, plan } = this.#state
    const frames: Pixels[] = []
    for (const source of sources) {
      const ready = !isEncoded(source) && plan === nothing
      if (!ready) claim(this, (this.hasAlpha ? 4 : 3) * (this.depth / 8))
      frames.push(ready ? source : await made(source, plan))
    }
    return frames
  }

  /** Draws on every frame. `brush` may change the pixels in place. */
  async draw(brush: (pixels: Pixels, frame: number) => Pixels | Promise<Pixels>): Promise<Picture> {
    const frames: Pixels[] = []
    for (const pixels of await this.pixels()) frames.push(await brush(pixels, frames.length))
    return this.#next({ sources: frames, plan: nothing, turned: false })
  }

  /** Replaces the pixels of every frame. */
  async redraw(frameOf: (frame: number) => Pixels | Promise<Pixels>): Promise<Picture> {
    const frames: Pixels[] = []
    for (let i = 0; i < this.frames; i++) frames.push(await frameOf(i))
    return this.#next({ sources: frames, plan: nothing, turned: false })
  }

  firstFrame(): Picture {
    return this.#next({ sources: [this.#first], animation: null })
  }

  /** Sets the output format. Whatever that format cannot hold is gone for the next step too. */
  async convert(format: Format, quality: number | null): Promise<Picture> {
    const { alpha, deep, animated } = formats[format]
    const fineColours = this.output.fineColours && format === 'jpeg'
    const output: Output = { format, quality, lossless: false, fineColours }
    const still = this.animation && !animated ? this.firstFrame() : this
    const flat = still.hasAlpha && !alpha
    const shallow = still.depth === 16 && !deep
    const fitting =
      flat || shallow
        ? await still.draw(pixels => {
            const fit = shallow ? to8(pixels) : pixels
            return flat ? flattened(fit) : fit
          })
        : still
    return fitting.#next({ output })
  }

  /** The source file and its turn, when nothing else is pending; null otherwise. */
  get turnAlone(): { path: string; header: Header; plan: Plan } | null {
    const source = this.#first
    const { plan } = this.#state
    if (!isEncoded(source) || typeof source.path !== 'string' || plan.crop || plan.size || plan.window) return null
    return { path: source.path, header: source.header, plan }
  }

  /** sharp with all pending operations, for a still. Where pixels can be streamed, they are never held whole. */
  get still(): Sharp {
    return pipeline(this.#first, this.#state.plan)
  }

  /** True when a mirroring is pending that we do faster than sharp. */
  get mirrored(): boolean {
    return mirrored(this.#first, this.#state.plan)
  }

  /** True when the file says how to turn it. */
  get hasTurn(): boolean {
    return isEncoded(this.#first) && !isUpright(this.#first.header.turn)
  }

  /** Frees all pixels. Neither this picture nor those it was made from can be used afterwards. */
  release(): void {
    for (const source of this.#state.sources) if (!isEncoded(source)) release(source)
  }

  get depth(): 8 | 16 {
    return depthOf(this.#first)
  }
}

const depthOf = (source: Source): 8 | 16 => (isEncoded(source) ? source.header.depth : source.depth)

function tell(header: Header, report?: Report): void {
  if (!report) return
  if (!isUpright(header.turn)) report.decisions.push('Baked the EXIF orientation into the pixels.')
  if (header.cmyk) report.decisions.push('Converted CMYK to sRGB.')
  else if (header.profile === 'other') report.decisions.push('Converted the embedded colour profile to sRGB.')
  if (header.hdr)
    report.decisions.push(`Brought HDR (${header.hdr.transfer.toUpperCase()}) to the brightness of a screen.`)
  if (isHeic(header.mime))
    report.decisions.push(`HEIC cannot be written, so the result is a ${formatFor(header).toUpperCase()}.`)
  if (header.hidden) report.warnings.push(header.hidden)
}

/** A picture that cannot keep its format becomes a JPEG, or a PNG when a JPEG would lose transparency. */
function formatFor({ mime, alpha }: Header): Format {
  const same: Record<string, Format> = {
    'image/jpeg': 'jpeg',
    'image/png': 'png',
    'image/apng': 'png',
    'image/webp': 'webp',
    'image/gif': 'gif',
    'image/avif': 'avif',
    'image/tiff': 'tiff',
    'image/svg+xml': 'png',
  }
  return own(same, mime) ?? (alpha ? 'png' : 'jpeg')
}

/** True when we mirror instead of sharp. */
const mirrored = (source: Source, { crop, size, turn, window }: Plan): boolean =>
  !window && depthOf(source) === 8 && canMirror(size ?? crop ?? source, turn)

async function made(source: Source, plan: Plan): Promise<Pixels> {
  if (!mirrored(source, plan)) return toPixels(pipeline(source, plan), depthOf(source))
  const pixels = await toPixels(pipeline(source, { ...plan, turn: upright }), 8)
  mirror(pixels, plan.turn.y)
  return pixels
}

function pipeline(source: Source, { crop, size, turn, window }: Plan): Sharp {
  let made = isEncoded(source) ? decoding(source) : fromPixels(source)
  if (crop) made = made.extract(crop)
  if (size) {
    const way = isJpeg(source) ? shrinkFor(source, size).way : 'slow'
    // Where something is cut out first, sharp decodes every pixel: here all of it is.
    if (way === 'none' && !crop) made = made.extract({ left: 0, top: 0, width: source.width, height: source.height })
    made = made.resize({ ...size, fit: 'fill', fastShrinkOnLoad: way === 'fast' })
  }
  made = turning(made, turn)
  return window ? made.extract(window) : made
}

function decoding({ path, header }: Encoded): Sharp {
  const { profile, depth } = header
  const made = vips(path, { ignoreIcc: profile === 'srgb' }).toColourspace(depth === 16 ? 'rgb16' : 'srgb')
  // sharp converts 16-bit pixels with a profile to P3, not to sRGB.
  return depth === 16 && profile === 'other' ? made.withIccProfile('srgb', { attach: false }) : made
}

/** sharp decodes the frames one below the other. */
async function decodeFrames({ path, header }: Encoded): Promise<Pixels[]> {
  const roll = await toPixels(vips(path, { animated: true, ignoreIcc: header.profile === 'srgb' }).ensureAlpha(), 8)
  const { width, height } = header.stored
  const bytes = width * height * roll.channels
  const count = Math.floor(roll.height / height)
  return Array.from({ length: count }, (_, i) => ({
    ...roll,
    height,
    data: roll.data.subarray(i * bytes, (i + 1) * bytes),
  }))
}
