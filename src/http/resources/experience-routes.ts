// /api/experience/: the settings of an experience and the secret that signs its callbacks.

import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { changeExperience, rotateSecret } from '#access/experiences.ts'
import { includes } from '#access/scopes.ts'
import { type ExperienceRow, listExperiences, readExperience, readWebhookSecret } from '#db/nouns/experience-rows.ts'
import { Experience, ExperiencePatch } from '../contract/experience-shapes.ts'
import { ListOf, ListQuery } from '../contract/shapes.ts'
import type { Resource } from '../route/route.ts'

const tags = ['Experiences']
const params = Type.Object({ experience_id: Type.String({ description: 'The id of the experience.' }) })

export const experiences: Resource = (app, { db, secretBox }) => {
  const shown = (request: FastifyRequest, row: ExperienceRow): Experience => ({
    experience_id: row.experience_id,
    name: row.name,
    max_running: row.max_running,
    retention_days: row.retention_days,
    ...(includes(request.access.scope, 'admin') ? { webhook_secret: readWebhookSecret(secretBox, row) } : {}),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  })

  app.get(
    '/api/experience/',
    {
      config: { scope: 'read' },
      schema: { tags, summary: 'List experiences', querystring: ListQuery({}), response: { 200: ListOf(Experience) } },
    },
    async request => {
      const { items, next_cursor } = await listExperiences(db, request.access.experiences, request.query)
      return { items: items.map(row => shown(request, row)), next_cursor }
    },
  )
  app.get(
    '/api/experience/:experience_id/',
    {
      config: { scope: 'read' },
      schema: { tags, summary: 'Read an experience', params, response: { 200: Experience } },
    },
    async request => shown(request, await readExperience(db, request.access.experiences, request.params.experience_id)),
  )
  app.patch(
    '/api/experience/:experience_id/',
    {
      config: { scope: 'write' },
      schema: {
        tags,
        summary: 'Change the settings of an experience',
        params,
        body: ExperiencePatch,
        response: { 200: Experience },
      },
    },
    async request => {
      const { experience_id } = request.params
      return shown(request, await changeExperience(db, request.access.experiences, experience_id, request.body))
    },
  )
  app.post(
    '/api/experience/:experience_id/rotate-secret/',
    {
      config: { scope: 'admin' },
      schema: {
        tags,
        summary: 'Make a new webhook secret',
        description: 'For 24 hours callbacks are signed with both, the new and the old one.',
        params,
        response: { 200: Experience },
      },
    },
    async request => {
      const { experience_id } = request.params
      return shown(request, await rotateSecret(db, secretBox, request.access.experiences, experience_id))
    },
  )
}
