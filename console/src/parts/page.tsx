// The frame of a page: its title, one line about it, and what can be done here.

import { type ReactNode, useEffect } from 'react'
import { t } from '../words/t.ts'

interface Frame {
  title: string
  /** What stands in the tab; the title if left out. */
  tab?: string
  over?: ReactNode
  about?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

export function Page({ title, tab, over, about, actions, children }: Frame) {
  useEffect(() => {
    document.title = t('{tab} · Keepsake', { tab: tab ?? title })
  }, [title, tab])
  return (
    <div className="mx-auto w-full max-w-[1320px] px-4 pt-5 pb-28 sm:px-6 md:pb-12 lg:px-9 lg:pt-8">
      <header className="mb-5 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          {over && <div className="edgeprint mb-1.5">{over}</div>}
          <h1 dir="auto" className="text-[27px] sm:text-[32px] [overflow-wrap:anywhere]">
            {title}
          </h1>
          {about && <div className={`mt-1 text-soft ${typeof about === 'string' ? 'max-w-[68ch]' : ''}`}>{about}</div>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

export function Card({ children, className = '' }: { children: ReactNode; className?: string }) {
  return <section className={`rounded-card border border-line bg-card shadow-card ${className}`}>{children}</section>
}

export function CardTitle({ children, aside }: { children: ReactNode; aside?: ReactNode }) {
  return (
    <div className="flex min-h-12 flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-2">
      <h2 className="text-[17px]">{children}</h2>
      {aside}
    </div>
  )
}
