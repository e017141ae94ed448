// /api/experience/…/wall-key/: the keys that open the wall of an experience.
import Type from 'typebox'
import { readExperience } from '#db/nouns/experience-rows.ts'
import { listWallKeys, type WallKey as WallKeyRow } from '#db/nouns/wall-rows.ts'
import { linkToWall, makeWallKey, revokeWallKeys } from '#guests/wall.ts'
import { answer, emptyAnswer } from '../contract/answers.ts'
import { NewWallKey, WallKey, WallKeyInput } from '../contract/guests/wall-shapes.ts'
import { Input, ListOf } from '../contract/shapes.ts'
import type { Resource } from '../route/route.ts'

const tags = ['Guests']
const params = Type.Object({ experience_id: Type.String({ description: 'The id of the experience.' }) })
const path = '/api/experience/:experience_id/wall-key/'

export const wallKeys: Resource = (app, services) => {
  const { db, settings } = services
  app.post(
    path,
    {
      config: { scope: 'write', optionalBody: true, problems: ['over_limit'] },
      // The body may be left out.
      preValidation: async request => {
        request.body ??= {}
      },
      schema: {
        tags,
        operationId: 'createWallKey',
        summary: 'Make a key for the wall of an experience',
        description:
          'The key and the address with it are in this answer and nowhere else. Several walls of an event may each have their own, at most 20.',
        params,
        body: WallKeyInput,
        response: { 201: answer('The key that was made, shown this once.', NewWallKey) },
      },
    },
    async (request, reply) => {
      const { access, actor, params, body } = request
      const { experience_id } = params
      const { row, key } = await makeWallKey({ db, actor }, access.experiences, experience_id, body.name ?? null)
      return reply.code(201).send({ ...shown(row), key, url: linkToWall(settings, experience_id, key) })
    },
  )
  app.get(
    path,
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'listWallKeys',
        summary: 'List the keys of a wall',
        description: 'Without the keys themselves. There are never more than one page.',
        params,
        response: { 200: answer('All keys of the wall.', ListOf(WallKey)) },
      },
    },
    async ({ access, params }) => {
      const { experience_id } = await readExperience(db, access.experiences, params.experience_id)
      return { items: (await listWallKeys(db, experience_id)).map(shown), next_cursor: null }
    },
  )
  app.delete(
    path,
    {
      config: { scope: 'write' },
      schema: {
        tags,
        operationId: 'deleteWallKeys',
        summary: 'Revoke the keys of a wall',
        description: 'All of them, or the one that is named. Screens that show the wall with it stop at once.',
        params,
        querystring: Input({
          key_id: Type.Optional(Type.String({ description: 'Only this one.', maxLength: 64 })),
        }),
        response: { 204: emptyAnswer('Revoked.') },
      },
    },
    async ({ access, actor, params, query }, reply) => {
      await revokeWallKeys({ db, actor }, access.experiences, params.experience_id, query.key_id ?? null)
      return reply.code(204).send(null)
    },
  )
}

const shown = ({ key_id, experience_id, name, created_at }: WallKeyRow) => ({
  key_id,
  experience_id,
  name,
  created_at: created_at.toISOString(),
})
