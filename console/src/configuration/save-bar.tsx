// Stays in sight while a configuration is being written: what the service would say to it, and the way to save it.

import { Check, LoaderCircle, Save, TriangleAlert, Undo2 } from 'lucide-react'
import { Button } from '../parts/button.tsx'
import { classes } from '../parts/classes.ts'
import { t } from '../words/t.ts'
import type { ServerCheck } from './server-check.ts'
import type { StepNeed } from './steps.ts'

interface Props {
  check: ServerCheck
  needs: readonly StepNeed[]
  busy: boolean
  may: boolean
  onSave(): void
  /** Back to how it was; left out where nothing has changed. */
  onDiscard?: () => void
}

const verdicts = {
  unknown: { icon: null, word: t('Not saved yet'), tone: '' },
  checking: { icon: LoaderCircle, word: t('Checking'), tone: 'text-soft' },
  good: { icon: Check, word: t('Can be saved'), tone: 'text-ok' },
  open: { icon: TriangleAlert, word: t('Can be saved. What is empty comes with the task’s extras'), tone: 'text-warn' },
  incomplete: { icon: TriangleAlert, word: t('Not complete yet'), tone: 'text-soft' },
  lacking: { icon: TriangleAlert, word: t('Something required is empty'), tone: 'text-fail' },
  wrong: { icon: TriangleAlert, word: t('Not right yet'), tone: 'text-fail' },
}

function verdictOf({ state }: ServerCheck, needs: readonly StepNeed[]): keyof typeof verdicts {
  if (state !== 'good') return state
  if (needs.some(({ how }) => how === 'must')) return 'lacking'
  return needs.length > 0 ? 'open' : 'good'
}

export function SaveBar({ check, needs, busy, may, onSave, onDiscard }: Props) {
  const verdict = verdicts[verdictOf(check, needs)]
  const Icon = verdict.icon
  return (
    <div className="sticky bottom-18 z-20 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-card border border-edge bg-card p-2.5 pl-4 shadow-print lg:bottom-4">
      <span role="status" className={classes('flex flex-1 items-center gap-1.5 font-semibold', verdict.tone)}>
        {Icon && (
          <Icon aria-hidden className={classes('size-4 shrink-0', check.state === 'checking' && 'animate-spin')} />
        )}
        {may ? verdict.word : t('This token may not change configurations')}
      </span>
      {onDiscard && (
        <Button look="quiet" icon={Undo2} onClick={onDiscard}>
          <span className="max-sm:sr-only">{t('Discard')}</span>
        </Button>
      )}
      <Button look="primary" icon={Save} busy={busy} disabled={!may} onClick={onSave}>
        {t('Save')}
      </Button>
    </div>
  )
}
