// What can be done with the selected tasks, or with all that match the filter: it stands at the lower edge while something is selected.

import { Ban, FileArchive, RotateCw, Send, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { at, query, sentence } from '../api/client.ts'
import type { Many } from '../api/many.ts'
import { useMay } from '../api/session.ts'
import type { Kind, TaskFilters } from '../api/tasks.ts'
import { count } from '../format/size.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { t, tn } from '../words/t.ts'
import { ConfirmMany } from './confirm-many.tsx'
import type { Selection } from './selection.ts'
import { downloadZip } from './zip.ts'

interface Props {
  kind: Kind
  selection: Selection
  filters: TaskFilters
  /** Ids of what is loaded. */
  loaded: readonly string[]
  /** There are more that match than are loaded. */
  more: boolean
  asked: Many['deed'] | null
  ask(deed: Many['deed'] | null): void
}

/** Callbacks know no configuration and no error. */
const resendable = ({ status: _status, ...filters }: TaskFilters): boolean =>
  Object.keys(filters).every(name => ['experience_id', 'created_after', 'created_before'].includes(name))

export function BulkBar(props: Props) {
  return props.selection.ids.size === 0 ? null : <Bar {...props} />
}

function Bar({ kind, selection, filters, loaded, more, asked, ask }: Props) {
  /** All that match, up to the moment when that was said; null: only what is selected. */
  const [all, setAll] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [packing, setPacking] = useState(false)
  const may = useMay('tasks')
  // Whoever goes on selecting means what is selected.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the selection is what it depends on.
  useEffect(() => setAll(null), [selection.ids])
  const ids = [...selection.ids]
  const close = () => {
    setAll(null)
    setProblem(null)
    selection.clear()
  }
  // A filter is needed; everything until now is one.
  const matching = Object.keys(filters).length > 0 ? filters : { created_before: all ?? '' }
  const { status: _status, ...ofCallbacks } = matching as TaskFilters
  const filterOf = (deed: Many['deed']): Many['filter'] => {
    if (!all) return deed === 'resend' ? { task_ids: ids } : { ids }
    return (deed === 'resend' ? ofCallbacks : matching) as Many['filter']
  }
  const pack = async () => {
    setProblem(null)
    setPacking(true)
    const filter = all ? matching : { ids: ids.join(',') }
    await downloadZip(query(at(kind, 'zip'), filter as Record<string, string>)).catch(error =>
      setProblem(sentence(error)),
    )
    setPacking(false)
  }
  return (
    <section
      aria-label={t('What is selected')}
      className="sticky bottom-20 z-20 mt-3 rounded-xl border border-edge bg-card px-3 py-2.5 shadow-2xl lg:bottom-4"
    >
      <div className="flex flex-wrap items-center gap-2">
        <IconButton icon={X} label={t('Select nothing')} onClick={close} />
        <p role="status" className="mr-auto font-semibold">
          {all
            ? t('All that match the filter')
            : tn(ids.length, '1 selected', '{count} selected', { count: count(ids.length) })}
        </p>
        {!all && ids.length < loaded.length && (
          <Button look="quiet" onClick={() => selection.choose(loaded)}>
            {t('Select all {count} in the list', { count: count(loaded.length) })}
          </Button>
        )}
        {!all && (more || ids.length === loaded.length) && (
          <Button look="quiet" onClick={() => setAll(new Date().toISOString())}>
            {t('All that match')}
          </Button>
        )}
        {may && (
          <>
            <Button icon={RotateCw} onClick={() => ask('retry')}>
              {t('Retry')}
            </Button>
            <Button icon={Ban} onClick={() => ask('cancel')}>
              {t('Cancel')}
            </Button>
            {(!all || resendable(filters)) && (
              <Button icon={Send} onClick={() => ask('resend')}>
                {t('Resend callbacks')}
              </Button>
            )}
          </>
        )}
        <Button icon={FileArchive} busy={packing} onClick={() => void pack()}>
          {t('Download as zip')}
        </Button>
      </div>
      {problem && (
        <p role="alert" className="mt-2 text-[14px] text-fail">
          {problem}
        </p>
      )}
      <ConfirmMany
        many={asked && { deed: asked, kind, filter: filterOf(asked) }}
        onClose={() => ask(null)}
        onDone={close}
      />
    </section>
  )
}
