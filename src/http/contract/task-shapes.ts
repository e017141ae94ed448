// Schemas of tasks and task groups in the API.

import Type, { type Static } from 'typebox'
import { ConsentGiven } from './guests/consent-shapes.ts'
import { GuestUrl, KeepsakeId } from './guests/keepsake-shapes.ts'
import { ExperienceId, FreeObject, Nullable, Text, Time, Uuid } from './shapes.ts'
import { Result } from './webhook-shapes.ts'

const TaskStatus = Type.Enum(['Waiting', 'Running', 'Succeeded', 'Failed', 'Cancelled'], {
  title: 'TaskStatus',
  description: 'Where it stands.',
})
const EntryStatus = Type.Enum(['Waiting', 'Running', 'Succeeded', 'Failed', 'Cancelled', 'Skipped'], {
  title: 'EntryStatus',
  description: 'Where it stands; `Skipped` when what it waited for failed.',
})

const TokenId = Nullable(
  Uuid('The token that sent it, or that last ran it again; null: the operator’s own, or one that was deleted.'),
)
const started_at = Nullable(Time('When it began to run.'))
const ended_at = Nullable(Time('When it ended.'))
const updated_at = Time('When it, or one of its entries, last began, ended or was queued.')
const Sent = Nullable(
  Type.Object(
    {
      file_name: Nullable(Type.String({ description: 'As it was sent; null if it had none.' })),
      mime: Type.String({ description: 'Told by the content.' }),
      bytes: Type.Integer(),
      sha256: Type.String({ description: 'Of its bytes, as hex.' }),
    },
    { description: 'The file that was sent in or downloaded; null before that, and where it is another’s output.' },
  ),
)
const Warnings = Type.Array(Type.String(), { description: 'What to look at, a sentence each.' })

const Files = Type.Object(
  {},
  {
    additionalProperties: Type.Array(
      Type.Object({ mime: Type.String(), bytes: Type.Integer(), sha256: Type.String() }),
    ),
    description: 'The files that came with the request in place of assets, by asset parameter.',
  },
)

export const Entry = Type.Object(
  {
    index: Type.Integer(),
    configuration: Type.String({ description: 'The single configuration.' }),
    adapter_name: Type.String(),
    input_idx: Nullable(Type.Integer({ description: 'The entry whose output it takes; null: the uploaded file.' })),
    status: EntryStatus,
    progress: Type.Number({ minimum: 0, maximum: 1 }),
    seconds_left: Nullable(
      Type.Integer({ minimum: 0, description: 'While it runs, by the pace so far; null where that can’t be told.' }),
    ),
    started_at,
    ended_at,
    retry_at: Nullable(Time('When it is tried again.')),
    result: Nullable(Result),
    retracted_at: Nullable(
      Time('When the delivery was taken back: what `result` names is gone from its target. Null: it was not.'),
    ),
    error: Nullable(
      Type.Object(
        {
          code: Type.String({ description: 'Stable; see the list of errors.' }),
          message: Type.String({ description: 'What went wrong, as a sentence.' }),
        },
        { title: 'EntryError' },
      ),
    ),
    warnings: Warnings,
    output: Nullable(
      Type.Object(
        {
          mime: Type.String(),
          width: Nullable(Type.Integer()),
          height: Nullable(Type.Integer()),
          duration: Nullable(Type.Number()),
          bytes: Nullable(
            Type.Integer({
              description: 'Null where the entry melted into the next one: the file is made when it is asked for.',
            }),
          ),
          sha256: Nullable(Type.String()),
        },
        { title: 'Output', description: 'The file that it handed on.' },
      ),
    ),
    explanation: Nullable(
      FreeObject(
        '`decisions`, `command`, `versions`, `timings`; `seen` where faces were looked for: the size of each picture, and `left`, `top`, `width`, `height` and `score` of its faces in its pixels.',
      ),
    ),
  },
  { title: 'Entry' },
)
export type Entry = Static<typeof Entry>

