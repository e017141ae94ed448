// What is being written, with the way back: it is there again after a look at another page, until the tab is closed.
import { useEffect, useState } from 'react'
import { isSame, type Read } from '../api/configurations.ts'
import type { Configuration } from '../api/shapes.ts'

/** The configuration on screen, and the steps that are made or changed together with it, by the name the chain has for them. */
export interface Work {
  configuration: Configuration
  steps: Readonly<Record<string, Step>>
}

export interface Step {
  configuration: Configuration
  /** As it was read; undefined: it is not stored yet. */
  read: Read | undefined
}

interface Kept {
  work: Work
  /** What the work began from. A save replaces this state and no other. */
  read: Read | undefined
  past: Work[]
  future: Work[]
  /** Counts whenever fields must begin anew, since they hold text of their own while it is typed. */
  turn: number
}

const kept = new Map<string, Kept>()
const MOST_UNDO = 100
/** Keys that are pressed one after the other are taken back together. */
const PAUSE_MS = 800

const begin = (start: Configuration, read: Read | undefined, turn = 0): Kept => ({
  work: { configuration: start, steps: {} },
  read,
  past: [],
  future: [],
  turn,
})

/** `key` says what is edited, `start` how it is before anything is written, `read` what the service has now. */
export function useKeptWork(key: string, start: Configuration, read: Read | undefined) {
  const [state, setState] = useState(() => kept.get(key) ?? begin(start, read))
  const [changedAt, setChangedAt] = useState(0)
  const set = (next: Kept) => {
    kept.set(key, next)
    setState(next)
  }
  const dirty = isDirty(state, start)
  // Nobody writes here, and somebody wrote elsewhere: show that.
  if (!dirty && read && state.read && read.tag !== state.read.tag) setState(begin(start, read, state.turn + 1))
  const { work, past, future, turn } = state
  return {
    work,
    read: state.read,
    dirty,
    turn,
    change(next: Work) {
      const now = Date.now()
      const goesOn = now - changedAt < PAUSE_MS && shapeOf(next) === shapeOf(work) && past.length > 0
      setChangedAt(now)
      set({ ...state, work: next, past: goesOn ? past : [...past, work].slice(-MOST_UNDO), future: [] })
    },
    undo: past.length
      ? () =>
          set({
            ...state,
            work: past.at(-1) as Work,
            past: past.slice(0, -1),
            future: [work, ...future],
            turn: turn + 1,
          })
      : undefined,
    redo: future.length
      ? () => set({ ...state, work: future[0] as Work, past: [...past, work], future: future.slice(1), turn: turn + 1 })
      : undefined,
    /** The service has this now: nothing is left to keep. */
    settle(now: Read) {
      kept.delete(key)
      setState(begin(now.value, now, turn))
    },
    forget: () => void kept.delete(key),
    /** Goes on from what somebody else wrote. */
    rebase(now: Read | undefined, next: Work) {
      set({ ...state, read: now, work: next, past: [...past, work], future: [], turn: turn + 1 })
    },
    discard() {
      kept.delete(key)
      setState(begin(read?.value ?? start, read, turn + 1))
    },
  }
}

export type KeptWork = ReturnType<typeof useKeptWork>

function isDirty({ work, read }: Kept, start: Configuration): boolean {
  if (!isSame(read?.value ?? start, work.configuration)) return true
  return Object.values(work.steps).some(({ configuration, read }) => !read || !isSame(read.value, configuration))
}

/** What a single press changes beside the text of a field: then it is a step of its own for "undo". */
const shapeOf = ({ configuration, steps }: Work): string =>
  JSON.stringify([configuration.call_chain ?? null, configuration.adapter_name ?? null, Object.keys(steps)])

/** The browser asks before it throws away what is not saved. */
export function useAskBeforeLeaving(dirty: boolean): void {
  useEffect(() => {
    if (!dirty) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [dirty])
}
