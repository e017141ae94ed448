// Tasks and task groups: the list, one of them, and what can be done with it.
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { TaskFailure } from '#http/contract/task-shapes.ts'
import { at, get, query, send } from './client.ts'
import type { JsonObject, List, Task, TaskGroup } from './shapes.ts'

export interface TaskFilters {
  status?: string
  configuration?: string
  experience_id?: string
  error_code?: string
  profile_id?: string
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
  /** Of a shared configuration: for which one. */
  experience_id?: string | undefined
  data: File
  extras?: JsonObject
}

export function taskForm({ configuration_name, experience_id, data, extras }: NewTask): FormData {
  const form = new FormData()
  form.set('configuration_name', configuration_name)
  if (experience_id !== undefined) form.set('experience_id', experience_id)
  if (extras && Object.keys(extras).length > 0) form.set('extras', JSON.stringify(extras))
  form.set('data', data)
  return form
}

export const createTask = (task: NewTask): Promise<Task> => send<Task>('POST', at('task'), taskForm(task))

export function useTaskAction(kind: Kind, id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ action, body }: { action: 'cancel' | 'retry' | 'now'; body?: FormData }) =>
      send<Either>('POST', at(kind, id, action), body),
    onSuccess: task => {
      client.setQueryData([kind, 'one', id], task)
      void client.invalidateQueries({ queryKey: ['callback'] })
      void client.invalidateQueries({ queryKey: ['failure', id] })
      void client.invalidateQueries({ queryKey: ['audit', kind, id] })
    },
  })
}

/** What went wrong in it, attempt by attempt, also in earlier runs. `version` changes when something has happened to the task. */
export const useFailures = (kind: Kind, id: string, version: string) =>
  useQuery({
    queryKey: ['failure', id, version],
    queryFn: ({ signal }) => get<List<TaskFailure>>(at(kind, id, 'failures'), signal).then(({ items }) => items),
    placeholderData: before => before,
    staleTime: Number.POSITIVE_INFINITY,
  })

export const outputUrl = (kind: Kind, id: string, ...index: number[]): string => at(kind, id, 'output', ...index)

/** The same with a mark of its content: a retry may bring another file to the same address. */
export const versioned = (url: string, sha256: string | null | undefined): string =>
  query(url, { v: sha256?.slice(0, 12) })

/** The file that was sent in; of a group, for one of its configurations. */
export const inputUrl = (kind: Kind, id: string, ...index: number[]): string => at(kind, id, 'input', ...index)

/** A small picture. `version` keeps a browser from showing what was there before a retry. */
export const thumbnailUrl = (kind: Kind, id: string, which: (number | 'input')[], version: string | null): string =>
  query(at(kind, id, 'thumbnail', ...which), { v: version })

/** The whole picture in its own shape, within so many pixels; of a video a frame. */
export const screenUrl = (
  kind: Kind,
  id: string,
  which: (number | 'input')[],
  sha256: string | null | undefined,
  size: 640 | 1280 | 2048,
): string => query(at(kind, id, 'thumbnail', ...which), { size, v: sha256?.slice(0, 12) })
