// Puts the newest page of a list into what is already loaded, without asking for the rest again.
import type { InfiniteData } from '@tanstack/react-query'
import type { List } from './shapes.ts'

type Loaded<T> = InfiniteData<List<T>>
type Listed = { task_id: string; created_at: string }

export const idOf = (either: Listed): string => either.task_id

/** Changed tasks where they are, new ones on top. */
export function mergeHead<T extends Listed>(data: Loaded<T>, head: T[]): Loaded<T> {
  const news = new Map(head.map(task => [idOf(task), task]))
  const pages = data.pages.map(page => ({
    ...page,
    items: page.items.map(task => {
      const changed = news.get(idOf(task))
      news.delete(idOf(task))
      return changed ?? task
    }),
  }))
  const fresh = head.filter(task => news.has(idOf(task)))
  const [first, ...rest] = pages
  return first ? { ...data, pages: [{ ...first, items: [...fresh, ...first.items] }, ...rest] } : data
}

/** Without those that the filter no longer lets through: the head reaches back past them and does not hold them. */
export function withoutGone<T extends Listed>(data: Loaded<T>, head: List<T>): Loaded<T> {
  const there = new Set(head.items.map(idOf))
  const reaches = head.next_cursor === null ? '' : (head.items.at(-1)?.created_at ?? '')
  const stays = (task: T) => there.has(idOf(task)) || task.created_at <= reaches
  return { ...data, pages: data.pages.map(page => ({ ...page, items: page.items.filter(stays) })) }
}
