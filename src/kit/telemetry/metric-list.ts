// Names every metric of Keepsake's own, with its meaning and its labels; docs/metrics.md is made from it.

type Kind = 'counter' | 'gauge' | 'histogram'

interface MetricEntry {
  name: `keepsake_${string}`
  type: Kind
  help: string
  /** `deployment`: every API answers the same. `api`, `worker`, `process` (both): what that one process saw since its start. */
  of: 'deployment' | 'api' | 'worker' | 'process'
  /** What each label holds: a list of all its values, or a sentence. */
  labels: Record<string, readonly string[] | string>
  /** Upper ends of a histogram's buckets, in seconds. */
  buckets?: number[]
}

const lanes = ['picture', 'video', 'transfer', 'callback'] as const
const taskLanes = ['picture', 'video', 'transfer'] as const
const statuses = ['Succeeded', 'Failed', 'Cancelled'] as const
const forms = ['image', 'video', 'run'] as const
const directions = ['in', 'out'] as const
const children = ['pictures', 'videos'] as const

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
  httpBytes: {
    name: 'keepsake_http_bytes_total',
    type: 'counter',
    help: 'Bytes of requests (in) and answers (out), as they went over the connections.',
    of: 'api',
    labels: { direction: directions },
  },
  accepted: {
    name: 'keepsake_tasks_accepted_total',
    type: 'counter',
    help: 'Tasks and task groups that were accepted, by the lane they began in.',
    of: 'api',
    labels: { lane: taskLanes },
  },
  tasks: {
    name: 'keepsake_tasks_ended_total',
    type: 'counter',
    help: 'Runs of tasks and task groups that ended in this process. An API ends those that are cancelled while they wait.',
    of: 'process',
    labels: { status: statuses },
  },
  taskSeconds: {
    name: 'keepsake_task_seconds',
    type: 'histogram',
    help: 'From the request to the end of a task, of first runs.',
    of: 'process',
    labels: { status: statuses },
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200],
  },
  taskWait: {
    name: 'keepsake_task_wait_seconds',
    type: 'histogram',
    help: 'How long a job of a task stood in the queue, until a worker took it.',
    of: 'worker',
    labels: { lane: taskLanes },
    buckets: [0.01, 0.05, 0.25, 1, 5, 15, 60, 300, 1800],
  },
  entries: {
    name: 'keepsake_entries_total',
    type: 'counter',
    help: 'Attempts at entries and how they ended; `retried` is put off and tried again.',
    of: 'process',
    labels: {
      adapter: 'of the entry: one that this process has, or `unknown`',
      outcome: ['succeeded', 'failed', 'retried', 'skipped', 'cancelled'],
    },
  },
  mediaSeconds: {
    name: 'keepsake_media_seconds',
    type: 'histogram',
    help: 'Time that a media child worked on a segment: one or more entries that run together. An API makes previews.',
    of: 'process',
    labels: { form: forms },
    buckets: [0.02, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1800],
  },
  mediaWait: {
    name: 'keepsake_media_wait_seconds',
    type: 'histogram',
    help: 'How long a segment waited for memory and a free media child.',
    of: 'process',
    labels: { form: forms },
    buckets: [0.001, 0.01, 0.1, 1, 5, 15, 60, 300],
  },
  mediaBytes: {
    name: 'keepsake_media_bytes_total',
    type: 'counter',
    help: 'Bytes of the files that media children were given (in) and made (out).',
    of: 'process',
    labels: { form: forms, direction: directions },
  },
  mediaChildren: {
    name: 'keepsake_media_children',
    type: 'gauge',
    help: 'Media children that work, that rest, and segments that wait for one.',
    of: 'process',
    labels: { pool: children, state: ['busy', 'idle', 'waiting'] },
  },
  mediaCrashes: {
    name: 'keepsake_media_crashes_total',
    type: 'counter',
    help: 'Media children that ended in the middle of their work.',
    of: 'process',
    labels: { pool: children },
  },
  deliverySeconds: {
    name: 'keepsake_delivery_seconds',
    type: 'histogram',
    help: 'Time of one attempt to deliver a file, whatever came of it.',
    of: 'worker',
    labels: { destination: 'the adapter' },
    buckets: [0.05, 0.25, 1, 5, 15, 60, 300, 1800],
  },
  deliveredBytes: {
    name: 'keepsake_delivered_bytes_total',
    type: 'counter',
    help: 'Bytes of files that were delivered.',
    of: 'worker',
    labels: { destination: 'the adapter' },
  },
  callbacks: {
    name: 'keepsake_callback_attempts_total',
    type: 'counter',
    help: 'Attempts at callbacks and what came of them; `retried` is tried again later, `given_up` is not.',
    of: 'worker',
    labels: { outcome: ['delivered', 'retried', 'given_up'] },
  },
  callbackSeconds: {
    name: 'keepsake_callback_seconds',
    type: 'histogram',
    help: 'Time until a receiver answered an attempt, or none came.',
    of: 'worker',
    labels: {},
    buckets: [0.01, 0.05, 0.25, 1, 5, 15],
  },
  inHand: {
    name: 'keepsake_in_hand',
    type: 'gauge',
    help: 'Jobs that this worker has in hand, by lane.',
    of: 'worker',
    labels: { lane: lanes },
  },
  off: {
    name: 'keepsake_off',
    type: 'gauge',
    help: 'What this process cannot do: the number of sentences under `off` of its `/readyz`.',
    of: 'process',
    labels: {},
  },
  poolConnections: {
    name: 'keepsake_pool_connections',
    type: 'gauge',
    help: 'Connections to the database that this process has open.',
    of: 'process',
    labels: { state: ['busy', 'idle'] },
  },
  poolWaiting: {
    name: 'keepsake_pool_waiting',
    type: 'gauge',
    help: 'Statements that wait for a free connection.',
    of: 'process',
    labels: {},
  },
  poolMax: {
    name: 'keepsake_pool_max',
    type: 'gauge',
    help: 'Connections that the pool opens at most.',
    of: 'process',
    labels: {},
  },
  up: {
    name: 'keepsake_database_up',
    type: 'gauge',
    help: '1 when the database answers, else 0; gauges of the deployment then keep what they were.',
    of: 'process',
    labels: {},
  },
  free: {
    name: 'keepsake_disk_free_bytes',
    type: 'gauge',
    help: 'Room on the disk of the data folder.',
    of: 'process',
    labels: {},
  },
  diskSize: {
    name: 'keepsake_disk_size_bytes',
    type: 'gauge',
    help: 'Size of the disk of the data folder.',
    of: 'process',
    labels: {},
  },
  build: {
    name: 'keepsake_build_info',
    type: 'gauge',
    help: 'Always 1; the labels tell what this process is.',
    of: 'process',
    labels: { part: ['api', 'worker'], version: 'of Keepsake' },
  },
  waiting: {
    name: 'keepsake_waiting',
    type: 'gauge',
    help: 'Jobs that wait, by lane.',
    of: 'deployment',
    labels: { lane: lanes },
  },
  waitingAge: {
    name: 'keepsake_waiting_age_seconds',
    type: 'gauge',
    help: 'How long the job that waits longest has been due, by lane; 0 when none waits.',
    of: 'deployment',
    labels: { lane: lanes },
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
  lacking: {
    name: 'keepsake_workers_lacking',
    type: 'gauge',
    help: 'Workers that are there and lack something: a tool, room, or what another one has. `GET /api/trouble/` says which lacks what.',
    of: 'deployment',
    labels: {},
  },
  failing: {
    name: 'keepsake_adapter_failing',
    type: 'gauge',
    help: '1 while the newest five entries of the adapter, of at least three tasks of the last hour, all failed with the same code.',
    of: 'deployment',
    labels: { adapter: 'one that the API has' },
  },
  ended: {
    name: 'keepsake_ended_last_hour',
    type: 'gauge',
    help: 'Tasks that ended within the last hour.',
    of: 'deployment',
    labels: { status: ['Succeeded', 'Failed'] },
  },
  latency: {
    name: 'keepsake_latency_last_hour_seconds',
    type: 'gauge',
    help: 'From the request to the callback, of the last hour; 0 when nothing ended.',
    of: 'deployment',
    labels: { quantile: ['0.5', '0.95'] },
  },
} as const satisfies Record<string, MetricEntry>

type List = typeof metricList

/** The metrics of one kind. */
export type MetricOf<K extends Kind> = { [N in keyof List]: List[N]['type'] extends K ? N : never }[keyof List]

export type LabelsOf<N extends keyof List> = {
  [L in keyof List[N]['labels']]: List[N]['labels'][L] extends readonly (infer V)[] ? V : string
}
