// Tells callbacks of Keepsake from what others post, as Standard Webhooks describes it.
import { BadCallback } from './errors.ts'

interface Placed {
  name: string
  chain_id: string
  input_idx: number | null
}

/** One entry of a task that ran. */
export type CallbackResult =
  | { error: false; result: Record<string, unknown>; configuration: Placed }
  | { error: true; result: string; configuration: string; chain_id: string; input_idx: number | null }

export interface TaskCallback {
  task_id: string
  configuration: string
  status: 'Succeeded' | 'Failed'
  results: CallbackResult[]
}

export interface TaskGroupCallback {
  status: 'Succeeded' | 'Failed'
  task_id: string
  results: {
    error: boolean
    /** A result for each entry, or a sentence: why it failed, or was not run. */
    result: Record<string, unknown>[] | string
    configuration: string
  }[]
}

export type VerifiedCallback = {
  /** The same at every attempt: whoever knows it already has had this callback. */
  id: string
  sentAt: Date
  /** The experience, where the service tells it. */
  experienceId: string | null
} & (
  | { event: 'task'; body: TaskCallback }
  | { event: 'taskgroup'; body: TaskGroupCallback }
  /** A test before the doors open, or something that a later service tells. */
  | { event: 'check' | 'other'; body: Record<string, unknown> }
)

type HeadersLike = Headers | Record<string, string | string[] | undefined>

export interface VerifyOptions {
  /** How old, or how far ahead, a callback may be; 300 unless told. */
  toleranceSeconds?: number
  /** The time in milliseconds, for tests. */
  now?: number
}

const MOST_SIGNATURES = 16

/**
 * Answers the callback, or throws `BadCallback`. `body` are the bytes as they came, before any parsing. Several secrets may be given: during a
 * rotation, or where several experiences post to one address.
 */
export async function verifyCallback(
  headers: HeadersLike,
  body: string | ArrayBuffer | Uint8Array,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now() }: VerifyOptions = {},
): Promise<VerifiedCallback> {
  const read = reader(headers)
  const [id, timestamp, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(name => read(name))
  if (!id || !timestamp || !signature) throw new BadCallback('A header of the signature is missing.')
  if (!/^\d{1,12}$/.test(timestamp)) throw new BadCallback('The time of the callback is none.')
  if (Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new BadCallback('The callback is too old, or the clocks differ.')
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body)
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  const given = signaturesOf(signature)
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (secrets.length === 0) throw new TypeError('secret: at least one is needed')
  let isGood = false
  // All are looked at, so that the time tells nothing.
  for (const each of secrets) {
    const key = await keyOf(each)
    for (const one of given) if (await crypto.subtle.verify('HMAC', key, one, signed)) isGood = true
  }
  if (!isGood) throw new BadCallback('No signature fits.')
  return described(read, id, Number(timestamp), bytes)
}

function reader(headers: HeadersLike): (name: string) => string | undefined {
  if (headers instanceof Headers) return name => headers.get(name) ?? undefined
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return name => [lower.get(name)].flat()[0]
}

function described(
  read: (name: string) => string | undefined,
  id: string,
  seconds: number,
  bytes: Uint8Array<ArrayBuffer>,
): VerifiedCallback {
  const body = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>
  const experience = read('keepsake-experience')
  const told = read('keepsake-event') ?? (Array.isArray(body.results) ? guessed(body) : 'other')
  const event = ['task', 'taskgroup', 'check'].includes(told) ? told : 'other'
  return {
    id,
    sentAt: new Date(seconds * 1000),
    experienceId: experience === undefined ? null : decodeURIComponent(experience),
    event,
    body,
  } as unknown as VerifiedCallback
}

const guessed = (body: Record<string, unknown>): string => ('configuration' in body ? 'task' : 'taskgroup')

function signaturesOf(header: string): Uint8Array<ArrayBuffer>[] {
  return header
    .split(' ')
    .slice(0, MOST_SIGNATURES)
    .flatMap(part => {
      const [version, value = ''] = part.split(',')
      const bytes = version === 'v1' ? bytesOf(value) : null
      return bytes ? [bytes] : []
    })
}

async function keyOf(secret: string) {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''))
  if (!bytes || bytes.length === 0) throw new TypeError('secret: must be like whsec_…')
  if (!globalThis.crypto?.subtle) throw new TypeError('verifyCallback needs WebCrypto, which pages have over TLS alone')
  return await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), letter => letter.charCodeAt(0))
  } catch {
    return null
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}
