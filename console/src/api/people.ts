// Profiles and their activities.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { at, get, query } from './client.ts'
import type { Activity, List, Profile } from './shapes.ts'

export interface ProfileFilters {
  email?: string
  qr_code?: string
  rfid?: string
  experience_id?: string
}

export const useProfiles = (filters: ProfileFilters) =>
  useInfiniteQuery({
    queryKey: ['profile', 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      get<List<Profile>>(query(at('profile'), { ...filters, limit: 50, cursor: pageParam }), signal),
    initialPageParam: null as string | null,
    getNextPageParam: page => page.next_cursor,
  })

export const useProfile = (id: string) =>
  useQuery({ queryKey: ['profile', 'one', id], queryFn: ({ signal }) => get<Profile>(at('profile', id), signal) })

export const useActivities = (filters: { owner_id?: string; task_id?: string }, live = false) =>
  useInfiniteQuery({
    queryKey: ['activity', 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      get<List<Activity>>(query(at('activity'), { ...filters, limit: 50, cursor: pageParam }), signal),
    initialPageParam: null as string | null,
    getNextPageParam: page => page.next_cursor,
    refetchInterval: live ? 5000 : false,
  })

/** Everyone a search text may mean: exact matches of each lookup. */
export async function findProfiles(text: string, signal: AbortSignal): Promise<Profile[]> {
  const found = await Promise.all(
    (['email', 'qr_code', 'rfid'] as const).map(kind =>
      get<List<Profile>>(query(at('profile'), { [kind]: text }), signal).then(list => list.items),
    ),
  )
  return [...new Map(found.flat().map(profile => [profile.profile_id, profile])).values()]
}
