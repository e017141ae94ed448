// The tables of metrics: Keepsake's own from their list, those of the process from the library that makes them.
import { collectDefaultMetrics, Registry } from 'prom-client'
import { metricList } from '../../src/kit/telemetry/metric-list.ts'

/** The library offers these on Linux alone; the page names them in a sentence. */
const ONLY_LINUX = ['process_virtual_memory_bytes', 'process_heap_bytes', 'process_open_fds', 'process_max_fds']

const escaped = text => text.replaceAll('|', '\\|')

const whose = { api: 'API', worker: 'worker', process: 'API, worker', deployment: 'the deployment' }

/** A list of all values, or a sentence. */
const values = what => (typeof what === 'string' ? what : what.map(value => `\`${value}\``).join(', '))

export const metricsTable = () =>
  [
    '| metric | type | meaning | of | labels |',
    '|---|---|---|---|---|',
    ...Object.values(metricList).map(({ name, type, help, of, labels, buckets }) => {
      const ends = buckets ? ` Buckets up to ${buckets.join(', ')} s.` : ''
      const told = Object.entries(labels).map(([label, what]) => `\`${label}\`: ${values(what)}`)
      return `| \`${name}\` | ${type} | ${escaped(help + ends)} | ${whose[of]} | ${escaped(told.join('; '))} |`
    }),
  ].join('\n')

export async function processMetricsTable() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const metrics = (await registry.getMetricsAsJSON()).filter(({ name }) => !ONLY_LINUX.includes(name))
  return [
    '| metric | type | meaning |',
    '|---|---|---|',
    ...metrics.map(({ name, type, help }) => `| \`${name}\` | ${type} | ${escaped(help).replace(/\.?$/, '.')} |`),
  ].join('\n')
}
