// What pages keep in their address beside the path. A change begins with the address as it is, not with what the page was last drawn
// from: of two changes right after another none is lost.
import { useCallback } from 'react'
import { useNavigate } from 'react-router'

/** `change` writes into the parameters that there are. */
export function useChangeAddress(): (change: (params: URLSearchParams) => void) => void {
  const navigate = useNavigate()
  return useCallback(
    change => {
      const params = new URLSearchParams(window.location.search)
      change(params)
      navigate({ search: `?${params}`, hash: window.location.hash }, { replace: true })
    },
    [navigate],
  )
}

export function emptied(params: URLSearchParams): void {
  for (const name of [...params.keys()]) params.delete(name)
}

/** Sets one of them, or takes it away with nothing. */
export function put(params: URLSearchParams, name: string, value: string | null): void {
  if (value) params.set(name, value)
  else params.delete(name)
}
