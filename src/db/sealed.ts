// Walks through all sealed values in the database, a few hundred rows at a time.
import { sql } from 'kysely'
import { sealedFor } from '#kit/secret/secrets.ts'
import type { Db } from './database.ts'
import type { Snapshot } from './tables.ts'

/** Gets a sealed value and the row it is bound to. Returns its replacement, or null to keep it. */
export type Renew = (sealed: Buffer, row: string) => Buffer | null

const BATCH = 500

/**
 * By name, for messages. A value is replaced only while it is still the one that was read, so a concurrent write wins. A new kind
 * of secret needs a line here; a test searches every column for seals.
 */
export const sealedThings: Readonly<Record<string, (db: Db, renew: Renew) => Promise<void>>> = {
  'webhook secrets': (db, renew) => webhookSecrets(db, 'webhook_secret', renew),
  'earlier webhook secrets': (db, renew) => webhookSecrets(db, 'old_webhook_secret', renew),
  'webhook headers': (db, renew) => webhookSecrets(db, 'webhook_headers', renew),
  credentials,
  'credentials of earlier versions': versions,
  snapshots,
  checkpoints,
  'codes of keepsakes': keepsakeCodes,
  'the key that signs receipts': signingKey,
  'deliveries to take back': erasureLines,
}

/** Visits all rows, batch by batch. `read` gets the last row of the batch before. */
async function walk<Row>(
  read: (after: Row | undefined) => Promise<Row[]>,
  visit: (row: Row) => Promise<void>,
): Promise<void> {
  let last: Row | undefined
  for (;;) {
    const rows = await read(last)
    for (const row of rows) await visit(row)
    if (rows.length < BATCH) return
    last = rows.at(-1)
  }
}

function keepsakeCodes(db: Db, renew: Renew): Promise<void> {
  return walk(
    (after: { keepsake_id: string; code: Buffer } | undefined) =>
      db
        .selectFrom('keepsakes')
        .select(['keepsake_id', 'code'])
        .where('keepsake_id', '>', after?.keepsake_id ?? FIRST_ID)
        .orderBy('keepsake_id')
        .limit(BATCH)
        .execute(),
    async ({ keepsake_id, code }) => {
      const renewed = renew(code, sealedFor.keepsake(keepsake_id))
      if (renewed)
        await db
          .updateTable('keepsakes')
          .set({ code: renewed })
          .where('keepsake_id', '=', keepsake_id)
          .where('code', '=', code)
          .execute()
    },
  )
}

async function signingKey(db: Db, renew: Renew): Promise<void> {
  const key = sealedFor.signingKey()
  const row = await db.selectFrom('deployment').select('value').where('key', '=', key).executeTakeFirst()
  const renewed = row && renew(row.value, key)
  if (renewed)
    await db
      .updateTable('deployment')
      .set({ value: renewed })
      .where('key', '=', key)
      .where('value', '=', row.value)
      .execute()
}

