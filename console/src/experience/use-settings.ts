// Settings of an experience while they are changed: only what differs is sent, and only over what was read.

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, at, getTagged, send } from '../api/client.ts'
import type { Experience, Json, JsonObject } from '../api/shapes.ts'
import { changesOf, isObject } from '../history/changes.ts'
import { announce } from '../parts/toast.tsx'
import { t } from '../words/t.ts'

export interface ReadExperience {
  value: Experience
  tag: string | null
}

export const readExperience = (id: string, signal?: AbortSignal): Promise<ReadExperience> =>
  getTagged<Experience>(at('experience', id), signal)

/** A field that somebody changed: what it becomes on either side; null: that side left it alone. */
export interface BothSides {
  field: string
  mine: string | null
  theirs: string | null
}

/** As the service does: objects are joined, everything else is replaced. */
function laidOver(below: JsonObject, above: JsonObject): JsonObject {
  const joined = Object.entries(above).map(([name, over]): [string, Json] => {
    const under = below[name]
    return [name, isObject(under) && isObject(over) ? laidOver(under, over) : over]
  })
  return { ...below, ...Object.fromEntries(joined) }
}

/** No form changes the secret, and it is not to be read off a screen. */
const shown = ({ webhook_secret: _secret, ...settings }: Experience): JsonObject => settings as unknown as JsonObject

function bothSides(read: Experience, body: object, now: Experience): BothSides[] {
  const before = shown(read)
  const become = (after: JsonObject) => new Map(changesOf({ before, after }).map(one => [one.field, one.after]))
  const [mine, theirs] = [become(laidOver(before, body as JsonObject)), become(shown(now))]
  return [...new Set([...mine.keys(), ...theirs.keys()])].map(field => ({
    field,
    mine: mine.get(field) ?? null,
    theirs: theirs.get(field) ?? null,
  }))
}

/** What somebody changed, and over what: somebody else may change the same meanwhile. */
interface Work<Settings> {
  edits: Partial<Settings>
  over: { read: ReadExperience; start: Settings }
}

/** What somebody changed stays when a newer state comes, until it is saved itself. */
export function useSettings<Settings extends object>(
  read: ReadExperience,
  start: Settings,
  bodyOf: (s: Settings) => object,
) {
  const client = useQueryClient()
  const [{ edits, over }, setWork] = useState<Work<Settings>>({ edits: {}, over: { read, start } })
  const [saved, setSaved] = useState<{ edits: Partial<Settings>; tag: string | null } | null>(null)
  const id = read.value.experience_id
  const settings = { ...start, ...edits }
  const isDirty = JSON.stringify(settings) !== JSON.stringify(start)
  const [both, setBoth] = useState<BothSides[]>([])
  const save = useMutation({
    mutationFn: async (sent: Pick<Work<Settings>, 'edits'> & { tag: string | null }) => {
      const body = bodyOf({ ...start, ...sent.edits })
      try {
        await send('PATCH', at('experience', id), body, sent.tag)
      } catch (error) {
        if (isChanged(error)) setBoth(bothSides(over.read.value, body, (await readExperience(id)).value))
        throw error
      }
      return readExperience(id)
    },
    onSuccess: async (now, sent) => {
      setSaved({ edits: sent.edits, tag: now.tag })
      client.setQueryData(['experience', 'one', id], now)
      await client.invalidateQueries({ queryKey: ['experience', 'all'] })
      announce(t('The settings are saved.'))
    },
  })
  if (saved && saved.tag === read.tag) {
    // What was saved shows in what is read now. What was typed since then stays.
    setSaved(null)
    setWork({ edits: without(edits, saved.edits), over: { read, start } })
  } else if (read !== over.read && isUntouched(edits, over.start, start)) setWork({ edits, over: { read, start } })
  const isConflict = isChanged(save.error)
  return {
    settings,
    isDirty,
    isConflict,
    both,
    error: save.error,
    isPending: save.isPending,
    change(next: Partial<Settings>) {
      setWork({ edits: { ...edits, ...next }, over })
      if (save.isError) save.reset()
    },
    submit: () => save.mutate({ tag: over.read.tag, edits }),
    /** Having been told that somebody else changed it. */
    submitAnyway: () => save.mutate({ tag: null, edits }),
    async takeTheirs() {
      const now = await readExperience(id)
      save.reset()
      setWork({ edits: {}, over })
      client.setQueryData(['experience', 'one', id], now)
    },
  }
}

/** Whether nobody else changed what was changed here. */
const isUntouched = <Settings extends object>(edits: Partial<Settings>, before: Settings, now: Settings): boolean =>
  Object.keys(edits).every(name => before[name as keyof Settings] === now[name as keyof Settings])

const without = <Fields extends object>(fields: Partial<Fields>, gone: Partial<Fields>): Partial<Fields> =>
  Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value !== gone[name as keyof Fields]),
  ) as Partial<Fields>

const isChanged = (error: unknown): boolean => error instanceof ApiError && error.code === 'changed_meanwhile'
