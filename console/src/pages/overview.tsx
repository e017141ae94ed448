// The cockpit: what guests get, how far behind it is, what needs a hand, and the numbers of now and over time.

import { useQuery } from '@tanstack/react-query'
import { ToggleGroup } from 'radix-ui'
import { type ReactNode, useMemo } from 'react'
import { Link, useSearchParams } from 'react-router'
import { put, useChangeAddress } from '../address.ts'
import { AlarmSettings } from '../alarm/settings.tsx'
import { get, query } from '../api/client.ts'
import { useEvent } from '../api/event.ts'
import type { Stats, Window } from '../api/shapes.ts'
import { useTrouble } from '../api/trouble.ts'
import { count, percent } from '../format/size.ts'
import { lasted } from '../format/time.ts'
import { Behind, laneNames } from '../overview/behind.tsx'
import { Disk, Figure, Workers } from '../overview/figures.tsx'
import { KeepsakeWall } from '../overview/keepsake-wall.tsx'
import { NeedsAHand } from '../overview/needs-a-hand.tsx'
import { Plot, type Series } from '../overview/plot.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { Card, Page } from '../parts/page.tsx'
import { t, tn } from '../words/t.ts'

const windows: [Window, string][] = [
  ['hour', t('Last hour')],
  ['day', t('Last day')],
  ['week', t('Last week')],
]

export function Overview() {
  const [params] = useSearchParams()
  const change = useChangeAddress()
  const experience = useEvent()
  const span = windows.find(([name]) => name === params.get('window'))?.[0] ?? 'hour'
  const setSpan = (next: Window) => change(params => put(params, 'window', next === 'hour' ? null : next))
  const stats = useQuery({
    queryKey: ['stats', span, experience],
    queryFn: ({ signal }) => get<Stats>(query('/api/stats/', { window: span, experience_id: experience }), signal),
    refetchInterval: 5000,
    placeholderData: before => before,
  })
  const trouble = useTrouble(experience)
  return (
    <Page
      title={t('Overview')}
      about={t('What guests get, how fast, and what needs a hand.')}
      actions={<AlarmSettings />}
    >
      <div className="space-y-5">
        {stats.isError && <ErrorNote error={stats.error} retry={() => void stats.refetch()} />}
        {trouble.isError && <ErrorNote error={trouble.error} retry={() => void trouble.refetch()} />}
        {stats.data && <Behind lanes={stats.data.behind} />}
        <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1.25fr)_minmax(0,1fr)]">
          <KeepsakeWall experience={experience} />
          <div className="max-xl:order-first">{trouble.data && <NeedsAHand trouble={trouble.data} />}</div>
        </div>
        {stats.isPending && <Loading rows={6} />}
        {stats.data && <Figures stats={stats.data} span={<Span span={span} onChange={setSpan} />} />}
      </div>
    </Page>
  )
}

function Span({ span, onChange }: { span: Window; onChange(span: Window): void }) {
  return (
    <ToggleGroup.Root
      type="single"
      aria-label={t('Time span')}
      value={span}
      onValueChange={value => value && onChange(value as Window)}
      className="flex gap-1 rounded-xl border border-line bg-card p-1"
    >
      {windows.map(([value, name]) => (
        <ToggleGroup.Item
          key={value}
          value={value}
          className="min-h-9 rounded-lg px-3 text-[14px] font-semibold text-soft hover:text-ink data-[state=on]:rounded-[4px_7px_5px_8px] data-[state=on]:bg-marker data-[state=on]:text-marker-ink"
        >
          {name}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}

function See({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} className="underline underline-offset-3 hover:text-ink">
      {children}
    </Link>
  )
}

const whole = (value: number): string => count(Math.round(value * 10) / 10)

function Figures({ stats, span }: { stats: Stats; span: ReactNode }) {
  const { p50, p95 } = stats.latency_ms
  const waiting = Object.entries(stats.waiting)
  const { succeeded, failed } = stats.last_minute
  // The last point is still being counted: drawn, it would look like a crash.
  const points = useMemo(() => stats.points.slice(0, -1), [stats.points])
  const times = useMemo(() => points.map(({ at }) => new Date(at).getTime() / 1000), [points])
  const made = useMemo<Series[]>(
    () => [
      { label: t('Succeeded'), colour: 'ok', fill: true, values: points.map(({ succeeded }) => succeeded) },
      { label: t('Failed'), colour: 'fail', values: points.map(({ failed }) => failed) },
    ],
    [points],
  )
  const latency = useMemo<Series[]>(
    () => [
      { label: t('Half are faster than'), colour: 'run', fill: true, values: points.map(({ p50_ms }) => p50_ms) },
      { label: t('95 % are faster than'), colour: 'warn', values: points.map(({ p95_ms }) => p95_ms) },
    ],
    [points],
  )
  return (
    <>
      <div className="grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-6">
        <Figure
          label={t('Last full minute')}
          value={count(succeeded + failed)}
          unit={tn(succeeded + failed, 'task', 'tasks')}
          note={
            failed === 0
              ? t('{count} a minute on average', { count: whole(stats.tasks_per_minute) })
              : tn(failed, '1 of them failed', '{count} of them failed', { count: count(failed) })
          }
        />
        <Figure
          label={t('Success')}
          value={stats.success_rate === null ? '–' : percent(stats.success_rate)}
          alarm={stats.success_rate !== null && stats.success_rate < 0.9}
          note={
            stats.success_rate === null ? (
              t('nothing has ended yet')
            ) : stats.success_rate < 1 ? (
              <See to={`/tasks?status=Failed&last=${stats.window}`}>{t('the failed ones')}</See>
            ) : undefined
          }
        />
        <Figure
          label={t('Done after')}
          value={p50 === null ? '–' : lasted(p50)}
          note={p95 === null ? undefined : t('95 % within {time}', { time: lasted(p95) })}
        />
        <Figure
          label={t('Running')}
          value={count(stats.running)}
          note={stats.running > 0 ? <See to="/tasks?status=Running">{t('what runs')}</See> : undefined}
        />
        <Figure
          label={t('Waiting')}
          value={count(waiting.reduce((sum, [, number]) => sum + number, 0))}
          note={waiting
            .map(([lane, number]) => t('{lane}: {count}', { lane: laneNames[lane] ?? lane, count: count(number) }))
            .join(' · ')}
        />
        {stats.disk && <Disk disk={stats.disk} />}
      </div>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-[17px]">{t('Over time')}</h2>
        {span}
      </div>
      <Card className="grid gap-6 p-4 lg:grid-cols-2">
        <Plot title={t('Tasks ended')} times={times} series={made} show={whole} />
        <Plot title={t('Time from request to done')} times={times} series={latency} show={lasted} />
      </Card>
      {stats.workers && <Workers workers={stats.workers} />}
    </>
  )
}
