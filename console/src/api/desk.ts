// What the guest desk asks of the service: one guest, the keepsakes of a guest or of nobody, the code to hand out, an erasure.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { Erasure as ErasureAnswer, ErasureReceipt } from '#http/contract/guests/erasure-shapes.ts'
import type { Keepsake as KeepsakeAnswer, ReservedKeepsake } from '#http/contract/guests/keepsake-shapes.ts'
import type { ListedKeepsake as ListedKeepsakeAnswer } from '#http/contract/guests/wall-shapes.ts'
import { ApiError, at, get, getTagged, query, send } from './client.ts'
import { findProfiles } from './people.ts'
import { looksLikeId } from './search.ts'
import type { List, Profile } from './shapes.ts'

export type ListedKeepsake = ListedKeepsakeAnswer
type Keepsake = Static<typeof KeepsakeAnswer>
type Erasure = Static<typeof ErasureAnswer>

/** What the signed text of a receipt holds. */
export type Receipt = Erasure & {
  asked_at: string
  made_at: string
  backups: { made_before: string; reason: string }
}

export interface FoundGuests {
  profiles: Profile[]
  /** Found by a whole value, not by a part. */
  isExact: boolean
  more: boolean
}

const PAGE = 30
const SHORTEST_PART = 2
const LONGEST_PART = 200

async function byId(id: string, signal: AbortSignal): Promise<Profile[]> {
  try {
    return [await get<Profile>(at('profile', id), signal)]
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return []
    throw error
  }
}

/** By a whole value first, then by any part. */
export async function findGuests(text: string, signal: AbortSignal): Promise<FoundGuests> {
  const exact = await Promise.all([findProfiles(text, signal), looksLikeId(text) ? byId(text, signal) : []])
  const profiles = [...new Map(exact.flat().map(profile => [profile.profile_id, profile])).values()]
  if (profiles.length > 0 || text.length < SHORTEST_PART || text.length > LONGEST_PART)
    return { profiles, isExact: true, more: false }
  const found = await get<{ profiles: { items: Profile[]; more: boolean } }>(query('/api/search/', { q: text }), signal)
  return { profiles: found.profiles.items, isExact: false, more: found.profiles.more }
}

export const guestKey = (id: string) => ['profile', 'tagged', id]

export const useGuest = (id: string) =>
  useQuery({ queryKey: guestKey(id), queryFn: ({ signal }) => getTagged<Profile>(at('profile', id), signal) })

export const changeGuest = (id: string, patch: object, tag: string | null = null): Promise<Profile> =>
  send<Profile>('PATCH', at('profile', id), patch, tag)

/** The second becomes part of the first; a dry run answers what would be. */
export const mergeGuests = (keptId: string, goneId: string, dry_run: boolean): Promise<Profile> =>
  send<Profile>('POST', at('profile', keptId, 'merge'), { profile_id: goneId, dry_run })

/** Those of a guest, or the newest of an experience. */
export const useKeepsakes = (filters: { profile_id: string } | { experience_id: string }) =>
  useInfiniteQuery({
    queryKey: ['keepsake', 'list', 'desk', filters],
    queryFn: ({ pageParam, signal }) =>
      get<List<ListedKeepsake>>(query(at('keepsake'), { ...filters, limit: PAGE, cursor: pageParam }), signal),
    initialPageParam: null as string | null,
    getNextPageParam: page => page.next_cursor,
    refetchInterval: 5000,
  })

export const useKeepsake = (id: string) =>
  useQuery({
    queryKey: ['keepsake', 'one', id],
    queryFn: ({ signal }) => get<Keepsake>(at('keepsake', id), signal),
    staleTime: 0,
    gcTime: 0,
  })

export const reissue = (id: string): Promise<unknown> =>
  send<Static<typeof ReservedKeepsake>>('POST', at('keepsake', id, 'reissue'))

/** The guest is added: what the keepsake is known by already stays. */
export async function giveKeepsake(id: string, { profile_id }: Profile): Promise<void> {
  const { lookups } = await get<Keepsake>(at('keepsake', id))
  const profiles = [...new Set([...(lookups.profile_id ?? []), profile_id])]
  await send('PATCH', at('keepsake', id), { lookups: { ...lookups, profile_id: profiles } })
}

export const eraseGuest = (id: string, takesShared: boolean): Promise<Erasure> =>
  send<Erasure>('DELETE', query(at('profile', id), { media: 'retract', shared: takesShared ? 'erase' : null }))

const SOON_MS = 1500
const LATER_MS = 15_000

/** The receipt, read anew until nothing is left to do. `file` is what `keepsake verify receipt` takes. */
export const useErasure = (id: string) =>
  useQuery({
    queryKey: ['erasure', id],
    queryFn: async ({ signal }) => {
      const signed = await get<Static<typeof ErasureReceipt>>(at('erasure', id), signal)
      return { receipt: JSON.parse(signed.receipt) as Receipt, file: `${JSON.stringify(signed, null, 2)}\n` }
    },
    refetchInterval: ({ state }) =>
      state.data?.receipt.status === 'Running' ? SOON_MS : state.data?.receipt.status === 'Pending' ? LATER_MS : false,
  })
