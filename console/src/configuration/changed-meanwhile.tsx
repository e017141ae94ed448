// Somebody else saved it first: both sides field by field, and the choice between them.

import { useState } from 'react'
import type { Read } from '../api/configurations.ts'
import type { Configuration, Json } from '../api/shapes.ts'
import { fieldWords } from '../form/words.ts'
import { Button } from '../parts/button.tsx'
import { classes } from '../parts/classes.ts'
import { Card, CardTitle } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { t } from '../words/t.ts'
import { differences, merged, type Side } from './difference.ts'

interface Props {
  name: string
  /** What both began from. */
  before: Configuration
  mine: Configuration
  theirs: Read
  busy: boolean
  onTakeTheirs(): void
  /** Writes this over what they saved. */
  onSave(configuration: Configuration): void
}

export function ChangedMeanwhile({ name, before, mine, theirs, busy, onTakeTheirs, onSave }: Props) {
  const all = differences(before, mine, theirs.value)
  const [chosen, setChosen] = useState<Record<string, Side>>({})
  const sideOf = (field: string): Side => {
    const own = all.find(one => one.field === field)
    return chosen[field] ?? (own?.by === 'theirs' ? 'theirs' : 'mine')
  }
  return (
    <Card className="border-warn/50">
      <CardTitle>{t('Changed meanwhile')}</CardTitle>
      <div role="alert" className="space-y-4 p-4">
        <p dir="auto">
          {t(
            'Somebody else saved “{name}”. Nothing of yours is lost, and nothing of theirs was overwritten. Choose what it shall be.',
            { name },
          )}
        </p>
        {theirs.value.updated_at && (
          <p className="text-[14px] text-soft">
            {t('Their time: {when}', { when: <Ago at={theirs.value.updated_at} /> })}
          </p>
        )}
        {all.length === 0 ? (
          <p className="text-soft">{t('Both sides say the same now.')}</p>
        ) : (
          <div className="space-y-2">
            {all.map(({ field, mine, theirs, by }) => (
              <fieldset key={field} className="rounded-lg border border-line p-3">
                <legend className="px-1 text-[14px] font-semibold">
                  {fieldWords(field)}
                  {by === 'both' && <span className="font-normal text-warn"> {t('changed by both')}</span>}
                </legend>
                <div className="grid gap-2 sm:grid-cols-2">
                  {(['mine', 'theirs'] as const).map(side => (
                    <Choice
                      key={side}
                      name={field}
                      words={side === 'mine' ? t('Yours|side') : t('Theirs')}
                      value={side === 'mine' ? mine : theirs}
                      checked={sideOf(field) === side}
                      onChoose={() => setChosen({ ...chosen, [field]: side })}
                    />
                  ))}
                </div>
              </fieldset>
            ))}
          </div>
        )}
        <div className="flex flex-wrap gap-2">
          <Button look="primary" busy={busy} onClick={() => onSave(merged(theirs.value, all, sideOf))}>
            {t('Save this choice')}
          </Button>
          <Button disabled={busy} onClick={onTakeTheirs}>
            {t('Take theirs')}
          </Button>
          <Button disabled={busy} onClick={() => onSave(merged(theirs.value, all, () => 'mine'))}>
            {t('Keep mine')}
          </Button>
        </div>
      </div>
    </Card>
  )
}

export const valueWords = (value: Json | undefined): string =>
  value === undefined || value === null || value === ''
    ? t('not set')
    : typeof value === 'string'
      ? value
      : JSON.stringify(value, null, 1)

function Choice({
  name,
  words,
  value,
  checked,
  onChoose,
}: {
  name: string
  words: string
  value: Json | undefined
  checked: boolean
  onChoose(): void
}) {
  return (
    <label
      className={classes(
        'flex min-h-11 gap-2.5 rounded-lg border p-2.5',
        checked ? 'border-ink bg-well' : 'border-line',
      )}
    >
      <input
        type="radio"
        name={name}
        checked={checked}
        onChange={onChoose}
        className="mt-1 size-4.5 shrink-0 accent-ink"
      />
      <span className="min-w-0">
        <span className="block text-[13px] text-soft">{words}</span>
        <span
          dir="auto"
          className="block max-h-40 overflow-auto text-[14.5px] whitespace-pre-wrap [overflow-wrap:anywhere]"
        >
          {valueWords(value)}
        </span>
      </span>
    </label>
  )
}
