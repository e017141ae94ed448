// Failed tasks by their cause: how many of each, and a filter for just these.

import { Link, useSearchParams } from 'react-router'
import { useEvent } from '../api/event.ts'
import type { Kind } from '../api/tasks.ts'
import { useTrouble } from '../api/trouble.ts'
import { count } from '../format/size.ts'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { Card, CardTitle } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { t } from '../words/t.ts'

export function ByError({ kind }: { kind: Kind }) {
  const [params] = useSearchParams()
  const trouble = useTrouble(useEvent())
  const causes = trouble.data?.failed.filter(({ is_group }) => is_group === (kind === 'taskgroup')) ?? []
  const only = (error_code: string, configuration: string): string => {
    const next = new URLSearchParams(params)
    next.delete('group')
    next.set('status', 'Failed')
    next.set('error_code', error_code)
    next.set('configuration', configuration)
    return `?${next}`
  }
  return (
    <Card className="mb-3">
      <CardTitle>{t('By cause, of the last day')}</CardTitle>
      {trouble.isPending && <Loading rows={2} />}
      {trouble.isError && <ErrorNote error={trouble.error} />}
      {trouble.isSuccess && causes.length === 0 && (
        <p className="p-4 text-soft">{t('Nothing failed within the last day.')}</p>
      )}
      <ul>
        {causes.map(({ error_code, configuration, message, last_at, count: number }) => (
          <li key={error_code + configuration} className="border-b border-line last:border-0">
            <Link
              to={only(error_code, configuration)}
              className="flex items-center gap-4 px-4 py-2.5 hover:bg-well focus-visible:-outline-offset-2"
            >
              <span className="min-w-12 text-right font-display text-[22px] font-semibold text-fail tabular-nums">
                {count(number)}
              </span>
              <span className="min-w-0 flex-1">
                <span dir="auto" className="block truncate font-semibold">
                  {configuration}
                </span>
                <span dir="auto" className="block text-[13.5px] text-soft [overflow-wrap:anywhere]">
                  {message}
                </span>
              </span>
              <span className="hidden text-right text-[13px] text-soft sm:block">
                <span className="block font-mono text-[12px]">{error_code}</span>
                <Ago at={last_at} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}
