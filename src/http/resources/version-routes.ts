// Versions of configurations and assets: what they were, who changed them, and the way back; also after a deletion.
import Type from 'typebox'
import { listVersions as listAssetVersions, readVersion, restoreAsset, undeleteAsset } from '#assets/asset-history.ts'
import { maskedPast } from '#configurations/masked-view.ts'
import { listVersions, restoreConfiguration, undeleteConfiguration } from '#configurations/versions.ts'
import { Problem } from '#kit/errors.ts'
import { answer } from '../contract/answers.ts'
import { Asset } from '../contract/asset-shapes.ts'
import { Configuration } from '../contract/configuration-shapes.ts'
import { ListOf, ListQuery } from '../contract/shapes.ts'
import { AssetVersion, ConfigurationVersion } from '../contract/version-shapes.ts'
import type { Resource } from '../route/route.ts'
import { Tagged, tagOf, writeHeaders } from '../wire/preconditions.ts'
import { fileAnswers, fileHeaders, sendBlob } from '../wire/send-file.ts'
import { tag as assetTag, expectingAsset, shownAsset } from './asset-routes.ts'
import { changing, savingOf, shownConfiguration } from './configuration-routes.ts'

const version = Type.String({ description: 'The number of the version.', examples: ['3'] })
const restoring =
  'Makes a new version that is like that one. Its options and its credentials return together: nothing of what is stored now is mixed in.'
const undeleting = 'For 30 days after its deletion, as long as no other was made under its name.'

export const versions: Resource = (app, services) => {
  addConfigurationVersions(app, services)
  addAssetVersions(app, services)
}

const addConfigurationVersions: Resource = (app, { db, secretBox, adapters, outbound, blobs, settings }) => {
  const tags = ['Configurations']
  const name = Type.String({ description: 'The name, percent-encoded.' })
  const { maxChain, maxVersions } = settings
  const context = { db, secretBox, adapters, outbound, blobs, maxChain, maxVersions, limits: settings }
  app.get(
    '/api/configuration/:configuration_name/versions/',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'listConfigurationVersions',
        summary: 'List the versions of a configuration',
        description: 'What it was and who changed it, the latest first. Also of one that can be undeleted.',
        params: Type.Object({ configuration_name: name }),
        querystring: ListQuery({}),
        response: { 200: answer('A page of versions.', ListOf(ConfigurationVersion)) },
      },
    },
    async request => {
      const { params, access, query } = request
      const page = await listVersions(db, access.experiences, params.configuration_name, query)
      const items = page.items.map(row => ({
        ...told(row, page.current),
        configuration: maskedPast(secretBox, row) as ConfigurationVersion['configuration'],
      }))
      return { items, next_cursor: page.next_cursor }
    },
  )
  app.post(
    '/api/configuration/:configuration_name/versions/:version/restore/',
    {
      config: { scope: 'write', problems: [...changing] },
      schema: {
        tags,
        operationId: 'restoreConfigurationVersion',
        summary: 'Restore a version of a configuration',
        description: restoring,
        params: Type.Object({ configuration_name: name, version }),
        headers: writeHeaders,
        response: { 200: Tagged('The configuration as it is now.', Configuration) },
      },
    },
    async (request, reply) => {
      const { params, access } = request
      const [wanted, saving] = [numberOf(params.version), savingOf(request)]
      const row = await restoreConfiguration(context, access.experiences, params.configuration_name, wanted, saving)
      return reply.header('etag', tagOf(row.revision)).send(shownConfiguration(secretBox, row))
    },
  )
  app.post(
    '/api/configuration/:configuration_name/undelete/',
    {
      config: { scope: 'write', problems: [...changing, 'name_taken'] },
      schema: {
        tags,
        operationId: 'undeleteConfiguration',
        summary: 'Undelete a configuration',
        description: `${undeleting} Whatever it names must be there again.`,
        params: Type.Object({ configuration_name: name }),
        response: { 200: Tagged('The configuration as it is now.', Configuration) },
      },
    },
    async (request, reply) => {
      const { params, access, actor } = request
      const saving = { dryRun: false, actor }
      const row = await undeleteConfiguration(context, access.experiences, params.configuration_name, saving)
      return reply.header('etag', tagOf(row.revision)).send(shownConfiguration(secretBox, row))
    },
  )
}

