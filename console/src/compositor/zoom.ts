// The view of the canvas: how large it is shown, fitted to its room or as chosen, with the point under the pointer held.
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Point, Size } from './model/geometry.ts'

/** Room around the canvas, to begin a marked area in and to see what hangs over. */
export const ROOM = 40
const LEAST = 0.02
const MOST = 8
export const STEP = 1.25

export function useZoom(view: RefObject<HTMLDivElement | null>, canvas: Size) {
  const [room, setRoom] = useState<Size>({ width: 640, height: 480 })
  /** Null: as large as it fits. */
  const [chosen, setChosen] = useState<number | null>(null)
  const held = useRef<{ point: Point; at: Point } | null>(null)
  const fitting = Math.min(
    (room.width - 2 * ROOM) / canvas.width,
    (room.height - 2 * ROOM) / canvas.height,
    // A small canvas is not blown up by itself.
    Math.max(1, 320 / Math.max(canvas.width, canvas.height)),
  )
  const scale = Math.min(MOST, Math.max(LEAST, chosen ?? fitting))

  useLayoutEffect(() => {
    const element = view.current
    if (!element) return
    const watch = new ResizeObserver(() => setRoom({ width: element.clientWidth, height: element.clientHeight }))
    watch.observe(element)
    return () => watch.disconnect()
  }, [view])

  /** `at` is a point of the view that stays where it is; its middle if left out. */
  const zoomTo = (next: number | null, at?: Point) => {
    const element = view.current
    if (element && next !== null) {
      const spot = at ?? { x: element.clientWidth / 2, y: element.clientHeight / 2 }
      const origin = originOf(element, canvas, scale)
      held.current = {
        point: {
          x: (element.scrollLeft + spot.x - origin.x) / scale,
          y: (element.scrollTop + spot.y - origin.y) / scale,
        },
        at: spot,
      }
    }
    setChosen(next === null ? null : Math.min(MOST, Math.max(LEAST, next)))
  }

  useLayoutEffect(() => {
    const element = view.current
    const hold = held.current
    held.current = null
    if (!element || !hold) return
    const origin = originOf(element, canvas, scale)
    element.scrollTo(hold.point.x * scale + origin.x - hold.at.x, hold.point.y * scale + origin.y - hold.at.y)
  })

  const latest = useRef({ scale, zoomTo })
  latest.current = { scale, zoomTo }
  useEffect(() => {
    const element = view.current
    if (!element) return
    const spotOf = (x: number, y: number): Point => {
      const { left, top } = element.getBoundingClientRect()
      return { x: x - left, y: y - top }
    }
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return
      event.preventDefault()
      const { scale: now, zoomTo: zoom } = latest.current
      zoom(now * Math.exp(-event.deltaY / 300), spotOf(event.clientX, event.clientY))
    }
    let pinch: { far: number; scale: number } | null = null
    const touch = (event: TouchEvent) => {
      const [one, two] = [event.touches[0], event.touches[1]]
      if (!one || !two) {
        pinch = null
        return
      }
      event.preventDefault()
      const far = Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY)
      pinch ??= { far, scale: latest.current.scale }
      const middle = spotOf((one.clientX + two.clientX) / 2, (one.clientY + two.clientY) / 2)
      latest.current.zoomTo((pinch.scale * far) / Math.max(1, pinch.far), middle)
    }
    // React listens passively, and then the page itself would zoom.
    element.addEventListener('wheel', wheel, { passive: false })
    element.addEventListener('touchmove', touch, { passive: false })
    element.addEventListener('touchend', touch)
    return () => {
      element.removeEventListener('wheel', wheel)
      element.removeEventListener('touchmove', touch)
      element.removeEventListener('touchend', touch)
    }
  }, [view])

  return { scale, isFitted: chosen === null, zoomTo }
}

/** Where the canvas begins inside the view: its room, or more when it lies in the middle of a larger one. */
function originOf(view: HTMLElement, canvas: Size, scale: number): Point {
  return {
    x: Math.max(ROOM, (view.clientWidth - canvas.width * scale) / 2),
    y: Math.max(ROOM, (view.clientHeight - canvas.height * scale) / 2),
  }
}
