// A long list of rows of one height: only what is near the view exists in the page, so ten thousand rows scroll like ten.
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'

interface Props {
  count: number
  rowHeight: number
  label: string
  /** What a row is, so that it stays itself when others come in above it. */
  keyOf(index: number): string
  /** Called when the view nears the end. */
  onNearEnd?(): void
  row(index: number): ReactNode
}

const OVERSCAN = 5
/** The next page is asked for this many rows before the last one is seen. */
const AHEAD = 60

export function VirtualList({ count, rowHeight, label, keyOf, onNearEnd, row }: Props) {
  const list = useRef<HTMLUListElement>(null)
  const [range, setRange] = useState<[number, number]>([0, 30])

  useLayoutEffect(() => {
    let frame = 0
    const measure = () => {
      frame = 0
      const box = list.current?.getBoundingClientRect()
      if (!box) return
      const first = Math.max(0, Math.floor(-box.top / rowHeight) - OVERSCAN)
      const last = Math.min(count, Math.ceil((window.innerHeight - box.top) / rowHeight) + OVERSCAN)
      setRange(before => (before[0] === first && before[1] === last ? before : [first, Math.max(first, last)]))
    }
    const schedule = () => {
      frame ||= requestAnimationFrame(measure)
    }
    measure()
    window.addEventListener('scroll', schedule, { passive: true })
    window.addEventListener('resize', schedule)
    return () => {
      cancelAnimationFrame(frame)
      window.removeEventListener('scroll', schedule)
      window.removeEventListener('resize', schedule)
    }
  }, [count, rowHeight])

  const nearEnd = range[1] >= count - AHEAD
  useEffect(() => {
    if (nearEnd && count > 0) onNearEnd?.()
  }, [nearEnd, count, onNearEnd])

  const shown = Array.from({ length: Math.max(0, Math.min(range[1], count) - range[0]) }, (_, i) => range[0] + i)
  return (
    <ul ref={list} aria-label={label} className="relative" style={{ height: count * rowHeight }}>
      {shown.map(index => (
        <li
          key={keyOf(index)}
          aria-setsize={count}
          aria-posinset={index + 1}
          className="absolute inset-x-0 contain-strict"
          style={{ top: index * rowHeight, height: rowHeight }}
        >
          {row(index)}
        </li>
      ))}
    </ul>
  )
}
