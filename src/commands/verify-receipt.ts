// keepsake verify receipt: tells whether the receipt of an erasure is genuine, without a server.
import { BadCommand } from '#kit/cannot-start.ts'
import { isObject } from '#kit/json.ts'
import { isGenuine, type PublicKey, readPublicKey, type SignedReceipt } from '#kit/secret/signed-receipt.ts'
import { safe, type Terminal } from './terminal.ts'

interface Asked {
  /** What `GET /api/erasure/ID/` answered. */
  receipt: string
  /** What `GET /api/erasure/key/` answered, or a public key as PEM. */
  key: string
  json: boolean
}

/** 0: genuine. 1: not. */
export function verifyReceipt({ receipt, key, json }: Asked, terminal: Terminal): number {
  try {
    const signed = signedIn(receipt)
    const publicKey = keyIn(key)
    if (signed.key_id !== publicKey.key_id)
      throw new TypeError(`It was signed with the key ${signed.key_id}, not with ${publicKey.key_id}.`)
    if (!isGenuine(signed, publicKey)) throw new TypeError('The signature does not fit the receipt.')
    const told: unknown = JSON.parse(signed.receipt)
    if (!isObject(told)) throw new TypeError('The receipt is no JSON object.')
    const { erasure_id, status, made_at } = told
    terminal.print(
      json
        ? JSON.stringify({ ok: true, key_id: signed.key_id, receipt: told })
        : safe(`ok  erasure ${erasure_id}, ${status}, made ${made_at}`),
    )
    return 0
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error
    terminal.print(json ? JSON.stringify({ ok: false, why: error.message }) : `fail  ${safe(error.message)}`)
    return 1
  }
}

function signedIn(text: string): SignedReceipt {
  const given: unknown = JSON.parse(text)
  if (!isObject(given)) throw new TypeError('The file holds no receipt: it is no JSON object.')
  const { receipt, signature, key_id } = given
  if (typeof receipt !== 'string' || typeof signature !== 'string' || typeof key_id !== 'string')
    throw new TypeError('The file holds no receipt: receipt, signature and key_id are needed.')
  return { receipt, signature, key_id }
}

function keyIn(text: string): PublicKey {
  if (!text.trimStart().startsWith('{')) return readPublicKey(text)
  const given: unknown = JSON.parse(text)
  const pem = isObject(given) ? given.public_key : undefined
  if (typeof pem !== 'string') throw new BadCommand('the file of --key holds no public_key')
  return readPublicKey(pem)
}
