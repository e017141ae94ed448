// Before and after, side by side; on a phone one below the other.

import type { ReactNode } from 'react'
import { t } from '../words/t.ts'
import { Media, Print } from './media.tsx'

export { useObjectUrl } from './local-file.ts'

interface Side {
  src: string
  mime: string
  /** The service's picture of it, for what the browser can't show. */
  poster?: string
  facts?: ReactNode
}

export function BeforeAfter({
  before,
  after,
  waiting,
}: {
  before: Side | null
  after: Side | null
  waiting?: ReactNode
}) {
  return (
    <div className="grid items-start gap-6 sm:grid-cols-2">
      <Half title={t('Before')} side={before} />
      {after ? <Half title={t('After')} side={after} isResult /> : <div>{waiting}</div>}
    </div>
  )
}

function Half({ title, side, isResult = false }: { title: string; side: Side | null; isResult?: boolean }) {
  if (!side) return <div />
  return (
    <div className="min-w-0">
      <p className="edgeprint mb-2">{title}</p>
      <Print caption={side.facts} className={isResult ? 'rise' : ''}>
        <Media
          src={side.src}
          mime={side.mime}
          {...(side.poster === undefined ? {} : { poster: side.poster })}
          label={title}
          className="max-h-[62dvh] w-auto"
        />
      </Print>
    </div>
  )
}
