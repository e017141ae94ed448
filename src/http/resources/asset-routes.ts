// /api/asset/: files that configurations name. Old versions are kept for tasks that need them.
import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { beforePut, createAsset, deleteAsset, putAsset } from '#assets/save-asset.ts'
import { type Asset as AssetRow, listAssets, readAsset, wholeAsset } from '#db/nouns/asset-rows.ts'
import type { Visible } from '#db/visible.ts'
import { badFields } from '#kit/errors.ts'
import { schemaErrors } from '#kit/schema.ts'
import { nameForm } from '#kit/text.ts'
import { answer, emptyAnswer, locationHeader } from '../contract/answers.ts'
import { Asset, AssetName, assetFilters } from '../contract/asset-shapes.ts'
import { ExperienceId, Input, ListOf, ListQuery, listRequest } from '../contract/shapes.ts'
import { hungUp, placeOwner } from '../route/client-work.ts'
import type { Resource } from '../route/route.ts'
import { v } from '../tasks/task-output.ts'
import { acceptMultipart, FilePart, multipartBody, newIntake, type Received, receive } from '../wire/multipart.ts'
import { expecting, readAnswers, readHeaders, sendTagged, Tagged, tagOf, writeHeaders } from '../wire/preconditions.ts'
import { fileAnswers, fileHeaders, sendBlob } from '../wire/send-file.ts'

const tags = ['Assets']
const params = Type.Object({ name: Type.String({ description: 'The name of the asset, percent-encoded.' }) })
const OwnerPart = Type.String({
  description: 'The experience it belongs to. Empty or `null` shares it with every experience.',
  examples: ['expo-2026'],
})
const Fields = Input({ name: AssetName, experience_id: OwnerPart })
const PutFields = Input({ name: Type.Optional(AssetName), experience_id: Type.Optional(OwnerPart) })
const File = FilePart('The file: a picture, a video, a sound, a font, a look-up table, a template, or any other.')
const upload = [
  'bad_multipart',
  'over_limit',
  'too_large',
  'wrong_content_type',
  'corrupt_input',
  'unsupported_format',
  'policy_blocked',
  'too_many_pixels',
  'too_many_frames',
  'too_long',
  'time_limit',
  'memory_limit',
  'full',
] as const

export const assets: Resource = (app, services) => {
  const { db, blobs, secretBox, probe, settings, works } = services
  const context = { db, blobs, secretBox, dataFolder: settings.data, keep: settings }
  const intake = newIntake(services)
  /** Probes a file for one request, and stops when the client is gone. */
  const looking = (reply: FastifyReply) => {
    const gone = hungUp(reply)
    return async (path: string) => {
      using _place = await works.probes.take(placeOwner(reply.request.access), gone)
      return await probe(path, gone)
    }
  }
  acceptMultipart(app)

  app.post(
    '/api/asset/',
    {
      ...multipartBody,
      config: { scope: 'write', problems: [...upload, 'name_taken', 'forbidden'] },
      schema: {
        tags,
        operationId: 'createAsset',
        summary: 'Make an asset',
        description: 'The parts may come in any order. The content decides what kind of file it is, not its name.',
        consumes: ['multipart/form-data'],
        body: Type.Object(
          { ...Fields.properties, file: File },
          {
            title: 'AssetParts',
            additionalProperties: false,
            examples: [{ name: 'frame.png', experience_id: 'expo-2026', file: 'frame.png' }],
          },
        ),
        response: {
          201: Tagged(
            'The asset that was made.',
            Asset,
            locationHeader('The path of the asset.', '/api/asset/frame.png/'),
          ),
        },
      },
    },
    async (request, reply) => {
      const known = ['name', 'experience_id']
      await using received = await receive(request, intake, {
        file: name => name === 'file',
        field: name => known.includes(name),
      })
      const { name, experience_id } = fieldsOf(received)
      const file = fileOf(received)
      const asset = await createAsset(
        { ...context, actor: request.actor, probe: looking(reply) },
        request.access.experiences,
        {
          name,
          experienceId: experience_id,
          file,
        },
      )
      return await reply.code(201).headers(madeHeaders(asset)).send(shownAsset(asset))
    },
  )
  app.get(
    '/api/asset/',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'listAssets',
        summary: 'List assets',
        querystring: ListQuery(assetFilters),
        response: { 200: answer('A page of assets.', ListOf(Asset)) },
      },
    },
    async request => {
      const { experiences } = request.access
      const { filters, page } = listRequest(request.query)
      const { items, next_cursor } = await listAssets(db, experiences, filters, page)
      return { items: items.map(asset => shownAsset(asset, experiences)), next_cursor }
    },
  )
  app.get(
    '/api/asset/:name/',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'readAsset',
        summary: 'Read an asset',
        description: 'The ETag is that of the record, with `used_by`; that of the bytes is at `file/`.',
        params,
        headers: readHeaders,
        response: readAnswers('The asset.', Asset),
      },
    },
    async (request, reply) => {
      const { experiences } = request.access
      const asset = await readAsset(db, experiences, request.params.name)
      return sendTagged(reply, tag(asset), () => shownAsset(asset, experiences))
    },
  )
  app.put(
    '/api/asset/:name/',
    {
      ...multipartBody,
      config: { scope: 'write', problems: [...upload, 'in_use', 'name_taken', 'changed_meanwhile'] },
      schema: {
        tags,
        operationId: 'replaceAsset',
        summary: 'Make an asset or replace its file',
        description:
          'Tasks that were accepted before keep the file of before. A file of another kind is refused while a configuration names the asset. One that is not there is made; that needs `experience_id`.',
        consumes: ['multipart/form-data'],
        params,
        headers: writeHeaders,
        body: Type.Object(
          { ...PutFields.properties, file: File },
          { title: 'AssetFileParts', additionalProperties: false, examples: [{ file: 'frame.png' }] },
        ),
        response: {
          200: Tagged('The asset with its new file.', Asset),
          201: Tagged(
            'The asset that was made.',
            Asset,
            locationHeader('The path of the asset.', '/api/asset/frame.png/'),
          ),
        },
      },
    },
    async (request, reply) => {
      const { experiences } = request.access
      const { name } = request.params
      const expect = expectingAsset(request)
      await beforePut(db, experiences, name, expect)
      await using received = await receive(request, intake, {
        file: part => part === 'file',
        field: part => Object.hasOwn(PutFields.properties, part),
      })
      const file = fileOf(received)
      const put = { name, experienceId: experienceOf(received, name), file }
      const changing = { ...context, actor: request.actor, probe: looking(reply) }
      const { asset, isNew } = await putAsset(changing, experiences, put, expect)
      if (isNew) return await reply.code(201).headers(madeHeaders(asset)).send(shownAsset(asset))
      return await reply.code(200).header('etag', tag(asset)).send(shownAsset(asset))
    },
  )
  app.delete(
    '/api/asset/:name/',
    {
      config: { scope: 'write', problems: ['in_use', 'changed_meanwhile'] },
      schema: {
        tags,
        operationId: 'deleteAsset',
        summary: 'Delete an asset',
        description:
          'Refused while a configuration names it. Tasks that were accepted before still have its file. For 30 days it can be undeleted.',
        params,
        headers: writeHeaders,
        response: { 204: emptyAnswer('Deleted.') },
      },
    },
    async (request, reply) => {
      const { access, params, actor } = request
      await deleteAsset({ db, actor }, access.experiences, params.name, expectingAsset(request))
      return reply.code(204).send(null)
    },
  )
  app.get(
    '/api/asset/:name/file/',
    {
      config: { scope: 'read', problems: ['gone', 'bad_range'] },
      schema: {
        tags,
        operationId: 'downloadAsset',
        summary: 'Download the file of an asset',
        description: 'With range requests; the ETag is the SHA-256 of the file.',
        headers: fileHeaders,
        querystring: Input({ v }),
        params,
        response: fileAnswers,
      },
    },
    async (request, reply) => {
      const { version } = await wholeAsset(db, request.access.experiences, request.params.name)
      return sendBlob(reply, blobs, version)
    },
  )
}

