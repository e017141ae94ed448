// An experience in numbers: what it is made of, what is under way, what failed, and the newest picture.

import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { at, get, query, send } from '../api/client.ts'
import { useAssets, useConfigurations } from '../api/configurations.ts'
import { useMay } from '../api/session.ts'
import type { List, Task } from '../api/shapes.ts'
import { count } from '../format/size.ts'
import { Thumb } from '../parts/media.tsx'
import { Card } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { outputThumbnail } from '../task/outputs.ts'
import { t } from '../words/t.ts'

const useNewest = (experience_id: string) =>
  useQuery({
    queryKey: ['task', 'newest', experience_id],
    queryFn: ({ signal }) =>
      get<List<Task>>(query(at('task'), { experience_id, status: 'Succeeded', limit: 1 }), signal).then(
        ({ items }) => items[0] ?? null,
      ),
    staleTime: 60_000,
  })

const RECENT = 100

/** The newest tasks that succeeded, newest first: one request for the pictures of a whole list. */
export const useRecent = () =>
  useQuery({
    queryKey: ['task', 'recent'],
    queryFn: ({ signal }) =>
      get<List<Task>>(query(at('task'), { status: 'Succeeded', limit: RECENT }), signal).then(({ items }) => items),
    staleTime: 60_000,
  })

/** How many a bulk action would reach, without doing it. */
const useCount = (action: 'retry' | 'cancel', filter: object, isWanted: boolean) =>
  useQuery({
    queryKey: ['task', 'count', action, filter],
    queryFn: () =>
      send<{ count: number }>('POST', at('task', action), { ...filter, dry_run: true }).then(one => one.count),
    enabled: isWanted,
    staleTime: 10_000,
  })

export function Numbers({ id }: { id: string }) {
  const may = useMay('tasks')
  const configurations = useConfigurations().data?.filter(one => one.experience_id === id).length
  const assets = useAssets().data?.filter(one => one.experience_id === id).length
  const newest = useNewest(id)
  const open = useCount('cancel', { experience_id: id }, may)
  const failed = useCount('retry', { experience_id: id, status: 'Failed' }, may)
  const tasks = `/tasks?experience_id=${encodeURIComponent(id)}`
  return (
    <Card className="mb-5">
      <dl className="grid grid-cols-2 gap-x-6 gap-y-4 p-4 sm:grid-cols-3 lg:grid-cols-5">
        <Figure name={t('Configurations')} value={configurations} to="/configurations" />
        <Figure name={t('Assets')} value={assets} to="/assets" />
        <Figure name={t('Tasks under way')} value={open.data} to={tasks} />
        <Figure name={t('Failed tasks')} value={failed.data} to={`${tasks}&status=Failed`} />
        <div>
          <dt className="text-[13.5px] text-soft">{t('Newest keepsake')}</dt>
          <dd className="mt-1 flex items-center gap-3">
            {newest.data ? (
              <Link to={`/tasks/${newest.data.task_id}`} className="flex items-center gap-3 hover:underline">
                <Thumb src={outputThumbnail('task', newest.data)} />
                <Ago at={newest.data.created_at} />
              </Link>
            ) : (
              <span className="text-soft">{t('none yet')}</span>
            )}
          </dd>
        </div>
      </dl>
    </Card>
  )
}

function Figure({ name, value, to }: { name: string; value: number | undefined; to: string }) {
  return (
    <div>
      <dt className="text-[13.5px] text-soft">{name}</dt>
      <dd className="font-display text-[26px] leading-tight font-semibold tabular-nums">
        {value === undefined ? (
          <span className="text-soft">·</span>
        ) : (
          <Link to={to} className="hover:underline">
            {count(value)}
          </Link>
        )}
      </dd>
    </div>
  )
}
