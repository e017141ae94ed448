// What a save came to, where it is not simply done.

import { Save } from 'lucide-react'
import { LostConnection } from '../api/client.ts'
import type { Configuration } from '../api/shapes.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { t } from '../words/t.ts'
import { ChangedMeanwhile } from './changed-meanwhile.tsx'
import type { KeptWork, Work } from './kept-work.ts'
import { toWrite } from './save-work.ts'
import { shownName } from './step-names.ts'
import type { Saving } from './use-save.ts'

export function SaveNotes({ saving, kept }: { saving: Saving; kept: KeptWork }) {
  const { error, conflict, lacking } = saving
  if (conflict) return <Conflict saving={saving} kept={kept} theirs={conflict} />
  if (lacking.length > 0)
    return (
      <div role="alert" className="rounded-lg border border-fail/30 bg-fail-bg px-4 py-3 text-fail">
        <p className="font-semibold">{t('It was not saved: something required is empty')}</p>
        <ul className="list-disc pl-5">
          {lacking.map(({ step, field, label }) => (
            <li key={`${step.name} ${field}`} dir="auto">
              {kept.work.configuration.call_chain
                ? t('{label}, of the step “{name}”', { label, name: shownName(step.name, step.configuration) })
                : label}
            </li>
          ))}
        </ul>
      </div>
    )
  if (!error) return null
  return (
    <div className="space-y-2">
      <ErrorNote error={error} title={t('It was not saved')} />
      {error instanceof LostConnection && (
        <p className="flex flex-wrap items-center gap-3">
          <Button icon={Save} busy={saving.isPending} onClick={saving.submit}>
            {t('Save again')}
          </Button>
          <span className="text-soft">{t('What you wrote is kept on this page. Nothing is sent until you save.')}</span>
        </p>
      )}
    </div>
  )
}

/** It may be the configuration itself or one of its steps. */
function Conflict({
  saving,
  kept,
  theirs,
}: {
  saving: Saving
  kept: KeptWork
  theirs: NonNullable<Saving['conflict']>
}) {
  const { work, read } = kept
  const name = theirs.value.configuration_name
  const step = name === work.configuration.configuration_name ? undefined : work.steps[name]
  const before = step ? step.read : read
  if (!before) return <ErrorNote error={saving.error} title={t('It was not saved')} />
  const withStep = (configuration: Configuration): Work => ({
    ...work,
    steps: { ...work.steps, [name]: { configuration, read: theirs } },
  })
  return (
    <ChangedMeanwhile
      name={name}
      before={before.value}
      mine={step ? step.configuration : work.configuration}
      theirs={theirs}
      busy={saving.isPending}
      onTakeTheirs={() => {
        saving.drop()
        if (step) kept.change(withStep(theirs.value))
        else if (Object.keys(work.steps).length === 0) kept.settle(theirs)
        else kept.rebase(theirs, { ...work, configuration: theirs.value })
      }}
      onSave={configuration => {
        const next = step ? withStep(configuration) : { ...work, configuration }
        const now = step ? read : theirs
        kept.rebase(now, next)
        saving.resolve(toWrite(next, now, new Set()))
      }}
    />
  )
}
