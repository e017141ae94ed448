// Reports reads of files from outside to the parent process, because such a read may never end and never yield.
import { statSync } from 'node:fs'

/** Milliseconds that the read may take from now on; null when it is over. */
export interface ReadEvent {
  looking: number | null
}

type Tell = (event: ReadEvent) => void

/** Time for any file on a busy machine, and time per MiB on a slow disk. */
const BASE_MS = 20_000
const MIB_MS = 25
/** A read that ends sooner is not reported. */
const SOON_MS = 1_000

export const readMs = (bytes: number): number => BASE_MS + (bytes / 1024 ** 2) * MIB_MS

let tell: Tell = () => {}
let open = 0

/** Sets the listener. A media child works on one job at a time, so there is only one. */
export function tellReads(listener: Tell): void {
  tell = listener
  open = 0
}

/** For work in this thread, which it may block for ever: reported before the work begins. */
export async function watchBlockingRead<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  open++
  tell({ looking: readMs(bytesOf(path)) })
  try {
    return await work()
  } finally {
    over()
  }
}

/** For work in other threads: reported only when it takes long, because reading a photo takes a millisecond. */
export async function watchRead<T>(path: string | null, work: () => Promise<T>): Promise<T> {
  let told = false
  const clock = setTimeout(() => {
    told = true
    open++
    tell({ looking: readMs(path === null ? 0 : bytesOf(path)) - SOON_MS })
  }, SOON_MS)
  try {
    return await work()
  } finally {
    clearTimeout(clock)
    if (told) over()
  }
}

function over(): void {
  open--
  if (open === 0) tell({ looking: null })
}

const bytesOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
