// Saves a configuration: whatever could fail at an event is checked here, before it is stored.

import { type Db, json, type Trx, violatedConstraint } from '#db/database.ts'
import { recordChange } from '#db/nouns/audit-rows.ts'
import * as rows from '#db/nouns/configuration-rows.ts'
import { type Changed, insertConfigurationVersion } from '#db/nouns/configuration-versions.ts'
import { insertDeletion } from '#db/nouns/deletion-rows.ts'
import { ensureExperience } from '#db/nouns/experience-rows.ts'
import type { AuditAction } from '#db/tables.ts'
import { transact } from '#db/transact.ts'
import { requireVisible, requireWhole, type Visible } from '#db/visible.ts'
import { type Adapters, isDestination } from '#engine/adapter.ts'
import type { MediaLimits } from '#engine/children/sizes.ts'
import type { Actor } from '#kit/actor.ts'
import { badField, badFields, type FieldError, Problem } from '#kit/errors.ts'
import type { Expect } from '#kit/expect.ts'
import type { Purpose, WithoutConsent } from '#kit/guest/consent.ts'
import { newId } from '#kit/ids.ts'
import type { JsonObject } from '#kit/json.ts'
import { checkUrlField, type Outbound } from '#kit/net/outbound.ts'
import type { SecretBox } from '#kit/secret/secrets.ts'
import { meant, nameForm } from '#kit/text.ts'
import type { Blobs } from '#storage/blobs.ts'
import { checkChain } from './chain.ts'
import { sealAuth } from './credentials.ts'
import { maskedPast } from './masked-view.ts'
import { isSame } from './same-configuration.ts'
import { checkSingle } from './single.ts'

export interface ConfigurationServices {
  db: Db
  secretBox: SecretBox
  adapters: Adapters
  outbound: Outbound
  blobs: Pick<Blobs, 'read'>
  /** KEEPSAKE_MAX_CHAIN. */
  maxChain: number
  /** KEEPSAKE_MAX_VERSIONS. */
  maxVersions: number
  /** The largest size that a medium may have. */
  limits: MediaLimits
}

export interface Saving {
  /** A dry run does everything a write does, and is rolled back. */
  dryRun: boolean
  /** What the caller expects to be stored. */
  expect?: Expect<rows.ConfigurationRow>
  actor: Actor
}

export interface AdapterConfig {
  auth?: JsonObject
  defaults?: JsonObject
}

/** A configuration from a request: it has either `adapter_name` or `call_chain`. */
export interface Written {
  configuration_name: string
  /** Null: shared by all experiences. */
  experience_id: string | null
  adapter_name?: string
  adapter_config?: AdapterConfig & { adapter_config?: AdapterConfig }
  activity_config?: { experience_id?: string; activity_type: string; payload: JsonObject } | null
  call_chain?: [string, number | null][]
  webhook_url?: string | null
  /** Of a shared one: the options that extras may change. */
  overridable?: string[]
  /** What guests must have agreed to before it runs for them. */
  needs_consent?: Purpose | Purpose[] | null
  without_consent?: WithoutConsent | null
}

export async function createConfiguration(
  services: ConfigurationServices,
  visible: Visible,
  written: Written,
  saving: Saving,
): Promise<rows.ConfigurationRow> {
  return write(services, saving, trx => insert(services, trx, visible, written, saving.actor))
}

/** Replaces the configuration, or makes it if there is none. */
export async function putConfiguration(
  services: ConfigurationServices,
  visible: Visible,
  written: Written,
  saving: Saving,
): Promise<{ row: rows.ConfigurationRow; isNew: boolean }> {
  return write(services, saving, async trx => {
    const stored = (await rows.findConfiguration(trx, visible, written.configuration_name)) ?? null
    saving.expect?.(stored)
    const row = stored
      ? await replace(services, trx, visible, stored, written, { change: 'changed', actor: saving.actor })
      : await insert(services, trx, visible, written, saving.actor)
    return { row, isNew: stored === null }
  })
}

/** The row that saving would make, checked and not stored. Whether another experience has the name is for saving to say. */
export async function rehearseConfiguration(
  services: ConfigurationServices,
  visible: Visible,
  written: Written,
): Promise<rows.ConfigurationRow> {
  const name = written.configuration_name
  return write(services, { dryRun: true }, async trx => {
    const stored = (await rows.findConfiguration(trx, visible, name)) ?? null
    if (stored) requireWhole(visible, stored.experience_id, 'configuration', name)
    const configuration_name = stored?.configuration_name ?? nameForm(name)
    const made = await prepare(services, trx, visible, { ...written, configuration_name }, stored)
    if (stored) await checkMove(trx, stored, made.row.experience_id ?? null)
    const row = await rows.insertConfiguration(trx, {
      ...made.row,
      configuration_name: newId(),
      history: newId(),
      version: 1,
    })
    return { ...row, configuration_name }
  })
}

