// /api/configuration/: named configurations, single and chained.
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { maskedView, outerView } from '#configurations/masked-view.ts'
import {
  changeConfiguration,
  createConfiguration,
  deleteConfiguration,
  putConfiguration,
  type Written,
} from '#configurations/save-configuration.ts'
import { type ConfigurationRow, listConfigurations, readConfiguration } from '#db/nouns/configuration-rows.ts'
import type { Visible } from '#db/visible.ts'
import { badField, badFields } from '#kit/errors.ts'
import { isObject, type JsonObject } from '#kit/json.ts'
import { mergePatch } from '#kit/merge-patch.ts'
import { schemaErrors } from '#kit/schema.ts'
import type { SecretBox } from '#kit/secret/secrets.ts'
import { nameForm } from '#kit/text.ts'
import { answer, emptyAnswer, locationHeader } from '../contract/answers.ts'
import {
  Configuration,
  ConfigurationInput,
  ConfigurationName,
  ConfigurationPatch,
  ConfigurationReplacement,
  configurationFilters,
  dryRun,
} from '../contract/configuration-shapes.ts'
import { Input, ListOf, ListQuery, listRequest } from '../contract/shapes.ts'
import type { Resource } from '../route/route.ts'
import { expecting, readAnswers, readHeaders, sendTagged, Tagged, tagOf, writeHeaders } from '../wire/preconditions.ts'

const tags = ['Configurations']
const Saving = Input(dryRun)
const Named = Input({ configuration_name: ConfigurationName })
const params = Type.Object({ configuration_name: Type.String({ description: 'The name, percent-encoded.' }) })
const problems = [
  'bad_options',
  'option_missing',
  'bad_chain',
  'unknown_adapter',
  'unknown_asset',
  'unknown_configuration',
  'blocked_url',
] as const
export const changing = [...problems, 'secret_needed', 'in_use', 'changed_meanwhile'] as const

