// Tasks and task groups: the list, one of them, and what can be done with it.
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { at, get, query, request, send } from './client.ts'
import type { JsonObject, List, Task, TaskGroup } from './shapes.ts'

export interface TaskFilters {
  status?: string
  configuration?: string
  experience_id?: string
  created_after?: string
  created_before?: string
}

export type Kind = 'task' | 'taskgroup'
export type Either = Task | TaskGroup

export const isGroup = (either: Either): either is TaskGroup => 'tasks' in either
export const isOver = (either: Either): boolean => !['Waiting', 'Running'].includes(either.status)
export const titleOf = (either: Either): string =>
  isGroup(either) ? either.configuration_names.join(' → ') : either.configuration

/** The first page is small, because it is waited for; who scrolls on gets more at a time. */
export const PAGE = 100
const FURTHER_PAGE = 500

export function useTaskList<T extends Either>(kind: Kind, filters: TaskFilters) {
  return useInfiniteQuery({
    queryKey: [kind, 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      get<List<T>>(query(at(kind), { ...filters, limit: pageParam ? FURTHER_PAGE : PAGE, cursor: pageParam }), signal),
    initialPageParam: null as string | null,
    getNextPageParam: page => page.next_cursor,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    gcTime: 60_000,
  })
}

export function useTask<T extends Either>(kind: Kind, id: string) {
  return useQuery({
    queryKey: [kind, 'one', id],
    queryFn: ({ signal }) => get<T>(at(kind, id), signal),
    // The event stream is the first source; this heals whatever it missed.
    refetchInterval: q => (q.state.data && !isOver(q.state.data) ? 5000 : false),
  })
}

export interface NewTask {
  configuration_name: string
  data: File
  extras?: JsonObject
}

export function taskForm({ configuration_name, data, extras }: NewTask): FormData {
  const form = new FormData()
  form.set('configuration_name', configuration_name)
  if (extras && Object.keys(extras).length > 0) form.set('extras', JSON.stringify(extras))
  form.set('data', data)
  return form
}

export const createTask = (task: NewTask): Promise<Task> => send<Task>('POST', at('task'), taskForm(task))

export function useTaskAction(kind: Kind, id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ action, body }: { action: 'cancel' | 'retry'; body?: FormData }) =>
      send<Either>('POST', at(kind, id, action), body),
    onSuccess: task => {
      client.setQueryData([kind, 'one', id], task)
      void client.invalidateQueries({ queryKey: ['callback'] })
    },
  })
}

export const outputUrl = (kind: Kind, id: string, ...index: number[]): string => at(kind, id, 'output', ...index)

/** The file that was sent in; of a group, for one of its configurations. */
export const inputUrl = (kind: Kind, id: string, ...index: number[]): string => at(kind, id, 'input', ...index)

/** A small picture. `version` keeps a browser from showing what was there before a retry. */
export const thumbnailUrl = (kind: Kind, id: string, which: (number | 'input')[], version: string | null): string =>
  query(at(kind, id, 'thumbnail', ...which), { v: version })

/** What kind of file was sent in; null where it is not kept or there is none. */
export function useInputKind(url: string, version: string | null) {
  return useQuery({
    queryKey: ['input', url, version],
    queryFn: async ({ signal }) => {
      const response = await request(url, { method: 'HEAD', signal })
      return response.headers.get('content-type')?.split(';')[0] ?? null
    },
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
}
