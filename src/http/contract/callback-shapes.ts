// Schemas of callbacks in the API.
import Type, { type Static } from 'typebox'
import { ExperienceId, Nullable, Time, Uuid } from './shapes.ts'
import { CallbackBody } from './webhook-shapes.ts'

const CallbackStatus = Type.Enum(['Waiting', 'Delivered', 'GivenUp'], {
  title: 'CallbackStatus',
  description: 'Waiting for its next attempt, delivered, or given up after the last.',
})

export const Callback = Type.Object(
  {
    callback_id: Uuid('The id of the callback: its `webhook-id`.'),
    task_id: Uuid('The task or task group that ended.'),
    configurations: Type.Array(Type.String(), {
      description: 'The configuration of the task, or those of the group; none once its record is gone.',
    }),
    guest: Nullable(
      Type.String({
        description: 'What the request named its guest by; null if it named none, or its record is gone.',
      }),
    ),
    url: Type.String(),
    status: CallbackStatus,
    body: CallbackBody,
    attempts: Type.Array(
      Type.Object({
        at: Time('When it was tried.'),
        status_code: Nullable(Type.Integer({ description: 'What the receiver answered.' })),
        error: Nullable(Type.String({ description: 'Why there was no answer, or no good one.' })),
        duration_ms: Type.Integer(),
      }),
      { description: 'Oldest first.' },
    ),
    next_attempt_at: Nullable(Time('When it is tried again.')),
    created_at: Time('When the task ended.'),
    updated_at: Time('When it last changed.'),
  },
  { title: 'Callback' },
)
export type Callback = Static<typeof Callback>

export const callbackFilters = {
  task_id: Type.Optional(Uuid('Those of this task or task group.')),
  status: Type.Optional(CallbackStatus),
  experience_id: Type.Optional(ExperienceId),
  created_after: Type.Optional(Time('Those made at this time or later.')),
  created_before: Type.Optional(Time('Those made before this time.')),
}
