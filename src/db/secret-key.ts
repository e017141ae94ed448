// Proves that the secret key is the one this deployment's secrets were sealed with.
import { CannotStart } from '#kit/cannot-start.ts'
import type { SecretBox } from '#kit/secrets.ts'
import type { Db } from './database.ts'

const KEY = 'secret key proof'

/** The first start leaves a proof; every later one must be able to open it. */
export async function proveSecretKey(db: Db, box: SecretBox): Promise<void> {
  await db
    .insertInto('deployment')
    .values({ key: KEY, value: box.seal('keepsake', KEY) })
    .onConflict(conflict => conflict.column('key').doNothing())
    .execute()
  const row = await db.selectFrom('deployment').select('value').where('key', '=', KEY).executeTakeFirstOrThrow()
  try {
    if (box.open(row.value, KEY) === 'keepsake') return
  } catch {
    // Told below.
  }
  throw new CannotStart(
    'KEEPSAKE_SECRET_KEY (or the file secret-key in the data folder) is not the key that this database’s secrets were sealed with',
  )
}
