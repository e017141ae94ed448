// Light or dark: the system's preference until somebody chooses, and the choice is remembered.
import { useSyncExternalStore } from 'react'

type Theme = 'light' | 'dark'
const KEY = 'keepsake-theme'
const system = window.matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

const chosen = (): Theme | null => {
  try {
    const value = localStorage.getItem(KEY)
    return value === 'light' || value === 'dark' ? value : null
  } catch {
    return null
  }
}
const current = (): Theme => chosen() ?? (system.matches ? 'dark' : 'light')

function apply(): void {
  document.documentElement.dataset.theme = current()
  for (const tell of listeners) tell()
}
system.addEventListener('change', apply)

export function toggleTheme(): void {
  const next: Theme = current() === 'dark' ? 'light' : 'dark'
  try {
    // Choosing what the system says anyway means: follow the system again.
    if (next === (system.matches ? 'dark' : 'light')) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, next)
  } catch {
    // Without storage the choice cannot be kept; nothing else breaks.
  }
  apply()
}

export const useTheme = (): Theme =>
  useSyncExternalStore(listener => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, current)
