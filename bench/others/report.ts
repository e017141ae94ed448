// The tables of the comparison.
import { median, ratio, table } from '../support/cpu.ts'
import type { Loss, Throughput, Wait } from './trials.ts'

export interface Measured {
  chain: Throughput[]
  flip: Throughput[]
  latency: number[]
  worker: Loss[]
  server: Loss[]
  wait: Wait | null
}

export type Results = Map<string, Measured>

interface Run {
  tasks: number
  crowd: number
  rounds: number
  kills: number
}

const speed = (runs: readonly Throughput[]): string => median(runs.map(({ perSecond }) => perSecond)).toFixed(1)
const cpu = (runs: readonly Throughput[]): string => median(runs.map(({ cpuMs }) => cpuMs)).toFixed(0)

/** The worst of them. */
function loss(trials: readonly Loss[]): string {
  const worst = (of: (loss: Loss) => number): number => Math.max(...trials.map(of))
  const count = (value: number): string => (value > 0 ? `**${value}**` : '0')
  const seconds = worst(trial => trial.seconds).toFixed(0)
  return `${count(worst(trial => trial.lost))} / ${count(worst(trial => trial.doubled))}, ${seconds} s`
}

function wait(waited: Wait | null): string {
  if (!waited) return 'as with everysec'
  const before = `after ${waited.before.toLocaleString('en')} others`
  if (waited.came) return `${waited.seconds.toFixed(waited.seconds < 10 ? 2 : 0)} s, ${before}`
  return `more than ${waited.seconds.toFixed(0)} s, ${before}`
}

export function report(results: Results, { tasks, crowd, rounds, kills }: Run): string {
  const head = [
    'system',
    'three steps: tasks/s',
    'CPU ms a task',
    'turned: tasks/s',
    'CPU ms a task',
    'one task, ms',
    `worker killed: lost / doubled of ${tasks} (the worst of ${kills}), last after`,
    'server killed: the same',
    `second tenant behind ${crowd.toLocaleString('en')}`,
  ]
  const rows = [...results].map(([name, { chain, flip, latency, worker, server, wait: waited }]) => [
    name,
    speed(chain),
    cpu(chain),
    speed(flip),
    cpu(flip),
    median(latency).toFixed(0),
    loss(worker),
    loss(server),
    wait(waited),
  ])
  const lines = [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`)
  const goals = goalRows(results)
  return [
    lines.join('\n'),
    ...(goals.length > 0 ? [`Medians of ${rounds}, of ratios round by round:`, table(goals)] : []),
  ].join('\n\n')
}

/** Times, so that less is better as in the other benchmarks: 1 is their throughput. */
function goalRows(results: Results) {
  const keepsake = results.get('Keepsake')
  const others = [...results].filter(([name]) => name !== 'Keepsake')
  if (!keepsake || others.length === 0) return []
  return (['chain', 'flip'] as const).flatMap(kind => {
    const times = (measured: Measured): number[] => measured[kind].map(({ perSecond }) => 1 / perSecond)
    const what = kind === 'chain' ? 'turned, resized and framed' : 'only turned'
    return others.map(([name, measured]) => ({
      what: `${what}: time against ${name}`,
      value: ratio(times(keepsake), times(measured)),
      goal: 1,
    }))
  })
}
