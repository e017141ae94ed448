// Signing in and out: a token or one-time code is exchanged once for a cookie that scripts cannot read.
import { useQuery } from '@tanstack/react-query'
import { get, send } from './client.ts'
import { queryClient } from './query-client.ts'
import type { Session, SignIn } from './shapes.ts'

/** Who is asking; a 401 leads to the sign-in page. */
export const sessionQuery = {
  queryKey: ['session'],
  queryFn: () => get<Session>('/api/session/'),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
}

const order = ['read', 'tasks', 'write', 'admin']
/** Whether the signed-in token allows something; the service decides in the end. */
export function useMay(scope: Session['scope']): boolean {
  const { data } = useQuery(sessionQuery)
  return data !== undefined && order.indexOf(data.scope) >= order.indexOf(scope)
}

export async function signIn(credential: { token: string } | { code: string }): Promise<void> {
  await send('POST', '/api/session/', credential)
}

/** Leads to the sign-in page, which says that it is so. */
export async function signOut(): Promise<void> {
  await send('DELETE', '/api/session/')
  queryClient.clear()
  window.history.replaceState(null, '', `/#sign-in=${SIGNED_OUT}`)
  window.location.reload()
}

/** How people sign in beside tokens. The page works without an answer. */
export const signInQuery = {
  queryKey: ['sign-in'],
  queryFn: () => get<SignIn>('/api/sign-in/'),
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
}

/** Takes the one-time code out of the address, so that it stays neither on screen nor in the history. */
export function takeCode(): string | null {
  const code = new URLSearchParams(window.location.hash.slice(1)).get('code')
  if (code) history.replaceState(history.state, '', window.location.pathname + window.location.search)
  return code
}

/** What the address says of somebody who has just signed out here. */
export const SIGNED_OUT = 'out'

/** Why somebody comes to the sign-in page, taken out of the address likewise. */
export function takeFailure(): string | null {
  const reason = new URLSearchParams(window.location.hash.slice(1)).get('sign-in')
  if (reason) history.replaceState(history.state, '', window.location.pathname + window.location.search)
  return reason
}
