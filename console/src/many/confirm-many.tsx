// Asks before many things are worked on: how many these are, counted by the service, and what will happen, in words.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { countMany, doMany, freshenMany, type Many } from '../api/many.ts'
import { count } from '../format/size.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { announce } from '../parts/toast.tsx'
import { t, tn } from '../words/t.ts'

interface Words {
  title: string
  action: string
  about: ReactNode
  done: string
}

/** Whole sentences for each: another language has other orders and endings. */
function wordsOf({ deed, kind }: Many, number: number): Words {
  const values = { count: count(number) }
  const isTask = kind === 'task'
  switch (deed) {
    case 'retry':
      return {
        title: isTask
          ? tn(number, 'Run 1 task again?', 'Run {count} tasks again?', values)
          : tn(number, 'Run 1 task group again?', 'Run {count} task groups again?', values),
        action: isTask
          ? tn(number, 'Retry 1 task', 'Retry {count} tasks', values)
          : tn(number, 'Retry 1 task group', 'Retry {count} task groups', values),
        about: t('Each runs again from where it stopped: what had succeeded is kept, and a new callback follows.'),
        done: isTask
          ? tn(number, '1 task runs again.', '{count} tasks run again.', values)
          : tn(number, '1 task group runs again.', '{count} task groups run again.', values),
      }
    case 'cancel':
      return {
        title: isTask
          ? tn(number, 'Cancel 1 task?', 'Cancel {count} tasks?', values)
          : tn(number, 'Cancel 1 task group?', 'Cancel {count} task groups?', values),
        action: isTask
          ? tn(number, 'Cancel 1 task', 'Cancel {count} tasks', values)
          : tn(number, 'Cancel 1 task group', 'Cancel {count} task groups', values),
        about: t(
          'What runs is cut off, what waits does not begin. Each posts its callback as failed. They can be run again later.',
        ),
        done: isTask
          ? tn(number, '1 task is being cancelled.', '{count} tasks are being cancelled.', values)
          : tn(number, '1 task group is being cancelled.', '{count} task groups are being cancelled.', values),
      }
    case 'try-now':
      return {
        title: isTask
          ? tn(number, 'Try 1 task now?', 'Try {count} tasks now?', values)
          : tn(number, 'Try 1 task group now?', 'Try {count} task groups now?', values),
        action: isTask
          ? tn(number, 'Try 1 task now', 'Try {count} tasks now', values)
          : tn(number, 'Try 1 task group now', 'Try {count} task groups now', values),
        about: t('The next attempt is made at once instead of later. If it goes wrong, it is tried again as before.'),
        done: isTask
          ? tn(number, '1 task is tried now.', '{count} tasks are tried now.', values)
          : tn(number, '1 task group is tried now.', '{count} task groups are tried now.', values),
      }
    case 'resend':
      return {
        title: tn(number, 'Send 1 callback again?', 'Send {count} callbacks again?', values),
        action: tn(number, 'Resend 1 callback', 'Resend {count} callbacks', values),
        about: t(
          'Each is posted once more, with the same id and body. Receivers that honour the webhook-id take it only once.',
        ),
        done: tn(number, '1 callback is on its way again.', '{count} callbacks are on their way again.', values),
      }
  }
}

export function ConfirmMany({ many, onClose, onDone }: { many: Many | null; onClose(): void; onDone?: () => void }) {
  return many ? <Asked key={JSON.stringify(many)} many={many} onClose={onClose} onDone={onDone} /> : null
}

function Asked({ many, onClose, onDone }: { many: Many; onClose(): void; onDone: (() => void) | undefined }) {
  const client = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const counted = useQuery({
    queryKey: ['many', many],
    queryFn: () => countMany(many),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  const number = counted.data ?? 0
  const said = wordsOf(many, number)
  const go = async () => {
    setBusy(true)
    setError(null)
    try {
      const done = await doMany(many)
      announce(wordsOf(many, done).done)
      onDone?.()
      onClose()
    } catch (refusal) {
      setError(refusal)
    } finally {
      setBusy(false)
      freshenMany(client)
    }
  }
  const title = counted.isPending ? t('Counting') : number === 0 ? t('There is nothing to do here') : said.title
  return (
    <Dialog
      open
      title={title}
      about={
        counted.isSuccess && number === 0
          ? t('What was meant has changed meanwhile, or can no longer run.')
          : said.about
      }
      onClose={onClose}
    >
      {counted.isError && <ErrorNote error={counted.error} retry={() => void counted.refetch()} />}
      {error !== null && <ErrorNote error={error} />}
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>
          {number === 0 ? t('Close') : many.deed === 'cancel' ? t('Back') : t('Cancel')}
        </Button>
        {(counted.isPending || number > 0) && (
          <Button
            look={many.deed === 'cancel' ? 'danger' : 'primary'}
            busy={busy || counted.isPending}
            onClick={() => void go()}
          >
            {counted.isPending ? t('Counting') : said.action}
          </Button>
        )}
      </div>
    </Dialog>
  )
}
