// Signs the receipts of erasures with Ed25519, and tells whether one is genuine.
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'

export interface SignedReceipt {
  /** The JSON text that is signed, byte for byte. */
  receipt: string
  /** In base64. */
  signature: string
  key_id: string
}

export interface PublicKey {
  key_id: string
  algorithm: 'Ed25519'
  /** As PEM. */
  public_key: string
}

export interface Signer {
  signed(receipt: string): SignedReceipt
  publicKey: PublicKey
}

/** A new private key, as text. */
export const newSigningKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string

export function signerOf(privateKey: string): Signer {
  const key = createPrivateKey(privateKey)
  const publicKey = described(createPublicKey(key))
  const { key_id } = publicKey
  return {
    publicKey,
    signed: receipt => ({ receipt, signature: sign(null, Buffer.from(receipt), key).toString('base64'), key_id }),
  }
}

/** Of a text with a public key as PEM; throws a TypeError for anything else. */
export function readPublicKey(pem: string): PublicKey {
  let key: KeyObject
  try {
    key = createPublicKey(pem)
  } catch (error) {
    throw new TypeError('The key is no public key in PEM.', { cause: error })
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new TypeError('The key is not one for Ed25519.')
  return described(key)
}

export const isGenuine = ({ receipt, signature }: SignedReceipt, { public_key }: PublicKey): boolean =>
  verify(null, Buffer.from(receipt), createPublicKey(public_key), Buffer.from(signature, 'base64'))

function described(key: KeyObject): PublicKey {
  const id = createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')
  return {
    key_id: id.slice(0, 16),
    algorithm: 'Ed25519',
    public_key: key.export({ type: 'spki', format: 'pem' }) as string,
  }
}
