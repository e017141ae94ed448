// A moment, said relative to now, with the exact time in the viewer's zone on hover; it stays right while on screen.
import { useSyncExternalStore } from 'react'
import { ago, between, exactly } from '../format/time.ts'

let now = Date.now()
const listeners = new Set<() => void>()
setInterval(() => {
  if (document.hidden || listeners.size === 0) return
  now = Date.now()
  for (const tell of listeners) tell()
}, 1000)

function subscribe(listener: () => void): () => void {
  now = Date.now()
  listeners.add(listener)
  return () => listeners.delete(listener)
}
/** The time now, in steps of a second. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now)

export function Ago({ at, className }: { at: string; className?: string }) {
  const current = useNow()
  return (
    <time dateTime={at} title={exactly(at)} className={className}>
      {ago(at, current)}
    </time>
  )
}

/** How long something took, or has taken so far. */
export function Lasted({ from, to }: { from: string | null; to: string | null }) {
  const current = useNow()
  const text = between(from, to, current)
  return text ? <span className="tabular-nums">{text}</span> : null
}
