// Files that are only in this page: an address for each, and the service's picture of those that the browser can't show.
import { useEffect, useState } from 'react'
import { at, requestInTime } from '../api/client.ts'

const blobs = new Map<string, Blob>()

/** The file behind an address that `useObjectUrl` gave out. */
export const blobOf = (url: string): Blob | undefined => blobs.get(url)

/** An address for a file that is only in this page; given back when no longer shown. */
export function useObjectUrl(blob: Blob | null): string | null {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (!blob) return setUrl(null)
    const made = URL.createObjectURL(blob)
    blobs.set(made, blob)
    setUrl(made)
    return () => {
      URL.revokeObjectURL(made)
      blobs.delete(made)
    }
  }, [blob])
  return url
}

/** The service's picture of a local file: undefined while it is made, null if it can't be. */
export function useDrawn(src: string, isWanted: boolean): string | null | undefined {
  const [drawn, setDrawn] = useState<Blob | null>(null)
  const [failed, setFailed] = useState(false)
  const blob = blobOf(src)
  useEffect(() => {
    if (!isWanted || !blob) return
    const stop = new AbortController()
    const body = new FormData()
    body.set('data', blob)
    requestInTime(at('picture'), { method: 'POST', body, signal: stop.signal })
      .then(answer => answer.blob())
      .then(setDrawn)
      .catch(() => {
        if (!stop.signal.aborted) setFailed(true)
      })
    return () => stop.abort()
  }, [blob, isWanted])
  const url = useObjectUrl(drawn)
  return !blob || failed ? null : (url ?? undefined)
}
