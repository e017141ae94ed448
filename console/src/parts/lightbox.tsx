// Pictures and videos of a page, large: with keys, zoom, and a way to the one before and the one after.

import { ChevronLeft, ChevronRight, Download, Maximize, X, ZoomIn, ZoomOut } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { PosterVideo } from '../later/poster-video.tsx'
import { t } from '../words/t.ts'
import { classes } from './classes.ts'

/** Something to look at. */
export interface Sight {
  src: string
  mime: string
  label: string
  /** What stands below it: its size, its kind. */
  facts?: string
  /** A large picture that the service makes of it, for what the browser can't show; of a video until it is played. */
  still: string
  /** Under which name it is saved. */
  name: string
}

const Enlarging = createContext<{ known: ReadonlySet<string>; open(src: string): void } | null>(null)

/** Opens the picture of this address large; null where the page has no lightbox for it. */
export function useEnlarge(src: string): (() => void) | null {
  const enlarging = useContext(Enlarging)
  return enlarging?.known.has(src) ? () => enlarging.open(src) : null
}

export function Lightbox({ sights, children }: { sights: Sight[]; children: ReactNode }) {
  const [src, setSrc] = useState<string | null>(null)
  const enlarging = useMemo(() => ({ known: new Set(sights.map(sight => sight.src)), open: setSrc }), [sights])
  const at = sights.findIndex(sight => sight.src === src)
  const sight = sights[at]
  return (
    <Enlarging value={enlarging}>
      {children}
      <Radix.Root open={sight !== undefined} onOpenChange={open => !open && setSrc(null)}>
        <Radix.Portal>
          <Radix.Overlay className="fixed inset-0 z-40 bg-black/96" />
          {sight && (
            <Large
              key={sight.src}
              sight={sight}
              place={sights.length > 1 ? t('{at} of {count}', { at: at + 1, count: sights.length }) : null}
              before={sights[at - 1]}
              after={sights[at + 1]}
              show={setSrc}
            />
          )}
        </Radix.Portal>
      </Radix.Root>
    </Enlarging>
  )
}

const MOST = 8
const STEP = 1.5

interface View {
  scale: number
  x: number
  y: number
}
const whole: View = { scale: 1, x: 0, y: 0 }
const zoomed = (view: View, by: number): View => {
  const scale = Math.min(MOST, Math.max(1, view.scale * by))
  return scale === 1 ? whole : { scale, x: (view.x * scale) / view.scale, y: (view.y * scale) / view.scale }
}

interface Props {
  sight: Sight
  place: string | null
  before: Sight | undefined
  after: Sight | undefined
  show(src: string): void
}

