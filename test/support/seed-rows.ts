// One row of every kind in an experience, written straight into the database: things to be found, or not to be found.
import { randomBytes } from 'node:crypto'
import type { Db } from '#db/database.ts'
import { ensureExperience } from '#db/nouns/experience-rows.ts'
import { newId } from '#kit/ids.ts'
import { type SecretBox, sealedFor } from '#kit/secret/secrets.ts'
import { someCallbackBody } from './callbacks.ts'

/** By the name that a path parameter has for it. */
export type Seeded = Record<
  | 'experience_id'
  | 'configuration_name'
  | 'name'
  | 'profile_id'
  | 'token_id'
  | 'task_id'
  | 'group_id'
  | 'activity_id'
  | 'callback_id'
  | 'keepsake_id'
  | 'erasure_id',
  string
>

export async function seedRows(db: Db, box: SecretBox, experience: string): Promise<Seeded> {
  const ids: Seeded = {
    experience_id: experience,
    configuration_name: `${experience} configuration`,
    name: `${experience} asset`,
    profile_id: newId(),
    token_id: newId(),
    task_id: newId(),
    group_id: newId(),
    activity_id: newId(),
    callback_id: newId(),
    keepsake_id: newId(),
    erasure_id: newId(),
  }
  const now = new Date()
  const times = { created_at: now, updated_at: now }
  const own = { experience_id: experience }
  await ensureExperience(db, box, experience)
  const code = box.seal(`${experience} code`, sealedFor.keepsake(ids.keepsake_id))
  await db
    .insertInto('keepsakes')
    .values({ keepsake_id: ids.keepsake_id, code_hash: randomBytes(32), code, used_at: now, created_at: now, ...own })
    .execute()
  await db
    .insertInto('erasures')
    .values({
      erasure_id: ids.erasure_id,
      seen_by: [experience],
      takes_shared: false,
      status: 'Done',
      counts: '{}',
      receipt: `{"erasure_id":"${ids.erasure_id}"}`,
      signature: 'none',
      key_id: 'none',
      ...times,
    })
    .execute()
  const single = { kind: 'transformer' as const, adapter_name: 'photo_flip', defaults: '{}', ...own, ...times }
  await db
    .insertInto('configurations')
    .values({ configuration_name: ids.configuration_name, ...single })
    .execute()
  const version_id = newId()
  const facts = { blob: newId(), mime: 'image/png', medium: 'image' as const, ext: '.png', bytes: 1, sha256: 'a' }
  await db
    .insertInto('asset_versions')
    .values({ version_id, name: ids.name, ...facts, created_at: now })
    .execute()
  await db
    .insertInto('assets')
    .values({ name: ids.name, version_id, ...own, ...times })
    .execute()
  await db
    .insertInto('profiles')
    .values({ profile_id: ids.profile_id, attributes: '{}', ...own, ...times })
    .execute()
  await db
    .insertInto('profile_lookups')
    .values({
      kind: 'email',
      key: `${experience}@x.org`,
      value: `${experience}@x.org`,
      position: 0,
      profile_id: ids.profile_id,
      ...own,
    })
    .execute()
  const token = { name: `${experience} token`, hash: randomBytes(32), scopes: ['read'], experiences: [experience] }
  await db
    .insertInto('tokens')
    .values({ token_id: ids.token_id, ...token, created_at: now })
    .execute()
  await seedTask(db, ids.task_id, experience, ids.configuration_name, false)
  await seedTask(db, ids.group_id, experience, '', true)
  const flow = { flow_id: newId(), chain_id: newId(), entry: 0, activity_type: `${experience} type` }
  await db
    .insertInto('activities')
    .values({
      activity_id: ids.activity_id,
      task_id: ids.task_id,
      owner_id: ids.profile_id,
      payload: '{}',
      ...flow,
      ...own,
      created_at: now,
    })
    .execute()
  const callback = {
    url: `https://${experience}.test/`,
    receiver: `${experience}.test`,
    body: someCallbackBody,
    run: 1,
  }
  await db
    .insertInto('callbacks')
    .values({ callback_id: ids.callback_id, task_id: ids.task_id, status: 'GivenUp', ...callback, ...own, ...times })
    .execute()
  return ids
}

async function seedTask(db: Db, task_id: string, experience_id: string, configuration: string, is_group: boolean) {
  const now = new Date()
  const chain_id = newId()
  const status = 'Failed' as const
  const snapshot_id = `${experience_id} ${task_id}`
  await db
    .insertInto('tasks')
    .values({
      task_id,
      flow_id: newId(),
      is_group,
      configuration,
      experience_id,
      status,
      lane: 'picture' as const,
      warnings: '[]',
      created_at: now,
      started_at: now,
      ended_at: now,
    })
    .execute()
  const entry = { configuration: `${experience_id} configuration`, adapter_name: 'photo_flip', input_idx: null }
  const snapshot = { entries: [{ ...entry, defaults: {}, auth: null, activity_config: null }] }
  await db
    .insertInto('snapshots')
    .values({ snapshot_id, body: JSON.stringify(snapshot), used_at: now })
    .execute()
  const input = JSON.stringify({ url: `https://${experience_id}.test/in` })
  await db
    .insertInto('chains')
    .values({
      chain_id,
      task_id,
      index: 0,
      configuration: entry.configuration,
      snapshot_id,
      status,
      extras: '{}',
      input,
      assets: '{}',
      group_created_at: is_group ? now : null,
      group_experience_id: is_group ? experience_id : null,
    })
    .execute()
  const error = JSON.stringify({ code: 'corrupt_input', message: 'damaged' })
  await db
    .insertInto('entries')
    .values({ chain_id, index: 0, ...entry, status, error, warnings: '[]' })
    .execute()
}
