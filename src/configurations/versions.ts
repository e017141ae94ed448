// Brings configurations back: an earlier version, or one that was deleted. Options and credentials of a version return together.
import type { Db } from '#db/database.ts'
import * as rows from '#db/nouns/configuration-rows.ts'
import {
  type ConfigurationVersion,
  findConfigurationVersion,
  listConfigurationVersions,
} from '#db/nouns/configuration-versions.ts'
import { findDeletion, takeDeletion } from '#db/nouns/deletion-rows.ts'
import type { Page, PageRequest } from '#db/page.ts'
import { isUsable, requireWhole, type Visible } from '#db/visible.ts'
import { Problem } from '#kit/errors.ts'
import type { JsonObject } from '#kit/json.ts'
import type { SecretBox } from '#kit/secret/secrets.ts'
import { openAuth } from './credentials.ts'
import {
  type ConfigurationServices,
  prepare,
  record,
  relate,
  replace,
  type Saving,
  type Written,
  write,
} from './save-configuration.ts'

const none = (name: string): Problem => new Problem('not_found', `There is no configuration "${name}".`)

/** Also of a configuration that was deleted and can still be undeleted; then no version is the current one. */
export async function listVersions(
  db: Db,
  visible: Visible,
  name: string,
  page: PageRequest,
): Promise<Page<ConfigurationVersion> & { current: number | null }> {
  const row = await rows.findConfiguration(db, visible, name)
  if (row) requireWhole(visible, row.experience_id, 'configuration', name)
  const history = row?.history ?? (await findDeletion(db, visible, 'configuration', name))?.history
  if (history === undefined) throw none(name)
  const listed = await listConfigurationVersions(db, visible, history, page)
  return { ...listed, current: row?.version ?? null }
}

export async function restoreConfiguration(
  services: ConfigurationServices,
  visible: Visible,
  name: string,
  version: number,
  saving: Saving,
): Promise<rows.ConfigurationRow> {
  return write(services, saving, async trx => {
    const stored = await rows.readConfiguration(trx, visible, name)
    requireWhole(visible, stored.experience_id, 'configuration', name)
    saving.expect?.(stored)
    const earlier = await findConfigurationVersion(trx, visible, stored.history, version)
    if (!earlier) throw new Problem('not_found', `There is no version ${version} of the configuration "${name}".`)
    const changed = { change: 'restored', restoredFrom: version, actor: saving.actor } as const
    return replace(services, trx, visible, stored, writtenOf(services.secretBox, earlier), changed)
  })
}

/** It comes back as it was, if everything that it names is still there. */
export async function undeleteConfiguration(
  services: ConfigurationServices,
  visible: Visible,
  name: string,
  saving: Saving,
): Promise<rows.ConfigurationRow> {
  return write(services, saving, async trx => {
    const there = await rows.findConfiguration(trx, null, name)
    const deletion = await findDeletion(trx, visible, 'configuration', name)
    if (there && (deletion || isUsable(visible, there.experience_id)))
      throw new Problem('name_taken', `The name "${name}" is in use: there is a configuration that is not deleted.`)
    const last = deletion && (await findConfigurationVersion(trx, visible, deletion.history, deletion.version))
    if (!deletion || !last || !(await takeDeletion(trx, deletion.history)))
      throw new Problem('not_found', `There is no deleted configuration "${name}"; one can be undeleted for 30 days.`)
    const made = await prepare(services, trx, visible, writtenOf(services.secretBox, last), null)
    const { history, version, made_at: created_at } = deletion
    const row = await rows.insertConfiguration(trx, {
      ...made.row,
      history,
      version,
      created_at,
      updated_at: last.created_at,
    })
    await relate(trx, row.configuration_name, made)
    await record(services, trx, saving.actor, 'undelete', null, row)
    return row
  })
}

/** The version as a request that gives everything anew, so nothing of it is mixed with what is stored now. */
function writtenOf(box: SecretBox, version: ConfigurationVersion): Written {
  const { configuration_name, experience_id, adapter_name, activity_config, call_chain, webhook_url, overridable } =
    version
  const { needs_consent, without_consent } = version
  const consent = needs_consent.length > 0 ? { needs_consent, without_consent } : {}
  const common = { configuration_name, experience_id, webhook_url, ...consent }
  if (adapter_name === null) return { ...common, call_chain: call_chain ?? [] }
  const adapter_config = { auth: authOf(box, version), defaults: version.defaults ?? {} }
  return { ...common, adapter_name, adapter_config, activity_config, ...(overridable && { overridable }) }
}

function authOf(box: SecretBox, { configuration_name, version, auth }: ConfigurationVersion): JsonObject {
  try {
    return openAuth(box, configuration_name, auth)
  } catch (cause) {
    throw new Problem(
      'secret_needed',
      `The credentials of version ${version} were sealed with a key that is gone. Write the configuration anew, with its credentials.`,
      { cause },
    )
  }
}
