// Live views: one task through its event stream, the list through a light look at its head.
import { type InfiniteData, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { at, get, query } from './client.ts'
import { isReachable } from './connection.ts'
import type { Entry, List, Task, TaskGroup } from './shapes.ts'
import { type Either, isGroup, type Kind, PAGE, type TaskFilters } from './tasks.ts'

const withEntry = (entries: Entry[], entry: Entry): Entry[] =>
  entries.map(old => (old.index === entry.index ? { ...old, ...entry } : old))

/** An `entry` event of a group also says in which configuration it happened. */
type EntryEvent = Entry & { chain_id?: string; task_index?: number }

function applyEntry(either: Either, entry: EntryEvent): Either {
  if (!isGroup(either)) return { ...either, entries: withEntry(either.entries, entry) }
  const tasks = either.tasks.map(member =>
    member.chain_id === entry.chain_id ? { ...member, entries: withEntry(member.entries, entry) } : member,
  )
  return { ...either, tasks }
}

/** Follows one task until it ends; the browser reopens a broken stream by itself and goes on where it was. */
export function useTaskEvents(kind: Kind, id: string, open: boolean): void {
  const client = useQueryClient()
  useEffect(() => {
    if (!open) return
    const key = [kind, 'one', id]
    const stream = new EventSource(at(kind, id, 'events'))
    const change = (update: (old: Either) => Either) =>
      client.setQueryData<Either>(key, old => (old ? update(old) : old))
    const parse = <T>(event: Event): T => JSON.parse((event as MessageEvent<string>).data) as T
    stream.addEventListener('task', event =>
      change(old => ({ ...old, ...parse<Partial<Task> & Partial<TaskGroup>>(event) }) as Either),
    )
    stream.addEventListener('entry', event => change(old => applyEntry(old, parse<EntryEvent>(event))))
    stream.addEventListener('end', () => {
      stream.close()
      void client.invalidateQueries({ queryKey: key })
      void client.invalidateQueries({ queryKey: ['callback'] })
      void client.invalidateQueries({ queryKey: ['activity'] })
    })
    return () => stream.close()
  }, [client, kind, id, open])
}

const idOf = (either: Either): string => either.task_id

/** Puts news into the loaded pages: changed tasks where they are, new ones on top. */
export function mergeHead<T extends Either>(data: InfiniteData<List<T>>, head: T[]): InfiniteData<List<T>> {
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

const EVERY_MS = 2000

/** Keeps a task list live. New tasks wait in `held` while the reader is further down, so nothing moves under their eyes. */
export function useLiveList<T extends Either>(kind: Kind, filters: TaskFilters, enabled: boolean) {
  const client = useQueryClient()
  const [held, setHeld] = useState<T[]>([])
  const key = JSON.stringify([kind, filters])
  const stale = useRef(key)
  if (stale.current !== key) {
    stale.current = key
    if (held.length > 0) setHeld([])
  }

  useEffect(() => {
    if (!enabled) return
    const listKey = [kind, 'list', filters]
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout>
    const look = async () => {
      if (!document.hidden && isReachable()) {
        try {
          const head = await get<List<T>>(query(at(kind), { ...filters, limit: PAGE }), stop.signal)
          const known = client.getQueryData<InfiniteData<List<T>>>(listKey)
          if (known) {
            const ids = new Set(known.pages.flatMap(page => page.items.map(idOf)))
            const fresh = head.items.filter(task => !ids.has(idOf(task)))
            const reading = window.scrollY > 240
            client.setQueryData(
              listKey,
              mergeHead(known, reading ? head.items.filter(task => ids.has(idOf(task))) : head.items),
            )
            setHeld(reading ? fresh : [])
          }
        } catch {
          // The client has reported a lost connection already; the next look heals it.
        }
      }
      if (!stop.signal.aborted) timer = setTimeout(look, EVERY_MS)
    }
    timer = setTimeout(look, EVERY_MS)
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [client, kind, filters, enabled])

  const release = () => {
    client.setQueryData<InfiniteData<List<T>>>([kind, 'list', filters], old => (old ? mergeHead(old, held) : old))
    setHeld([])
    window.scrollTo({ top: 0 })
  }
  return { held: held.length, release }
}
