// /api/upload/: files that are uploaded before their task, in as many requests as it takes (tus 1.0).
import { TUS_RESUMABLE } from '@tus/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { badField } from '#kit/errors.ts'
import { readUpload } from '#uploads/resumable-uploads.ts'
import type { Resource } from '../route/route.ts'
import { PIECE_TYPE } from '../wire/client-deadlines.ts'
import { acceptMultipart, multipartBody } from '../wire/multipart.ts'
import { EXTENSIONS, serveTus, UPLOADS } from '../wire/tus.ts'
import { checkTusHeaders, type TusMethod, tusHeaders } from '../wire/tus-headers.ts'

const tags = ['Uploads']
const params = Type.Object({
  upload_id: Type.String({ description: 'The id of the upload: the last part of its `Location`.' }),
})
const headers = Type.Object(tusHeaders.version)
const Piece = Type.String({ description: 'Bytes of the file.', contentMediaType: PIECE_TYPE })
const text = (description: string) => ({ type: 'string', description })
const expiry = {
  'Upload-Expires': text('When the upload is deleted unless a task has taken it: 24 hours after its beginning.'),
}
const offset = { 'Upload-Offset': text('How many bytes are stored.') }
const limits = {
  'Tus-Version': text('The versions of the protocol that are spoken.'),
  'Tus-Extension': text('The extensions that are offered.'),
  'Tus-Max-Size': text('Bytes that a file may have (`KEEPSAKE_MAX_UPLOAD_BYTES`).'),
}
const empty = (description: string, more: object = {}) => ({ description, type: 'null', headers: more })

export const resumableUploads: Resource = (app, services) => {
  const { settings, limiter } = services
  acceptMultipart(app)
  app.addHook('onSend', async (_request, reply) => {
    reply.headers({ 'tus-resumable': TUS_RESUMABLE, 'tus-version': TUS_RESUMABLE })
  })

  async function tellLimits(_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return reply
      .headers({ 'tus-extension': EXTENSIONS.join(','), 'tus-max-size': settings.maxUploadBytes })
      .code(204)
      .send()
  }

  async function serve(
    request: FastifyRequest,
    reply: FastifyReply,
    method: TusMethod,
    id: string | null,
  ): Promise<FastifyReply> {
    checkTusHeaders(request, method)
    const { access } = request
    if (method === 'PATCH') await limiter.beforeUpload(access, lengthOf(request, 'content-length'))
    if (id === null) return serveTus(services, request, reply, method, id)
    const { upload_id } = await readUpload(services, access.tokenId, id)
    return serveTus(services, request, reply, method, upload_id)
  }

  for (const [url, operationId] of [
    [`${UPLOADS}/`, 'readUploadLimits'],
    [`${UPLOADS}/:upload_id/`, 'readUploadLimitsThere'],
  ] as const)
    app.options(
      url,
      {
        config: { scope: null },
        schema: {
          tags,
          summary: 'What is offered of tus',
          operationId,
          ...(url.includes(':') ? { params } : {}),
          response: { 204: empty('What this server can do.', limits) },
        },
      },
      tellLimits,
    )
  app.post(
    `${UPLOADS}/`,
    {
      ...multipartBody,
      config: { scope: 'tasks', problems: ['wrong_tus_version', 'bad_request'] },
      schema: {
        tags,
        summary: 'Begin an upload',
        operationId: 'createUpload',
        description:
          'The beginning of tus 1.0, with the extensions creation, creation-with-upload, creation-defer-length, expiration and termination. A file that is uploaded here is named in a task by `data_upload`, in a task group by `NAME_data_upload`. It belongs to the token that began it.',
        consumes: [PIECE_TYPE],
        headers: Type.Object({ ...tusHeaders.version, ...tusHeaders.creation }),
        body: Type.Optional(Piece),
        response: {
          201: empty('The upload has begun.', {
            Location: text('The path of the upload.'),
            ...offset,
            ...expiry,
          }),
        },
      },
    },
    async (request, reply) => {
      await limiter.beforeUpload(request.access, lengthOf(request, 'upload-length'))
      return serve(request, reply, 'POST', null)
    },
  )
  app.head(
    `${UPLOADS}/:upload_id/`,
    {
      config: { scope: 'tasks', problems: ['wrong_tus_version', 'gone'], swagger: { exposeHeadRoute: true } },
      schema: {
        tags,
        summary: 'Ask where an upload goes on',
        operationId: 'readUploadOffset',
        description: 'Errors have no body here, as always with HEAD.',
        headers,
        params,
        response: {
          200: empty('Where to go on.', {
            ...offset,
            'Upload-Length': text('Bytes of the whole file, once they are known.'),
            'Upload-Defer-Length': text('`1` as long as they are not.'),
            'Upload-Metadata': text('As it was given at the beginning.'),
            ...expiry,
          }),
        },
      },
    },
    (request, reply) => serve(request, reply, 'HEAD', request.params.upload_id),
  )
  app.patch(
    `${UPLOADS}/:upload_id/`,
    {
      ...multipartBody,
      config: { scope: 'tasks', problems: ['wrong_tus_version', 'wrong_state', 'gone', 'upload_busy'] },
      schema: {
        tags,
        summary: 'Go on with an upload',
        operationId: 'appendToUpload',
        description:
          'Whatever arrives is kept, also when the connection breaks: ask with HEAD how much it was. The upload is finished with its last byte.',
        consumes: [PIECE_TYPE],
        headers: Type.Object({ ...tusHeaders.version, ...tusHeaders.piece }),
        params,
        body: Piece,
        response: { 204: empty('The bytes are stored.', { ...offset, ...expiry }) },
      },
    },
    (request, reply) => serve(request, reply, 'PATCH', request.params.upload_id),
  )
  app.delete(
    `${UPLOADS}/:upload_id/`,
    {
      config: { scope: 'tasks', problems: ['wrong_tus_version', 'gone', 'upload_busy'] },
      schema: {
        tags,
        summary: 'Delete an upload',
        operationId: 'deleteUpload',
        headers,
        params,
        response: { 204: empty('It is gone with all its bytes.') },
      },
    },
    (request, reply) => serve(request, reply, 'DELETE', request.params.upload_id),
  )
  app.post(
    `${UPLOADS}/:upload_id/`,
    {
      ...multipartBody,
      config: { scope: 'tasks', problems: ['wrong_tus_version', 'wrong_state', 'gone', 'upload_busy'] },
      schema: {
        tags,
        summary: 'Another method, for clients that cannot send it',
        operationId: 'overrideUploadMethod',
        consumes: [PIECE_TYPE],
        headers: Type.Object({
          ...tusHeaders.version,
          ...tusHeaders.piece,
          'X-HTTP-Method-Override': Type.String({ description: '`PATCH`, `HEAD` or `DELETE`.' }),
        }),
        params,
        body: Type.Optional(Piece),
        response: {
          200: empty('As HEAD answers.', offset),
          204: empty('As PATCH and DELETE answer.', offset),
        },
      },
    },
    (request, reply) => serve(request, reply, overridden(request), request.params.upload_id),
  )
}

function overridden({ headers }: FastifyRequest): TusMethod {
  const method = [headers['x-http-method-override']].flat()[0]?.toUpperCase()
  if (method === 'PATCH' || method === 'HEAD' || method === 'DELETE') return method
  throw badField(
    'X-HTTP-Method-Override',
    'must be PATCH, HEAD or DELETE: POST itself is for the beginning of an upload',
  )
}

/** Undefined unless the header is a plain number. */
function lengthOf({ headers }: FastifyRequest, name: string): number | undefined {
  const value = [headers[name]].flat()[0]
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : undefined
}
