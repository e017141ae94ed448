// Pictures that say in their pixels whose they are, so that whoever receives one knows which file of which task it was given.
import { spawnSync } from 'node:child_process'
import sharp from 'sharp'
import { which } from '#media/process/which.ts'

export interface Label {
  /** Which request of the clients. */
  serial: number
  /** Which of its configurations, counted from 0. */
  part: number
  /** 0 as it was sent first; each retry with a new file has the next. */
  version: number
}

const CHANNELS = 3

/** `large` keeps a media child busy long enough to be killed over it, `huge` for longer than PostgreSQL needs after a crash. */
const sizes = {
  small: { width: 24, height: 16 },
  large: { width: 800, height: 600 },
  huge: { width: 2000, height: 1500 },
}
export type Size = keyof typeof sizes

/** Bytes that a picture and what is made of it take, at most. */
export const bytesOf: Record<Size, number> = { small: 16 * 1024, large: 2 * 1024 ** 2, huge: 10 * 1024 ** 2 }

export const nameOf = ({ serial, part, version }: Label): string => `${serial}/${part}/${version}`

/** Noise of two bits: slow to pack, and a turn, a cut or a shift of it shows. */
function pixelsOf(label: Label, { width, height }: { width: number; height: number }): Buffer {
  const { serial, part, version } = label
  const pixels = Buffer.alloc(width * height * CHANNELS)
  const words = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length / 4)
  let state = serial * 64 + part * 8 + version + 1
  for (let at = 0; at < words.length; at++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    words[at] = state & 0x03030303
  }
  pixels.writeUInt32BE(serial, 0)
  pixels.writeUInt8(part, 4)
  pixels.writeUInt8(version, 5)
  return pixels
}

export const labelled = (label: Label, size: Size): Promise<Buffer> =>
  sharp(pixelsOf(label, sizes[size]), { raw: { ...sizes[size], channels: CHANNELS } })
    .png({ compressionLevel: 1 })
    .toBuffer()

const FRAMES = 25
const clipArguments = ['-v', 'error', '-f', 'lavfi', '-i', `testsrc2=size=320x240:rate=${FRAMES}:duration=1`]
const asMp4 = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-movflags', 'frag_keyframe+empty_moov', '-f', 'mp4', 'pipe:']
let made: Buffer | undefined

const programs = await Promise.all(['ffmpeg', 'ffprobe'].map(name => which(name, process.env.PATH ?? '')))
export const canMakeClips = !programs.includes(null)

/** A video of one second, the same for every task: its pixels don't survive being encoded, so nobody's name is in it. */
export const clip = (): Buffer => (made ??= spawnSync('ffmpeg', [...clipArguments, ...asMp4]).stdout)

function clipInside(bytes: Buffer): string {
  const counting = ['-v', 'error', '-count_frames', '-show_entries', 'stream=nb_read_frames', '-of', 'csv=p=0']
  const { stdout } = spawnSync('ffprobe', [...counting, 'cache:pipe:'], { input: bytes })
  return parseInt(String(stdout), 10) === FRAMES ? CLIP : 'damaged'
}

/** The name of every video that has all its frames. */
export const CLIP = 'clip'

/** Whose picture this is, once it was turned by 180 degrees; `damaged` when a single pixel is another. */
export async function nameInside(turned: Buffer): Promise<string> {
  if (turned.toString('latin1', 4, 8) === 'ftyp') return clipInside(turned)
  try {
    const upright = sharp(turned).rotate(180).removeAlpha().raw()
    const { data: pixels, info } = await upright.toBuffer({ resolveWithObject: true })
    const label = { serial: pixels.readUInt32BE(0), part: pixels.readUInt8(4), version: pixels.readUInt8(5) }
    return info.channels === CHANNELS && pixels.equals(pixelsOf(label, info)) ? nameOf(label) : 'damaged'
  } catch {
    return 'damaged'
  }
}
