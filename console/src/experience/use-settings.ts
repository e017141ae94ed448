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

function bothSides(read: Experience, body: object, now: Experience): BothSides[] {
  const before = read as unknown as JsonObject
  const become = (after: JsonObject) => new Map(changesOf({ before, after }).map(one => [one.field, one.after]))
  const [mine, theirs] = [become(laidOver(before, body as JsonObject)), become(now as unknown as JsonObject)]
  return [...new Set([...mine.keys(), ...theirs.keys()])].map(field => ({
    field,
    mine: mine.get(field) ?? null,
    theirs: theirs.get(field) ?? null,
  }))
}

export function useSettings<Settings extends object>(
  read: ReadExperience,
  start: Settings,
  bodyOf: (s: Settings) => object,
) {
  const client = useQueryClient()
  const [settings, setSettings] = useState(start)
  const id = read.value.experience_id
  const isDirty = JSON.stringify(settings) !== JSON.stringify(start)
  const [both, setBoth] = useState<BothSides[]>([])
  const save = useMutation({
    mutationFn: async (tag: string | null) => {
      const body = bodyOf(settings)
      try {
        await send('PATCH', at('experience', id), body, tag)
      } catch (error) {
        if (isChanged(error)) setBoth(bothSides(read.value, body, (await readExperience(id)).value))
        throw error
      }
      return readExperience(id)
    },
    onSuccess: async now => {
      client.setQueryData(['experience', 'one', id], now)
      await client.invalidateQueries({ queryKey: ['experience', 'all'] })
      announce(t('The settings are saved.'))
    },
  })
  const isConflict = isChanged(save.error)
  return {
    settings,
    isDirty,
    isConflict,
    both,
    error: save.error,
    isPending: save.isPending,
    change(next: Partial<Settings>) {
      setSettings({ ...settings, ...next })
      if (save.isError) save.reset()
    },
    submit: () => save.mutate(read.tag),
    /** Having been told that somebody else changed it. */
    submitAnyway: () => save.mutate(null),
    async takeTheirs() {
      save.reset()
      client.setQueryData(['experience', 'one', id], await readExperience(id))
    },
  }
}

const isChanged = (error: unknown): boolean => error instanceof ApiError && error.code === 'changed_meanwhile'
