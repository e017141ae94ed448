// A moment, said relative to now, with the exact time in the viewer's zone on hover; it stays right while on screen.
import { useMemo, useSyncExternalStore } from 'react'
import { ago, between, exactly } from '../format/time.ts'

let now = Date.now()
const listeners = new Set<() => void>()
setInterval(() => {
  if (document.hidden || listeners.size === 0) return
  now = Date.now()
  for (const tell of listeners) tell()
}, 1000)

function subscribe(listener: () => void): () => void {
  // While others listen the clock runs; setting it again would draw every row twice.
  if (listeners.size === 0) now = Date.now()
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The text is what is watched, so a row is drawn again only when it reads differently. */
export function Ago({ at, className }: { at: string; className?: string }) {
  const text = useSyncExternalStore(subscribe, () => ago(at, now))
  const title = useMemo(() => exactly(at), [at])
  return (
    <time dateTime={at} title={title} className={className}>
      {text}
    </time>
  )
}

const never = () => () => {}

/** How long something took, or has taken so far. */
export function Lasted({ from, to }: { from: string | null; to: string | null }) {
  return useSyncExternalStore(to ? never : subscribe, () => between(from, to, now))
}
