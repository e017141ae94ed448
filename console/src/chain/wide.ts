// Whether there is room for a graph.
import { useSyncExternalStore } from 'react'

const room = window.matchMedia('(min-width: 1024px)')

const subscribe = (listener: () => void): (() => void) => {
  room.addEventListener('change', listener)
  return () => room.removeEventListener('change', listener)
}

export const useWide = (): boolean => useSyncExternalStore(subscribe, () => room.matches)