export async function insert(
  services: ConfigurationServices,
  trx: Trx,
  visible: Visible,
  given: Written,
  actor: Actor,
): Promise<rows.ConfigurationRow> {
  const name = nameForm(given.configuration_name)
  const made = await prepare(services, trx, visible, { ...given, configuration_name: name }, null)
  refuseLacking(made)
  if (await rows.findConfiguration(trx, null, name))
    throw new Problem('name_taken', `The name "${name}" is taken by another configuration.`)
  const row = await rows.insertConfiguration(trx, { ...made.row, history: newId(), version: 1 })
  await insertConfigurationVersion(trx, row, { change: 'made', actor }, services.maxVersions)
  await record(services, trx, actor, 'create', null, row)
  await relate(trx, name, made)
  return row
}

/** What is stored already is left as it is, with the time of its last change. */
export async function replace(
  services: ConfigurationServices,
  trx: Trx,
  visible: Visible,
  stored: rows.ConfigurationRow,
  given: Written,
  changed: Changed,
): Promise<rows.ConfigurationRow> {
  const written = { ...given, configuration_name: stored.configuration_name }
  requireWhole(visible, stored.experience_id, 'configuration', stored.configuration_name)
  const made = await prepare(services, trx, visible, written, stored)
  // A version comes back as it was.
  if (changed.change !== 'restored') refuseLacking(made)
  await checkMove(trx, stored, made.row.experience_id ?? null)
  // Also for an equal one: its template may name other assets by now.
  await relate(trx, stored.configuration_name, made)
  if (isSame(services.secretBox, stored, made.row)) return stored
  const row = await rows.updateConfiguration(trx, { ...made.row, version: stored.version + 1 })
  await insertConfigurationVersion(trx, row, changed, services.maxVersions)
  await record(services, trx, changed.actor, changed.change === 'restored' ? 'restore' : 'update', stored, row)
  return row
}

/** `change` gets the stored row and returns the new configuration. It runs inside the lock. */
export async function changeConfiguration(
  services: ConfigurationServices,
  visible: Visible,
  name: string,
  change: (stored: rows.ConfigurationRow) => Written,
  saving: Saving,
): Promise<rows.ConfigurationRow> {
  return write(services, saving, async trx => {
    const stored = await rows.readConfiguration(trx, visible, name)
    requireWhole(visible, stored.experience_id, 'configuration', name)
    saving.expect?.(stored)
    return replace(services, trx, visible, stored, change(stored), { change: 'changed', actor: saving.actor })
  })
}

export async function deleteConfiguration(
  services: ConfigurationServices,
  visible: Visible,
  name: string,
  saving: Saving,
): Promise<void> {
  await write(services, saving, trx => remove(services, trx, visible, name, saving))
}

export async function remove(
  services: ConfigurationServices,
  trx: Trx,
  visible: Visible,
  wanted: string,
  saving: Saving,
): Promise<void> {
  const stored = await rows.readConfiguration(trx, visible, wanted)
  const name = stored.configuration_name
  requireWhole(visible, stored.experience_id, 'configuration', name)
  saving.expect?.(stored)
  const chains = await rows.chainsWith(trx, name)
  if (chains.length > 0) throw inUse(name, chains)
  await rows.deleteConfiguration(trx, name)
  const { history, version, experience_id, created_at } = stored
  await insertDeletion(trx, { history, version, noun: 'configuration', name, experience_id, made_at: created_at })
  await record(services, trx, saving.actor, 'delete', stored, null)
}

/** Writes the change into the audit, its credentials masked. */
export async function record(
  { secretBox }: ConfigurationServices,
  trx: Trx,
  actor: Actor,
  action: AuditAction,
  before: rows.ConfigurationRow | null,
  after: rows.ConfigurationRow | null,
): Promise<void> {
  const { configuration_name: object_id, experience_id } = (after ?? before) as rows.ConfigurationRow
  const told = (row: rows.ConfigurationRow | null) => row && maskedPast(secretBox, row)
  const change = { action, object: 'configuration', object_id, experience_id } as const
  await recordChange(trx, actor, { ...change, before: told(before), after: told(after) })
}

const inUse = (name: string, chains: readonly string[]): Problem =>
  new Problem('in_use', `"${name}" is named by ${chains.map(chain => `"${chain}"`).join(', ')}.`)

/** Thrown inside a transaction to roll back a dry run that succeeded. */
class Undone<T> {
  readonly result: T
  constructor(result: T) {
    this.result = result
  }
}

export function write<T>(
  { db }: ConfigurationServices,
  { dryRun }: Pick<Saving, 'dryRun'>,
  work: (trx: Trx) => Promise<T>,
): Promise<T> {
  return transact(db, async trx => {
    await rows.lockConfigurations(trx)
    const result = await work(trx)
    if (dryRun) throw new Undone(result)
    return result
  }).catch(error => {
    if (error instanceof Undone) return error.result as T
    // An asset was deleted between the check and the commit.
    if (violatedConstraint(error) === 'asset_uses_asset_fkey')
      throw new Problem('unknown_asset', 'An asset that the options name was deleted just now.')
    throw error
  })
}

