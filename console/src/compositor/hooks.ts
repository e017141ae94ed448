// What the layout editor asks of the browser: where the keys are, how large a picture is, how wide the screen.
import { useEffect, useRef, useState } from 'react'
import type { Size } from './model/geometry.ts'

/** What had the keys is gone (a removed layer): the canvas has them now, or undo would reach nobody. */
export function useKeptFocus(view: { current: HTMLDivElement | null }, layout: unknown): void {
  const wasInside = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked at after every change of the layout.
  useEffect(() => {
    if (document.activeElement === document.body && wasInside.current) view.current?.focus({ preventScroll: true })
  }, [layout, view])
  useEffect(() => {
    const note = (event: FocusEvent) => {
      const editor = view.current?.closest('[data-layout-editor]')
      wasInside.current = Boolean(editor?.contains(event.target as Node))
    }
    document.addEventListener('focusin', note)
    return () => document.removeEventListener('focusin', note)
  }, [view])
}

export function usePicture(url: string | null): { size: Size; isReadable: boolean } {
  const [picture, setPicture] = useState({ size: { width: 1440, height: 1080 }, isReadable: true })
  useEffect(() => {
    if (!url) return
    const image = new Image()
    image.onload = () =>
      setPicture({ size: { width: image.naturalWidth, height: image.naturalHeight }, isReadable: true })
    image.onerror = () => setPicture(before => ({ ...before, isReadable: false }))
    image.src = url
  }, [url])
  return picture
}

export function useIsNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => window.matchMedia('(max-width: 639px)').matches)
  useEffect(() => {
    const media = window.matchMedia('(max-width: 639px)')
    const note = () => setNarrow(media.matches)
    media.addEventListener('change', note)
    return () => media.removeEventListener('change', note)
  }, [])
  return isNarrow
}
