// The newest keepsakes of all events or one: tasks and groups that succeeded, live by their event streams.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { at, get, query } from './client.ts'
import type { List } from './shapes.ts'
import { useStream } from './stream.ts'
import type { Either, Kind } from './tasks.ts'

export interface Keepsake {
  kind: Kind
  task: Either
}

/** At most one look in this time, however much happens. */
const PAUSE_MS = 900
/** Heals what no event told. */
const ANYWAY_MS = 15_000

const ended = ({ task }: Keepsake): string => task.ended_at ?? task.created_at

export function useNewest(experience: string | null, most: number) {
  const client = useQueryClient()
  const key = useMemo(() => ['newest', experience, most], [experience, most])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const handlers = useMemo(() => {
    const soon = () => {
      timer.current ??= setTimeout(() => {
        timer.current = undefined
        void client.invalidateQueries({ queryKey: key })
      }, PAUSE_MS)
    }
    return { changed: soon, missed: soon }
  }, [client, key])
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )
  useStream(at('task', 'events'), handlers)
  useStream(at('taskgroup', 'events'), handlers)
  return useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const lists = await Promise.all(
        (['task', 'taskgroup'] as const).map(async kind => {
          const filters = { status: 'Succeeded', experience_id: experience, limit: most }
          const { items } = await get<List<Either>>(query(at(kind), filters), signal)
          return items.map((task): Keepsake => ({ kind, task }))
        }),
      )
      return lists
        .flat()
        .toSorted((one, other) => (ended(one) < ended(other) ? 1 : -1))
        .slice(0, most)
    },
    refetchInterval: ANYWAY_MS,
    placeholderData: (before, last) => (last?.queryKey[1] === experience ? before : undefined),
  })
}
