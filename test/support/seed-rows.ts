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
  const [ids] = await seedEach(db, box, [experience])
  return ids as Seeded
}

/** The same in each of several experiences, in one go: the rows of one table are written together. */
export async function seedEach(db: Db, box: SecretBox, experiences: readonly string[]): Promise<Seeded[]> {
  const all = experiences.map(
    (experience): Seeded => ({
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
    }),
  )
  const now = new Date()
  const times = { created_at: now, updated_at: now }
  for (const experience of experiences) await ensureExperience(db, box, experience)
  await db
    .insertInto('keepsakes')
    .values(
      all.map(({ keepsake_id, experience_id }) => ({
        keepsake_id,
        code_hash: randomBytes(32),
        code: box.seal(`${experience_id} code`, sealedFor.keepsake(keepsake_id)),
        used_at: now,
        created_at: now,
        experience_id,
      })),
    )
    .execute()
  await db
    .insertInto('erasures')
    .values(
      all.map(({ erasure_id, experience_id }) => ({
        erasure_id,
        seen_by: [experience_id],
        takes_shared: false,
        status: 'Done' as const,
        counts: '{}',
        receipt: `{"erasure_id":"${erasure_id}"}`,
        signature: 'none',
        key_id: 'none',
        ...times,
      })),
    )
    .execute()
  await db
    .insertInto('configurations')
    .values(
      all.map(({ configuration_name, experience_id }) => ({
        configuration_name,
        kind: 'transformer' as const,
        adapter_name: 'photo_flip',
        defaults: '{}',
        experience_id,
        ...times,
      })),
    )
    .execute()
  const facts = () => ({
    blob: newId(),
    mime: 'image/png',
    medium: 'image' as const,
    ext: '.png',
    bytes: 1,
    sha256: 'a',
  })
  const versions = all.map(({ name }) => ({ version_id: newId(), name, ...facts(), created_at: now }))
  await db.insertInto('asset_versions').values(versions).execute()
  await db
    .insertInto('assets')
    .values(
      all.map(({ name, experience_id }, at) => ({
        name,
        version_id: versions[at]?.version_id as string,
        experience_id,
        ...times,
      })),
    )
    .execute()
  await db
    .insertInto('profiles')
    .values(all.map(({ profile_id, experience_id }) => ({ profile_id, attributes: '{}', experience_id, ...times })))
    .execute()
  await db
    .insertInto('profile_lookups')
    .values(
      all.map(({ profile_id, experience_id }) => ({
        kind: 'email' as const,
        key: `${experience_id}@x.org`,
        value: `${experience_id}@x.org`,
        position: 0,
        profile_id,
        experience_id,
      })),
    )
    .execute()
  await db
    .insertInto('tokens')
    .values(
      all.map(({ token_id, experience_id }) => ({
        token_id,
        name: `${experience_id} token`,
        hash: randomBytes(32),
        scopes: ['read' as const],
        experiences: [experience_id],
        created_at: now,
      })),
    )
    .execute()
  await seedTasks(
    db,
    all.flatMap(({ task_id, group_id, experience_id, configuration_name }) => [
      { task_id, experience_id, configuration: configuration_name, is_group: false },
      { task_id: group_id, experience_id, configuration: '', is_group: true },
    ]),
  )
  await db
    .insertInto('activities')
    .values(
      all.map(({ activity_id, task_id, profile_id, experience_id }) => ({
        activity_id,
        task_id,
        owner_id: profile_id,
        payload: '{}',
        flow_id: newId(),
        chain_id: newId(),
        entry: 0,
        activity_type: `${experience_id} type`,
        experience_id,
        created_at: now,
      })),
    )
    .execute()
  await db
    .insertInto('callbacks')
    .values(
      all.map(({ callback_id, task_id, experience_id }) => ({
        callback_id,
        task_id,
        status: 'GivenUp' as const,
        url: `https://${experience_id}.test/`,
        receiver: `${experience_id}.test`,
        body: someCallbackBody,
        run: 1,
        experience_id,
        ...times,
      })),
    )
    .execute()
  return all
}

interface SeededTask {
  task_id: string
  experience_id: string
  configuration: string
  is_group: boolean
}

async function seedTasks(db: Db, tasks: readonly SeededTask[]): Promise<void> {
  const now = new Date()
  const status = 'Failed' as const
  await db
    .insertInto('tasks')
    .values(
      tasks.map(task => ({
        ...task,
        flow_id: newId(),
        status,
        lane: 'picture' as const,
        warnings: '[]',
        created_at: now,
        started_at: now,
        ended_at: now,
      })),
    )
    .execute()
  const chains = tasks.map(({ task_id, experience_id, is_group }) => {
    const entry = { configuration: `${experience_id} configuration`, adapter_name: 'photo_flip', input_idx: null }
    return { chain_id: newId(), snapshot_id: `${experience_id} ${task_id}`, task_id, experience_id, is_group, entry }
  })
  await db
    .insertInto('snapshots')
    .values(
      chains.map(({ snapshot_id, entry }) => ({
        snapshot_id,
        body: JSON.stringify({ entries: [{ ...entry, defaults: {}, auth: null, activity_config: null }] }),
        used_at: now,
      })),
    )
    .execute()
  await db
    .insertInto('chains')
    .values(
      chains.map(({ chain_id, snapshot_id, task_id, experience_id, is_group, entry }) => ({
        chain_id,
        task_id,
        index: 0,
        configuration: entry.configuration,
        snapshot_id,
        status,
        extras: '{}',
        input: JSON.stringify({ url: `https://${experience_id}.test/in` }),
        assets: '{}',
        group_created_at: is_group ? now : null,
        group_experience_id: is_group ? experience_id : null,
      })),
    )
    .execute()
  const error = JSON.stringify({ code: 'corrupt_input', message: 'damaged' })
  await db
    .insertInto('entries')
    .values(chains.map(({ chain_id, entry }) => ({ chain_id, index: 0, ...entry, status, error, warnings: '[]' })))
    .execute()
}
