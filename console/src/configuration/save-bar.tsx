// Stays in sight while a configuration is being written: what the service would say to it, and the way to save it.
import { Check, LoaderCircle, Save, TriangleAlert, Undo2 } from 'lucide-react'
import { Button } from '../parts/button.tsx'
import { classes } from '../parts/classes.ts'
import type { ServerCheck } from './server-check.ts'

interface Props {
  check: ServerCheck
  busy: boolean
  may: boolean
  onSave(): void
  /** Back to how it was; left out where nothing has changed. */
  onDiscard?: () => void
}

const verdicts = {
  unknown: null,
  checking: { icon: LoaderCircle, word: 'Checking', tone: 'text-soft' },
  good: { icon: Check, word: 'Can be saved', tone: 'text-ok' },
  incomplete: { icon: TriangleAlert, word: 'Not complete yet', tone: 'text-soft' },
  wrong: { icon: TriangleAlert, word: 'Not right yet', tone: 'text-fail' },
}

export function SaveBar({ check, busy, may, onSave, onDiscard }: Props) {
  const verdict = verdicts[check.state]
  const Icon = verdict?.icon
  return (
    <div className="sticky bottom-18 z-20 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-card border border-edge bg-card p-2.5 pl-4 shadow-print lg:bottom-4">
      <span role="status" className={classes('flex flex-1 items-center gap-1.5 font-semibold', verdict?.tone)}>
        {Icon && <Icon aria-hidden className={classes('size-4', check.state === 'checking' && 'animate-spin')} />}
        {may ? (verdict?.word ?? 'Not saved yet') : 'This token may not change configurations'}
      </span>
      {onDiscard && (
        <Button look="quiet" icon={Undo2} onClick={onDiscard}>
          <span className="max-sm:sr-only">Discard</span>
        </Button>
      )}
      <Button look="primary" icon={Save} busy={busy} disabled={!may} onClick={onSave}>
        Save
      </Button>
    </div>
  )
}
