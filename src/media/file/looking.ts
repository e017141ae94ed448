// A look at a file that came from outside may never end and never yield, so somebody outside of this process is told of it.
import { statSync } from 'node:fs'

/** Milliseconds that the look may take from now on; null when it is over. */
export interface LookEvent {
  looking: number | null
}

type Tell = (event: LookEvent) => void

/** What any file may take on a machine that has much else to do, and what each MiB may take on a slow disk. */
const BASE_MS = 20_000
const MIB_MS = 25
/** Whatever ends sooner is not worth a message. */
const SOON_MS = 1_000

export const lookMs = (bytes: number): number => BASE_MS + (bytes / 1024 ** 2) * MIB_MS

let tell: Tell = () => {}
let open = 0

/** Who is told, from now on; a media child works on one job at a time. */
export function tellLooks(listener: Tell): void {
  tell = listener
  open = 0
}

/** For what runs in this thread and so may keep it busy for ever: told before it begins. */
export async function looking<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  open++
  tell({ looking: lookMs(bytesOf(path)) })
  try {
    return await work()
  } finally {
    over()
  }
}

/** For what runs in other threads: told only when it takes long, since a photo is looked at in a millisecond. */
export async function watched<T>(path: string | null, work: () => Promise<T>): Promise<T> {
  let told = false
  const clock = setTimeout(() => {
    told = true
    open++
    tell({ looking: lookMs(path === null ? 0 : bytesOf(path)) - SOON_MS })
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
