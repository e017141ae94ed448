// One keepsake that waits: its pictures large, and the two answers. Swiped on a phone, with keys on a desk.

import { Check, EyeOff, Hand } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { at } from '../api/client.ts'
import { type Decision, pictureOf, type Standing, type Waiting } from '../api/walls.ts'
import { PosterVideo } from '../later/poster-video.tsx'
import { Button } from '../parts/button.tsx'
import { classes } from '../parts/classes.ts'
import { Ago } from '../parts/time.tsx'
import { t, tn } from '../words/t.ts'
import { useSwipe } from './swipe.ts'

interface Props {
  waiting: Waiting
  standing: Standing
  isChosen: boolean
  mayDecide: boolean
  onDecide(decision: Decision): void
  onChoose(): void
}

export function WallCard({ waiting, standing, isChosen, mayDecide, onDecide, onChoose }: Props) {
  const { keepsake, files } = waiting
  const { moved, share, handlers } = useSwipe(side => mayDecide && onDecide(side === 'left' ? 'hide' : 'approve'))
  const card = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isChosen) card.current?.scrollIntoView({ block: 'nearest' })
  }, [isChosen])
  return (
    <li
      ref={card}
      aria-current={isChosen ? 'true' : undefined}
      data-keepsake={keepsake.keepsake_id}
      onPointerEnter={onChoose}
      {...handlers}
      style={moved === 0 ? undefined : { transform: `translateX(${moved}px) rotate(${share * 3}deg)` }}
      className={classes(
        'relative flex touch-pan-y flex-col overflow-hidden rounded-card border bg-card shadow-card select-none',
        moved === 0 && 'motion-safe:transition-transform',
        isChosen ? 'border-ink ring-2 ring-ink' : 'border-line',
      )}
    >
      <div className={classes('grid gap-1 bg-well', files.length > 1 && 'grid-cols-2')}>
        {files
          .slice(0, 4)
          .map(({ number, mime }) =>
            mime?.startsWith('video/') ? (
              <PosterVideo
                key={number}
                src={at('keepsake', keepsake.keepsake_id, 'file', number)}
                poster={pictureOf(keepsake, number)}
                aria-label={t('Video {count} of this keepsake', { count: number + 1 })}
                controls
                muted
                playsInline
                preload="none"
                className="h-72 w-full object-contain sm:h-80"
              />
            ) : (
              <img
                key={number}
                src={pictureOf(keepsake, number)}
                alt={t('Made for a guest, file {count}', { count: number + 1 })}
                loading="lazy"
                draggable={false}
                className="h-72 w-full object-contain sm:h-80"
              />
            ),
          )}
      </div>
      {moved !== 0 && (
        <span
          aria-hidden
          className={classes(
            'absolute top-3 rounded-lg px-3 py-1.5 font-display text-[19px] font-bold',
            share > 0 ? 'left-3 bg-ok text-card' : 'right-3 bg-ink text-card',
          )}
        >
          {share > 0 ? t('Approve') : t('Hide')}
        </span>
      )}
      <div className="flex flex-wrap items-center gap-2 p-3">
        <span className="me-auto text-[14px] text-soft">
          <Ago at={keepsake.created_at} />
          {files.length > 1 && ` · ${tn(files.length, '1 file', '{count} files')}`}
        </span>
        {keepsake.wall.refused && (
          <span className="inline-flex items-center gap-1.5 rounded bg-warn-bg px-2 py-1 text-[13px] font-semibold text-warn">
            <Hand aria-hidden className="size-4" /> {t('A guest refused the wall')}
          </span>
        )}
        {mayDecide && (
          <span className="flex gap-2">
            {standing !== 'hidden' && (
              <Button icon={EyeOff} onClick={() => onDecide('hide')}>
                {t('Hide')}
              </Button>
            )}
            {standing !== 'approved' && (
              <Button look="primary" icon={Check} onClick={() => onDecide('approve')}>
                {t('Approve')}
              </Button>
            )}
          </span>
        )}
      </div>
    </li>
  )
}
