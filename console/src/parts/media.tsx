// A picture, video or sound of a guest: shown as a print, small or large; what a browser can't show is drawn by the service.

import { useQuery } from '@tanstack/react-query'
import { FileQuestion, ImageOff, Maximize2, MonitorX } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { ApiError, request, sentence } from '../api/client.ts'
import { kindName } from '../format/size.ts'
import { PosterVideo } from '../later/poster-video.tsx'
import { t } from '../words/t.ts'
import { classes } from './classes.ts'
import { useEnlarge } from './lightbox.tsx'
import { blobOf, useDrawn } from './local-file.ts'
import { isFlying, whenLanded } from './scroll-pace.ts'

interface Shown {
  src: string
  mime: string
  label: string
  /** A picture that the service makes of the file: of a video until it is played, of the rest where the browser can't show it. */
  poster?: string
  /** What opens large on a press, if it is not this file: one that the page's lightbox knows. */
  enlarges?: string
  className?: string
}

/** What every browser of today shows by itself. */
const SHOWN = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif', 'image/svg+xml'])
const OPAQUE = 'image/jpeg'

/** Full size, playable. */
export const Media = (shown: Shown) => <Kind key={shown.src} {...shown} />

function Kind(shown: Shown) {
  const { src, mime, label, className } = shown
  if (mime.startsWith('video/')) return <Video {...shown} />
  if (mime.startsWith('audio/'))
    return (
      <audio src={src} aria-label={label} controls preload="metadata" className="w-full">
        <track kind="captions" />
      </audio>
    )
  // A browser does not know the type of every local file; the service looks into it.
  if (mime.startsWith('image/') || (mime === '' && blobOf(src))) return <Picture {...shown} />
  return (
    <Missing className={className}>
      <FileQuestion aria-hidden className="size-6" /> {t('No preview for {mime}', { mime })}
    </Missing>
  )
}

function Picture({ src, mime, label, poster, enlarges = src, className }: Shown) {
  const isOurs = SHOWN.has(mime) || mime === 'image/*'
  const [refused, setRefused] = useState<'file' | 'still' | null>(isOurs ? null : 'file')
  const still = useStill(src, poster, refused === 'file')
  const enlarge = useEnlarge(enlarges)
  if (refused === 'still' || (refused === 'file' && still === null))
    return <Why src={src} mime={mime} className={className} />
  if (refused === 'file' && still === undefined)
    return <Missing className={className}>{t('Drawing a picture of it…')}</Missing>
  const picture = (
    <img
      src={refused === 'file' ? (still ?? '') : src}
      alt={label}
      onError={() => setRefused(refused === null ? 'file' : 'still')}
      className={classes('block max-w-full', refused === null && mime !== OPAQUE && 'chequer', className)}
    />
  )
  if (!enlarge) return picture
  return (
    <span className="group/enlarge relative block max-w-full">
      {picture}
      <button
        type="button"
        aria-label={t('Enlarge: {label}', { label })}
        onClick={enlarge}
        className="absolute inset-0 grid cursor-zoom-in place-items-start justify-items-end p-2"
      >
        <span className="grid size-8 place-items-center rounded-full bg-black/60 text-white opacity-0 transition-opacity group-hover/enlarge:opacity-100 group-focus-within/enlarge:opacity-100 pointer-coarse:opacity-100">
          <Maximize2 aria-hidden className="size-4" />
        </span>
      </button>
    </span>
  )
}

/** The picture that stands in: undefined while it is made, null if there is none. */
function useStill(src: string, poster: string | undefined, isWanted: boolean): string | null | undefined {
  const drawn = useDrawn(src, isWanted && poster === undefined)
  return poster ?? drawn
}

function Video({ src, mime, label, poster, className }: Shown) {
  const [refused, setRefused] = useState(false)
  if (refused)
    return (
      <>
        {poster && <img src={poster} alt={label} className={classes('block max-w-full', className)} />}
        <Why src={src} mime={mime} />
      </>
    )
  return (
    <PosterVideo
      src={src}
      poster={poster}
      aria-label={label}
      controls
      playsInline
      preload="metadata"
      onError={() => setRefused(true)}
      className={classes('block max-w-full bg-black', className)}
    >
      <track kind="captions" />
    </PosterVideo>
  )
}

/** Asks the service why there is nothing to see: only it knows whether the file is gone. */
function Why({ src, mime, className }: { src: string; mime: string; className?: string | undefined }) {
  const isLocal = blobOf(src) !== undefined
  const there = useQuery({
    queryKey: ['file', src],
    queryFn: async ({ signal }) => (await request(src, { method: 'HEAD', signal })).status,
    enabled: !isLocal,
    retry: false,
    staleTime: 30_000,
  })
  const isGone = there.error instanceof ApiError && (there.error.status === 410 || there.error.status === 404)
  if (isGone)
    return (
      <Missing className={className}>
        <ImageOff aria-hidden className="size-6 shrink-0" /> {t('This file is no longer kept')}
      </Missing>
    )
  if (there.isError)
    return (
      <Missing className={className}>
        <ImageOff aria-hidden className="size-6 shrink-0" /> {sentence(there.error)}
      </Missing>
    )
  if (!isLocal && there.isPending) return <Missing className={className}>{t('Looking for the file…')}</Missing>
  return (
    <Missing className={className}>
      <MonitorX aria-hidden className="size-6 shrink-0" />
      {kindName(mime)
        ? t('Your browser cannot show {mime} files.', { mime: kindName(mime) })
        : t('Your browser cannot show this file.')}
    </Missing>
  )
}

function Missing({ children, className }: { children: ReactNode; className?: string | undefined }) {
  return (
    <div
      className={classes(
        'flex min-h-24 min-w-40 items-center justify-center gap-2 bg-well px-4 text-[14px] text-soft',
        className,
      )}
    >
      {children}
    </div>
  )
}

/** A print with its white border. Its caption is as wide as the picture, so that nothing stands beside an upright one. */
export function Print({
  children,
  caption,
  className,
}: {
  children: ReactNode
  caption?: ReactNode
  className?: string
}) {
  return (
    <figure className={classes('print inline-block max-w-full', caption !== undefined && 'min-w-48', className)}>
      <div className="flex justify-center overflow-hidden">{children}</div>
      {caption && (
        <figcaption className="w-0 min-w-full px-1 pt-1.5 text-[12.5px] text-[#3b404a]">{caption}</figcaption>
      )}
    </figure>
  )
}

/** A small square for lists; loads only when it comes into view. */
export function Thumb({ src, size = 44 }: { src: string | null; size?: number }) {
  const [gone, setGone] = useState<string | null>(null)
  const [staying, setStaying] = useState(() => !isFlying())
  // A row that only flies by while somebody scrolls asks for nothing.
  useEffect(() => (staying ? undefined : whenLanded(() => setStaying(true))), [staying])
  const box = 'block shrink-0 rounded-[3px] border-2 bg-well'
  const style = { width: size, height: size }
  if (src === null || gone === src || !staying)
    return (
      <span aria-hidden className={classes(box, 'grid place-items-center border-dashed border-line')} style={style}>
        {src && gone === src && <FileQuestion className="size-4 text-soft" />}
      </span>
    )
  return (
    <img
      src={src}
      alt=""
      loading="lazy"
      decoding="async"
      onError={() => setGone(src)}
      className={classes(box, 'border-[var(--print-paper)] object-cover shadow-print')}
      style={style}
    />
  )
}
