// Routes for the input of tasks, and for pictures of the input and of every output: small squares for lists, larger ones for screens.
import type { FastifyReply } from 'fastify'
import Type from 'typebox'
import type { StoredFile } from '#db/tables.ts'
import type { WholeTask } from '#db/tasks/task-rows.ts'
import { Problem } from '#kit/errors.ts'
import { newThumbnails, type Thumbnails } from '#tasks/try/thumbnail.ts'
import { etagHeader } from '../contract/answers.ts'
import { Input } from '../contract/shapes.ts'
import { hungUp } from '../route/client-work.ts'
import type { Context, Resource } from '../route/route.ts'
import { noPicture, sendScreenPicture, sideOf, size } from '../wire/screen-picture.ts'
import { fileAnswers, fileHeaders, sendBlob } from '../wire/send-file.ts'
import { type Kind, params, readable } from './shared-task-routes.ts'
import { groupIndex, v } from './task-output.ts'

const task: Kind = { isGroup: false, path: '/api/task/', noun: 'task' }
const group: Kind = { isGroup: true, path: '/api/taskgroup/', noun: 'task group' }
const entry = Type.String({
  description: 'The index of the entry, or `input` for the file that was sent in.',
  pattern: '^(input|[0-9]{1,4})$',
  examples: ['input'],
})
const CACHE = 'private, max-age=3600'
const config = { scope: 'read', problems: ['gone', 'full'] } as const
const fileConfig = { scope: 'read', problems: ['gone', 'bad_range'] } as const
const file = { headers: fileHeaders, querystring: Input({ v }), response: fileAnswers }
const picture = {
  description:
    'A square of 160 pixels a side. With `size` the whole picture within so many pixels: of every kind of picture that the service reads, also those that no browser shows; of a video a frame. It is made once and kept as long as its file.',
  querystring: Input({ v, size }),
  response: {
    200: {
      description: 'A JPEG.',
      headers: etagHeader('Names the file it was made of.'),
      content: { 'image/jpeg': { schema: { type: 'string', format: 'binary' } } },
    },
  },
}

export const taskPictures: Resource = (app, services) => {
  const thumbnails = newThumbnails(services)
  function sendPicture(
    query: { size?: string },
    reply: FastifyReply,
    { task_id, experience_id }: WholeTask,
    file: StoredFile,
  ) {
    const side = sideOf(query)
    if (side === undefined) return sendThumbnail(thumbnails, services, reply, file, experience_id)
    return sendScreenPicture(reply, services, { source: { task_id, file }, side, experience_id, cache: CACHE })
  }
  const inTask = Type.Object({ ...params.properties, entry })
  const inGroup = Type.Object({ ...params.properties, index: groupIndex })
  const inGroupEntry = Type.Object({ ...params.properties, index: groupIndex, entry })

  app.get(
    '/api/task/:task_id/input/',
    {
      config: fileConfig,
      schema: {
        tags: ['Tasks'],
        operationId: 'downloadTaskInput',
        summary: 'Download the file that was sent in',
        params,
        ...file,
      },
    },
    async (request, reply) => {
      const found = await readable(services, task, request, request.params.task_id)
      return sendBlob(reply, services.blobs, inputOf(found, 0))
    },
  )
  app.get(
    '/api/task/:task_id/thumbnail/:entry/',
    {
      config,
      schema: {
        tags: ['Tasks'],
        operationId: 'readTaskThumbnail',
        summary: 'A picture of a file',
        params: inTask,
        ...picture,
      },
    },
    async (request, reply) => {
      const found = await readable(services, task, request, request.params.task_id)
      return sendPicture(request.query, reply, found, fileOf(found, 0, request.params.entry))
    },
  )
  app.get(
    '/api/taskgroup/:task_id/input/:index/',
    {
      config: fileConfig,
      schema: {
        tags: ['Task groups'],
        operationId: 'downloadTaskGroupInput',
        summary: 'Download a file that was sent in',
        params: inGroup,
        ...file,
      },
    },
    async (request, reply) => {
      const found = await readable(services, group, request, request.params.task_id)
      return sendBlob(reply, services.blobs, inputOf(found, request.params.index))
    },
  )
  app.get(
    '/api/taskgroup/:task_id/thumbnail/:index/:entry/',
    {
      config,
      schema: {
        tags: ['Task groups'],
        operationId: 'readTaskGroupThumbnail',
        summary: 'A picture of a file',
        params: inGroupEntry,
        ...picture,
      },
    },
    async (request, reply) => {
      const found = await readable(services, group, request, request.params.task_id)
      return sendPicture(request.query, reply, found, fileOf(found, request.params.index, request.params.entry))
    },
  )
}

async function sendThumbnail(
  thumbnails: Thumbnails,
  { works }: Context,
  reply: FastifyReply,
  file: StoredFile,
  experienceId: string,
): Promise<FastifyReply> {
  const gone = hungUp(reply)
  const place = () => works.probes.take(experienceId, gone)
  const { mime, bytes } = await thumbnails.of(file, place, gone).catch(error => {
    throw noPicture(error)
  })
  return reply.headers({ 'content-type': mime, 'cache-control': CACHE, etag: `"${file.sha256}-small"` }).send(bytes)
}

function refuseDeleted(found: WholeTask): void {
  if (found.files_deleted_at) throw new Problem('gone', 'The files of this task are past their retention.')
}

function inputOf(found: WholeTask, position: number): StoredFile {
  refuseDeleted(found)
  const input = found.chains[position]?.input
  if (!input || !('file' in input)) throw new Problem('not_found', 'No file was sent in for this.')
  return input.file
}

function fileOf(found: WholeTask, position: number, which: string): StoredFile {
  if (which === 'input') return inputOf(found, position)
  refuseDeleted(found)
  const output = /^\d{1,4}$/.test(which) ? found.chains[position]?.entries[Number(which)]?.output : undefined
  if (!output?.blob) throw new Problem('not_found', 'This entry has handed on no file of its own.')
  return output as StoredFile
}
