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
    last_minute: Type.Object(
      { succeeded: count, failed: count },
      { description: 'What ended in the last full minute: the minute that is under way would look like a lull.' },
    ),
    success_rate: Nullable(Type.Number({ description: 'Of the tasks that ended; 0 to 1.' })),
    latency_ms: Type.Object(
      { p50: ms, p95: ms },
      { description: 'From the request to the callback that arrived; without one, to the end of the task.' },
    ),
    waiting: Type.Object(
      { picture: count, video: count, transfer: count, callback: count },
      { description: 'Each counted up to 10,000.' },
    ),
    running: Type.Integer({ minimum: 0, description: 'Counted up to 10,000.' }),
    behind: Type.Array(
      Type.Object({
        lane: Type.Enum(['picture', 'video', 'transfer']),
        waiting: count,
        seconds: Type.Integer({ minimum: 0, description: 'How long what comes now would wait, from measured times.' }),
        stalled: Type.Boolean({ description: 'Something waits for more than a minute, and nothing gets done.' }),
      }),
      { description: 'How far behind each lane is.' },
    ),
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

const taskId = Uuid('The newest of them, to look at.')
const isGroup = Type.Boolean({ description: 'Whether these are task groups.' })
const reason = Nullable(Type.String({ description: 'The newest reason, in words.' }))
const since = Time('When the oldest of them was made: for the filters of what works on many.')
const code = Type.String({ description: 'The code of the error.', examples: ['destination_unreachable'] })
const receiver = Type.String({
  description: 'Host, and port if it has one of its own.',
  examples: ['hooks.example.com'],
})

export const Trouble = Type.Object(
  {
    failed: Type.Array(
      Type.Object({
        error_code: code,
        configuration: Type.String(),
        is_group: isGroup,
        count,
        message: reason,
        first_created_at: since,
        last_at: Time('When the newest of them failed.'),
        task_id: taskId,
      }),
      { description: 'Tasks that failed within the last day, by cause: of the newest 300.' },
    ),
    failing: Type.Array(
      Type.Object({
        adapter_name: Type.String(),
        error_code: code,
        message: reason,
        first_at: Time('When the first of the five failed.'),
        last_at: Time('When the newest of them failed.'),
        task_id: taskId,
      }),
      {
        description:
          'Steps that fail in a row: the newest five entries of the adapter, of at least three tasks that ended within the last hour, all failed with the same code. The fault is then hardly the files’.',
      },
    ),
    retrying: Type.Array(
      Type.Object({
        error_code: code,
        configuration: Type.String(),
        adapter_name: Type.String(),
        is_group: isGroup,
        count,
        message: reason,
        next_at: Nullable(Time('The next attempt; null: it is being made.')),
        task_id: taskId,
        chains: Type.Array(Type.String(), { description: 'The configurations that the tasks were made with.' }),
      }),
      { description: 'Entries that went wrong and are tried again, from the first attempt on: of 500 tasks at most.' },
    ),
    given_up: Type.Array(
      Type.Object({
        receiver,
        count,
        last_error: reason,
        status_code: Nullable(Type.Integer()),
        first_created_at: since,
        last_at: Time('When the newest of them was given up.'),
      }),
      { description: 'Callbacks of the last week that nobody sends any more: of the newest 500.' },
    ),
    receivers: Type.Array(
      Type.Object({
        receiver,
        waiting: count,
        last_error: reason,
        next_at: Nullable(Time('The next attempt; null: it is being made.')),
      }),
      { description: 'Receivers of callbacks that are tried again.' },
    ),
    workers: Nullable(
      Type.Object({
        alive: Type.Array(
          Type.Object({
            worker_id: Uuid('The id of the worker.'),
            host: Type.String(),
            off: Type.Array(Type.String(), {
              description: 'What it lacks, a sentence each: a tool, room, or what another worker has.',
            }),
          }),
        ),
        silent: Type.Array(
          Type.Object({
            worker_id: Uuid('The id of the worker.'),
            host: Type.String(),
            seen_at: Time('When it last gave a sign of life.'),
          }),
        ),
      }),
    ),
    disk: Nullable(Type.Object({ free_bytes: Type.Number(), total_bytes: Type.Number(), low: Type.Boolean() })),
    waiting: Type.Integer({ minimum: 0, description: 'Tasks that wait for a worker; counted up to 10,000 a lane.' }),
    shared_lookups: Type.Array(
      Type.Object({
        experience_id: Nullable(Type.String()),
        kind: Type.Enum(['email', 'qr_code', 'rfid']),
        profiles: Type.Array(Type.Object({ profile_id: Uuid('The id of the profile.'), value: Type.String() })),
      }),
      {
        description:
          'Values that profiles of an experience have in different spellings, from before these were the same. Each is found by its own spelling alone, until they are merged or one is changed.',
      },
    ),
    stalled: Type.Array(Type.Enum(['picture', 'video', 'transfer']), {
      description: 'Lanes in which nothing gets done although something waits.',
    }),
  },
  {
    title: 'Trouble',
    description:
      '`workers` and `disk` are null for a token that is limited to experiences. At most 20 causes of each kind.',
  },
)
export type Trouble = Static<typeof Trouble>
