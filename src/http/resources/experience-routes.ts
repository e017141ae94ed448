// /api/experience/: the settings of an experience and the secret that signs its callbacks.

import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { changeExperience, rotateSecret } from '#access/experiences.ts'
import { includes } from '#access/scopes.ts'
import { type ExperienceRow, listExperiences, readExperience, readWebhookSecret } from '#db/nouns/experience-rows.ts'
import { Experience, ExperiencePatch } from '../contract/experience-shapes.ts'
import { ListOf, ListQuery } from '../contract/shapes.ts'
import type { Resource } from '../route/route.ts'
import { expecting, readAnswers, readHeaders, sendTagged, Tagged, tagOf, writeHeaders } from '../wire/preconditions.ts'

const tags = ['Experiences']
/** `admin` tokens are shown the secret, which is another text. */
const ADMIN = '-admin'
const tag = ({ access }: FastifyRequest, { revision }: ExperienceRow): string =>
  tagOf(revision, includes(access.scope, 'admin') ? ADMIN : '')
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
      schema: {
        tags,
        summary: 'Read an experience',
        params,
        headers: readHeaders,
        response: readAnswers(Experience),
      },
    },
    async (request, reply) => {
      const row = await readExperience(db, request.access.experiences, request.params.experience_id)
      return sendTagged(reply, tag(request, row), () => shown(request, row))
    },
  )
  app.patch(
    '/api/experience/:experience_id/',
    {
      config: { scope: 'write', problems: ['changed_meanwhile'] },
      schema: {
        tags,
        summary: 'Change the settings of an experience',
        params,
        headers: writeHeaders,
        body: ExperiencePatch,
        response: { 200: Tagged(Experience) },
      },
    },
    async (request, reply) => {
      const { params, access, body } = request
      const expect = expecting<ExperienceRow>(request, ({ revision }) => [tagOf(revision), tagOf(revision, ADMIN)])
      const row = await changeExperience(db, access.experiences, params.experience_id, body, expect)
      return reply.header('etag', tag(request, row)).send(shown(request, row))
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
        response: { 200: Tagged(Experience) },
      },
    },
    async (request, reply) => {
      const row = await rotateSecret(db, secretBox, request.access.experiences, request.params.experience_id)
      return reply.header('etag', tag(request, row)).send(shown(request, row))
    },
  )
}
