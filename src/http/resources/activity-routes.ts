// /api/activity/: the activities of guests.
import Type from 'typebox'
import { type ActivityRow, listActivities, readActivity } from '#db/nouns/activity-rows.ts'
import { Activity, activityFilters } from '../contract/activity-shapes.ts'
import { answer } from '../contract/answers.ts'
import { ListOf, ListQuery } from '../contract/shapes.ts'
import type { Resource } from '../route/route.ts'

const tags = ['Activities']

export const activities: Resource = (app, { db }) => {
  app.get(
    '/api/activity/',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'listActivities',
        summary: 'List activities',
        querystring: ListQuery(activityFilters),
        response: { 200: answer('A page of activities.', ListOf(Activity)) },
      },
    },
    async request => {
      const { limit, cursor, ...filters } = request.query
      const page = await listActivities(db, request.access.experiences, filters, { limit, cursor })
      return { items: page.items.map(shown), next_cursor: page.next_cursor }
    },
  )
  app.get(
    '/api/activity/:activity_id/',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'readActivity',
        summary: 'Read an activity',
        params: Type.Object({ activity_id: Type.String({ description: 'The id of the activity.' }) }),
        response: { 200: answer('The activity.', Activity) },
      },
    },
    async request => shown(await readActivity(db, request.access.experiences, request.params.activity_id)),
  )
}

const shown = (row: ActivityRow): Activity => ({
  activity_id: row.activity_id,
  owner_id: row.owner_id,
  experience_id: row.experience_id,
  activity_type: row.activity_type,
  flow_id: row.flow_id,
  payload: row.payload,
  retracted_at: row.retracted_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
})