interface Prepared {
  row: rows.NewConfiguration
  members: string[]
  assets: string[]
  lacking: FieldError[]
}

export async function prepare(
  services: ConfigurationServices,
  trx: Trx,
  visible: Visible,
  written: Written,
  stored: rows.ConfigurationRow | null,
): Promise<Prepared> {
  checkForm(written)
  requireVisible(visible, written.experience_id)
  const elsewhere = written.activity_config?.experience_id
  if (elsewhere !== undefined) requireVisible(visible, elsewhere, 'activity_config.experience_id')
  const webhookUrl = written.webhook_url ?? null
  if (webhookUrl !== null) checkUrlField(services.outbound, 'webhook_url', webhookUrl)
  const now = new Date()
  const common = {
    configuration_name: written.configuration_name,
    experience_id: written.experience_id,
    webhook_url: webhookUrl,
    overridable: written.experience_id === null ? (written.overridable ?? []) : null,
    needs_consent: [written.needs_consent ?? []].flat(),
    without_consent: written.without_consent ?? 'skip',
    revision: newId(),
    created_at: now,
    updated_at: now,
  }
  if (written.experience_id !== null) await ensureExperience(trx, services.secretBox, written.experience_id)
  if (written.call_chain !== undefined && written.experience_id !== null) {
    const call_chain = await byStoredNames(trx, written.configuration_name, written.call_chain)
    const named = { ...written, experience_id: written.experience_id, call_chain }
    await checkChain(trx, visible, named, stored, services.maxChain)
    const chain = { adapter_name: null, defaults: null, auth: null, activity_config: null }
    return {
      row: { ...common, ...chain, kind: 'chain', call_chain: json(call_chain) },
      members: call_chain.map(([member]) => member),
      assets: [],
      lacking: [],
    }
  }
  const { adapter, auth, defaults, assets, lacking } = await checkSingle(services, trx, written, stored)
  const activity = written.activity_config ?? null
  if (elsewhere !== undefined) await ensureExperience(trx, services.secretBox, elsewhere)
  return {
    row: {
      ...common,
      kind: isDestination(adapter) ? 'destination' : 'transformer',
      adapter_name: adapter.name,
      defaults: json(defaults),
      auth: sealAuth(services.secretBox, written.configuration_name, auth),
      activity_config: activity && json(activity),
      call_chain: null,
    },
    members: [],
    assets,
    lacking,
  }
}

async function byStoredNames(
  trx: Trx,
  own: string,
  chain: [string, number | null][],
): Promise<[string, number | null][]> {
  const stored = await rows.storedNames(
    trx,
    chain.map(([member]) => member),
  )
  return chain.map(([member, input]) => [stored.get(member) ?? meant([own], member) ?? member, input])
}

/** Only what is written anew: a configuration that lacks them from before goes on, and its check says so. */
function refuseLacking({ row, lacking }: Prepared): void {
  if (lacking.length > 0) throw badFields(lacking, `${row.adapter_name} needs credentials`, 'option_missing')
}

export async function relate(trx: Trx, name: string, { members, assets }: Prepared): Promise<void> {
  await rows.setMembers(trx, name, members)
  await rows.setAssetUses(trx, name, assets)
}

function checkForm(written: Written): void {
  const { adapter_name, adapter_config, activity_config, call_chain, experience_id, overridable } = written
  if (experience_id !== null && (overridable?.length ?? 0) > 0)
    throw badField('overridable', 'belongs to shared configurations, whose experience_id is null')
  if (written.without_consent && [written.needs_consent ?? []].flat().length === 0)
    throw badField('without_consent', 'says what happens without consent, so needs_consent must name one')
  if (experience_id !== null && activity_config && activity_config.experience_id === undefined)
    throw badField('activity_config.experience_id', 'is required')
  if ((adapter_name === undefined) === (call_chain === undefined))
    throw badField(
      adapter_name === undefined ? 'adapter_name' : 'call_chain',
      'a configuration has either adapter_name (a single one) or call_chain (a chain)',
    )
  if (call_chain === undefined) return
  if (experience_id === null)
    throw badField('experience_id', 'must be that of an experience: only single configurations can be shared')
  if (adapter_config !== undefined) throw badField('adapter_config', 'belongs to single configurations, not to chains')
  if (activity_config) throw badField('activity_config', 'belongs to single configurations, not to chains')
}

/** A member of a chain must stay in the chain's experience, or be shared. */
async function checkMove(trx: Trx, stored: rows.ConfigurationRow, experienceId: string | null): Promise<void> {
  if (stored.experience_id === experienceId || experienceId === null) return
  const chains = await rows.chainsWith(trx, stored.configuration_name)
  if (chains.length > 0) throw inUse(stored.configuration_name, chains)
}