export const configurations: Resource = (app, services) => {
  const { db, secretBox, adapters, outbound, blobs, settings } = services
  const { maxChain, maxVersions } = settings
  const context = { db, secretBox, adapters, outbound, blobs, maxChain, maxVersions, limits: settings }

  app.post(
    '/api/configuration/',
    {
      config: { scope: 'write', problems: [...problems, 'name_taken'] },
      schema: {
        tags,
        operationId: 'createConfiguration',
        summary: 'Make a configuration',
        description:
          'Options, credentials, assets and the call chain are checked here, before an event and not during it.',
        querystring: Saving,
        body: ConfigurationInput,
        response: {
          200: Tagged('With `dry_run`: the configuration as it would be. Nothing was stored.', Configuration),
          201: Tagged(
            'The configuration that was made.',
            Configuration,
            locationHeader('The path of the configuration.', '/api/configuration/flip%20the%20photo/'),
          ),
        },
      },
    },
    async (request, reply) => {
      const { expect: _none, ...saving } = savingOf(request)
      const row = await createConfiguration(context, request.access.experiences, request.body as Written, saving)
      if (saving.dryRun) return reply.code(200).send(shownConfiguration(secretBox, row))
      return reply.code(201).headers(madeHeaders(row)).send(shownConfiguration(secretBox, row))
    },
  )
  app.get(
    '/api/configuration/',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'listConfigurations',
        summary: 'List configurations',
        querystring: ListQuery(configurationFilters),
        response: { 200: answer('A page of configurations.', ListOf(Configuration)) },
      },
    },
    async request => {
      const { experiences } = request.access
      const { filters, page } = listRequest(request.query)
      const { items, next_cursor } = await listConfigurations(db, experiences, filters, page)
      return { items: items.map(row => shownConfiguration(secretBox, row, experiences)), next_cursor }
    },
  )
  app.get(
    '/api/configuration/:configuration_name/',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'readConfiguration',
        summary: 'Read a configuration',
        params,
        headers: readHeaders,
        response: readAnswers('The configuration.', Configuration),
      },
    },
    async (request, reply) => {
      const { experiences } = request.access
      const row = await readConfiguration(db, experiences, request.params.configuration_name)
      return sendTagged(reply, tagOf(row.revision), () => shownConfiguration(secretBox, row, experiences))
    },
  )
  app.put(
    '/api/configuration/:configuration_name/',
    {
      config: { scope: 'write', problems: [...changing, 'name_taken'] },
      schema: {
        tags,
        operationId: 'replaceConfiguration',
        summary: 'Make or replace a configuration',
        params,
        querystring: Saving,
        headers: writeHeaders,
        body: ConfigurationReplacement,
        response: {
          200: Tagged('The configuration as it is now, or with `dry_run` would be.', Configuration),
          201: Tagged(
            'The configuration that was made.',
            Configuration,
            locationHeader('The path of the configuration.', '/api/configuration/flip%20the%20photo/'),
          ),
        },
      },
    },
    async (request, reply) => {
      const saving = savingOf(request)
      const { configuration_name } = request.params
      const errors = schemaErrors(Named, { configuration_name })
      if (errors.length > 0) throw badFields(errors, 'The name in the path is not valid')
      const written = named(configuration_name, request.body as JsonObject)
      const { row, isNew } = await putConfiguration(context, request.access.experiences, written, saving)
      if (saving.dryRun) return reply.code(200).send(shownConfiguration(secretBox, row))
      if (isNew) return reply.code(201).headers(madeHeaders(row)).send(shownConfiguration(secretBox, row))
      return reply.code(200).header('etag', tagOf(row.revision)).send(shownConfiguration(secretBox, row))
    },
  )
  app.patch(
    '/api/configuration/:configuration_name/',
    {
      config: { scope: 'write', problems: [...changing] },
      schema: {
        tags,
        operationId: 'updateConfiguration',
        summary: 'Change parts of a configuration',
        params,
        querystring: Saving,
        headers: writeHeaders,
        body: ConfigurationPatch,
        response: { 200: Tagged('The configuration as it is now, or with `dry_run` would be.', Configuration) },
      },
    },
    async (request, reply) => {
      const { configuration_name } = request.params
      const patch = plainPatch(request.body as JsonObject)
      const change = (stored: ConfigurationRow): Written => {
        const merged = mergePatch(shownConfiguration(secretBox, stored) as JsonObject, patch) as JsonObject
        // A patch takes a value away with null; here null is the value.
        if (patch.experience_id === null) merged.experience_id = null
        const errors = schemaErrors(ConfigurationInput, merged)
        if (errors.length > 0) throw badFields(errors, 'The configuration would not be valid')
        return named(configuration_name, merged)
      }
      const { experiences } = request.access
      const saving = savingOf(request)
      const row = await changeConfiguration(context, experiences, configuration_name, change, saving)
      if (!saving.dryRun) reply.header('etag', tagOf(row.revision))
      return reply.code(200).send(shownConfiguration(secretBox, row))
    },
  )
  app.delete(
    '/api/configuration/:configuration_name/',
    {
      config: { scope: 'write', problems: ['in_use', 'changed_meanwhile'] },
      schema: {
        tags,
        operationId: 'deleteConfiguration',
        summary: 'Delete a configuration',
        description:
          'Refused while a chain names it. Tasks that were accepted before run on as they were. For 30 days it can be undeleted.',
        params,
        headers: writeHeaders,
        response: { 204: emptyAnswer('Deleted.') },
      },
    },
    async (request, reply) => {
      const { configuration_name } = request.params
      await deleteConfiguration(context, request.access.experiences, configuration_name, savingOf(request))
      return reply.code(204).send(null)
    },
  )
}

const expectingRow = (request: FastifyRequest) =>
  expecting<ConfigurationRow>(request, ({ revision }) => [tagOf(revision)])

export const savingOf = (request: FastifyRequest) => ({
  dryRun: (request.query as { dry_run?: string }).dry_run === 'true',
  expect: expectingRow(request),
  actor: request.actor,
})

const madeHeaders = ({ configuration_name, revision }: ConfigurationRow) => ({
  location: `/api/configuration/${encodeURIComponent(configuration_name)}/`,
  etag: tagOf(revision),
})

/** A configuration cannot be renamed: chains and tasks refer to it by name. */
function named(name: string, written: JsonObject): Written {
  const given = written.configuration_name
  if (given !== undefined && (typeof given !== 'string' || nameForm(given) !== nameForm(name)))
    throw badField('configuration_name', `can’t be changed; leave it out or write "${name}"`)
  return { ...written, configuration_name: name } as unknown as Written
}

/** Turns a patch in the nested shape of `adapter_config` into the plain shape, which is the stored one. */
function plainPatch(patch: JsonObject): JsonObject {
  const config = patch.adapter_config
  if (!isObject(config) || !isObject(config.adapter_config)) return patch
  const { adapter_config: nested, ...plain } = config as JsonObject & { adapter_config: JsonObject }
  return { ...patch, adapter_config: { ...plain, ...nested } }
}

/** Of a shared one those who are limited to experiences see only what it is. */
export const shownConfiguration = (
  secretBox: SecretBox,
  row: ConfigurationRow,
  visible: Visible = null,
): Configuration => ({
  ...((row.experience_id === null && visible !== null ? outerView(row) : maskedView(secretBox, row)) as Omit<
    Configuration,
    'created_at' | 'updated_at'
  >),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})
