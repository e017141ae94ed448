// The callbacks of one task: every attempt, the exact body, and sending it again.

import { Bell, Send } from 'lucide-react'
import { useResend, useTaskCallbacks } from '../api/callbacks.ts'
import { useMay } from '../api/session.ts'
import type { Callback } from '../api/shapes.ts'
import { lasted } from '../format/time.ts'
import { Button } from '../parts/button.tsx'
import { CopyId } from '../parts/copy.tsx'
import { JsonCode } from '../parts/json.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { Card, CardTitle } from '../parts/page.tsx'
import { Status } from '../parts/status.tsx'
import { Ago } from '../parts/time.tsx'
import { announce } from '../parts/toast.tsx'
import { t } from '../words/t.ts'

export function CallbacksCard({
  taskId,
  webhookUrl,
  over,
}: {
  taskId: string
  webhookUrl: string | null
  over: boolean
}) {
  const callbacks = useTaskCallbacks(taskId, !over)
  return (
    <Card>
      <CardTitle>{t('Callback')}</CardTitle>
      {callbacks.isPending && <Loading rows={1} />}
      {callbacks.isError && <ErrorNote error={callbacks.error} />}
      {callbacks.data?.items.length === 0 && (
        <p className="flex items-center gap-2 p-4 text-soft">
          <Bell aria-hidden className="size-4 shrink-0" />
          {webhookUrl ? t('Posted once the task has ended.') : t('No webhook is set, so nothing is posted.')}
        </p>
      )}
      <ul>
        {callbacks.data?.items.map(callback => (
          <li key={callback.callback_id} className="border-b border-line p-4 last:border-0">
            <CallbackView callback={callback} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

export function CallbackView({ callback }: { callback: Callback }) {
  const resend = useResend()
  const may = useMay('tasks')
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Status status={callback.status} small />
        <CopyId id={callback.callback_id} short />
        {may && (
          <Button
            icon={Send}
            className="ml-auto"
            busy={resend.isPending}
            onClick={() =>
              resend.mutate(callback.callback_id, { onSuccess: () => announce(t('The callback is on its way again.')) })
            }
          >
            {t('Resend')}
          </Button>
        )}
      </div>
      <p className="font-mono text-[12.5px] [overflow-wrap:anywhere]">{callback.url}</p>
      {callback.next_attempt_at && callback.status === 'Waiting' && (
        <p className="text-[14px] text-soft">
          {t('Next attempt {when}', { when: <Ago at={callback.next_attempt_at} /> })}
        </p>
      )}
      {resend.isError && <ErrorNote error={resend.error} />}
      <Attempts attempts={callback.attempts ?? []} />
      <details>
        <summary className="text-[14px] font-semibold text-soft hover:text-ink">{t('Body as it is sent')}</summary>
        <div className="mt-2">
          <JsonCode
            label={t('Body')}
            value={typeof callback.body === 'string' ? tryParse(callback.body) : callback.body}
          />
        </div>
      </details>
    </div>
  )
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function Attempts({ attempts }: { attempts: Callback['attempts'] }) {
  if (attempts.length === 0) return <p className="text-[14px] text-soft">{t('No attempt yet.')}</p>
  return (
    <ol className="space-y-1.5 text-[14px]">
      {attempts.map((attempt, number) => {
        const good = attempt.status_code !== null && attempt.status_code >= 200 && attempt.status_code < 300
        return (
          <li key={attempt.at} className="flex flex-wrap gap-x-3">
            <span className="edgeprint pt-0.5">▸ {number + 1}</span>
            <span className={`font-mono font-semibold ${good ? 'text-ok' : 'text-fail'}`}>
              {attempt.status_code ?? t('no answer')}
            </span>
            <span className="text-soft tabular-nums">{lasted(attempt.duration_ms)}</span>
            <Ago at={attempt.at} className="text-soft" />
            {attempt.error && <span className="basis-full text-fail [overflow-wrap:anywhere]">{attempt.error}</span>}
          </li>
        )
      })}
    </ol>
  )
}
