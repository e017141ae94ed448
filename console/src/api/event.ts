// Which event the console is about: `?experience=` of the address, kept from page to page in this tab.
import { useCallback, useEffect } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import { put, useChangeAddress } from '../address.ts'

const PARAM = 'experience'
const KEPT = 'keepsake-event'

/** Null: all events. */
export function useEvent(): string | null {
  const [params] = useSearchParams()
  return params.get(PARAM)
}

/** Chooses an event, or all with null; what else is in the address stays. */
export function useChooseEvent(): (event: string | null) => void {
  const change = useChangeAddress()
  return useCallback(
    event => {
      if (event === null) sessionStorage.removeItem(KEPT)
      else sessionStorage.setItem(KEPT, event)
      change(params => put(params, PARAM, event))
    },
    [change],
  )
}

/** Puts the chosen event back into an address that came without it. */
export function useKeepEvent(): void {
  const { pathname, search, hash, state } = useLocation()
  const navigate = useNavigate()
  useEffect(() => {
    const params = new URLSearchParams(search)
    const given = params.get(PARAM)
    if (given !== null) return sessionStorage.setItem(KEPT, given)
    const kept = sessionStorage.getItem(KEPT)
    if (kept === null) return
    params.set(PARAM, kept)
    navigate({ pathname, search: `?${params}`, hash }, { replace: true, state })
  }, [pathname, search, hash, state, navigate])
}

/** Whether a thing belongs to the event, or to all of them. */
export const isOfEvent = (event: string | null, { experience_id }: { experience_id?: string | null }): boolean =>
  event === null || experience_id === event || experience_id === null
