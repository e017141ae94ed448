// Meters that answer as Prometheus text.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { ExposedMeters } from './meters.ts'
import { metricList } from './metric-list.ts'

interface Exposition {
  part: 'api' | 'worker'
  version: string
  /** The values of labels that are known only here: names of adapters. */
  known: Record<string, readonly string[]>
}

type Labels = Record<string, string>

const parts = { api: ['api', 'process', 'deployment'], worker: ['worker', 'process'] }

export function newExposedMeters({ part, version, known }: Exposition): ExposedMeters {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const metrics = new Map<string, Counter | Gauge | Histogram>()
  for (const [key, entry] of Object.entries(metricList)) {
    if (!parts[part].includes(entry.of)) continue
    const { name, help, type, labels } = entry
    const common = { name, help, labelNames: Object.keys(labels), registers: [registry] }
    const metric =
      type === 'counter'
        ? new Counter(common)
        : type === 'gauge'
          ? new Gauge(common)
          : new Histogram({ ...common, buckets: [...entry.buckets] })
    metrics.set(key, metric)
    begin(metric, labels, known)
  }
  const looks: (() => Promise<void> | void)[] = []
  const meters: ExposedMeters = {
    // What this part does not serve is counted nowhere.
    count: (key, labels, by = 1) => void (metrics.get(key) as Counter | undefined)?.inc(labels as Labels, by),
    observe: (key, labels, seconds) =>
      void (metrics.get(key) as Histogram | undefined)?.observe(labels as Labels, seconds),
    set: (key, labels, value) => void (metrics.get(key) as Gauge | undefined)?.set(labels as Labels, value),
    contentType: registry.contentType,
    onRead: look => void looks.push(look),
    async read() {
      await Promise.all(looks.map(look => look()))
      return registry.metrics()
    },
  }
  meters.set('build', { part, version }, 1)
  return meters
}

/** A series that begins with 0 shows its first event as a rise; one that begins with 1 does not. */
function begin(
  metric: Counter | Gauge | Histogram,
  labels: Record<string, readonly string[] | string>,
  known: Record<string, readonly string[]>,
): void {
  if (metric instanceof Gauge) return
  const values = Object.entries(labels).map(
    ([label, of]) => [label, typeof of === 'string' ? known[label] : of] as const,
  )
  let series: Record<string, string>[] = [{}]
  for (const [label, all] of values)
    series = series.flatMap(each => (all ?? []).map(value => ({ ...each, [label]: value })))
  for (const each of series) {
    if (metric instanceof Counter) metric.inc(each, 0)
    else metric.zero(each)
  }
}
