// Before and after, side by side; on a phone one below the other.
import { type ReactNode, useEffect, useState } from 'react'
import { Media, Print } from './media.tsx'

/** An address for a file that is only in this page; given back when no longer shown. */
export function useObjectUrl(blob: Blob | null): string | null {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (!blob) return setUrl(null)
    const made = URL.createObjectURL(blob)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  return url
}

interface Side {
  src: string
  mime: string
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
      <Half title="Before" side={before} />
      {after ? <Half title="After" side={after} /> : <div>{waiting}</div>}
    </div>
  )
}

function Half({ title, side }: { title: string; side: Side | null }) {
  if (!side) return <div />
  return (
    <div className="min-w-0">
      <p className="edgeprint mb-2">{title}</p>
      <Print caption={side.facts} className={title === 'After' ? 'rise' : ''}>
        <Media src={side.src} mime={side.mime} label={title} className="max-h-[62dvh] w-auto" />
      </Print>
    </div>
  )
}
