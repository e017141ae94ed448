// The key that signs receipts: made once for a deployment, sealed in the database, the same for all processes.
import type { Db } from '#db/database.ts'
import { signingKeyOf } from '#db/erasures/erasure-rows.ts'
import { type SecretBox, sealedFor } from '#kit/secret/secrets.ts'
import { newSigningKey, type Signer, signerOf } from '#kit/secret/signed-receipt.ts'

const signers = new WeakMap<Db, Signer>()

export async function receiptSigner({ db, secretBox }: { db: Db; secretBox: SecretBox }): Promise<Signer> {
  const known = signers.get(db)
  if (known) return known
  const row = sealedFor.signingKey()
  const sealed = await signingKeyOf(db, () => secretBox.seal(newSigningKey(), row))
  const signer = signerOf(secretBox.open(sealed, row))
  signers.set(db, signer)
  return signer
}
