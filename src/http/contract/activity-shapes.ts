// Schemas of activities in the API.
import Type, { type Static } from 'typebox'
import { ExperienceId, FreeObject, Nullable, Text, Time, Uuid } from './shapes.ts'

export const Activity = Type.Object(
  {
    activity_id: Uuid('The id of the activity.'),
    owner_id: Uuid('The profile it belongs to.'),
    experience_id: Type.String(),
    activity_type: Type.String({ examples: ['content-generation'] }),
    flow_id: Uuid('One for each request: all activities of one task or task group share it.'),
    payload: FreeObject(
      '`souvenir_data` with the result of the processing, `object_id`, `vcc_config_name`, `chain_id`, `task_id`, and what `activity_config.payload` brought.',
    ),
    retracted_at: Nullable(
      Time('When the delivery was taken back: what `souvenir_data` names is gone from its target. Null: it was not.'),
    ),
    created_at: Time('When it was created.'),
  },
  { title: 'Activity' },
)
export type Activity = Static<typeof Activity>

export const activityFilters = {
  owner_id: Type.Optional(Uuid('Those of this profile.')),
  experience_id: Type.Optional(ExperienceId),
  activity_type: Type.Optional(Text('Those of this type.', 128)),
  task_id: Type.Optional(Uuid('Those of this task or task group.')),
}
