// Whether the service answers: known from every request, and probed by itself while it does not.
import { useSyncExternalStore } from 'react'

let reachable = true
let probing: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

function set(next: boolean): void {
  if (reachable === next) return
  reachable = next
  for (const tell of listeners) tell()
}

export function reportReached(): void {
  clearTimeout(probing)
  probing = undefined
  set(true)
}

export function reportLost(): void {
  set(false)
  if (!probing) probe(1000)
}

function probe(waitMs: number): void {
  probing = setTimeout(async () => {
    try {
      const answer = await fetch('/readyz', { cache: 'no-store' })
      if (answer.ok) return reportReached()
    } catch {
      // Still away; the next probe tells.
    }
    probe(Math.min(waitMs * 1.5, 8000))
  }, waitMs)
}

window.addEventListener('online', () => {
  if (reachable) return
  clearTimeout(probing)
  probe(0)
})
window.addEventListener('offline', reportLost)

export function subscribeConnection(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
export const isReachable = (): boolean => reachable
export const useReachable = (): boolean => useSyncExternalStore(subscribeConnection, isReachable)
