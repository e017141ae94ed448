// /api/profile/: guests and their lookup values.
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { claimActivities } from '#activities/claim.ts'
import type { Trx } from '#db/database.ts'
import { erasePerson } from '#erasures/erasures.ts'
import { badField } from '#kit/errors.ts'
import { mergeProfiles } from '#profiles/merge.ts'
import {
  changeProfile,
  createProfile,
  deleteProfile,
  listProfiles,
  type ProfileRow,
  readProfile,
  type Written,
} from '#profiles/profiles.ts'
import { wakeForConsent } from '#tasks/steer/wake.ts'
import { answer, emptyAnswer, locationHeader } from '../contract/answers.ts'
import { Erasure, shownErasure } from '../contract/guests/erasure-shapes.ts'
import { Profile, ProfileInput, ProfileMerge, ProfilePatch, profileFilters } from '../contract/profile-shapes.ts'
import { exampleId, Input, ListOf, ListQuery } from '../contract/shapes.ts'
import type { Resource } from '../route/route.ts'
import { expecting, readAnswers, readHeaders, sendTagged, Tagged, tagOf, writeHeaders } from '../wire/preconditions.ts'

const tags = ['Profiles']
const params = Type.Object({ profile_id: Type.String({ description: 'The id of the profile.' }) })

export const profiles: Resource = (app, services) => {
  const { db, secretBox, adapters } = services
  const wake = (trx: Trx, waiters: Parameters<typeof wakeForConsent>[2]) => wakeForConsent(services, trx, waiters)
  const context = { db, secretBox, claim: claimActivities, wake }

  app.post(
    '/api/profile/',
    {
      config: { scope: 'write', problems: ['lookup_taken'] },
      schema: {
        tags,
        operationId: 'createProfile',
        summary: 'Make a profile',
        description: 'Activities that waited for one of its values are created now.',
        body: ProfileInput,
        response: {
          201: Tagged(
            'The profile that was made.',
            Profile,
            locationHeader('The path of the profile.', `/api/profile/${exampleId}/`),
          ),
        },
      },
    },
    async (request, reply) => {
      const row = await createProfile(
        { ...context, actor: request.actor },
        request.access.experiences,
        request.body as Written,
      )
      const place = `/api/profile/${row.profile_id}/`
      return reply
        .code(201)
        .headers({ location: place, etag: tagOf(row.revision) })
        .send(shownProfile(row))
    },
  )
  app.get(
    '/api/profile/',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'listProfiles',
        summary: 'List or find profiles',
        querystring: ListQuery(profileFilters),
        response: { 200: answer('A page of profiles.', ListOf(Profile)) },
      },
    },
    async request => {
      const { limit, cursor, ...filters } = request.query
      const page = await listProfiles(db, request.access.experiences, filters, { limit, cursor })
      return { items: page.items.map(shownProfile), next_cursor: page.next_cursor }
    },
  )
  app.get(
    '/api/profile/:profile_id/',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'readProfile',
        summary: 'Read a profile',
        params,
        headers: readHeaders,
        response: readAnswers('The profile.', Profile),
      },
    },
    async (request, reply) => {
      const row = await readProfile(db, request.access.experiences, request.params.profile_id)
      return sendTagged(reply, tagOf(row.revision), () => shownProfile(row))
    },
  )
  app.patch(
    '/api/profile/:profile_id/',
    {
      config: { scope: 'write', problems: ['lookup_taken', 'changed_meanwhile'] },
      schema: {
        tags,
        operationId: 'updateProfile',
        summary: 'Change a profile',
        params,
        headers: writeHeaders,
        body: ProfilePatch,
        response: { 200: Tagged('The profile as it is now.', Profile) },
      },
    },
    async (request, reply) => {
      const { params, access, body } = request
      const expect = expectingRow(request)
      const row = await changeProfile(
        { ...context, actor: request.actor },
        access.experiences,
        params.profile_id,
        body as Written,
        expect,
      )
      return reply.header('etag', tagOf(row.revision)).send(shownProfile(row))
    },
  )
  app.post(
    '/api/profile/:profile_id/merge/',
    {
      config: { scope: 'write', problems: ['lookup_taken', 'wrong_state', 'changed_meanwhile'] },
      schema: {
        tags,
        operationId: 'mergeProfiles',
        summary: 'Merge another profile into this one',
        description:
          'For two profiles of one person. All look-up values, activities, tasks and keepsakes of the other become those of this one; an attribute that both have stays as it is here; a consent that one of them refused is refused. The other is gone, and its id finds this one: `GET /api/profile/{profile_id}/` answers it, and tasks that name it are for it. Both are of the same experience, or this one is of none.',
        params,
        headers: writeHeaders,
        body: ProfileMerge,
        response: { 200: Tagged('The profile with all of both; with `dry_run` as it would be.', Profile) },
      },
    },
    async (request, reply) => {
      const { profile_id, dry_run = false } = request.body
      const row = await mergeProfiles({ ...context, actor: request.actor }, request.access.experiences, {
        keptId: request.params.profile_id,
        goneId: profile_id,
        isDryRun: dry_run,
        expect: expectingRow(request),
      })
      return reply.header('etag', tagOf(row.revision)).send(shownProfile(row))
    },
  )
  app.delete(
    '/api/profile/:profile_id/',
    {
      config: { scope: 'write', problems: ['changed_meanwhile'] },
      schema: {
        tags,
        operationId: 'deleteProfile',
        summary: 'Erase a person',
        description:
          'The profile, its lookup values and its activities are gone. With `media=retract` also every task that found the person goes, with its files, deliveries, callbacks, keys and page; what is not done within some seconds goes on by itself, and `GET /api/erasure/{erasure_id}/` is the receipt. A token that is limited to experiences erases only what lies in these.',
        params,
        headers: writeHeaders,
        querystring: Input({
          media: Type.Optional(
            Type.Enum(['retract'], { description: '`retract` also takes back what was made and delivered.' }),
          ),
          shared: Type.Optional(
            Type.Enum(['keep', 'erase'], {
              description:
                'With `media=retract`: what becomes of media that names other guests too. It stays, unless this is `erase`.',
            }),
          ),
        }),
        response: {
          202: answer('With `media=retract`: what is gone so far, and what can’t be taken back.', Erasure),
          204: emptyAnswer('Erased.'),
        },
      },
    },
    async (request, reply) => {
      const { experiences } = request.access
      const { media, shared } = request.query
      if (media === undefined && shared !== undefined) throw badField('shared', 'needs media=retract')
      const expect = expectingRow(request)
      const { profile_id } = await readProfile(db, experiences, request.params.profile_id)
      if (media === undefined) {
        await deleteProfile({ db, adapters, actor: request.actor }, experiences, profile_id, expect)
        return reply.code(204).send(null)
      }
      const erased = await erasePerson({ ...services, actor: request.actor }, experiences, profile_id, {
        takesShared: shared === 'erase',
        expect,
      })
      return reply.code(202).send(shownErasure(erased))
    },
  )
}

const expectingRow = (request: FastifyRequest) => expecting<ProfileRow>(request, ({ revision }) => [tagOf(revision)])

export const shownProfile = (row: ProfileRow): Profile => ({
  profile_id: row.profile_id,
  email: row.email,
  qr_code: row.qr_code,
  rfid: row.rfid,
  experience_id: row.experience_id,
  attributes: row.attributes,
  consent: row.consent,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})
