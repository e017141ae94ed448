// Search by id or guest: an id is looked up directly, a guest through their profile and what was made for it.
import { useQuery } from '@tanstack/react-query'
import { ApiError, at, get, query } from './client.ts'
import { findProfiles } from './people.ts'
import type { List, Profile, Task, TaskGroup } from './shapes.ts'

interface Guest {
  profile: Profile
  tasks: Task[]
  groups: TaskGroup[]
}

export interface Found {
  task: Task | null
  group: TaskGroup | null
  guests: Guest[]
}

const MOST = 20

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
export const looksLikeId = (text: string): boolean => UUID.test(text)

const orNull = <T>(asked: Promise<T>): Promise<T | null> =>
  asked.catch(error => {
    if (error instanceof ApiError && error.status < 500 && error.status !== 401) return null
    throw error
  })

/** Everything that ended and was made for them, failed or not. */
export async function madeFor(profile: Profile, signal: AbortSignal): Promise<Guest> {
  const filters = { profile_id: profile.profile_id, limit: MOST }
  const [tasks, groups] = await Promise.all([
    get<List<Task>>(query(at('task'), filters), signal),
    get<List<TaskGroup>>(query(at('taskgroup'), filters), signal),
  ])
  return { profile, tasks: tasks.items, groups: groups.items }
}

async function find(text: string, signal: AbortSignal): Promise<Found> {
  if (looksLikeId(text)) {
    const [task, group, profile] = await Promise.all([
      orNull(get<Task>(at('task', text), signal)),
      orNull(get<TaskGroup>(at('taskgroup', text), signal)),
      orNull(get<Profile>(at('profile', text), signal)),
    ])
    return { task, group, guests: profile ? [await madeFor(profile, signal)] : [] }
  }
  const profiles = await findProfiles(text, signal)
  return { task: null, group: null, guests: await Promise.all(profiles.map(profile => madeFor(profile, signal))) }
}

export const useSearch = (text: string) =>
  useQuery({ queryKey: ['search', text], queryFn: ({ signal }) => find(text, signal), enabled: text.length > 2 })
