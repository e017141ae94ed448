// The exact picture: asked of the service shortly after the last change, with what is on screen as extras.
import { useEffect, useState } from 'react'
import { preview } from '../api/configurations.ts'
import type { JsonObject } from '../api/shapes.ts'
import { useObjectUrl } from '../parts/before-after.tsx'

const QUIET_MS = 350

export function useExactPicture(name: string | undefined, file: File | null, options: JsonObject) {
  const [blob, setBlob] = useState<Blob | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const wanted = JSON.stringify(options)
  useEffect(() => {
    if (!name || !file) return
    const stop = new AbortController()
    const timer = setTimeout(async () => {
      setBusy(true)
      try {
        setBlob(await preview(name, file, JSON.parse(wanted) as JsonObject, stop.signal))
        setError(null)
      } catch (refusal) {
        if (!stop.signal.aborted) setError(refusal)
      } finally {
        if (!stop.signal.aborted) setBusy(false)
      }
    }, QUIET_MS)
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [name, file, wanted])
  return { url: useObjectUrl(blob), error, busy }
}
