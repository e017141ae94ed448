// The pictures of a keepsake, and what is below them.

import type { ReactNode } from 'react'
import { at, query } from '../api/client.ts'
import type { ListedKeepsake } from '../api/desk.ts'
import { classes } from '../parts/classes.ts'
import { Ago } from '../parts/time.tsx'
import { t, tn } from '../words/t.ts'

const MOST = 4

const waits: Record<string, string> = { 'being made': t('Being made'), failed: t('Nothing came of it') }

/** One keepsake as a card. */
export function KeepsakePrints({ keepsake, children }: { keepsake: ListedKeepsake; children: ReactNode }) {
  const { keepsake_id, files, created_at } = keepsake
  const ready = files.filter(({ state }) => state === 'ready')
  const shown = ready.filter(({ mime }) => /^(image|video)\//.test(mime ?? '')).slice(0, MOST)
  return (
    <li
      data-keepsake={keepsake_id}
      className="flex flex-col overflow-hidden rounded-card border border-line bg-card shadow-card"
    >
      {shown.length > 0 ? (
        <div className={classes('grid gap-1 bg-well', shown.length > 1 && 'grid-cols-2')}>
          {shown.map(({ number }) => (
            <img
              key={number}
              src={query(at('keepsake', keepsake_id, 'file', number), { size: 640 })}
              alt={t('Made for a guest, file {count}', { count: number + 1 })}
              loading="lazy"
              className={classes('w-full object-contain', shown.length > 1 ? 'h-28' : 'h-56')}
            />
          ))}
        </div>
      ) : (
        <div className="grid h-56 place-items-center bg-well px-4 text-center text-[14px] text-soft">
          {(files[0] && waits[files[0].state]) ?? t('No picture yet')}
        </div>
      )}
      <div className="flex flex-wrap items-center gap-2 p-3">
        <span className="me-auto text-[14px] text-soft">
          <Ago at={created_at} />
          {files.length > 1 && ` · ${tn(files.length, '1 file', '{count} files')}`}
        </span>
        {children}
      </div>
    </li>
  )
}
