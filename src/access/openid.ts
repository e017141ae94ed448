// Signs people in with OpenID Connect: authorization code with PKCE, state and nonce. Knows the protocol, not what people may do.
import type * as OpenIdClient from 'openid-client'
import type { JsonObject } from '#kit/json.ts'
import type { Log } from '#kit/log.ts'
import { isLoopback } from '#kit/net/addresses.ts'
import { newOutbound, type Outbound } from '#kit/net/outbound.ts'
import type { SecretBox } from '#kit/secret/secrets.ts'
import { BadSetting, type Settings } from '#kit/settings.ts'
import { claimValues } from './roles.ts'
import { SignInProblem } from './sign-in-problem.ts'

interface OpenId {
  /** Where the browser goes, and what it keeps meanwhile, sealed. `to`: the page that it comes back to in the end. */
  begin(redirectUri: string, to: string): Promise<{ url: string; kept: string }>
  /** What the provider says of the person who came back with that query. */
  finish(kept: string | null, query: URLSearchParams): Promise<{ claims: JsonObject; to: string }>
  /** Where a person signs out of the provider too, and comes back from to `backTo`; null: it has no page for that. */
  leave(backTo: string): Promise<string | null>
  /** Asks the provider what it offers; throws when it can't be asked. */
  check(): Promise<void>
  close(): Promise<void>
}

/** What a browser keeps between the two steps. */
interface Attempt {
  state: string
  nonce: string
  verifier: string
  redirectUri: string
  to: string
  at: number
}

export const ATTEMPT_MS = 10 * 60_000
/** What is known of the provider is asked again after this time. */
const KNOWN_MS = 60 * 60_000
const ANSWER_MS = 10_000
const ANSWER_BYTES = 1024 ** 2
/** What the sealed attempt is bound to. */
const SEALED = 'sign-in attempt'

type Oidc = Pick<Settings, 'allowHosts' | 'oidcClientSecret' | 'oidcScopes' | 'oidcClaim'> & {
  oidcIssuer: string
  oidcClientId: string
}

