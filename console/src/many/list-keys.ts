// The keys of a task list: J and K move, Enter opens, X selects, R retries what is selected, / searches.
import { useEffect, useState } from 'react'
import { isTyping } from '../shell/shortcuts.ts'

interface Keys {
  ids: readonly string[]
  enabled: boolean
  rowHeight: number
  open(id: string): void
  select(id: string, range: boolean): void
  retry(): void
  search(): void
}

/** The id of the row that the keys are at; null before the first key. */
export function useListKeys(keys: Keys): string | null {
  const [current, setCurrent] = useState<string | null>(null)
  useEffect(() => {
    const { ids, enabled, rowHeight } = keys
    if (!enabled) return
    const move = (step: number) => {
      const here = current === null ? -1 : ids.indexOf(current)
      const next = Math.max(0, Math.min(ids.length - 1, here + step))
      setCurrent(ids[next] ?? null)
      show(next, rowHeight)
    }
    const press = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey) return
      if (isTyping(event) && !isBox(event.target)) return
      const key = event.key.toLowerCase()
      if (key === 'j') move(1)
      else if (key === 'k') move(-1)
      else if (key === 'x' && current !== null) keys.select(current, event.shiftKey)
      else if (key === 'r') keys.retry()
      else if (key === '/') keys.search()
      else if (event.key === 'Enter' && current !== null && event.target === document.body) keys.open(current)
      else return
      event.preventDefault()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [keys, current])
  return current
}

const isBox = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement && target.type === 'checkbox' && !document.querySelector('[role=dialog]')

/** Rows out of sight do not exist, so the place is reckoned. */
function show(index: number, rowHeight: number): void {
  const list = document.querySelector('main ul[aria-label]')
  if (!list || rowHeight === 0) return
  const top = list.getBoundingClientRect().top + window.scrollY + index * rowHeight
  const margin = 140
  if (top < window.scrollY + margin) window.scrollTo({ top: top - margin })
  else if (top + rowHeight > window.scrollY + window.innerHeight - margin)
    window.scrollTo({ top: top + rowHeight - window.innerHeight + margin })
}
