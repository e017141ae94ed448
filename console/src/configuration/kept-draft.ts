// What was being written when somebody went to another page: it is there again when they come back, until the tab is closed.
import { useEffect, useState } from 'react'
import type { Configuration } from '../api/shapes.ts'

const kept = new Map<string, Configuration>()

/** `key` says what is edited; `start` is how it was before. */
export function useKeptDraft(key: string, start: Configuration) {
  const [draft, setDraft] = useState(() => kept.get(key) ?? start)
  return {
    draft,
    change(next: Configuration) {
      kept.set(key, next)
      setDraft(next)
    },
    /** Saved: nothing is left to keep. */
    settle(next: Configuration) {
      kept.delete(key)
      setDraft(next)
    },
  }
}

export const forgetDraft = (key: string): void => void kept.delete(key)

/** The browser asks before it throws away what is not saved. */
export function useAskBeforeLeaving(dirty: boolean): void {
  useEffect(() => {
    if (!dirty) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [dirty])
}