export function newOpenId(settings: Oidc, box: SecretBox, log: Log): OpenId {
  const issuer = new URL(settings.oidcIssuer)
  // The operator named the issuer, so it may be private; without TLS only on this machine, or where it is allowed by name.
  const isTrusted = issuer.protocol === 'https:' || isLoopback(issuer.hostname)
  const allowHosts = [...settings.allowHosts, ...(isTrusted ? [issuer.hostname] : [])]
  const outbound = newOutbound({ allowHosts, log })
  refuseBlocked(outbound, settings.oidcIssuer)
  let known: { config: Promise<OpenIdClient.Configuration>; until: number } | null = null

  /** Loaded with the first sign-in. */
  const library = (): Promise<typeof OpenIdClient> => import('openid-client')

  async function discover(): Promise<OpenIdClient.Configuration> {
    const client = await library()
    const { oidcClientId, oidcClientSecret } = settings
    const auth = oidcClientSecret === null ? client.None() : client.ClientSecretBasic(oidcClientSecret)
    const execute = [
      client.enableNonRepudiationChecks,
      ...(issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []),
    ]
    const options = { execute, timeout: ANSWER_MS / 1000, [client.customFetch]: fetchThrough(outbound) }
    const config = await client.discovery(issuer, oidcClientId, undefined, auth, options)
    config[client.customFetch] = fetchThrough(outbound)
    return config
  }

  function configuration(): Promise<OpenIdClient.Configuration> {
    if (known && known.until > Date.now()) return known.config
    const config = discover()
    known = { config, until: Date.now() + KNOWN_MS }
    config.catch(() => {
      known = null
    })
    return config
  }

  /** The library's errors may hold what the provider sent, so the log gets them and the caller a sentence. */
  const orProvider = <T>(work: Promise<T>): Promise<T> =>
    work.catch(error => {
      if (error instanceof SignInProblem) throw error
      // The code was used already, or is too old.
      if (isUsedUp(error)) throw new SignInProblem('expired', error)
      log.warn({ reason: shortly(error) }, 'the OpenID provider could not be asked, or its answer was not accepted')
      throw new SignInProblem('provider', error)
    })

  function opened(kept: string | null): Attempt {
    try {
      const attempt = JSON.parse(box.open(Buffer.from(kept ?? '', 'base64url'), SEALED)) as Attempt
      if (attempt.at + ATTEMPT_MS > Date.now()) return attempt
    } catch {
      // Not ours, or sealed with a key that is gone.
    }
    throw new SignInProblem('expired')
  }

  /** The ID token tells all that is needed, or else the provider is asked for more of the person. */
  async function claimsOf(
    client: typeof OpenIdClient,
    config: OpenIdClient.Configuration,
    tokens: Awaited<ReturnType<typeof OpenIdClient.authorizationCodeGrant>>,
  ): Promise<JsonObject> {
    const claims = (tokens.claims() ?? {}) as JsonObject
    const isWhole = claimValues(claims, settings.oidcClaim).length > 0 && typeof claims.name === 'string'
    if (isWhole || !config.serverMetadata().userinfo_endpoint) return claims
    const more = await client.fetchUserInfo(config, tokens.access_token, String(claims.sub))
    return { ...(more as unknown as JsonObject), ...claims }
  }

  return {
    async begin(redirectUri, to) {
      return orProvider(
        (async () => {
          const [client, config] = await Promise.all([library(), configuration()])
          const attempt: Attempt = {
            state: client.randomState(),
            nonce: client.randomNonce(),
            verifier: client.randomPKCECodeVerifier(),
            redirectUri,
            to,
            at: Date.now(),
          }
          const url = client.buildAuthorizationUrl(config, {
            redirect_uri: redirectUri,
            scope: settings.oidcScopes,
            state: attempt.state,
            nonce: attempt.nonce,
            code_challenge: await client.calculatePKCECodeChallenge(attempt.verifier),
            code_challenge_method: 'S256',
          })
          return { url: url.href, kept: box.seal(JSON.stringify(attempt), SEALED).toString('base64url') }
        })(),
      )
    },
    async finish(kept, query) {
      const { state, nonce, verifier, redirectUri, to } = opened(kept)
      // Before anything is asked: who comes with another state was not sent by this browser.
      if (query.get('state') !== state) throw new SignInProblem('expired')
      if (query.has('error')) {
        log.info({ error: query.get('error')?.slice(0, 64) }, 'the OpenID provider signed nobody in')
        throw new SignInProblem('refused')
      }
      return orProvider(
        (async () => {
          const [client, config] = await Promise.all([library(), configuration()])
          const back = new URL(redirectUri)
          back.search = query.toString()
          const tokens = await client.authorizationCodeGrant(config, back, {
            pkceCodeVerifier: verifier,
            expectedState: state,
            expectedNonce: nonce,
            idTokenExpected: true,
          })
          return { claims: await claimsOf(client, config, tokens), to }
        })(),
      )
    },
    async leave(backTo) {
      const [client, config] = await orProvider(Promise.all([library(), configuration()]))
      if (!config.serverMetadata().end_session_endpoint) return null
      return client.buildEndSessionUrl(config, { post_logout_redirect_uri: backTo }).href
    },
    async check() {
      await orProvider(discover())
    },
    close: () => outbound.close(),
  }
}

function refuseBlocked(outbound: Outbound, issuer: string): void {
  try {
    outbound.check(issuer)
  } catch (error) {
    throw new BadSetting(`KEEPSAKE_OIDC_ISSUER: ${(error as Error).message}`)
  }
}

const isUsedUp = (error: unknown): boolean => (error as { error?: unknown }).error === 'invalid_grant'

/** For the library: requests go the one guarded way out. */
function fetchThrough(outbound: Outbound): OpenIdClient.CustomFetch {
  return async (url, { method, headers, body }) => {
    const sent = body === null || body === undefined ? undefined : String(body)
    const answer = await outbound.request(url, {
      method,
      headers: Object.fromEntries(new Headers(headers as HeadersInit)),
      ...(sent === undefined ? {} : { body: sent }),
      timeoutMs: ANSWER_MS,
      maxBytes: ANSWER_BYTES,
    })
    const text = await answer.text(ANSWER_BYTES)
    const isEmpty = answer.status === 204 || answer.status === 304
    return new Response(isEmpty ? null : text, { status: answer.status, headers: answer.headers })
  }
}

/** The code and the kind of an error: neither holds what the provider sent. */
function shortly(error: unknown): string {
  const { name = 'Error', code, cause } = error as { name?: string; code?: unknown; cause?: { code?: unknown } }
  return [name, code, cause?.code]
    .filter(each => typeof each === 'string')
    .join(' ')
    .slice(0, 200)
}
