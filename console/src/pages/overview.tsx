// How the event is going: throughput, success, waiting times, workers, and what is in trouble.
import { useQuery } from '@tanstack/react-query'
import { ToggleGroup } from 'radix-ui'
import { type ReactNode, useMemo, useState } from 'react'
import { Link } from 'react-router'
import { get, query } from '../api/client.ts'
import type { Stats, Window } from '../api/shapes.ts'
import { count, percent } from '../format/size.ts'
import { lasted } from '../format/time.ts'
import { Disk, Failing, Figure, Workers } from '../overview/figures.tsx'
import { Plot, type Series } from '../overview/plot.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { Card, Page } from '../parts/page.tsx'

const windows: [Window, string][] = [
  ['hour', 'Last hour'],
  ['day', 'Last day'],
  ['week', 'Last week'],
]

export function Overview() {
  const [span, setSpan] = useState<Window>('hour')
  const stats = useQuery({
    queryKey: ['stats', span],
    queryFn: ({ signal }) => get<Stats>(query('/api/stats/', { window: span }), signal),
    refetchInterval: 5000,
    placeholderData: before => before,
  })
  return (
    <Page
      title="Overview"
      about="How it is going, and what needs a hand."
      actions={<Span span={span} onChange={setSpan} />}
    >
      {stats.isError && (
        <div className="mb-4">
          <ErrorNote error={stats.error} retry={() => void stats.refetch()} />
        </div>
      )}
      {stats.isPending && <Loading rows={6} />}
      {stats.data && <Figures stats={stats.data} />}
    </Page>
  )
}

function Span({ span, onChange }: { span: Window; onChange(span: Window): void }) {
  return (
    <ToggleGroup.Root
      type="single"
      aria-label="Time span"
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

function Figures({ stats }: { stats: Stats }) {
  const { p50, p95 } = stats.latency_ms
  const waiting = Object.entries(stats.waiting)
  const times = useMemo(() => stats.points.map(({ at }) => new Date(at).getTime() / 1000), [stats.points])
  const made = useMemo<Series[]>(
    () => [
      { label: 'Succeeded', colour: 'ok', fill: true, values: stats.points.map(({ succeeded }) => succeeded) },
      { label: 'Failed', colour: 'fail', values: stats.points.map(({ failed }) => failed) },
    ],
    [stats.points],
  )
  const latency = useMemo<Series[]>(
    () => [
      { label: 'Half are faster than', colour: 'run', fill: true, values: stats.points.map(({ p50_ms }) => p50_ms) },
      { label: '95 % are faster than', colour: 'warn', values: stats.points.map(({ p95_ms }) => p95_ms) },
    ],
    [stats.points],
  )
  return (
    <div className="space-y-5">
      <div className="grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-6">
        <Figure label="Per minute" value={whole(stats.tasks_per_minute)} unit="tasks" />
        <Figure
          label="Success"
          value={stats.success_rate === null ? '–' : percent(stats.success_rate)}
          alarm={stats.success_rate !== null && stats.success_rate < 0.9}
          note={
            stats.success_rate === null ? (
              'nothing has ended yet'
            ) : stats.success_rate < 1 ? (
              <See to={`/tasks?status=Failed&last=${stats.window}`}>the failed ones</See>
            ) : undefined
          }
        />
        <Figure
          label="Callback after"
          value={p50 === null ? '–' : lasted(p50)}
          note={p95 === null ? undefined : `95 % within ${lasted(p95)}`}
        />
        <Figure
          label="Running"
          value={count(stats.running)}
          note={stats.running > 0 ? <See to="/tasks?status=Running">what runs</See> : undefined}
        />
        <Figure
          label="Waiting"
          value={count(waiting.reduce((sum, [, number]) => sum + number, 0))}
          note={waiting.map(([lane, number]) => `${count(number)} ${lane}`).join(' · ')}
        />
        {stats.disk && <Disk disk={stats.disk} />}
      </div>
      <Card className="grid gap-6 p-4 lg:grid-cols-2">
        <Plot title="Tasks ended" times={times} series={made} show={whole} />
        <Plot title="Time from request to callback" times={times} series={latency} show={lasted} />
      </Card>
      <div className="grid items-start gap-5 lg:grid-cols-2">
        {stats.workers && <Workers workers={stats.workers} />}
        <Failing failing={stats.failing} />
      </div>
    </div>
  )
}
