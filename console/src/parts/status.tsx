// A state told three ways at once: by colour, by icon and by word.

import {
  Ban,
  CheckCircle2,
  CircleDashed,
  Clock3,
  LoaderCircle,
  type LucideIcon,
  SkipForward,
  TriangleAlert,
  XCircle,
} from 'lucide-react'
import { t } from '../words/t.ts'
import { classes } from './classes.ts'

interface Look {
  icon: LucideIcon
  word: string
  tone: string
  spin?: boolean
}

const looks: Record<string, Look> = {
  Waiting: { icon: Clock3, word: t('Waiting'), tone: 'bg-wait-bg text-wait' },
  Running: { icon: LoaderCircle, word: t('Running'), tone: 'bg-run-bg text-run', spin: true },
  Succeeded: { icon: CheckCircle2, word: t('Succeeded'), tone: 'bg-ok-bg text-ok' },
  Failed: { icon: XCircle, word: t('Failed'), tone: 'bg-fail-bg text-fail' },
  Cancelled: { icon: Ban, word: t('Cancelled'), tone: 'bg-wait-bg text-wait' },
  Skipped: { icon: SkipForward, word: t('Skipped'), tone: 'bg-wait-bg text-wait' },
  Delivered: { icon: CheckCircle2, word: t('Delivered'), tone: 'bg-ok-bg text-ok' },
  GivenUp: { icon: XCircle, word: t('Given up'), tone: 'bg-fail-bg text-fail' },
  Warning: { icon: TriangleAlert, word: t('Warning'), tone: 'bg-warn-bg text-warn' },
}

export const statusLook = (status: string): Look =>
  looks[status] ?? { icon: CircleDashed, word: status, tone: 'bg-wait-bg text-wait' }

export function Status({ status, word, small = false }: { status: string; word?: string; small?: boolean }) {
  const look = statusLook(status)
  const Icon = look.icon
  return (
    <span
      className={classes(
        'inline-flex items-center gap-1.5 rounded-full font-semibold whitespace-nowrap',
        small ? 'px-2 py-0.5 text-[12px]' : 'px-2.5 py-1 text-[13px]',
        look.tone,
      )}
    >
      <Icon aria-hidden className={classes('size-3.5 shrink-0', look.spin && 'animate-[spin_1.6s_linear_infinite]')} />
      {word ?? look.word}
    </span>
  )
}
