// Schemas of the audit in the API.
import Type, { type Static } from 'typebox'
import { FreeObject, Name, Nullable, Text, Time, Uuid } from './shapes.ts'

const actions = [
  'create',
  'update',
  'delete',
  'restore',
  'undelete',
  'rotate_secret',
  'cancel',
  'retry',
  'retract',
  'resend',
  'reissue',
  'approve',
  'hide',
] as const
const objects = [
  'configuration',
  'asset',
  'profile',
  'experience',
  'token',
  'task',
  'taskgroup',
  'callback',
  'keepsake',
  'wall_key',
] as const

export const AuditEvent = Type.Object(
  {
    event_id: Uuid('The id of the event.'),
    action: Type.Enum([...actions], { description: 'What was done.' }),
    object: Type.Enum([...objects], { description: 'On what kind of thing.' }),
    object_id: Type.String({ description: 'Its name or id.', examples: ['flip the photo'] }),
    experience_id: Nullable(Type.String({ description: 'The experience it belongs to.' })),
    actor: Type.Object(
      {
        kind: Type.Enum(['token', 'session', 'command_line', 'guest'], {
          description: 'With a token, in the console, on the machine itself, or with the code of a keepsake.',
        }),
        token_id: Nullable(Uuid('The token that was used; null: the operator’s own, or the command line.')),
        name: Type.String({ description: 'The name of the token, or the command.', examples: ['booth 3'] }),
        address: Nullable(Type.String({ description: 'Where the request came from.', examples: ['192.0.2.7'] })),
      },
      { description: 'Who did it, and from where.' },
    ),
    before: Nullable(
      FreeObject('What it was, secrets masked; null if it was not there. A very long field is replaced by its length.'),
    ),
    after: Nullable(FreeObject('What it is since then, likewise; null if it is gone.')),
    created_at: Time('When it was done.'),
  },
  { title: 'AuditEvent' },
)
export type AuditEvent = Static<typeof AuditEvent>

export const auditFilters = {
  object: Type.Optional(Type.Enum([...objects], { description: 'Changes of this kind of thing.' })),
  object_id: Type.Optional(Text('Changes of the thing with this name or id.', 256)),
  action: Type.Optional(Type.Enum([...actions], { description: 'Changes of this kind.' })),
  actor: Type.Optional(Text('Changes by tokens or commands of this name.', 256)),
  token_id: Type.Optional(Uuid('Changes by this token.')),
  experience_id: Type.Optional(Name('Changes in this experience.', 'expo-2026')),
  created_after: Type.Optional(Time('Changes at this time or later.')),
  created_before: Type.Optional(Time('Changes before this time.')),
}