export const Task = Type.Object(
  {
    task_id: Uuid('The id of the task.'),
    chain_id: Uuid('The run of the chain.'),
    flow_id: Uuid('Shared by all activities of the request.'),
    configuration: Type.String({ description: 'The configuration that was triggered.' }),
    experience_id: Type.String(),
    keepsake_id: KeepsakeId,
    consent: ConsentGiven,
    guest_url: GuestUrl,
    token_id: TokenId,
    status: TaskStatus,
    extras: FreeObject('As they were sent.'),
    input: Sent,
    files: Files,
    webhook_url: Nullable(Type.String()),
    warnings: Warnings,
    created_at: Time('When it was accepted.'),
    updated_at,
    started_at,
    ended_at,
    entries: Type.Array(Entry, { description: 'In the order of the unfolded chain.' }),
  },
  { title: 'Task' },
)
export type Task = Static<typeof Task>

export const OnFailure = Type.Enum(['stop', 'continue'], {
  description:
    'What happens after a configuration has failed. `stop`: none after it is run. `continue`: every one that takes nothing from a failed one, by `_input` or `_override`, still is.',
})

export const TaskGroup = Type.Object(
  {
    task_id: Uuid('The id of the task group.'),
    flow_id: Uuid('Shared by all activities of the request.'),
    status: TaskStatus,
    configuration_names: Type.Array(Type.String()),
    on_failure: OnFailure,
    experience_id: Type.String(),
    keepsake_id: KeepsakeId,
    consent: ConsentGiven,
    guest_url: GuestUrl,
    token_id: TokenId,
    webhook_url: Nullable(Type.String()),
    warnings: Warnings,
    created_at: Time('When it was accepted.'),
    updated_at,
    started_at,
    ended_at,
    tasks: Type.Array(
      Type.Object(
        {
          index: Type.Integer(),
          configuration: Type.String(),
          chain_id: Uuid('The run of this configuration.'),
          status: TaskStatus,
          extras: FreeObject('As they were sent.'),
          files: Files,
          input: Sent,
          entries: Type.Array(Entry),
        },
        { title: 'GroupMember', description: 'One configuration of a task group.' },
      ),
      { description: 'In the order of `configuration_names`.' },
    ),
  },
  { title: 'TaskGroup' },
)
export type TaskGroup = Static<typeof TaskGroup>

export const TaskFailure = Type.Object(
  {
    run: Type.Integer({ description: 'In which run of the task: 1, and one more with every retry.' }),
    position: Type.Integer({ description: 'Of the configuration in its group; 0 in a task.' }),
    index: Type.Integer({ description: 'The entry.' }),
    configuration: Type.String({ description: 'The single configuration of the entry.' }),
    outcome: Type.Enum(['Deferred', 'Failed', 'Cancelled'], {
      description: '`Deferred`: it was to be tried again by itself. `Failed` and `Cancelled`: the entry ended so.',
    }),
    attempt: Type.Integer({ minimum: 0, description: 'How many attempts were made in this run until then.' }),
    error: Type.Object(
      { code: Type.String({ description: 'Stable; see the list of errors.' }), message: Type.String() },
      { title: 'FailureError', description: 'What went wrong.' },
    ),
    times: Type.Integer({ minimum: 1, description: 'How often in a row.' }),
    first_at: Time('When it first happened.'),
    last_at: Time('When it last happened.'),
  },
  { title: 'TaskFailure', description: 'An attempt that went wrong.' },
)
export type TaskFailure = Static<typeof TaskFailure>

export const taskFilters = {
  status: Type.Optional(TaskStatus),
  configuration: Type.Optional(Text('Those of this configuration.', 128)),
  experience_id: Type.Optional(ExperienceId),
  profile_id: Type.Optional(Uuid('Those that ended and were made for this guest.')),
  error_code: Type.Optional(Text('Those with an entry that ended with this error.', 64)),
  created_after: Type.Optional(Time('Those accepted at this time or later.')),
  created_before: Type.Optional(Time('Those accepted before this time.')),
}
