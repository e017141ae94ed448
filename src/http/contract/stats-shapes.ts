// Schema of the overview in the API.
import Type, { type Static } from 'typebox'
import { Nullable, Time, Uuid } from './shapes.ts'

export const Window = Type.Enum(['hour', 'day', 'week'], { description: 'How far back; an hour unless told.' })
export type Window = Static<typeof Window>

const count = Type.Integer({ minimum: 0 })
const ms = Nullable(Type.Number())

export const Stats = Type.Object(
  {
    window: Window,
    tasks_per_minute: Type.Number(),
    success_rate: Nullable(Type.Number({ description: 'Of the tasks that ended; 0 to 1.' })),
    latency_ms: Type.Object({ p50: ms, p95: ms }, { description: 'From the request to the callback.' }),
    waiting: Type.Object(
      { picture: count, video: count, transfer: count, callback: count },
      { description: 'Each counted up to 10,000.' },
    ),
    running: Type.Integer({ minimum: 0, description: 'Counted up to 10,000.' }),
    workers: Nullable(
      Type.Array(
        Type.Object({
          worker_id: Uuid('The id of the worker.'),
          host: Type.String(),
          started_at: Time('When it started.'),
          doing: Type.Array(Type.Object({ task_id: Type.String(), lane: Type.String(), since: Type.String() })),
        }),
        { description: 'Null for a token that is limited to experiences.' },
      ),
    ),
    disk: Nullable(
      Type.Object(
        { free_bytes: Type.Number(), total_bytes: Type.Number() },
        { description: 'Null for a token that is limited to experiences.' },
      ),
    ),
    failing: Type.Object({
      destinations: Type.Array(
        Type.Object({ configuration: Type.String(), failed: count, last_error: Nullable(Type.String()) }),
        { description: 'Of the last 300 tasks that failed, within the last hour.' },
      ),
      receivers: Type.Array(
        Type.Object({ receiver: Type.String(), waiting: count, last_error: Nullable(Type.String()) }),
        { description: 'Of 100 receivers at most; up to 100 callbacks of each are counted.' },
      ),
    }),
    points: Type.Array(
      Type.Object({ at: Time('Where the point begins.'), succeeded: count, failed: count, p50_ms: ms, p95_ms: ms }),
    ),
  },
  { title: 'Stats' },
)
export type Stats = Static<typeof Stats>
