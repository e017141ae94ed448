// /api/experience/: the settings of an experience and the secret that signs its callbacks.

import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { changeExperience, createExperience, rotateSecret } from '#access/experiences.ts'
import { includes } from '#access/scopes.ts'
import { shownWebhookHeaders, webhookHeadersChange } from '#callbacks/own-headers.ts'
import { type ExperienceRow, listExperiences, readExperience, readWebhookSecret } from '#db/nouns/experience-rows.ts'
import { badField } from '#kit/errors.ts'
import { wholeGuestPage } from '#kit/guest/guest-page.ts'
import { answer, locationHeader } from '../contract/answers.ts'
import { Experience, ExperienceInput, ExperiencePatch, experienceFilters } from '../contract/experience-shapes.ts'
import { ListOf, ListQuery } from '../contract/shapes.ts'
import type { Resource } from '../route/route.ts'
import { expecting, readAnswers, readHeaders, sendTagged, Tagged, tagOf, writeHeaders } from '../wire/preconditions.ts'
import { settingsOf } from './experience-settings.ts'

const tags = ['Experiences']
/** `admin` tokens are shown the secret, which is another text. */
const ADMIN = '-admin'
const tag = ({ access }: FastifyRequest, { revision }: ExperienceRow): string =>
  tagOf(revision, includes(access.scope, 'admin') ? ADMIN : '')
const params = Type.Object({ experience_id: Type.String({ description: 'The id of the experience.' }) })

export const experiences: Resource = (app, services) => {
  const { db, secretBox } = services
  const shown = (request: FastifyRequest, row: ExperienceRow): Experience => ({
    experience_id: row.experience_id,
    name: row.name,
    max_running: row.max_running,
    retention_days: row.retention_days,
    time_zone: row.time_zone,
    starts_at: row.starts_at?.toISOString() ?? null,
    ends_at: row.ends_at?.toISOString() ?? null,
    archived: row.archived,
    guest_page: wholeGuestPage(row.guest_page),
    ...(includes(request.access.scope, 'admin')
      ? {
          webhook_secret: readWebhookSecret(secretBox, row),
          webhook_headers: shownWebhookHeaders(secretBox, row),
        }
      : {}),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  })

  app.post(
    '/api/experience/',
    {
      config: { scope: 'write', problems: ['name_taken'] },
      schema: {
        tags,
        operationId: 'createExperience',
        summary: 'Make an experience',
        description: 'With its settings. Without this it is made at the first use of its id.',
        body: ExperienceInput,
        response: {
          201: Tagged(
            'The experience that was made.',
            Experience,
            locationHeader('The path of the experience.', '/api/experience/expo-2026/'),
          ),
        },
      },
    },
    async (request, reply) => {
      const { experience_id, ...written } = request.body
      const { experiences } = request.access
      const row = await createExperience(
        { ...services, actor: request.actor },
        experiences,
        experience_id,
        settingsOf(written),
      )
      const location = `/api/experience/${encodeURIComponent(experience_id)}/`
      return reply
        .code(201)
        .headers({ location, etag: tag(request, row) })
        .send(shown(request, row))
    },
  )
  app.get(
    '/api/experience/',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'listExperiences',
        summary: 'List experiences',
        querystring: ListQuery(experienceFilters),
        response: { 200: answer('A page of experiences.', ListOf(Experience)) },
      },
    },
    async request => {
      const { archived, ...page } = request.query
      const where = archived === undefined ? {} : { archived: archived === 'true' }
      const { items, next_cursor } = await listExperiences(db, request.access.experiences, where, page)
      return { items: items.map(row => shown(request, row)), next_cursor }
    },
  )
  app.get(
    '/api/experience/:experience_id/',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'readExperience',
        summary: 'Read an experience',
        params,
        headers: readHeaders,
        response: readAnswers('The experience.', Experience),
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
      config: { scope: 'write', problems: ['changed_meanwhile', 'secret_needed'] },
      schema: {
        tags,
        operationId: 'updateExperience',
        summary: 'Change the settings of an experience',
        description: '`webhook_headers` are changed by `admin` tokens only.',
        params,
        headers: writeHeaders,
        body: ExperiencePatch,
        response: { 200: Tagged('The experience with its new settings.', Experience) },
      },
    },
    async (request, reply) => {
      const { params, access, body, actor } = request
      const { experience_id } = params
      const { webhook_headers, ...settings } = body
      if (webhook_headers !== undefined && !includes(access.scope, 'admin'))
        throw badField('webhook_headers', 'needs the scope admin', 'forbidden')
      const row = await changeExperience(
        { ...services, actor },
        access.experiences,
        experience_id,
        settingsOf(settings),
        {
          expect: expecting<ExperienceRow>(request, ({ revision }) => [tagOf(revision), tagOf(revision, ADMIN)]),
          ...(webhook_headers === undefined
            ? {}
            : { also: webhookHeadersChange(services, experience_id, webhook_headers ?? []) }),
        },
      )
      return reply.header('etag', tag(request, row)).send(shown(request, row))
    },
  )
  app.post(
    '/api/experience/:experience_id/rotate-secret/',
    {
      config: { scope: 'admin' },
      schema: {
        tags,
        operationId: 'rotateExperienceSecret',
        summary: 'Make a new webhook secret',
        description: 'For 24 hours callbacks are signed with both, the new and the old one.',
        params,
        response: { 200: Tagged('The experience with its new secret.', Experience) },
      },
    },
    async (request, reply) => {
      const row = await rotateSecret(
        { ...services, actor: request.actor },
        request.access.experiences,
        request.params.experience_id,
      )
      return reply.header('etag', tag(request, row)).send(shown(request, row))
    },
  )
}
