// Guarded sockets: a name is resolved, every address checked, and only a checked address connected to.
import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { Problem } from '../errors.ts'
import { interruptible } from '../interruptible.ts'
import { own } from '../json.ts'
import type { Log } from '../log.ts'
import { type AllowList, isLocalName, isPublic, plainHost } from './addresses.ts'
import type { Resolved, Resolver } from './name-server.ts'

/** A failure of the network. `sent` is false when no connection came about, so nothing can have arrived. */
export class Unreachable extends Problem {
  readonly sent: boolean

  constructor(message: string, sent: boolean, cause?: unknown) {
    super('destination_unreachable', message, { cause })
    this.sent = sent
  }
}

/** A name without an address, or with one that may not be reached. */
export class UnknownName extends Unreachable {}

/** What decides about names: who may be reached, who knows their addresses, and where an operator reads why one was refused. */
export interface Names {
  allow: AllowList
  resolve: Resolver
  log: Log | null
}

interface Dial {
  host: string
  port: number
  tls: boolean
  timeoutMs: number
  signal?: AbortSignal | undefined
  trusts?: readonly string[] | undefined
}

export const blocked = (sentence: string): Problem => new Problem('blocked_url', sentence)

export const refusedAddress = (host: string): Problem =>
  blocked(
    `${host} ${isIP(host) ? 'is' : 'leads to'} a private, local or reserved address, which may not be reached. KEEPSAKE_ALLOW_HOSTS lists exceptions.`,
  )

/** Connects within `timeoutMs`, name resolution and TLS included. */
export async function dial(to: Dial, names: Names): Promise<Socket> {
  const host = spelledOut(plainHost(to.host))
  const timeout = AbortSignal.timeout(to.timeoutMs)
  const signal = to.signal ? AbortSignal.any([to.signal, timeout]) : timeout
  let socket: Socket | undefined
  try {
    signal.throwIfAborted()
    const addresses = await allowedAddresses(host, names, signal)
    socket = connect({
      host,
      port: to.port,
      autoSelectFamily: true,
      lookup: (_host, _options, found) => found(null, addresses),
    })
    socket.setNoDelay(true)
    await once(socket, 'connect', { signal })
    if (!addresses.some(({ address }) => address === socket?.remoteAddress)) throw refusedAddress(host)
    return to.tls ? await secure(socket, host, signal, to.trusts) : socket
  } catch (error) {
    socket?.destroy()
    to.signal?.throwIfAborted()
    if (error instanceof Problem) throw error
    const why = timeout.aborted ? `no answer within ${to.timeoutMs / 1000} s` : reason(error)
    throw new Unreachable(`Could not connect to ${host}: ${why}.`, false, error)
  }
}

/** An odd spelling of an address as that address: the resolver of the system would take it for one, too. */
function spelledOut(host: string): string {
  const url = `http://${host}/`
  const name = URL.canParse(url) ? plainHost(new URL(url).hostname) : host
  return isIP(name) ? name : host
}

/** The addresses of a host; refused whole when one of them may not be reached. */
async function allowedAddresses(host: string, names: Names, signal: AbortSignal): Promise<Resolved[]> {
  const { allow } = names
  const family = isIP(host)
  if (family && (isPublic(host) || allow.address(host))) return [{ address: host, family }]
  if (!allow.host(host)) {
    if (family || isLocalName(host)) throw refusedAddress(host)
    return publicAddresses(host, names, signal)
  }
  const addresses = await interruptible(names.resolve(host), signal)
  if (addresses.length === 0) throw new Unreachable(`Could not connect to ${host}: the name has no address.`, false)
  return addresses
}

/** So long a refused name takes at least: one that is known inside is found sooner than one that nobody knows. */
const REFUSAL_MS = 500

/** A name that is not known and one that leads inside read the same, so that nobody learns which names there are inside. */
async function publicAddresses(host: string, { allow, resolve, log }: Names, signal: AbortSignal): Promise<Resolved[]> {
  const refusal = Promise.withResolvers<void>()
  const timer = setTimeout(refusal.resolve, REFUSAL_MS)
  try {
    let addresses: Resolved[] = []
    let cause: unknown
    try {
      addresses = await interruptible(resolve(host), signal)
    } catch (error) {
      signal.throwIfAborted()
      cause = error
    }
    const reachable = addresses.filter(({ address }) => isPublic(address) || allow.address(address))
    if (addresses.length > 0 && reachable.length === addresses.length) return addresses
    const why = cause
      ? reason(cause)
      : addresses.length > 0
        ? 'an address of it may not be reached'
        : 'it has no address'
    log?.warn({ host, addresses: addresses.map(({ address }) => address), why }, 'a name was refused')
    await interruptible(refusal.promise, signal)
    // Where no name server answered, the sentence is the same, but nothing is known of the name.
    const Refusal = (cause as { code?: unknown } | undefined)?.code === 'EAI_AGAIN' ? Unreachable : UnknownName
    throw new Refusal(
      `Could not connect to ${host}: the name is not known, or leads to an address that may not be reached (KEEPSAKE_ALLOW_HOSTS lists exceptions).`,
      false,
      cause,
    )
  } finally {
    clearTimeout(timer)
  }
}

async function secure(
  socket: Socket,
  host: string,
  signal: AbortSignal,
  trusts: readonly string[] | undefined,
): Promise<Socket> {
  const servername = isIP(host) ? '' : host
  // Said aloud, so that no setting of the environment can turn the check off.
  const rejectUnauthorized = trusts === undefined
  const secured = connectTls({ socket, host, servername, ALPNProtocols: ['http/1.1'], rejectUnauthorized })
  try {
    await once(secured, 'secureConnect', { signal })
    if (trusts && !secured.authorized) checkTrusted(secured, host, trusts)
    return secured
  } catch (error) {
    secured.destroy()
    throw error
  }
}

/** A certificate that no authority vouches for, or that is for another name, must be one of those that were listed. */
function checkTrusted(secured: TLSSocket, host: string, trusts: readonly string[]): void {
  const { fingerprint256: shown } = secured.getPeerCertificate()
  if (trusts.some(listed => listed.toUpperCase() === shown)) return
  const why = reason({ code: secured.authorizationError as unknown })
  throw new Unreachable(`Could not connect to ${host}: ${why}, and its fingerprint ${shown} is not listed.`, false)
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  ENOTFOUND: 'the name is not known',
  EAI_AGAIN: 'the name could not be resolved just now',
  ETIMEDOUT: 'no answer',
  EHOSTUNREACH: 'no way to that host',
  ENETUNREACH: 'no way to that network',
  EPROTO: 'it does not speak TLS as expected',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  CERT_SIGNATURE_FAILURE: 'its certificate comes from an unknown authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate comes from an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate comes from an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate comes from an unknown authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'the answer is too large',
  HPE_INVALID_CONSTANT: 'it does not speak HTTP',
}

/** A few words for a network error; never its raw text, which may hold addresses. */
export function reason(error: unknown): string {
  // Several addresses failed: the first tells most.
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [error]
  const code = (first as { code?: unknown } | undefined)?.code
  if (typeof code !== 'string') return 'the connection failed'
  return own(reasons, code) ?? (code.startsWith('HPE_') ? 'it does not speak HTTP' : `the connection failed (${code})`)
}
