// Keys that work on every page; whoever types into a field is left alone.
import { useEffect } from 'react'

/** Whether a key pressed now belongs to a field or a dialog. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null
  if (document.querySelector('[role=dialog]')) return true
  return target !== null && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}

interface Shortcuts {
  palette(): void
  help(): void
}

export function useShortcuts({ palette, help }: Shortcuts): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        return palette()
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event)) return
      if (event.key === '?') {
        event.preventDefault()
        help()
      }
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [palette, help])
}
