// Names every metric of Keepsake's own, with its meaning and its labels; docs/metrics.md is made from it.
import type { Lane } from '#queue/lanes.ts'

export interface MetricEntry<L extends string = string> {
  name: `keepsake_${string}`
  type: 'gauge' | 'histogram'
  help: string
  /** `deployment`: every API answers the same; `api`: what that one process saw since its start. */
  of: 'deployment' | 'api'
  /** What each label holds. */
  labels: Record<L, string>
  /** Upper ends of a histogram's buckets, in seconds. */
  buckets?: number[]
}

const listed = <T extends string>(...values: T[]): string => values.map(value => `\`${value}\``).join(', ')

export const metricList = {
  requests: {
    name: 'keepsake_http_request_seconds',
    type: 'histogram',
    help: 'Time to answer a request.',
    of: 'api',
    labels: {
      method: 'of the request',
      route: 'the pattern of its path, such as `/api/task/:task_id/`, or `unknown`',
      status: 'of the answer',
    },
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
  },
  up: {
    name: 'keepsake_database_up',
    type: 'gauge',
    help: '1 when the database answers, else 0; the other gauges then keep what they were.',
    of: 'api',
    labels: {},
  },
  waiting: {
    name: 'keepsake_waiting',
    type: 'gauge',
    help: 'Jobs that wait, by lane.',
    of: 'deployment',
    labels: { lane: listed<Lane>('picture', 'video', 'transfer', 'callback') },
  },
  running: {
    name: 'keepsake_running',
    type: 'gauge',
    help: 'Tasks that run.',
    of: 'deployment',
    labels: {},
  },
  workers: {
    name: 'keepsake_workers',
    type: 'gauge',
    help: 'Workers that are there.',
    of: 'deployment',
    labels: {},
  },
  ended: {
    name: 'keepsake_ended_last_hour',
    type: 'gauge',
    help: 'Tasks that ended within the last hour.',
    of: 'deployment',
    labels: { status: listed('Succeeded', 'Failed') },
  },
  latency: {
    name: 'keepsake_latency_last_hour_seconds',
    type: 'gauge',
    help: 'From the request to the callback, of the last hour; 0 when nothing ended.',
    of: 'deployment',
    labels: { quantile: listed('0.5', '0.95') },
  },
  free: {
    name: 'keepsake_disk_free_bytes',
    type: 'gauge',
    help: 'Room on the disk of the data folder.',
    of: 'api',
    labels: {},
  },
} satisfies Record<string, MetricEntry>