function Large({ sight, place, before, after, show }: Props) {
  const [view, setView] = useState(whole)
  const isVideo = sight.mime.startsWith('video/')
  const zoom = (by: number) => setView(now => zoomed(now, by))
  const onKey = (event: { key: string; preventDefault(): void }) => {
    if (event.key === 'ArrowLeft' && before) show(before.src)
    else if (event.key === 'ArrowRight' && after) show(after.src)
    else if (event.key === '+' || event.key === '=') zoom(STEP)
    else if (event.key === '-') zoom(1 / STEP)
    else if (event.key === '0') setView(whole)
    else return
    event.preventDefault()
  }
  return (
    <Radix.Content
      aria-describedby={undefined}
      onKeyDown={onKey}
      className="fixed inset-0 z-50 grid grid-rows-[auto_minmax(0,1fr)_auto] text-white outline-none"
    >
      <div className="flex items-center gap-1 px-2 py-1.5 sm:px-4">
        <Radix.Title className="min-w-0 flex-1 truncate text-[15px] text-white" dir="auto">
          {sight.label}
        </Radix.Title>
        {!isVideo && (
          <>
            <Tool icon={ZoomOut} label={t('Smaller')} onClick={() => zoom(1 / STEP)} disabled={view.scale === 1} />
            <Tool
              icon={Maximize}
              label={t('Whole picture')}
              onClick={() => setView(whole)}
              disabled={view.scale === 1}
            />
            <Tool icon={ZoomIn} label={t('Larger')} onClick={() => zoom(STEP)} disabled={view.scale === MOST} />
          </>
        )}
        <a href={sight.src} download={sight.name} aria-label={t('Download')} title={t('Download')} className={tool}>
          <Download aria-hidden className="size-5" />
        </a>
        <Radix.Close asChild>
          <Tool icon={X} label={t('Close')} />
        </Radix.Close>
      </div>
      <div className="relative min-h-0">
        {isVideo ? (
          <PosterVideo src={sight.src} poster={sight.still} controls playsInline className="size-full object-contain">
            <track kind="captions" />
          </PosterVideo>
        ) : (
          <Zoomable sight={sight} view={view} setView={setView} />
        )}
        {before && (
          <Tool
            icon={ChevronLeft}
            label={t('Previous: {label}', { label: before.label })}
            onClick={() => show(before.src)}
            className="absolute top-1/2 left-2 -translate-y-1/2 bg-black/60 ring-1 ring-white/40"
          />
        )}
        {after && (
          <Tool
            icon={ChevronRight}
            label={t('Next: {label}', { label: after.label })}
            onClick={() => show(after.src)}
            className="absolute top-1/2 right-2 -translate-y-1/2 bg-black/60 ring-1 ring-white/40"
          />
        )}
      </div>
      <p className="flex min-h-10 flex-wrap items-center justify-center gap-x-4 px-4 py-2 text-[13.5px] text-white/80">
        {place && <span>{place}</span>}
        {sight.facts && <span>{sight.facts}</span>}
        {view.scale > 1 && <span>{Math.round(view.scale * 100)} %</span>}
      </p>
    </Radix.Content>
  )
}

const tool =
  'grid size-11 shrink-0 place-items-center rounded-lg text-white hover:bg-white/15 focus-visible:outline-2 focus-visible:outline-white disabled:opacity-35'

function Tool({
  icon: Icon,
  label,
  className,
  ...rest
}: { icon: typeof X; label: string } & React.ComponentProps<'button'>) {
  return (
    <button type="button" aria-label={label} title={label} className={classes(tool, className)} {...rest}>
      <Icon aria-hidden className="size-5" />
    </button>
  )
}

/** Wheel and double press zoom, dragging moves what is larger than the screen. */
function Zoomable({ sight, view, setView }: { sight: Sight; view: View; setView(to: (now: View) => View): void }) {
  const [refused, setRefused] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const drag = useRef<{ x: number; y: number } | null>(null)
  useEffect(() => {
    const { current } = box
    // React listens to the wheel passively, so the page could not be kept from scrolling.
    const onWheel = (event: WheelEvent) => {
      event.preventDefault()
      setView(now => zoomed(now, event.deltaY < 0 ? 1.15 : 1 / 1.15))
    }
    current?.addEventListener('wheel', onWheel, { passive: false })
    return () => current?.removeEventListener('wheel', onWheel)
  }, [setView])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the pointer's extra way; keys and buttons do the same.
    <div
      ref={box}
      onDoubleClick={() => setView(now => (now.scale > 1 ? whole : zoomed(now, 2.5)))}
      onPointerDown={event => {
        if (view.scale === 1) return
        drag.current = { x: event.clientX - view.x, y: event.clientY - view.y }
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerMove={event => {
        const from = drag.current
        if (from) setView(now => ({ ...now, x: event.clientX - from.x, y: event.clientY - from.y }))
      }}
      onPointerUp={() => {
        drag.current = null
      }}
      className={classes('absolute inset-0 overflow-hidden', view.scale > 1 && 'cursor-grab touch-none')}
    >
      <img
        src={refused ? sight.still : sight.src}
        alt={sight.label}
        draggable={false}
        onError={() => setRefused(true)}
        className="size-full object-contain select-none"
        style={{ transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})` }}
      />
    </div>
  )
}
