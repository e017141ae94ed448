// /api/keepsake/: the list of keepsakes, their pictures, and what somebody decides about the wall.
import Type from 'typebox'
import { readKeepsake } from '#db/nouns/keepsake-rows.ts'
import { type ListedFile, listFilesOfMany, listKeepsakes, listKeepsakesWithGuest } from '#db/nouns/wall-rows.ts'
import { pageState } from '#guests/page-state.ts'
import { approveKeepsake, hideKeepsake, onWall, onWallOfMany, returnKeepsake } from '#guests/wall.ts'
import { Problem } from '#kit/errors.ts'
import { answer } from '../contract/answers.ts'
import { ApprovalInput, KeepsakeWall, keepsakeFilters, ListedKeepsake } from '../contract/guests/wall-shapes.ts'
import { Input, ListOf, ListQuery, Uuid } from '../contract/shapes.ts'
import type { Resource } from '../route/route.ts'
import { sendScreenPicture, sideOf, size } from '../wire/screen-picture.ts'
import { fileAnswers, fileHeaders, sendBlob } from '../wire/send-file.ts'

const tags = ['Guests']
const params = Type.Object({ keepsake_id: Uuid('The id of the keepsake.') })
const fileParams = Type.Object({
  ...params.properties,
  number: Type.String({ pattern: '^[0-9]{1,9}$', description: 'The number of the file, from 0.', expects: 'a number' }),
})

export const wallQueue: Resource = (app, services) => {
  const { db, blobs } = services
  app.get(
    '/api/keepsake/',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'listKeepsakes',
        summary: 'List keepsakes',
        description:
          'Without the codes of guests, and with what an approval needs: each file and its state on the wall. With `profile_id` those of one guest.',
        querystring: ListQuery(keepsakeFilters),
        response: { 200: answer('A page of keepsakes.', ListOf(ListedKeepsake)) },
      },
    },
    async ({ access, query }) => {
      const { experience_id, wall, profile_id, ...page } = query
      const { items, next_cursor } = await listKeepsakes(
        db,
        access.experiences,
        { experience_id, wall_state: wall, profile_id },
        page,
      )
      const ids = items.map(({ keepsake_id }) => keepsake_id)
      const [files, walls, withGuest] = await Promise.all([
        listFilesOfMany(db, ids),
        onWallOfMany(db, items),
        listKeepsakesWithGuest(db, ids),
      ])
      const filesOf = Map.groupBy(files, file => file.keepsake_id)
      return {
        items: items.map(({ keepsake_id, experience_id, wall_state, created_at }) => ({
          keepsake_id,
          experience_id,
          wall: walls.get(keepsake_id) ?? { state: wall_state, refused: false },
          has_guest: withGuest.has(keepsake_id),
          files: (filesOf.get(keepsake_id) ?? []).map(listed),
          created_at: created_at.toISOString(),
        })),
        next_cursor,
      }
    },
  )
  app.get(
    '/api/keepsake/:keepsake_id/file/:number/',
    {
      config: { scope: 'read', problems: ['bad_range', 'gone'] },
      schema: {
        tags,
        operationId: 'downloadKeepsakeFile',
        summary: 'A file of a keepsake',
        description: 'With range requests, or as a picture for a screen.',
        params: fileParams,
        headers: fileHeaders,
        querystring: Input({
          size,
        }),
        response: fileAnswers,
      },
    },
    async ({ access, params, query }, reply) => {
      const { keepsake_id, experience_id } = await readKeepsake(db, access.experiences, params.keepsake_id)
      const { files } = await pageState(db, keepsake_id)
      const { file, task_id } = files.find(each => each.number === Number(params.number)) ?? {}
      if (!file || !task_id) throw new Problem('not_found', 'There is no such file, or it is not ready yet.')
      const side = sideOf(query)
      if (!side) return sendBlob(reply, blobs, file)
      const cache = 'private, max-age=600'
      return sendScreenPicture(reply, services, { source: { task_id, file }, side, experience_id, cache })
    },
  )
  app.post(
    '/api/keepsake/:keepsake_id/approve/',
    {
      config: { scope: 'tasks', optionalBody: true, problems: ['wrong_state'] },
      // The body may be left out.
      preValidation: async request => {
        request.body ??= {}
      },
      schema: {
        tags,
        operationId: 'approveKeepsake',
        summary: 'Approve a keepsake for the wall',
        description:
          'Of files that are ready now. A file that is made later, or made anew, waits until somebody approves the keepsake again. What was hidden is shown again.',
        params,
        body: ApprovalInput,
        response: { 200: answer('Its state on the wall.', KeepsakeWall) },
      },
    },
    async ({ access, actor, params, body }) => {
      const numbers = body.numbers ?? null
      const row = await approveKeepsake({ db, actor }, access.experiences, params.keepsake_id, numbers)
      return { keepsake_id: row.keepsake_id, wall: await onWall(db, row) }
    },
  )
  app.post(
    '/api/keepsake/:keepsake_id/hide/',
    {
      config: { scope: 'tasks', problems: ['wrong_state'] },
      schema: {
        tags,
        operationId: 'hideKeepsake',
        summary: 'Take a keepsake off the wall',
        description:
          'At once, on every screen, whatever the settings of the experience are. Files that are made later are hidden as well.',
        params,
        response: { 200: answer('Its state on the wall.', KeepsakeWall) },
      },
    },
    async ({ access, actor, params }) => {
      const row = await hideKeepsake({ db, actor }, access.experiences, params.keepsake_id)
      return { keepsake_id: row.keepsake_id, wall: await onWall(db, row) }
    },
  )
  app.post(
    '/api/keepsake/:keepsake_id/wait/',
    {
      config: { scope: 'tasks', optionalBody: true, problems: ['wrong_state'] },
      // The body may be left out.
      preValidation: async request => {
        request.body ??= {}
      },
      schema: {
        tags,
        operationId: 'returnKeepsake',
        summary: 'Let a keepsake wait for approval again',
        description: 'Takes back what was approved or hidden: all of it, or the files with these numbers.',
        params,
        body: ApprovalInput,
        response: { 200: answer('Its state on the wall.', KeepsakeWall) },
      },
    },
    async ({ access, actor, params, body }) => {
      const row = await returnKeepsake({ db, actor }, access.experiences, params.keepsake_id, body.numbers ?? null)
      return { keepsake_id: row.keepsake_id, wall: await onWall(db, row) }
    },
  )
}

const stateOf = ({ status, output }: ListedFile): 'being made' | 'ready' | 'failed' =>
  output?.blob ? 'ready' : status === 'Waiting' || status === 'Running' ? 'being made' : 'failed'

const listed = (file: ListedFile) => ({
  number: file.number,
  state: stateOf(file),
  mime: file.output?.mime ?? null,
  width: file.output?.width ?? null,
  height: file.output?.height ?? null,
  wall: file.wall_state,
})
