// What "/" shows: the start page until the first task was made, the overview from then on.
import { useQuery } from '@tanstack/react-query'
import { lazy } from 'react'
import { Navigate } from 'react-router'
import { get } from '../api/client.ts'
import type { List, Task } from '../api/shapes.ts'
import { Loading } from '../parts/notes.tsx'

const Overview = lazy(async () => ({ default: (await import('./overview.tsx')).Overview }))

export function Home() {
  const first = useQuery({
    queryKey: ['any-work'],
    queryFn: async ({ signal }) => {
      const lists = await Promise.all(
        ['/api/task/?limit=1', '/api/taskgroup/?limit=1'].map(path => get<List<Task>>(path, signal)),
      )
      return lists.some(list => list.items.length > 0)
    },
    // Decided when the page opens: a newcomer's result must not be replaced under their eyes.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  if (first.isPending) return <Loading />
  return first.data === false ? <Navigate to="/start" replace /> : <Overview />
}
