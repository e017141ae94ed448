// Schemas of the bodies that callbacks post: of a task, of a task group, and of the check before an event.
import Type from 'typebox'
import { Nullable, Uuid } from './shapes.ts'

/** The document replaces it by the results of the installed adapters. */
export const Result = Type.Record(Type.String(), Type.Unknown(), {
  title: 'Result',
  description: 'What an adapter answered.',
})

const Ending = Type.Enum(['Succeeded', 'Failed'], {
  title: 'Ending',
  description: '`Failed` when a configuration ended with an error, or it was cancelled.',
})
const sentence = Type.String({ description: 'What went wrong, as a sentence; at most 1,000 characters.' })
const input_idx = Nullable(
  Type.Integer({ minimum: 0, description: 'The entry whose output it took; null: the uploaded file.' }),
)
const chain_id = Uuid('The run of the chain.')

const SucceededEntry = Type.Object(
  {
    result: Result,
    error: Type.Literal(false),
    configuration: Type.Object({
      name: Type.String({ description: 'The single configuration.' }),
      chain_id,
      input_idx,
    }),
  },
  { title: 'SucceededEntry', description: 'An entry that ended without an error.' },
)
const FailedEntry = Type.Object(
  {
    result: sentence,
    error: Type.Literal(true),
    configuration: Type.String({ description: 'The single configuration: a text here, unlike where it succeeded.' }),
    chain_id,
    input_idx,
  },
  { title: 'FailedEntry', description: 'An entry that ended with an error.' },
)

export const TaskCallback = Type.Object(
  {
    task_id: Uuid('The task.'),
    configuration: Type.String({ description: 'The configuration that was triggered.' }),
    status: Ending,
    results: Type.Array(Type.Union([SucceededEntry, FailedEntry]), {
      description: 'One for each entry that ran, in chain order; skipped ones are absent.',
    }),
  },
  { title: 'TaskCallback', description: 'Posted when a task has ended.' },
)

const configuration = Type.String({ description: 'The listed configuration.' })
const SucceededConfiguration = Type.Object(
  {
    error: Type.Literal(false),
    result: Type.Array(Result, { description: 'One for each step, in chain order.' }),
    configuration,
  },
  { title: 'SucceededConfiguration', description: 'A configuration of a group that ended without an error.' },
)
const FailedConfiguration = Type.Object(
  { error: Type.Literal(true), result: sentence, configuration },
  { title: 'FailedConfiguration', description: 'A configuration of a group that failed or was not run.' },
)

export const TaskGroupCallback = Type.Object(
  {
    status: Ending,
    task_id: Uuid('The task group.'),
    results: Type.Array(Type.Union([SucceededConfiguration, FailedConfiguration]), {
      description: 'One for each listed configuration, in the order of `configuration_names`.',
    }),
  },
  { title: 'TaskGroupCallback', description: 'Posted when all configurations of a task group have ended.' },
)

export const CheckCallback = Type.Object(
  {
    type: Type.Literal('keepsake.check'),
    configuration: Type.String({ description: 'The configuration that was checked.' }),
  },
  { title: 'CheckCallback', description: 'Posted by the check before an event; nothing has ended.' },
)

/** What a callback may hold that is kept and shown. */
export const CallbackBody = Type.Union([TaskCallback, TaskGroupCallback], {
  description: 'What is posted, the same at every attempt.',
})
