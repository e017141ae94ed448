// A stream of server-sent events that opens again after every loss, and rests while nobody looks at the page.
import { useEffect } from 'react'
import { reportReached } from './connection.ts'

/** By the name of the event; `open` when the stream begins, `end` when the service has closed it for good. */
export type StreamHandlers = Record<string, (data: unknown) => void>

const AGAIN_MS = 2000

export function useStream(url: string | null, handlers: StreamHandlers): void {
  useEffect(() => {
    if (!url) return
    let stream: EventSource | null = null
    let again: ReturnType<typeof setTimeout> | undefined
    let ended = false

    const close = () => {
      clearTimeout(again)
      stream?.close()
      stream = null
    }
    const open = () => {
      if (stream || ended) return
      const opened = new EventSource(url)
      stream = opened
      opened.onopen = () => {
        reportReached()
        handlers.open?.(null)
      }
      // The browser gives up for good when it gets an answer that is no stream, as from a service that restarts.
      opened.onerror = () => {
        if (opened.readyState !== EventSource.CLOSED) return
        close()
        again = setTimeout(open, AGAIN_MS)
      }
      for (const [name, handle] of Object.entries(handlers)) {
        if (name === 'open') continue
        opened.addEventListener(name, event => {
          handle(JSON.parse((event as MessageEvent<string>).data))
          if (name !== 'end') return
          ended = true
          close()
        })
      }
    }
    // A browser keeps six connections to a host at most: hidden pages must not hold them.
    const attend = () => (document.hidden ? close() : open())
    document.addEventListener('visibilitychange', attend)
    attend()
    return () => {
      document.removeEventListener('visibilitychange', attend)
      close()
    }
  }, [url, handlers])
}
