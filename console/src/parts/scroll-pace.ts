// Whether the page flies by faster than anybody can look at pictures; then none are asked for until it slows down.

/** Two screens of a laptop in a second. */
const FLYING_PX_PER_S = 1600
const SETTLED_MS = 120

const waiting = new Set<() => void>()
let flying = false
let settle: ReturnType<typeof setTimeout> | undefined
let last = { y: window.scrollY, at: performance.now() }

function land(): void {
  flying = false
  for (const tell of waiting) tell()
  waiting.clear()
}

window.addEventListener(
  'scroll',
  () => {
    const now = { y: window.scrollY, at: performance.now() }
    const pace = (Math.abs(now.y - last.y) / Math.max(1, now.at - last.at)) * 1000
    last = now
    clearTimeout(settle)
    if (pace > FLYING_PX_PER_S) {
      flying = true
      settle = setTimeout(land, SETTLED_MS)
    } else if (flying) land()
  },
  { passive: true },
)

export const isFlying = (): boolean => flying

/** Calls back once the page no longer flies; the answer takes that back. */
export function whenLanded(tell: () => void): () => void {
  waiting.add(tell)
  return () => waiting.delete(tell)
}