/** Who uses it is shown too, so it is a part of the state. */
export function tag({ version, used_by }: AssetRow): string {
  const users =
    used_by.length === 0 ? '' : createHash('sha256').update(JSON.stringify(used_by)).digest('hex').slice(0, 16)
  return tagOf(version.version_id, users && `-${users}`)
}

export const expectingAsset = (request: FastifyRequest) => expecting<AssetRow>(request, asset => [tag(asset)])

const madeHeaders = (asset: AssetRow) => ({
  location: `/api/asset/${encodeURIComponent(asset.name)}/`,
  etag: tag(asset),
})

/** Of a PUT: an asset cannot be renamed. */
function experienceOf({ fields }: Received, name: string): string | null | undefined {
  const written = Object.fromEntries(fields)
  const owner = ownerOf(written.experience_id)
  const errors = [
    ...schemaErrors(PutFields, written),
    ...ownerErrors(owner),
    ...schemaErrors(Type.Object({ name: AssetName }), { name }),
  ]
  if (errors.length === 0 && written.name !== undefined && nameForm(written.name) !== nameForm(name))
    errors.push({ field: 'name', message: `can’t be changed; leave it out or write "${name}"` })
  if (errors.length > 0) throw badFields(errors, 'The asset is not valid')
  return owner
}

/** A form has no null: an empty field, or the word, stands for it. */
const ownerOf = (part: string | undefined): string | null | undefined => (part === '' || part === 'null' ? null : part)

const ownerErrors = (owner: string | null | undefined) =>
  typeof owner === 'string' ? schemaErrors(Type.Object({ experience_id: ExperienceId }), { experience_id: owner }) : []

function fieldsOf({ fields, files }: Received): { name: string; experience_id: string | null } {
  const written = Object.fromEntries(fields)
  const owner = ownerOf(written.experience_id)
  const errors = [...schemaErrors(Fields, written), ...ownerErrors(owner)]
  if (!files.has('file')) errors.push({ field: 'file', message: 'is required' })
  if (errors.length > 0) throw badFields(errors, 'The asset is not valid')
  return { name: written.name as string, experience_id: owner ?? null }
}

function fileOf({ files }: Received) {
  const file = files.get('file')
  if (!file) throw badFields([{ field: 'file', message: 'is required' }], 'The asset is not valid')
  if (file.bytes === 0) throw badFields([{ field: 'file', message: 'is empty' }], 'The asset is not valid')
  return file
}

/** Of a shared one those who are limited to experiences see only what it is. */
export const shownAsset = (
  { name, experience_id, created_at, updated_at, version, used_by }: AssetRow,
  visible: Visible = null,
): Asset => {
  const isWhole = experience_id !== null || visible === null
  return {
    name,
    experience_id,
    mime: version.mime,
    ...(isWhole && { bytes: version.bytes, sha256: version.sha256 }),
    width: version.width,
    height: version.height,
    duration: version.duration,
    used_by: isWhole ? used_by : [],
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  }
}
