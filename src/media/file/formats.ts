// The one table of file types: names, demuxers and muxers of ffmpeg, and the features of the picture formats that we write.
import type { Medium } from '#kit/file-facts.ts'
import { own } from '#kit/json.ts'

interface FileType {
  mime: string
  /** With the dot. */
  ext: string
  medium: Medium
  /** Other MIME types that mean the same. */
  also?: readonly string[]
  /** The demuxer that ffmpeg is forced to use; without one ffmpeg never opens such a file. */
  demuxer?: string
  /** The muxer that ffmpeg writes it with. */
  muxer?: string
  /** We read its index ourselves. Playlists must never have this. */
  indexed?: boolean
  /** What it is called when it holds no picture. */
  soundOnly?: string
}

const image = (mime: string, ext: string, more: Partial<FileType> = {}): FileType => ({
  mime,
  ext,
  medium: 'image',
  ...more,
})
const video = (mime: string, ext: string, more: Partial<FileType> = {}): FileType => ({
  mime,
  ext,
  medium: 'video',
  ...more,
})
const audio = (mime: string, ext: string, more: Partial<FileType> = {}): FileType => ({
  mime,
  ext,
  medium: 'audio',
  ...more,
})
const file = (mime: string, ext: string): FileType => ({ mime, ext, medium: 'file' })

export const fileTypes = {
  jpeg: image('image/jpeg', '.jpg', { muxer: 'image2' }),
  png: image('image/png', '.png', { muxer: 'image2' }),
  apng: image('image/apng', '.png'),
  webp: image('image/webp', '.webp', { muxer: 'webp' }),
  gif: image('image/gif', '.gif', { demuxer: 'gif', muxer: 'gif' }),
  avif: image('image/avif', '.avif'),
  tiff: image('image/tiff', '.tif'),
  heic: image('image/heic', '.heic', { also: ['image/heic-sequence'] }),
  heif: image('image/heif', '.heif', { also: ['image/heif-sequence'] }),
  mp4: video('video/mp4', '.mp4', {
    also: ['video/x-m4v'],
    demuxer: 'mov',
    muxer: 'mp4',
    indexed: true,
    soundOnly: 'audio/mp4',
  }),
  mov: video('video/quicktime', '.mov', { demuxer: 'mov', muxer: 'mov', indexed: true, soundOnly: 'audio/mp4' }),
  '3gp': video('video/3gpp', '.3gp', { demuxer: 'mov', indexed: true }),
  '3g2': video('video/3gpp2', '.3g2', { demuxer: 'mov', indexed: true }),
  webm: video('video/webm', '.webm', { demuxer: 'matroska', muxer: 'webm', indexed: true, soundOnly: 'audio/webm' }),
  mkv: video('video/matroska', '.mkv', { demuxer: 'matroska', muxer: 'matroska', indexed: true }),
  avi: video('video/vnd.avi', '.avi', { demuxer: 'avi' }),
  flv: video('video/x-flv', '.flv', { demuxer: 'flv' }),
  mpg: video('video/mpeg', '.mpg', { demuxer: 'mpeg' }),
  ts: video('video/mp2t', '.ts', { demuxer: 'mpegts' }),
  wmv: video('video/x-ms-asf', '.wmv', { demuxer: 'asf' }),
  ogv: video('video/ogg', '.ogv', { demuxer: 'ogg', soundOnly: 'audio/ogg' }),
  mp3: audio('audio/mpeg', '.mp3', { demuxer: 'mp3', muxer: 'mp3', indexed: true }),
  m4a: audio('audio/mp4', '.m4a', { also: ['audio/x-m4a'], demuxer: 'mov', muxer: 'ipod', indexed: true }),
  weba: audio('audio/webm', '.webm', { demuxer: 'matroska', indexed: true }),
  wav: audio('audio/wav', '.wav', { demuxer: 'wav', muxer: 'wav', indexed: true }),
  ogg: audio('audio/ogg', '.ogg', { demuxer: 'ogg', muxer: 'ogg', indexed: true }),
  flac: audio('audio/flac', '.flac', { also: ['audio/x-flac'], demuxer: 'flac', muxer: 'flac', indexed: true }),
  aac: audio('audio/aac', '.aac', { demuxer: 'aac', indexed: true }),
  aiff: audio('audio/aiff', '.aiff', { demuxer: 'aiff' }),
  ttf: file('font/ttf', '.ttf'),
  otf: file('font/otf', '.otf'),
} satisfies Record<string, FileType>

const byMime = Object.fromEntries(
  Object.values<FileType>(fileTypes).flatMap(type => [type.mime, ...(type.also ?? [])].map(mime => [mime, type])),
)

/** Null for a type that we do not work on: it is a plain file. */
export const fileTypeOf = (mime: string): FileType | null => own(byMime, mime) ?? null

/** Picture formats that we can write. */
export type Format = 'jpeg' | 'png' | 'webp' | 'gif' | 'avif' | 'tiff'

export interface FormatKind extends FileType {
  alpha: boolean
  /** 16 bits per channel. */
  deep: boolean
  animated: boolean
  /** sharp writes the orientation of the opened file into this format, even when the pixels are turned already. */
  keepsTurn: boolean
}

const plain = { alpha: true, deep: false, animated: false, keepsTurn: false }

export const formats: Record<Format, FormatKind> = {
  jpeg: { ...fileTypes.jpeg, ...plain, alpha: false },
  png: { ...fileTypes.png, ...plain, deep: true },
  webp: { ...fileTypes.webp, ...plain, animated: true },
  gif: { ...fileTypes.gif, ...plain, animated: true },
  avif: { ...fileTypes.avif, ...plain, keepsTurn: true },
  tiff: { ...fileTypes.tiff, ...plain, deep: true, keepsTurn: true },
}
