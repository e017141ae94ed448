// Search by id or guest: an id is looked up directly, a guest through their profile and what it received.
import { useQuery } from '@tanstack/react-query'
import { ApiError, at, get, query } from './client.ts'
import { findProfiles } from './people.ts'
import type { Activity, List, Profile, Task, TaskGroup } from './shapes.ts'

export interface Found {
  task: Task | null
  group: TaskGroup | null
  guests: { profile: Profile; taskIds: string[] }[]
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
export const looksLikeId = (text: string): boolean => UUID.test(text)

const orNull = <T>(asked: Promise<T>): Promise<T | null> =>
  asked.catch(error => {
    if (error instanceof ApiError && error.status < 500 && error.status !== 401) return null
    throw error
  })

async function tasksOf(profile: Profile, signal: AbortSignal) {
  const list = await get<List<Activity>>(query(at('activity'), { owner_id: profile.profile_id, limit: 50 }), signal)
  const ids = list.items.map(({ payload }) => payload.task_id).filter(id => typeof id === 'string')
  return { profile, taskIds: [...new Set(ids)] }
}

async function find(text: string, signal: AbortSignal): Promise<Found> {
  if (looksLikeId(text)) {
    const [task, group, profile] = await Promise.all([
      orNull(get<Task>(at('task', text), signal)),
      orNull(get<TaskGroup>(at('taskgroup', text), signal)),
      orNull(get<Profile>(at('profile', text), signal)),
    ])
    return { task, group, guests: profile ? [await tasksOf(profile, signal)] : [] }
  }
  const profiles = await findProfiles(text, signal)
  return { task: null, group: null, guests: await Promise.all(profiles.map(profile => tasksOf(profile, signal))) }
}

export const useSearch = (text: string) =>
  useQuery({ queryKey: ['search', text], queryFn: ({ signal }) => find(text, signal), enabled: text.length > 2 })
