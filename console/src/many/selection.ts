// Which rows of a list are selected: one by one, or a range with Shift.
import { useCallback, useRef, useState } from 'react'

export interface Selection {
  ids: ReadonlySet<string>
  /** With `range` all between the one that was touched before and this one become like it. */
  toggle(id: string, range: boolean): void
  choose(ids: readonly string[]): void
  clear(): void
}

export function useSelection(order: readonly string[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const last = useRef<string | null>(null)
  const known = useRef(order)
  known.current = order
  const toggle = useCallback((id: string, range: boolean) => {
    const before = range && last.current !== null ? known.current.indexOf(last.current) : -1
    const here = known.current.indexOf(id)
    last.current = id
    setIds(old => {
      const next = new Set(old)
      const touched =
        before < 0 || here < 0 ? [id] : known.current.slice(Math.min(before, here), Math.max(before, here) + 1)
      const add = !old.has(id)
      for (const one of touched) {
        if (add) next.add(one)
        else next.delete(one)
      }
      return next
    })
  }, [])
  const choose = useCallback((chosen: readonly string[]) => setIds(new Set(chosen)), [])
  const clear = useCallback(() => {
    last.current = null
    setIds(new Set())
  }, [])
  return { ids, toggle, choose, clear }
}
