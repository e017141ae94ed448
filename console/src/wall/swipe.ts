// Follows a finger sideways over a card: far enough is a decision, less goes back.
import { type PointerEvent, useRef, useState } from 'react'

const FAR_PX = 96
/** Below this it is a tap or the beginning of a scroll. */
const SLACK_PX = 12

export function useSwipe(decided: (side: 'left' | 'right') => void) {
  const from = useRef<{ id: number; x: number; y: number } | null>(null)
  const [moved, setMoved] = useState(0)
  const end = (event: PointerEvent) => {
    if (from.current?.id !== event.pointerId) return
    const far = event.type === 'pointerup' ? event.clientX - from.current.x : 0
    from.current = null
    setMoved(0)
    if (Math.abs(far) >= FAR_PX) decided(far < 0 ? 'left' : 'right')
  }
  return {
    moved,
    /** From -1 (hide) to 1 (approve). */
    share: Math.max(-1, Math.min(1, moved / FAR_PX)),
    handlers: {
      onPointerDown(event: PointerEvent) {
        if (event.pointerType === 'mouse' || (event.target as Element).closest('button, a, video')) return
        from.current = { id: event.pointerId, x: event.clientX, y: event.clientY }
      },
      onPointerMove(event: PointerEvent) {
        const start = from.current
        if (start?.id !== event.pointerId) return
        const [x, y] = [event.clientX - start.x, event.clientY - start.y]
        if (moved === 0 && Math.abs(x) < SLACK_PX) return
        if (moved === 0 && Math.abs(y) > Math.abs(x)) {
          from.current = null
          return
        }
        if (moved === 0) event.currentTarget.setPointerCapture(event.pointerId)
        setMoved(x)
      },
      onPointerUp: end,
      onPointerCancel: end,
    },
  }
}
