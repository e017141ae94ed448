// The save of a page: one at a time, its outcome, and what somebody else wrote meanwhile.

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { ApiError } from '../api/client.ts'
import { ChangedMeanwhile, refresh } from '../api/configurations.ts'
import type { FieldError } from '../api/shapes.ts'
import { announce } from '../parts/toast.tsx'
import { configurationPage } from '../places.ts'
import { t } from '../words/t.ts'
import type { KeptWork } from './kept-work.ts'
import { saveAll, type Written } from './save-work.ts'
import { errorsOf } from './server-check.ts'
import type { StepNeed } from './steps.ts'

export function useSave(kept: KeptWork, written: readonly Written[], needs: readonly StepNeed[], onFailed: () => void) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [isMarked, setMarked] = useState(false)
  const mutation = useMutation({
    mutationFn: (all: readonly Written[]) => saveAll(all),
    onError: error => {
      onFailed()
      if (error instanceof ChangedMeanwhile)
        client.setQueryData(['configuration', 'one', error.theirs.value.configuration_name], error.theirs)
    },
    onSuccess: (saved, all) => {
      for (const { body } of all) client.removeQueries({ queryKey: ['configuration', 'one', body.configuration_name] })
      refresh(client, saved)
      const isNew = !all.at(-1)?.read
      announce(t('“{name}” is saved.', { name: saved.value.configuration_name }))
      setMarked(false)
      if (!isNew) return kept.settle(saved)
      // What comes next begins on the page that has the name.
      kept.forget()
      void navigate(configurationPage(saved.value.configuration_name), { replace: true })
    },
  })
  const { error } = mutation
  const conflict = error instanceof ChangedMeanwhile ? error.theirs : undefined
  const told = error instanceof ApiError ? errorsOf(error, written) : []
  const stepErrors: Record<string, FieldError[]> = {}
  for (const one of told) {
    const key = written[one.index]?.key
    if (typeof key === 'string') stepErrors[key] = [...(stepErrors[key] ?? []), one]
  }
  return {
    error: mutation.error,
    isPending: mutation.isPending,
    conflict,
    /** After a refused save also what is still empty is marked, until something changes. */
    errors: told.filter(({ index }) => index === written.length - 1) as FieldError[],
    stepErrors,
    isMarked,
    /** What must be there and is not, said when somebody tried to save without it. */
    lacking: isMarked ? needs.filter(({ how }) => how === 'must') : [],
    submit() {
      setMarked(true)
      if (needs.some(({ how }) => how === 'must')) return onFailed()
      mutation.mutate(written)
    },
    /** Writes over what somebody else saved, having seen it. */
    resolve(all: readonly Written[]) {
      mutation.mutate(all)
    },
    /** Nothing that a save said holds any longer. */
    forget() {
      if (error && !conflict) mutation.reset()
    },
    drop: () => mutation.reset(),
  }
}

export type Saving = ReturnType<typeof useSave>
