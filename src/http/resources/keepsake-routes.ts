// /api/keepsake/: what guests open with a code, reserved before there is any media.

import Type, { type Static } from 'typebox'
import { type Access, includes } from '#access/scopes.ts'
import { listKeepsakeLookups } from '#db/guests/keepsake-lookups.ts'
import { readGuestPage } from '#db/nouns/experience-rows.ts'
import { readKeepsake, type WholeKeepsake } from '#db/nouns/keepsake-rows.ts'
import { endsAt, linkTo, ownCodeOf, reissueKeepsake, reserveKeepsake } from '#guests/keepsakes.ts'
import { pageState } from '#guests/page-state.ts'
import { onWall } from '#guests/wall.ts'
import { changeKeepsake, namedLookups } from '#tasks/steer/change-keepsake.ts'
import { answer, locationHeader } from '../contract/answers.ts'
import { Keepsake, KeepsakeInput, KeepsakePatch, ReservedKeepsake } from '../contract/guests/keepsake-shapes.ts'
import { exampleId, Uuid } from '../contract/shapes.ts'
import type { Resource } from '../route/route.ts'

const tags = ['Guests']
const params = Type.Object({ keepsake_id: Uuid('The id of the keepsake.') })

export const keepsakes: Resource = (app, services) => {
  const { db, secretBox, settings } = services
  const handedOut = ({ keepsake_id }: { keepsake_id: string }, code: string) => {
    const url = linkTo(settings, code)
    return { keepsake_id, code, url, qr_url: `${url}/qr.svg` }
  }
  app.post(
    '/api/keepsake/',
    {
      config: { scope: 'tasks', problems: ['forbidden'] },
      schema: {
        tags,
        operationId: 'reserveKeepsake',
        summary: 'Reserve a page for a guest',
        description: 'Before there is any media: the page answers at once, and shows what tasks with this code make.',
        body: KeepsakeInput,
        response: {
          201: answer(
            'The code, its page and its QR code.',
            ReservedKeepsake,
            locationHeader('The path of the keepsake.', `/api/keepsake/${exampleId}/`),
          ),
        },
      },
    },
    async (request, reply) => {
      const { access, actor, body } = request
      const page = await readGuestPage(db, body.experience_id)
      const { experience_id, lookups } = body
      const guests = { ...services, actor }
      const { row, code } = await reserveKeepsake(
        guests,
        access.experiences,
        experience_id,
        page,
        namedLookups(lookups),
      )
      return reply.code(201).header('location', `/api/keepsake/${row.keepsake_id}/`).send(handedOut(row, code))
    },
  )
  app.post(
    '/api/keepsake/:keepsake_id/reissue/',
    {
      config: { scope: 'tasks', problems: ['wrong_state'] },
      schema: {
        tags,
        operationId: 'reissueKeepsake',
        summary: 'Give a keepsake another code',
        description:
          'For a guest who lost the first one, which opens nothing from then on; nor do links that were printed or sent before.',
        params,
        response: { 200: answer('The new code, its page and its QR code.', ReservedKeepsake) },
      },
    },
    async request => {
      const { access, actor, params } = request
      const { row, code } = await reissueKeepsake({ ...services, actor }, access.experiences, params.keepsake_id)
      return handedOut(row, code)
    },
  )
  app.get(
    '/api/keepsake/:keepsake_id/',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'readKeepsake',
        summary: 'Read a keepsake',
        description: 'Its `url` holds the code of the guest, and needs the scope `tasks`: to others it is null.',
        params,
        response: { 200: answer('The keepsake.', Keepsake) },
      },
    },
    async ({ access, params }) => shown(access, await readKeepsake(db, access.experiences, params.keepsake_id)),
  )
  app.patch(
    '/api/keepsake/:keepsake_id/',
    {
      config: { scope: 'tasks', problems: ['wrong_state'] },
      schema: {
        tags,
        operationId: 'updateKeepsake',
        summary: 'Say whose a keepsake is, and what they agreed to',
        description:
          'Before or after the media was made: the guest gets the activities of all tasks with this keepsake, each once. Tasks that wait for a consent go on, with a no without what needs it.',
        params,
        body: KeepsakePatch,
        response: { 200: answer('The keepsake.', Keepsake) },
      },
    },
    async request => {
      const { access, actor, params, body } = request
      const { lookups, consent } = body
      const patch = { consent, ...(lookups === undefined ? {} : { lookups: namedLookups(lookups) }) }
      return shown(access, await changeKeepsake({ ...services, actor }, access.experiences, params.keepsake_id, patch))
    },
  )

  /** Whoever has the code can erase: who only reads does not get it. */
  const ownLink = (access: Access, row: WholeKeepsake): string | null =>
    includes(access.scope, 'tasks') && row.guest_page?.enabled && !row.erased_at
      ? linkTo(settings, ownCodeOf(secretBox, row))
      : null

  async function shown(access: Access, row: WholeKeepsake): Promise<Static<typeof Keepsake>> {
    const { files } = await pageState(db, row.keepsake_id)
    const lookups = await listKeepsakeLookups(db, row.keepsake_id)
    return {
      keepsake_id: row.keepsake_id,
      experience_id: row.experience_id,
      url: ownLink(access, row),
      lookups: Object.fromEntries(
        [...new Set(lookups.map(({ kind }) => kind))].map(kind => [
          kind,
          lookups.filter(lookup => lookup.kind === kind).map(({ value }) => value),
        ]),
      ),
      consent: row.consent,
      expires_at: endsAt(row, settings).toISOString(),
      files: files.map(({ number, state, file, wall }) => ({ number, state, mime: file?.mime ?? null, wall })),
      wall: await onWall(db, row),
      created_at: row.created_at.toISOString(),
    }
  }
}