/** Only what could not be reached yet is sealed: there are few. */
async function erasureLines(db: Db, renew: Renew): Promise<void> {
  const rows = await db
    .selectFrom('erasure_lines')
    .select(['erasure_id', 'what', 'task_id', 'index', 'sealed'])
    .where('sealed', 'is not', null)
    .execute()
  for (const { erasure_id, what, task_id, index, sealed } of rows) {
    const renewed = sealed && renew(sealed, sealedFor.erasureLine(erasure_id, task_id, index))
    if (renewed)
      await db
        .updateTable('erasure_lines')
        .set({ sealed: renewed })
        .where('erasure_id', '=', erasure_id)
        .where('what', '=', what)
        .where('task_id', '=', task_id)
        .where('index', '=', index)
        .where('sealed', '=', sealed)
        .execute()
  }
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

const webhookSecrets = (
  db: Db,
  column: 'webhook_secret' | 'old_webhook_secret' | 'webhook_headers',
  renew: Renew,
): Promise<void> =>
  walk(
    (after: { experience_id: string; sealed: Buffer | null } | undefined) =>
      db
        .selectFrom('experiences')
        .select(['experience_id', `${column} as sealed`])
        .where('experience_id', '>', after?.experience_id ?? '')
        .orderBy('experience_id')
        .limit(BATCH)
        .execute(),
    async ({ experience_id, sealed }) => {
      const row = sealedFor[column === 'webhook_headers' ? 'webhookHeaders' : 'experience'](experience_id)
      const renewed = sealed && renew(sealed, row)
      if (renewed)
        await db
          .updateTable('experiences')
          .set({ [column]: renewed })
          .where('experience_id', '=', experience_id)
          .where(column, '=', sealed)
          .execute()
    },
  )

function credentials(db: Db, renew: Renew): Promise<void> {
  return walk(
    (after: { configuration_name: string; auth: Buffer | null } | undefined) =>
      db
        .selectFrom('configurations')
        .select(['configuration_name', 'auth'])
        .where('configuration_name', '>', after?.configuration_name ?? '')
        .orderBy('configuration_name')
        .limit(BATCH)
        .execute(),
    async ({ configuration_name, auth }) => {
      const renewed = auth && renew(auth, sealedFor.configuration(configuration_name))
      if (renewed)
        await db
          .updateTable('configurations')
          .set({ auth: renewed })
          .where('configuration_name', '=', configuration_name)
          .where('auth', '=', auth)
          .execute()
    },
  )
}

interface Version {
  history: string
  version: number
  configuration_name: string
  auth: Buffer | null
}

function versions(db: Db, renew: Renew): Promise<void> {
  return walk(
    async (after: Version | undefined) => {
      const further = after ? sql`where (history, version) > (${after.history}::uuid, ${after.version}::int)` : sql``
      const { rows } = await sql<Version>`
        select history, version, configuration_name, auth from configuration_versions ${further}
        order by history, version limit ${BATCH}`.execute(db)
      return rows
    },
    async ({ history, version, configuration_name, auth }) => {
      const renewed = auth && renew(auth, sealedFor.configuration(configuration_name))
      if (renewed)
        await db
          .updateTable('configuration_versions')
          .set({ auth: renewed })
          .where('history', '=', history)
          .where('version', '=', version)
          .where('auth', '=', auth)
          .execute()
    },
  )
}

/** A snapshot keeps its id, the hash of its first content: tasks refer to it, and nothing compares the two again. */
function snapshots(db: Db, renew: Renew): Promise<void> {
  return walk(
    (after: { snapshot_id: string; body: Snapshot } | undefined) =>
      db
        .selectFrom('snapshots')
        .select(['snapshot_id', 'body'])
        .where('snapshot_id', '>', after?.snapshot_id ?? '')
        .orderBy('snapshot_id')
        .limit(BATCH)
        .execute(),
    async ({ snapshot_id, body }) => {
      let changed = false
      const entries = body.entries.map(entry => {
        const renewed =
          entry.auth === null
            ? null
            : renew(Buffer.from(entry.auth, 'base64'), sealedFor.configuration(entry.configuration))
        changed ||= renewed !== null
        return renewed ? { ...entry, auth: renewed.toString('base64') } : entry
      })
      const renewed: Snapshot = { ...body, entries }
      if (changed)
        await db
          .updateTable('snapshots')
          .set({ body: JSON.stringify(renewed) })
          .where('snapshot_id', '=', snapshot_id)
          .execute()
    },
  )
}

interface Checkpoint {
  chain_id: string
  index: number
  sealed: string | null
}

function checkpoints(db: Db, renew: Renew): Promise<void> {
  return walk(
    async (after: Checkpoint | undefined) => {
      const further = after ? sql`where (chain_id, index) > (${after.chain_id}::uuid, ${after.index}::int)` : sql``
      const { rows } = await sql<Checkpoint>`
        select chain_id, index, checkpoint ->> 'sealed' as sealed from entries ${further} order by chain_id, index limit ${BATCH}`.execute(
        db,
      )
      return rows
    },
    async ({ chain_id, index, sealed }) => {
      const renewed = sealed && renew(Buffer.from(sealed, 'base64'), sealedFor.checkpoint(chain_id, index))
      if (renewed)
        await sql`
          update entries set checkpoint = ${JSON.stringify({ sealed: renewed.toString('base64') })}::json
          where chain_id = ${chain_id} and index = ${index} and checkpoint ->> 'sealed' = ${sealed}`.execute(db)
    },
  )
}
