// What stands where content is not: nothing there yet, still loading, or something went wrong.

import { CloudOff, type LucideIcon, RotateCw, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { ApiError, LostConnection, sentence } from '../api/client.ts'
import { t } from '../words/t.ts'
import { Button } from './button.tsx'

export function Empty({
  icon: Icon,
  title,
  children,
  actions,
  isPage = false,
}: {
  icon: LucideIcon
  title: string
  children?: ReactNode
  actions?: ReactNode
  /** It stands for a whole page. */
  isPage?: boolean
}) {
  const Heading = isPage ? 'h1' : 'h2'
  return (
    <div className="flex flex-col items-center gap-3 px-6 py-14 text-center">
      <div className="print -rotate-2 mb-1">
        <div className="grid size-20 place-items-center bg-[#22252c]">
          <Icon aria-hidden className="size-8 text-[#ffd84d]" strokeWidth={1.6} />
        </div>
        <div className="h-4" />
      </div>
      <Heading className="text-[20px]">{title}</Heading>
      {children && <div className="max-w-[52ch] text-soft">{children}</div>}
      {actions && <div className="mt-2 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  )
}

export function ErrorNote({ error, retry, title }: { error: unknown; retry?: () => void; title?: string }) {
  const lost = error instanceof LostConnection
  const Icon = lost ? CloudOff : TriangleAlert
  const others = error instanceof ApiError ? error.errors.filter(({ message }) => !error.message.includes(message)) : []
  return (
    <div role="alert" className="flex gap-3 rounded-lg border border-fail/30 bg-fail-bg px-4 py-3 text-fail">
      <Icon aria-hidden className="mt-0.5 size-5 shrink-0" />
      <div className="min-w-0 flex-1">
        <p className="font-semibold">
          {title ?? (lost ? t('No connection') : error instanceof ApiError ? error.title : t('That did not work'))}
        </p>
        <p className="[overflow-wrap:anywhere]">{sentence(error)}</p>
        {others.length > 0 && (
          <ul className="mt-1 list-disc pl-5">
            {others.map(({ field, message }) => (
              <li key={field + message}>
                <span className="font-mono text-[13px]">{field}</span>: {message}
              </li>
            ))}
          </ul>
        )}
      </div>
      {retry && (
        <Button icon={RotateCw} onClick={retry} className="self-start">
          {t('Try again')}
        </Button>
      )}
    </div>
  )
}

export function Notice({ children, title }: { children: ReactNode; title?: string }) {
  return (
    <div className="flex gap-3 rounded-lg border border-warn/30 bg-warn-bg px-4 py-3 text-warn">
      <TriangleAlert aria-hidden className="mt-0.5 size-5 shrink-0" />
      <div className="min-w-0 [overflow-wrap:anywhere]">
        {title && <p className="font-semibold">{title}</p>}
        {children}
      </div>
    </div>
  )
}

export function Loading({ what = t('Loading'), rows = 4 }: { what?: string; rows?: number }) {
  return (
    <div role="status" className="space-y-3 p-4">
      <span className="sr-only">{what}…</span>
      {Array.from({ length: rows }, (_, row) => row).map(row => (
        <div
          key={row}
          aria-hidden
          className="h-9 animate-[breathe_1.6s_ease-in-out_infinite] rounded-md bg-ink/6"
          style={{ width: `${96 - row * 9}%` }}
        />
      ))}
    </div>
  )
}
