// After a delete: it is gone from the list, and one press brings it back.

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Undo2 } from 'lucide-react'
import { useLocation, useNavigate } from 'react-router'
import { at, send } from '../api/client.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { announce } from '../parts/toast.tsx'
import { t } from '../words/t.ts'

/** Carried along to the list. */
export const deletedState = (name: string) => ({ deletedConfiguration: name })

export function DeletedNote() {
  const client = useQueryClient()
  const navigate = useNavigate()
  const { state } = useLocation() as { state: { deletedConfiguration?: string } | null }
  const name = state?.deletedConfiguration
  const undo = useMutation({
    mutationFn: (gone: string) => send('POST', at('configuration', gone, 'undelete')),
    onSuccess: async (_answer, gone) => {
      await client.invalidateQueries({ queryKey: ['configuration'] })
      announce(t('“{gone}” is back.', { gone }))
      await navigate('.', { replace: true, state: null })
    },
  })
  if (name === undefined) return null
  return (
    <div className="mb-4 space-y-2">
      <div className="flex flex-wrap items-center justify-between gap-3 rounded-lg border border-line bg-card px-4 py-2.5">
        <p dir="auto" role="status">
          {t('“{name}” is deleted. It is kept for 30 days.', { name })}
        </p>
        <Button icon={Undo2} busy={undo.isPending} onClick={() => undo.mutate(name)}>
          {t('Undo')}
        </Button>
      </div>
      {undo.isError && <ErrorNote error={undo.error} title={t('It did not come back')} />}
    </div>
  )
}
