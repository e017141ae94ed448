// Settings of an experience while they are changed: only what differs is sent, and only over what was read.

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, at, getTagged, send } from '../api/client.ts'
import type { Experience } from '../api/shapes.ts'
import { announce } from '../parts/toast.tsx'
import { t } from '../words/t.ts'

export interface ReadExperience {
  value: Experience
  tag: string | null
}

export const readExperience = (id: string, signal?: AbortSignal): Promise<ReadExperience> =>
  getTagged<Experience>(at('experience', id), signal)

export function useSettings<Settings extends object>(
  read: ReadExperience,
  start: Settings,
  bodyOf: (s: Settings) => object,
) {
  const client = useQueryClient()
  const [settings, setSettings] = useState(start)
  const id = read.value.experience_id
  const isDirty = JSON.stringify(settings) !== JSON.stringify(start)
  const save = useMutation({
    mutationFn: async (tag: string | null) => {
      await send('PATCH', at('experience', id), bodyOf(settings), tag)
      return readExperience(id)
    },
    onSuccess: async now => {
      client.setQueryData(['experience', 'one', id], now)
      await client.invalidateQueries({ queryKey: ['experience', 'all'] })
      announce(t('The settings are saved.'))
    },
  })
  const isConflict = save.error instanceof ApiError && save.error.code === 'changed_meanwhile'
  return {
    settings,
    isDirty,
    isConflict,
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
