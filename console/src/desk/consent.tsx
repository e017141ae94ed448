// What a guest agreed to: yes, no, or nothing said.

import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { changeGuest } from '../api/desk.ts'
import type { Profile } from '../api/shapes.ts'
import { classes } from '../parts/classes.ts'
import { ErrorNote } from '../parts/notes.tsx'
import { Card, CardTitle } from '../parts/page.tsx'
import { t } from '../words/t.ts'

const purposes = [
  ['share', t('Share'), t('Pictures may be posted or passed on.')],
  ['wall', t('Wall'), t('Pictures may be on the wall of the event.')],
  ['marketing', t('Marketing'), t('The guest may be written to, and pictures used to advertise.')],
] as const
const words = [
  [true, t('Yes')],
  [false, t('No')],
  [null, t('Not said')],
] as const

export function ConsentCard({ profile, mayChange }: { profile: Profile; mayChange: boolean }) {
  const client = useQueryClient()
  const [changing, setChanging] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(null)
  const say = async (purpose: string, word: boolean | null) => {
    setChanging(purpose)
    setError(null)
    try {
      await changeGuest(profile.profile_id, { consent: { [purpose]: word } })
      await client.invalidateQueries({ queryKey: ['profile'] })
    } catch (refusal) {
      setError(refusal)
    } finally {
      setChanging(null)
    }
  }
  return (
    <Card>
      <CardTitle>{t('Agreed to')}</CardTitle>
      <div className="space-y-4 p-4">
        {purposes.map(([purpose, name, help]) => (
          <fieldset key={purpose} disabled={!mayChange || changing !== null} aria-busy={changing === purpose}>
            <legend className="font-semibold">{name}</legend>
            <p className="mb-1.5 text-[13.5px] text-soft">{help}</p>
            <div className="flex gap-1 rounded-lg border border-line p-1">
              {words.map(([word, label]) => {
                const isSaid = (profile.consent?.[purpose] ?? null) === word
                return (
                  <button
                    key={label}
                    type="button"
                    aria-pressed={isSaid}
                    aria-label={`${name}: ${label}`}
                    onClick={() => !isSaid && void say(purpose, word)}
                    className={classes(
                      'min-h-9 flex-1 px-2 text-[14px] font-semibold whitespace-nowrap',
                      isSaid ? 'marked' : 'rounded-md text-soft enabled:hover:text-ink',
                    )}
                  >
                    {label}
                  </button>
                )
              })}
            </div>
          </fieldset>
        ))}
        {error !== null && <ErrorNote error={error} />}
      </div>
    </Card>
  )
}
