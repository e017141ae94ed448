// Everything that was made for a guest, read in few requests.
import { useQuery } from '@tanstack/react-query'
import { at, query } from '../api/client.ts'
import { all } from '../api/configurations.ts'
import type { Task, TaskGroup } from '../api/shapes.ts'
import type { Either, Kind } from '../api/tasks.ts'
import { filesOf, type TaskSight } from '../task/sights.ts'

export interface Made {
  kind: Kind
  task: Either
}

/** By the id of the task. `newest`: the newest activity, so that what it is of is read as well. */
export const useMade = (profileId: string, newest: string | undefined) =>
  useQuery({
    queryKey: ['made', profileId, newest],
    queryFn: async ({ signal }) => {
      const of = (kind: Kind) => query(at(kind), { profile_id: profileId })
      const [tasks, groups] = await Promise.all([
        all<Task>(of('task'), signal),
        all<TaskGroup>(of('taskgroup'), signal),
      ])
      return new Map<string, Made>([
        ...tasks.map((task): [string, Made] => [task.task_id, { kind: 'task', task }]),
        ...groups.map((task): [string, Made] => [task.task_id, { kind: 'taskgroup', task }]),
      ])
    },
    enabled: newest !== undefined,
    placeholderData: before => before,
    staleTime: 60_000,
  })

/** The newest file of it; null if it has none, or they are past their time. */
export function lastSight({ task }: Made): TaskSight | null {
  return filesOf(task).findLast(({ src }) => src.includes('/output/')) ?? null
}
