// The way to save settings, and what stands in its way.

import { Save } from 'lucide-react'
import { LostConnection } from '../api/client.ts'
import { useMay } from '../api/session.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote, Notice } from '../parts/notes.tsx'
import { t } from '../words/t.ts'

interface Props {
  error: unknown
  isDirty: boolean
  isConflict: boolean
  isPending: boolean
  submitAnyway(): void
  takeTheirs(): Promise<void>
}

export function SaveRow({ error, isDirty, isConflict, isPending, submitAnyway, takeTheirs }: Props) {
  const may = useMay('write')
  if (isConflict)
    return (
      <Notice title={t('Changed meanwhile')}>
        <p>{t('Somebody else saved settings of this experience. Only what you changed here would be written.')}</p>
        <div className="mt-2 flex flex-wrap gap-2">
          <Button busy={isPending} onClick={submitAnyway}>
            {t('Keep mine')}
          </Button>
          <Button disabled={isPending} onClick={() => void takeTheirs()}>
            {t('Take theirs')}
          </Button>
        </div>
      </Notice>
    )
  return (
    <div className="space-y-2">
      {error !== null && <ErrorNote error={error} title={t('It was not saved')} />}
      <Button type="submit" look="primary" icon={Save} busy={isPending} disabled={!may || !isDirty}>
        {error instanceof LostConnection ? t('Save again') : t('Save')}
      </Button>
    </div>
  )
}
