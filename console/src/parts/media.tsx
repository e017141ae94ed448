// A picture, video or sound of a guest: shown as a print, small or large; says so when it is gone.
import { FileQuestion, ImageOff } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { classes } from './classes.ts'
import { isFlying, whenLanded } from './scroll-pace.ts'

interface Shown {
  src: string
  mime: string
  label: string
  /** A picture of a video, until it is played. */
  poster?: string
  className?: string
}

/** Full size, playable. */
export function Media({ src, mime, label, poster, className }: Shown) {
  const [gone, setGone] = useState<string | null>(null)
  if (gone === src)
    return (
      <Missing className={className}>
        <ImageOff aria-hidden className="size-6" /> This file is no longer kept
      </Missing>
    )
  const fail = () => setGone(src)
  if (mime.startsWith('image/'))
    return <img src={src} alt={label} onError={fail} className={classes('block max-w-full', className)} />
  if (mime.startsWith('video/'))
    return (
      <video
        src={src}
        poster={poster}
        aria-label={label}
        controls
        playsInline
        preload="metadata"
        onError={fail}
        className={classes('block max-w-full bg-black', className)}
      >
        <track kind="captions" />
      </video>
    )
  if (mime.startsWith('audio/'))
    return (
      <audio src={src} aria-label={label} controls preload="metadata" onError={fail} className="w-full">
        <track kind="captions" />
      </audio>
    )
  return (
    <Missing className={className}>
      <FileQuestion aria-hidden className="size-6" /> No preview for {mime}
    </Missing>
  )
}

function Missing({ children, className }: { children: ReactNode; className?: string | undefined }) {
  return (
    <div
      className={classes(
        'flex min-h-24 items-center justify-center gap-2 bg-well px-4 text-[14px] text-soft',
        className,
      )}
    >
      {children}
    </div>
  )
}

/** A print with its white border. */
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
    <figure className={classes('print inline-block max-w-full', className)}>
      <div className="chequer overflow-hidden">{children}</div>
      {caption && <figcaption className="px-1 pt-1.5 text-[12.5px] text-[#3b404a]">{caption}</figcaption>}
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
