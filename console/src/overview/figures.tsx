// The figures of the overview: a few large numbers, and what each worker does.

import { Cpu, type LucideIcon, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { Stats } from '../api/shapes.ts'
import { bytes, percent } from '../format/size.ts'
import { Card, CardTitle } from '../parts/page.tsx'
import { Ago, Lasted } from '../parts/time.tsx'
import { taskPage } from '../places.ts'
import { t, tn } from '../words/t.ts'
import { laneNames } from './behind.tsx'

export function Figure({
  label,
  value,
  unit,
  note,
  alarm = false,
}: {
  label: string
  value: ReactNode
  unit?: string
  note?: ReactNode
  alarm?: boolean
}) {
  return (
    <Card className="px-4 py-3.5">
      <p className="edgeprint">{label}</p>
      <p
        className={`mt-1 font-display text-[30px] leading-none font-semibold tabular-nums ${alarm ? 'text-fail' : ''}`}
      >
        {value}
        {unit && <span className="ml-1.5 text-[15px] font-medium text-soft">{unit}</span>}
      </p>
      {note && <p className="mt-1.5 text-[13px] text-soft">{note}</p>}
    </Card>
  )
}

export function Workers({ workers }: { workers: NonNullable<Stats['workers']> }) {
  return (
    <Card>
      <CardTitle
        aside={
          <span className="text-[14px] text-soft">
            {tn(workers.length, '1 worker', '{count} workers', { count: workers.length })}
          </span>
        }
      >
        {t('Who does what now')}
      </CardTitle>
      {workers.length === 0 && (
        <Line icon={TriangleAlert} tone="text-fail">
          {t('No worker is running: tasks wait until one starts.')}
        </Line>
      )}
      <ul>
        {workers.map(worker => (
          <li key={worker.worker_id} className="border-b border-line px-4 py-3 last:border-0">
            <p className="flex items-center gap-2 font-semibold">
              <Cpu aria-hidden className="size-4 text-soft" />
              <span className="min-w-0 truncate">{worker.host}</span>
              <span className="ml-auto text-[13px] font-normal whitespace-nowrap text-soft">
                {t('since {when}', { when: <Ago at={worker.started_at} /> })}
              </span>
            </p>
            {worker.doing.length === 0 ? (
              <p className="mt-0.5 pl-6 text-[14px] text-soft">{t('idle, ready for work')}</p>
            ) : (
              <ul className="mt-1 space-y-0.5 pl-6 text-[14px]">
                {worker.doing.map(job => (
                  <li key={job.task_id + job.since} className="flex min-w-0 gap-2">
                    <span className="w-24 shrink-0 text-soft">{laneNames[job.lane] ?? job.lane}</span>
                    <Link
                      to={taskPage(job.task_id)}
                      className="min-w-0 truncate font-mono text-[12.5px] underline underline-offset-2"
                    >
                      {job.task_id}
                    </Link>
                    <span className="ml-auto whitespace-nowrap text-soft">
                      <Lasted from={job.since} to={null} />
                    </span>
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Line({ icon: Icon, tone, children }: { icon: LucideIcon; tone: string; children: ReactNode }) {
  return (
    <p className="flex items-center gap-2.5 p-4">
      <Icon aria-hidden className={`size-5 shrink-0 ${tone}`} /> {children}
    </p>
  )
}

export function Disk({ disk }: { disk: NonNullable<Stats['disk']> }) {
  if (disk.total_bytes === 0) return <Figure label={t('Disk')} value="–" note={t('Files are kept elsewhere')} />
  const free = disk.free_bytes / disk.total_bytes
  return (
    <Figure
      label={t('Disk free')}
      value={bytes(disk.free_bytes)}
      note={t('{free} of {size}', { free: percent(free), size: bytes(disk.total_bytes) })}
      alarm={free < 0.05}
    />
  )
}
