// Proves that the secret key opens this deployment's secrets, and keeps track of a key rotation.
import { sql } from 'kysely'
import { CannotStart } from '#kit/cannot-start.ts'
import { type SecretBox, sealedBy } from '#kit/secret/secrets.ts'
import type { Db, Queries } from './database.ts'

const PROOF = 'secret key proof'
/** Ids of keys that may have sealed something that is not sealed anew yet. Exists only during a rotation. */
const STILL_USED = 'secret keys still used'

/** The first start stores a proof. Every later start must be able to open it, and everything else that may be sealed. */
export async function proveSecretKey(db: Db, box: SecretBox): Promise<void> {
  await db
    .insertInto('deployment')
    .values({ key: PROOF, value: box.seal('keepsake', PROOF) })
    .onConflict(conflict => conflict.column('key').doNothing())
    .execute()
  if (!opens(box, await proof(db)))
    throw new CannotStart(
      'KEEPSAKE_SECRET_KEY (or the file secret-key in the data folder) is not the key that this database’s secrets were sealed with',
    )
  const missing = (await stillUsed(db)).filter(id => !box.keyIds.includes(id))
  if (missing.length > 0)
    throw new CannotStart(
      'Some secrets are still sealed with an earlier key: put it behind the new one in KEEPSAKE_SECRET_KEY (or the file secret-key), with a comma between, until `keepsake rotate-key` says that it is done',
    )
}

/** Whether anything was ever sealed in this database. */
export async function hasProof(db: Queries): Promise<boolean> {
  const { rows } = await sql<{ made: boolean }>`select to_regclass('deployment') is not null as made`.execute(db)
  if (!rows[0]?.made) return false
  return (await db.selectFrom('deployment').select('key').where('key', '=', PROOF).executeTakeFirst()) !== undefined
}

async function proof(db: Queries): Promise<Buffer> {
  return (await db.selectFrom('deployment').select('value').where('key', '=', PROOF).executeTakeFirstOrThrow()).value
}

function opens(box: SecretBox, sealed: Buffer): boolean {
  try {
    return box.open(sealed, PROOF) === 'keepsake'
  } catch {
    return false
  }
}

async function stillUsed(db: Queries): Promise<string[]> {
  const row = await db.selectFrom('deployment').select('value').where('key', '=', STILL_USED).executeTakeFirst()
  return row ? row.value.toString().split(',') : []
}

/** From now on a process starts only if it has the newest key and all keys still in use. */
export async function moveProof(db: Db, box: SecretBox): Promise<void> {
  const [newest] = box.keyIds
  await db.transaction().execute(async trx => {
    const old = new Set([...box.keyIds, sealedBy(await proof(trx)), ...(await stillUsed(trx))])
    old.delete(newest as string)
    await trx
      .updateTable('deployment')
      .set({ value: box.seal('keepsake', PROOF) })
      .where('key', '=', PROOF)
      .execute()
    if (old.size === 0) return
    const value = Buffer.from([...old].join(','))
    await trx
      .insertInto('deployment')
      .values({ key: STILL_USED, value })
      .onConflict(conflict => conflict.column('key').doUpdateSet({ value }))
      .execute()
  })
}

/** Call it when everything is sealed with the newest key. */
export async function endRotation(db: Db): Promise<void> {
  await db.deleteFrom('deployment').where('key', '=', STILL_USED).execute()
}
