// A new configuration begins with its experience: one that is there, or one that is made now.

import { Ticket } from 'lucide-react'
import { useState } from 'react'
import type { Experience } from '../api/shapes.ts'
import { Button } from '../parts/button.tsx'
import { Loading } from '../parts/notes.tsx'
import { Card, CardTitle } from '../parts/page.tsx'
import { t } from '../words/t.ts'
import { MakeExperience } from './picker.tsx'

interface Props {
  experiences: readonly Experience[] | undefined
  onChoose(id: string, name: string | null): void
  /** For all experiences; left out where that can't be. */
  onShare?: () => void
}

export function FirstExperience({ experiences, onChoose, onShare }: Props) {
  const [making, setMaking] = useState(false)
  const open = experiences?.filter(({ archived }) => !archived)
  const isMaking = making || open?.length === 0
  return (
    <Card className="mx-auto max-w-2xl">
      <CardTitle>{t('Which experience is it for?')}</CardTitle>
      <div className="space-y-4 p-4">
        <p className="text-soft">
          {t('An experience is an event or an attraction, with its own settings, assets and guests.')}
        </p>
        {!open && <Loading />}
        {open && !isMaking && (
          <ul className="grid max-h-80 gap-2 overflow-y-auto p-0.5 sm:grid-cols-2">
            {open.map(({ experience_id, name }) => (
              <li key={experience_id}>
                <button
                  type="button"
                  onClick={() => onChoose(experience_id, name)}
                  className="flex min-h-14 w-full items-center gap-3 rounded-lg border border-line px-3 py-2 text-left hover:border-ink"
                >
                  <Ticket aria-hidden className="size-5 shrink-0" strokeWidth={1.6} />
                  <span className="min-w-0">
                    <span dir="auto" className="block truncate font-semibold">
                      {name ?? experience_id}
                    </span>
                    {name && <span className="block truncate font-mono text-[12px] text-soft">{experience_id}</span>}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )}
        {open && isMaking && (
          <MakeExperience
            onMade={(id, { name }) => onChoose(id, name)}
            {...(open.length > 0 ? { onCancel: () => setMaking(false) } : {})}
          />
        )}
        {open && !isMaking && (
          <div className="flex flex-wrap gap-2">
            <Button onClick={() => setMaking(true)}>{t('Make a new one')}</Button>
            {onShare && <Button onClick={onShare}>{t('For all experiences')}</Button>}
          </div>
        )}
      </div>
    </Card>
  )
}
