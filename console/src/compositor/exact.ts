// The exact picture: asked of the service shortly after the last change, and shown only while it is of what is on screen.
import { useEffect, useState } from 'react'
import { at, requestInTime } from '../api/client.ts'
import type { JsonObject } from '../api/shapes.ts'

const QUIET_MS = 350

export interface Exact {
  /** The picture of this very state, ready to be painted; null while it is made. */
  url: string | null
  error: unknown
  /** What a task would warn of. */
  warnings: string[]
  busy: boolean
}

interface Wish {
  /** The stored configuration; undefined before the first save. */
  name: string | undefined
  /** Which saved state the options come over. */
  version: string
  file: File | null
  options: JsonObject
  /** Every pixel of it; otherwise it comes small enough for a screen. */
  isFull: boolean
  /** Nothing is asked for while something is being dragged. */
  isHeld: boolean
}

async function picture(
  { name = '', file, options, isFull }: Wish,
  signal: AbortSignal,
): Promise<Pick<Made, 'url' | 'warnings'>> {
  const form = new FormData()
  form.set('extras', JSON.stringify(options))
  if (file) form.set('data', file)
  const path = at('configuration', name, 'preview')
  const response = await requestInTime(isFull ? `${path}?full=true` : path, { method: 'POST', body: form, signal })
  return { url: await decoded(await response.blob()), warnings: warningsIn(response.headers.get('keepsake-warnings')) }
}

function warningsIn(header: string | null): string[] {
  const list = header === null ? [] : (JSON.parse(decodeURIComponent(header)) as unknown)
  return Array.isArray(list) ? list.map(String) : []
}

interface Made {
  key: string
  url: string | null
  error: unknown
  warnings: string[]
}

export function useExactPicture(wish: Wish): Exact {
  const { name, version, file, options, isFull, isHeld } = wish
  const [made, setMade] = useState<Made>({ key: '', url: null, error: null, warnings: [] })
  const wanted = JSON.stringify(options)
  const key = `${version} ${isFull} ${file?.name} ${file?.size} ${file?.lastModified} ${wanted}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says all of the wish.
  useEffect(() => {
    if (!name || !file || isHeld || made.key === key) return
    const stop = new AbortController()
    const timer = setTimeout(async () => {
      try {
        const { url, warnings } = await picture(wish, stop.signal)
        if (!stop.signal.aborted) setMade({ key, url, error: null, warnings })
        else if (url) URL.revokeObjectURL(url)
      } catch (error) {
        if (!stop.signal.aborted) setMade({ key, url: null, error, warnings: [] })
      }
    }, QUIET_MS)
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [name, file, key, isHeld, made.key])
  useEffect(() => {
    const { url } = made
    if (url) return () => URL.revokeObjectURL(url)
  }, [made])
  const isCurrent = made.key === key
  return {
    url: isCurrent ? made.url : null,
    error: isCurrent ? made.error : null,
    // They stay until something newer is known: a note that comes and goes moves the page.
    warnings: made.warnings,
    busy: name !== undefined && !isCurrent,
  }
}

/** Read before it is shown, so that no moment lies between two pictures. */
export async function decoded(blob: Blob): Promise<string> {
  const url = URL.createObjectURL(blob)
  const image = new Image()
  image.src = url
  // What can't be read is shown as a broken picture by its element, too.
  await image.decode().catch(() => {})
  return url
}
