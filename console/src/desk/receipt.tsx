// The receipt of an erasure, as it grows: what is gone, what stays and why, what is still to be reached.

import { BadgeCheck, Download, KeyRound } from 'lucide-react'
import type { ReactNode } from 'react'
import { type Receipt, useErasure } from '../api/desk.ts'
import { exactly } from '../format/time.ts'
import { Button, buttonLook } from '../parts/button.tsx'
import { CopyId } from '../parts/copy.tsx'
import { download } from '../parts/download.ts'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { Card, CardTitle } from '../parts/page.tsx'
import { Status } from '../parts/status.tsx'
import { Ago } from '../parts/time.tsx'
import { t } from '../words/t.ts'

const states = {
  Running: ['Running', t('Being erased')],
  Pending: ['Waiting', t('A target is still to be reached')],
  Done: ['Succeeded', 'Done'],
} as const

const counted: [keyof Receipt['counts'], string][] = [
  ['profiles', t('Guests')],
  ['pages', t('Pages of guests')],
  ['tasks', t('Tasks and task groups')],
  ['files', t('Files')],
  ['activities', t('Activities')],
  ['callbacks', t('Callbacks')],
  ['idempotency_keys', t('Idempotency keys')],
]

export function ErasureView({ id }: { id: string }) {
  const erasure = useErasure(id)
  if (erasure.isPending)
    return (
      <Card>
        <Loading />
      </Card>
    )
  if (!erasure.data) return <ErrorNote error={erasure.error} retry={() => void erasure.refetch()} />
  const { receipt, file } = erasure.data
  const [status, word] = states[receipt.status]
  return (
    <Card>
      <CardTitle
        aside={
          <span role="status">
            <Status status={status} word={word} />
          </span>
        }
      >
        {t('Receipt of the erasure')}
      </CardTitle>
      <div className="space-y-5 p-4">
        <div className="flex flex-wrap items-center gap-3">
          <span className="me-auto min-w-0">
            <CopyId id={receipt.erasure_id} />
            <span className="block text-[13.5px] text-soft">
              {t('Asked {when}. The receipt names no person.', { when: <Ago at={receipt.asked_at} /> })}
            </span>
          </span>
          <Button icon={Download} onClick={() => download(`receipt-${id}.json`, file, 'application/json')}>
            {t('Download the receipt')}
          </Button>
          <a href="/api/erasure/key/" download="key.json" className={buttonLook('quiet')}>
            <KeyRound aria-hidden className="size-4" /> {t('Key to prove it')}
          </a>
        </div>
        <Part title={t('Deleted here')}>
          <ul className="flex flex-wrap gap-x-5 gap-y-1">
            {counted.map(([name, label]) => (
              <li key={name}>
                {label} <span className="font-semibold tabular-nums">{receipt.counts[name]}</span>
              </li>
            ))}
          </ul>
        </Part>
        <Lines title={t('Taken back from targets')} lines={receipt.removed} />
        <Lines title={t('Still to be reached')} lines={receipt.pending} />
        <Lines title={t('Stays, and why')} lines={receipt.kept} />
        {receipt.status === 'Done' && receipt.kept.length === 0 && (
          <p className="flex items-center gap-2 font-semibold text-ok">
            <BadgeCheck aria-hidden className="size-5" /> {t('Nothing stays with others.')}
          </p>
        )}
        <p className="text-[14px] text-soft">
          {receipt.backups.reason} ({exactly(receipt.backups.made_before)})
        </p>
      </div>
    </Card>
  )
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section>
    <h3 className="mb-1 font-semibold">{title}</h3>
    {children}
  </section>
)

const nouns = { delivery: t('Delivery'), callback: t('Callback'), task: t('Task'), activity: t('Activity') }

type Line = Receipt['removed'][number] & Partial<Receipt['pending'][number]>

function Lines({ title, lines }: { title: string; lines: readonly Line[] }) {
  if (lines.length === 0) return null
  return (
    <Part title={title}>
      <ul className="divide-y divide-line rounded-lg border border-line">
        {lines.map(line => (
          <li
            key={[line.what, line.task_id, line.index, line.configuration, line.receiver].join(' ')}
            className="px-3 py-2"
          >
            <p className="[overflow-wrap:anywhere]">
              <span className="font-semibold">{nouns[line.what]}</span>{' '}
              {[line.configuration, line.adapter_name, line.receiver].filter(Boolean).join(' · ')}
            </p>
            {line.reason && <p className="text-[14px] text-soft [overflow-wrap:anywhere]">{line.reason}</p>}
            {line.next_try_at && (
              <p className="text-[14px] text-soft">
                {t('Tried {tries} times, again {when}.', { tries: line.tries, when: <Ago at={line.next_try_at} /> })}
              </p>
            )}
          </li>
        ))}
      </ul>
    </Part>
  )
}
