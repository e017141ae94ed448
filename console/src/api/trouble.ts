// What needs a hand: asked again and again, also while nobody looks, because alarms come from it.
import { useQuery } from '@tanstack/react-query'
import { rememberWorkers } from '../overview/workers-gone.ts'
import { get, query } from './client.ts'
import type { Trouble } from './shapes.ts'

/** While somebody looks at it, and while it is only listened for. */
const WATCHED_MS = 5000
const HEARD_MS = 15_000

export const useTrouble = (experience: string | null, watched = true) =>
  useQuery({
    queryKey: ['trouble', experience],
    queryFn: async ({ signal }) => {
      const trouble = await get<Trouble>(query('/api/trouble/', { experience_id: experience }), signal)
      rememberWorkers(trouble)
      return trouble
    },
    refetchInterval: watched ? WATCHED_MS : HEARD_MS,
    refetchIntervalInBackground: true,
    placeholderData: (before, last) => (last?.queryKey[1] === experience ? before : undefined),
  })
