// A real OpenID provider on a free port of 127.0.0.1 that signs in whom the test says, without asking.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

/** What the provider tells of a person. */
export interface Person {
  sub: string
  name?: string
  groups?: string[]
  realm_access?: { roles: string[] }
}

export interface TestProvider {
  issuer: string
  clientId: string
  clientSecret: string
  /** Who signs in next; null: the provider refuses. */
  next: Person | null
  /** Paths that it was asked for. */
  asked: string[]
  stop(): Promise<void>
}

export const CLIENT_SECRET = 'a-secret-of-the-client-that-nobody-may-see'

/** `isTold`: whether the ID token itself holds the claims, or only the page of the person. */
export async function startProvider({
  isTold = true,
  hasSignOut = true,
}: {
  isTold?: boolean
  hasSignOut?: boolean
} = {}): Promise<TestProvider> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const people = new Map<string, Person>()
  const started: TestProvider = {
    issuer,
    clientId: 'keepsake',
    clientSecret: CLIENT_SECRET,
    next: null,
    asked: [],
    async stop() {
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: started.clientId,
        client_secret: CLIENT_SECRET,
        // The port of the service is known later; paths are what is registered in life.
        ...(hasSignOut ? { post_logout_redirect_uris: ['http://127.0.0.1/'] } : {}),
        redirect_uris: ['http://127.0.0.1/sign-in/oidc/callback/'],
        application_type: 'native',
        token_endpoint_auth_method: 'client_secret_basic',
        grant_types: ['authorization_code'],
      },
    ],
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: hasSignOut } },
    conformIdTokenClaims: !isTold,
    claims: { openid: ['sub'], profile: ['name', 'groups', 'realm_access'] },
    cookies: { keys: ['of the tests alone'] },
    ttl: { Session: 60, Interaction: 60, Grant: 60, AccessToken: 60, IdToken: 60, AuthorizationCode: 60 },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => ({ ...people.get(id), sub: id }) }),
  })
  const answer = provider.callback()
  server.on('request', (request, response) => {
    started.asked.push(request.url?.split('?', 1)[0] ?? '')
    if (!request.url?.startsWith('/interaction/')) return answer(request, response)
    void (async () => {
      const { next } = started
      if (!next) return provider.interactionFinished(request, response, { error: 'access_denied' })
      people.set(next.sub, next)
      await provider.interactionDetails(request, response)
      const grant = new provider.Grant({ accountId: next.sub, clientId: started.clientId })
      grant.addOIDCScope('openid profile email')
      const result = { login: { accountId: next.sub }, consent: { grantId: await grant.save() } }
      await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
    })().catch(error => response.writeHead(500).end(String(error)))
  })
  return started
}
