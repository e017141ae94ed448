// The way to save settings, and what stands in its way.

import { Save } from 'lucide-react'
import { LostConnection } from '../api/client.ts'
import { useMay } from '../api/session.ts'
import { fieldWords } from '../form/words.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote, Notice } from '../parts/notes.tsx'
import { t } from '../words/t.ts'
import type { BothSides } from './use-settings.ts'

interface Props {
  error: unknown
  isDirty: boolean
  isConflict: boolean
  both: readonly BothSides[]
  isPending: boolean
  submitAnyway(): void
  takeTheirs(): Promise<void>
}

export function SaveRow({ error, isDirty, isConflict, both, isPending, submitAnyway, takeTheirs }: Props) {
  const may = useMay('write')
  if (isConflict)
    return (
      <Notice title={t('Changed meanwhile')}>
        <p>{t('Somebody else saved settings of this experience. Only what you changed here would be written.')}</p>
        <dl aria-label={t('What differs')} className="mt-2 space-y-2 text-ink">
          {both.map(({ field, mine, theirs }) => (
            <div key={field} className="rounded-lg border border-line bg-card p-2.5">
              <dt className="text-[14px] font-semibold">{fieldWords(field)}</dt>
              <dd className="mt-1 grid gap-x-4 gap-y-1 sm:grid-cols-2">
                <Side words={t('Yours|side')} value={mine} />
                <Side words={t('Theirs')} value={theirs} />
              </dd>
            </div>
          ))}
        </dl>
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

const Side = ({ words, value }: { words: string; value: string | null }) => (
  <span className="min-w-0">
    <span className="block text-[13px] text-soft">{words}</span>
    <span dir="auto" className="block text-[14.5px] whitespace-pre-wrap [overflow-wrap:anywhere]">
      {value ?? t('as before')}
    </span>
  </span>
)