const addAssetVersions: Resource = (app, { db, blobs, settings }) => {
  const tags = ['Assets']
  const name = Type.String({ description: 'The name of the asset, percent-encoded.' })
  app.get(
    '/api/asset/:name/versions/',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'listAssetVersions',
        summary: 'List the versions of an asset',
        description: 'What its file was and who changed it, the latest first. Also of one that can be undeleted.',
        params: Type.Object({ name }),
        querystring: ListQuery({}),
        response: { 200: answer('A page of versions.', ListOf(AssetVersion)) },
      },
    },
    async request => {
      const { params, access, query } = request
      const page = await listAssetVersions(db, access.experiences, params.name, query)
      const items = page.items.map(row => ({
        ...told(row, page.current),
        asset: {
          name: row.name,
          experience_id: row.experience_id,
          mime: row.mime,
          bytes: row.bytes,
          sha256: row.sha256,
          width: row.width,
          height: row.height,
          duration: row.duration,
        },
      }))
      return { items, next_cursor: page.next_cursor }
    },
  )
  app.get(
    '/api/asset/:name/versions/:version/file/',
    {
      config: { scope: 'read', problems: ['gone', 'bad_range'] },
      schema: {
        tags,
        operationId: 'downloadAssetVersion',
        summary: 'Download the file of a version of an asset',
        description: 'As the file of the asset itself, with range requests.',
        headers: fileHeaders,
        params: Type.Object({ name, version }),
        response: fileAnswers,
      },
    },
    async ({ params, access }, reply) =>
      sendBlob(reply, blobs, await readVersion(db, access.experiences, params.name, numberOf(params.version))),
  )
  app.post(
    '/api/asset/:name/versions/:version/restore/',
    {
      config: { scope: 'write', problems: ['in_use', 'changed_meanwhile'] },
      schema: {
        tags,
        operationId: 'restoreAssetVersion',
        summary: 'Restore a version of an asset',
        description:
          'Makes a new version with the file of that one. A file of another kind is refused while a configuration names the asset.',
        params: Type.Object({ name, version }),
        headers: writeHeaders,
        response: { 200: Tagged('The asset as it is now.', Asset) },
      },
    },
    async (request, reply) => {
      const { params, access, actor } = request
      const restoring = { db, keep: settings, actor, expect: expectingAsset(request) }
      const asset = await restoreAsset(restoring, access.experiences, params.name, numberOf(params.version))
      return reply.header('etag', assetTag(asset)).send(shownAsset(asset))
    },
  )
  app.post(
    '/api/asset/:name/undelete/',
    {
      config: { scope: 'write', problems: ['name_taken'] },
      schema: {
        tags,
        operationId: 'undeleteAsset',
        summary: 'Undelete an asset',
        description: undeleting,
        params: Type.Object({ name }),
        response: { 200: Tagged('The asset as it is now.', Asset) },
      },
    },
    async (request, reply) => {
      const { params, access, actor } = request
      const asset = await undeleteAsset({ db, actor }, access.experiences, params.name)
      return reply.header('etag', assetTag(asset)).send(shownAsset(asset))
    },
  )
}

function numberOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new Problem('not_found', 'There is no such version: versions are numbers from 1 on.')
  return Number(text)
}

interface Version {
  version: number | null
  change: ConfigurationVersion['change'] | null
  restored_from: number | null
  changed_by: ConfigurationVersion['changed_by']
  created_at: Date
}

const told = ({ version, change, restored_from, changed_by, created_at }: Version, current: number | null) => ({
  version: version ?? 1,
  is_current: version === current,
  change: change ?? ('made' as const),
  restored_from,
  changed_by,
  created_at: created_at.toISOString(),
})
