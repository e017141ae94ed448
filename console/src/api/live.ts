// Live views: one task and the whole list, each through its event stream.
import { type InfiniteData, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { at, get, query } from './client.ts'
import { isReachable } from './connection.ts'
import { idOf, mergeHead, withoutGone } from './merge.ts'
import type { Entry, List } from './shapes.ts'
import { useStream } from './stream.ts'
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

/** Follows one task until it ends; a broken stream opens again by itself and goes on where it was. */
export function useTaskEvents(kind: Kind, id: string, open: boolean): void {
  const client = useQueryClient()
  const handlers = useMemo(() => {
    const key = [kind, 'one', id]
    const change = (update: (old: Either) => Either) =>
      client.setQueryData<Either>(key, old => (old ? update(old) : old))
    return {
      task: (data: unknown) => change(old => ({ ...old, ...(data as Partial<Either>) }) as Either),
      entry: (data: unknown) => change(old => applyEntry(old, data as EntryEvent)),
      end: () => {
        void client.invalidateQueries({ queryKey: key })
        void client.invalidateQueries({ queryKey: ['callback'] })
        void client.invalidateQueries({ queryKey: ['activity'] })
      },
    }
  }, [client, kind, id])
  useStream(open ? at(kind, id, 'events') : null, handlers)
}

/** Scrolled down this far, somebody is reading. */
const READING_PX = 240

/** At most one look at the list in this time, however much happens. */
const PAUSE_MS = 700
/** For what no event tells, like a task that only waits. */
const ANYWAY_MS = 8000

/** Keeps a task list live. New tasks wait in `held` while the reader is further down, so nothing moves under their eyes. */
export function useLiveList<T extends Either>(kind: Kind, filters: TaskFilters, enabled: boolean) {
  const client = useQueryClient()
  const [held, setHeld] = useState<T[]>([])
  const lookSoon = useRef<() => void>(() => {})

  useEffect(() => {
    setHeld([])
    if (!enabled) return
    const listKey = [kind, 'list', filters]
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let due = Number.POSITIVE_INFINITY
    const plan = (ms: number) => {
      if (stop.signal.aborted || Date.now() + ms >= due) return
      clearTimeout(timer)
      due = Date.now() + ms
      timer = setTimeout(look, ms)
    }
    const look = async () => {
      due = Number.POSITIVE_INFINITY
      if (!document.hidden && isReachable()) {
        const head = await get<List<T>>(query(at(kind), { ...filters, limit: PAGE }), stop.signal).catch(() => null)
        // A page that is on its way will be put behind the pages of before: what is merged now would be lost.
        if (client.isFetching({ queryKey: listKey, exact: true }) > 0) return plan(PAUSE_MS)
        const known = client.getQueryData<InfiniteData<List<T>>>(listKey)
        if (head && known) {
          const ids = new Set(known.pages.flatMap(page => page.items.map(idOf)))
          const reading = window.scrollY > READING_PX
          client.setQueryData(
            listKey,
            reading
              ? mergeHead(
                  known,
                  head.items.filter(task => ids.has(idOf(task))),
                )
              : withoutGone(mergeHead(known, head.items), head),
          )
          setHeld(reading ? head.items.filter(task => !ids.has(idOf(task))) : [])
        }
      }
      plan(ANYWAY_MS)
    }
    lookSoon.current = () => plan(PAUSE_MS)
    plan(ANYWAY_MS)
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [client, kind, filters, enabled])

  const handlers = useMemo(() => {
    const soon = () => lookSoon.current()
    return { changed: soon, missed: soon, open: soon }
  }, [])
  useStream(enabled ? at(kind, 'events') : null, handlers)

  const release = () => {
    client.setQueryData<InfiniteData<List<T>>>([kind, 'list', filters], old => (old ? mergeHead(old, held) : old))
    setHeld([])
    window.scrollTo({ top: 0 })
  }
  return { held: held.length, release }
}
