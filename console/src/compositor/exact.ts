// The exact picture: asked of the service shortly after the last change, with what is on screen as extras.
import { useEffect, useState } from 'react'
import { preview } from '../api/configurations.ts'
import type { JsonObject } from '../api/shapes.ts'
import { useObjectUrl } from '../parts/before-after.tsx'

const QUIET_MS = 350

/** `version` says which saved state the options come over. */
export function useExactPicture(name: string | undefined, file: File | null, options: JsonObject, version: string) {
  const [blob, setBlob] = useState<Blob | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [shown, setShown] = useState('')
  const wanted = JSON.stringify(options)
  const key = `${version} ${wanted}`
  useEffect(() => {
    if (!name || !file) return
    const stop = new AbortController()
    const timer = setTimeout(async () => {
      try {
        setBlob(await preview(name, file, JSON.parse(wanted) as JsonObject, stop.signal))
        setError(null)
        setShown(key)
      } catch (refusal) {
        if (stop.signal.aborted) return
        setError(refusal)
        setShown(key)
      }
    }, QUIET_MS)
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [name, file, wanted, key])
  return { url: useObjectUrl(blob), error, busy: name !== undefined && shown !== key }
}
