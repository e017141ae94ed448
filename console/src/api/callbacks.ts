// Callbacks: every delivery with its attempts, and sending them again.
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { at, get, query, send } from './client.ts'
import type { Callback, List } from './shapes.ts'

export interface CallbackFilters {
  status?: string
  task_id?: string
  experience_id?: string
}

export const useCallbacks = (filters: CallbackFilters) =>
  useInfiniteQuery({
    queryKey: ['callback', 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      get<List<Callback>>(query(at('callback'), { ...filters, limit: 50, cursor: pageParam }), signal),
    initialPageParam: null as string | null,
    getNextPageParam: page => page.next_cursor,
    refetchInterval: 5000,
  })

export const useTaskCallbacks = (taskId: string, live: boolean) =>
  useQuery({
    queryKey: ['callback', 'of', taskId],
    queryFn: ({ signal }) => get<List<Callback>>(query(at('callback'), { task_id: taskId }), signal),
    refetchInterval: q => (live || q.state.data?.items.some(({ status }) => status === 'Waiting') ? 3000 : false),
  })

export function useResend() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => send<Callback>('POST', at('callback', id, 'resend')),
    onSuccess: () => client.invalidateQueries({ queryKey: ['callback'] }),
  })
}

/** Enough for a list; older ones are found on the page of callbacks. */
const LOST = 200

/** Ids of tasks whose callback nobody sends any more, the newest. */
export const useLostCallbacks = (experience: string | null) =>
  useQuery({
    queryKey: ['callback', 'lost', experience],
    queryFn: async ({ signal }) => {
      const filters = { status: 'GivenUp', experience_id: experience, limit: LOST }
      const { items } = await get<List<Callback>>(query(at('callback'), filters), signal)
      return new Set(items.map(({ task_id }) => task_id))
    },
    refetchInterval: 20_000,
  })
