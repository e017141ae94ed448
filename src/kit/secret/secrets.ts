// Encryption of secrets at rest (AES-256-GCM with a key ring) and the forms of tokens.
import { createCipheriv, createDecipheriv, createHash, randomBytes, timingSafeEqual } from 'node:crypto'

export interface SecretBox {
  /** Of the keys of the ring, the newest first; they tell nothing of the keys. */
  keyIds: readonly string[]
  /** Encrypts with the newest key; `row` binds the text to where it is stored. */
  seal(plain: string, row: string): Buffer
  /** Decrypts with whichever key of the ring sealed it; throws when none fits. */
  open(sealed: Buffer, row: string): string
}

const IV = 12
const TAG = 16
const ID = 4

const keyId = (key: Buffer): Buffer =>
  createHash('sha256').update('keepsake key id').update(key).digest().subarray(0, ID)

/** The id of the key that sealed it. */
export const sealedBy = (sealed: Buffer): string => sealed.subarray(0, ID).toString('hex')

/** What a seal is bound to, so that it can't be moved to another row. */
export const sealedFor = {
  experience: (id: string): string => `experience:${id}`,
  webhookHeaders: (id: string): string => `webhook headers:${id}`,
  configuration: (name: string): string => `configuration:${name}`,
  keepsake: (id: string): string => `keepsake:${id}`,
  visit: (keepsakeId: string): string => `visit:${keepsakeId}`,
  checkpoint: (chainId: string, index: number): string => `checkpoint:${chainId}:${index}`,
  signingKey: (): string => 'receipt signing key',
  erasureLine: (erasureId: string, taskId: string, index: number): string => `erasure:${erasureId}:${taskId}:${index}`,
}

/** `keys`: 32 bytes each, the newest first. */
export function secretBox(keys: Buffer[]): SecretBox {
  const [newest] = keys
  if (!newest) throw new Error('secretBox needs at least one key')
  const ring = new Map(keys.map(key => [keyId(key).toString('hex'), key]))
  return {
    keyIds: [...ring.keys()],
    seal(plain, row) {
      const iv = randomBytes(IV)
      const cipher = createCipheriv('aes-256-gcm', newest, iv)
      cipher.setAAD(Buffer.from(row))
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([keyId(newest), iv, cipher.getAuthTag(), body])
    },
    open(sealed, row) {
      const key = ring.get(sealedBy(sealed))
      if (!key) throw new Error('sealed with a key that is not in the ring')
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(ID, ID + IV))
      decipher.setAAD(Buffer.from(row))
      decipher.setAuthTag(sealed.subarray(ID + IV, ID + IV + TAG))
      return Buffer.concat([decipher.update(sealed.subarray(ID + IV + TAG)), decipher.final()]).toString('utf8')
    },
  }
}

export const newToken = (): string => `ks_${randomBytes(32).toString('base64url')}`

/** Tokens hold 256 random bits, so a plain digest is enough to keep them safe at rest. */
export const tokenHash = (token: string): Buffer => createHash('sha256').update(token).digest()

/** For links of guests, walls and receipts: 128 random bits in base64url. */
export const newLinkCode = (): string => randomBytes(16).toString('base64url')

/** A further code made of a secret one, which nobody can compute from it. `use` keeps codes for different uses apart. */
export const linkCodeFrom = (use: string, code: string): string =>
  createHash('sha256').update(`${use} ${code}`).digest().subarray(0, 16).toString('base64url')

export const isLinkCode = (text: string): boolean => /^[\w-]{22}$/.test(text)

export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

export function sameText(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())
}
