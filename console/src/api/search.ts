// Search: by any part of a name through the service's own search, and a guest with everything that was made for them.
import { useQuery } from '@tanstack/react-query'
import { at, get, query } from './client.ts'
import { all } from './configurations.ts'
import type { Asset, Configuration, Profile, Task, TaskGroup } from './shapes.ts'

interface Some<T> {
  items: T[]
  more: boolean
}

export interface Everything {
  profiles: Some<Profile>
  tasks: Some<Task>
  taskgroups: Some<TaskGroup>
  configurations: Some<Configuration>
  assets: Some<Asset>
}

/** Two characters or more. */
export const searchEverything = (text: string, signal: AbortSignal): Promise<Everything> =>
  get<Everything>(query('/api/search/', { q: text }), signal)

interface Guest {
  profile: Profile
  tasks: Task[]
  groups: TaskGroup[]
}

export interface Found {
  guests: Guest[]
  tasks: Task[]
  groups: TaskGroup[]
  configurations: Configuration[]
  /** More was found than is shown. */
  more: boolean
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
export const looksLikeId = (text: string): boolean => UUID.test(text)

/** Guests of whom all that was made is shown. */
const GUESTS = 5

/** Everything that ended and was made for them, failed or not. */
export async function madeFor(profile: Profile, signal: AbortSignal): Promise<Guest> {
  const filters = { profile_id: profile.profile_id }
  const [tasks, groups] = await Promise.all([
    all<Task>(query(at('task'), filters), signal),
    all<TaskGroup>(query(at('taskgroup'), filters), signal),
  ])
  return { profile, tasks, groups }
}

async function find(text: string, signal: AbortSignal): Promise<Found> {
  const [{ profiles, tasks, taskgroups, configurations }, byId] = await Promise.all([
    searchEverything(text, signal),
    looksLikeId(text) ? get<Profile>(at('profile', text), signal).catch(() => null) : null,
  ])
  const known = [...(byId ? [byId] : []), ...profiles.items].slice(0, GUESTS)
  const guests = await Promise.all(known.map(profile => madeFor(profile, signal)))
  return {
    guests,
    tasks: tasks.items,
    groups: taskgroups.items,
    configurations: configurations.items,
    more: profiles.more || profiles.items.length > GUESTS || tasks.more || taskgroups.more,
  }
}

export const useSearch = (text: string) =>
  useQuery({ queryKey: ['search', text], queryFn: ({ signal }) => find(text, signal), enabled: text.length > 1 })
