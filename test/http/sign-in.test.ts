// People sign in with a real OpenID provider: their rights, their names in the audit, and every way in which it fails.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { checkProvider } from '#commands/doctor-provider.ts'
import { buildServer } from '#http/server.ts'
import { cleanUp } from '../support/clean-up.ts'
import { type Client, newClient, statusOf } from '../support/client.ts'
import { CLIENT_SECRET, startProvider, type TestProvider } from '../support/oidc.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let provider: TestProvider
let server: TestServer
let admin: Client
/** Everything that was answered, for secrets to be looked for. */
const answered: string[] = []

const roles = JSON.stringify({
  admins: { scope: 'admin' },
  crew: { scope: 'tasks', experiences: ['park'] },
  writers: { scope: 'write' },
})
const oidc = () => ({
  oidcIssuer: provider.issuer,
  oidcClientId: provider.clientId,
  oidcClientSecret: provider.clientSecret,
  oidcRoles: roles,
  oidcName: 'Park ID',
  maxSignIns: 1_000,
})

before(async () => {
  provider = await startProvider()
  server = await startTestServer({ settings: oidc() })
  admin = newClient(server)
})
after(() =>
  cleanUp(
    () => server.stop(),
    () => provider.stop(),
  ),
)

/** A browser with cookies of each origin. */
function newBrowser(accept = 'text/html') {
  const jar = new Map<string, Map<string, string>>()
  async function go(url: string, headers: Record<string, string> = {}): Promise<Response> {
    const { origin } = new URL(url)
    const cookies = jar.get(origin) ?? new Map<string, string>()
    jar.set(origin, cookies)
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { accept, ...(cookie ? { cookie } : {}), ...headers },
    })
    for (const set of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (set.split(';', 1)[0] ?? '').split(/=(.*)/s)
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(set)) cookies.delete(name)
      else cookies.set(name, value)
    }
    if (origin === server.url) answered.push(`${[...response.headers].join('\n')}\n${await response.clone().text()}`)
    return response
  }
  /** Follows redirects until there is none, or one leads to `until`. */
  async function follow(url: string, until = '\0'): Promise<{ url: string; response: Response }> {
    for (let at = url, hop = 0; hop < 12; hop++) {
      const response = await go(at)
      const location = response.headers.get('location')
      const next = location === null ? null : new URL(location, at).href
      if (next === null || next.startsWith(until) || next.startsWith(`${server.url}/#`))
        return { url: next ?? at, response }
      if (new URL(next).origin === server.url && !new URL(next).pathname.startsWith('/sign-in/'))
        return { url: next, response }
      at = next
    }
    throw new Error('too many redirects')
  }
  return { jar, go, follow, cookies: () => jar.get(server.url) ?? new Map<string, string>() }
}

const begin = (to = ''): string => `${server.url}/sign-in/oidc/${to}`
const callback = (): string => `${server.url}/sign-in/oidc/callback/`

async function signIn(browser = newBrowser(), to = ''): Promise<{ url: string; cookie: string; header: string }> {
  const { url, response } = await browser.follow(begin(to))
  const header = response.headers.getSetCookie().find(each => each.startsWith('keepsake_session=')) ?? ''
  return { url, header, cookie: header.split(';', 1)[0] ?? '' }
}
const as = (cookie: string, method: string, path: string, body?: object) =>
  admin.as(null).send(method, path, {
    headers: { cookie, origin: server.url, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
/** Up to the way back from the provider, which is not gone. */
async function almost(browser: ReturnType<typeof newBrowser>): Promise<URL> {
  return new URL((await browser.follow(begin(), callback())).url)
}
const failsWith = async (browser: ReturnType<typeof newBrowser>, url: string, reason: string): Promise<void> => {
  const response = await browser.go(url)
  assert.deepEqual([response.status, response.headers.get('location')], [303, `/#sign-in=${reason}`])
  assert.ok(!response.headers.getSetCookie().some(each => each.startsWith('keepsake_session=')), 'nobody is signed in')
}

test('the sign-in page is told of the provider', async () => {
  const { body } = await admin.as(null).get('/api/sign-in/')
  assert.deepEqual(body, { oidc: { name: 'Park ID', url: '/sign-in/oidc/', sign_out_url: '/sign-in/oidc/out/' } })
})

test('a person is led to where they sign out of the provider too, and back', async () => {
  provider.next = { sub: 'ada-2', name: 'Ada', groups: ['writers'] }
  const browser = newBrowser()
  await signIn(browser)
  const led = await browser.go(`${server.url}/sign-in/oidc/out/`)
  assert.equal(led.status, 303)
  const url = new URL(led.headers.get('location') ?? '')
  assert.equal(url.origin, provider.issuer)
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    client_id: provider.clientId,
    post_logout_redirect_uri: `${server.url}/`,
  })
  const page = await browser.go(url.href)
  assert.deepEqual([page.status, /name="xsrf"/.test(await page.text())], [200, true], 'the provider asks')
})

test('a provider that has no page for signing out is told as that', async t => {
  const without = await startProvider({ hasSignOut: false })
  t.after(() => without.stop())
  const other = await startTestServer({ settings: { ...oidc(), oidcIssuer: without.issuer } })
  t.after(() => other.stop())
  await failsWith(newBrowser(), `${other.url}/sign-in/oidc/out/`, 'no_sign_out')
  const { status, body } = await newClient(other).as(null).get('/sign-in/oidc/out/')
  assert.deepEqual([status, body.code], [404, 'not_found'])
})

test('a person signs in with the rights of their role, changes something under their name, and signs out', async () => {
  provider.next = { sub: 'ada-1', name: 'Ada\u202e Lovelace', groups: ['others', 'writers'] }
  const { url, cookie, header } = await signIn(newBrowser(), '?to=/tasks%3Fstatus=Failed')
  assert.equal(url, `${server.url}/tasks?status=Failed`)
  assert.match(header, /^keepsake_session=[\w-]{43}; Path=\/; Max-Age=(43200|431\d\d); HttpOnly; SameSite=Strict$/)
  const who = await as(cookie, 'GET', '/api/session/')
  assert.deepEqual(
    [who.status, who.body.name, who.body.scope, who.body.experiences],
    [200, 'Ada  Lovelace', 'write', null],
  )
  const made = await as(cookie, 'POST', '/api/profile/', { attributes: { size: 'M' } })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { items } = (await admin.get('/api/audit/?object=profile')).body
  assert.deepEqual(
    [items[0].actor.name, items[0].actor.kind, items[0].actor.token_id],
    ['Ada  Lovelace', 'session', who.body.token_id],
  )
  assert.equal((await as(cookie, 'GET', '/api/token/')).status, 403, 'what the role does not allow is refused')
  const [person] = (await admin.get('/api/token/')).body.items
  assert.deepEqual([person.name, person.person, person.scopes], ['Ada  Lovelace', true, ['write']])
  assert.equal((await as(cookie, 'DELETE', '/api/session/')).status, 204)
  assert.equal((await as(cookie, 'GET', '/api/session/')).status, 401)
})

test('rights follow the role of the last sign-in, for the same person', async () => {
  provider.next = { sub: 'bob', name: 'Bob', groups: ['admins', 'crew'] }
  const first = await signIn()
  const before = (await as(first.cookie, 'GET', '/api/session/')).body
  assert.equal(before.scope, 'admin', 'the first role of the setting counts')
  provider.next = { sub: 'bob', name: 'Bob B.', groups: ['crew'] }
  const second = await signIn()
  const now = (await as(second.cookie, 'GET', '/api/session/')).body
  assert.deepEqual([now.token_id, now.name, now.scope, now.experiences], [before.token_id, 'Bob B.', 'tasks', ['park']])
  assert.equal((await as(first.cookie, 'GET', '/api/session/')).body.scope, 'tasks', 'the earlier session as well')
})

test('who has no role gets a sentence, and loses the sessions of before', async () => {
  provider.next = { sub: 'eve', name: 'Eve', groups: ['crew'] }
  const { cookie } = await signIn()
  assert.equal((await as(cookie, 'GET', '/api/session/')).status, 200)
  provider.next = { sub: 'eve', name: 'Eve', groups: ['Crew', '*'] }
  const browser = newBrowser()
  await failsWith(browser, (await almost(browser)).href, 'no_role')
  assert.equal((await as(cookie, 'GET', '/api/session/')).status, 401)
  const program = newBrowser('application/json')
  const answer = await program.go((await almost(program)).href)
  const problem = (await answer.json()) as { code: string; detail: string }
  assert.deepEqual([answer.status, problem.code], [403, 'forbidden'])
  assert.match(problem.detail, /have no role here/)
})

test('a deleted person is signed out, and comes back as a new one', async () => {
  provider.next = { sub: 'carl', name: 'Carl', groups: ['crew'] }
  const { cookie } = await signIn()
  const { token_id } = (await as(cookie, 'GET', '/api/session/')).body
  assert.equal((await admin.delete(`/api/token/${token_id}/`)).status, 204)
  assert.equal((await as(cookie, 'GET', '/api/session/')).status, 401)
  const again = (await as((await signIn()).cookie, 'GET', '/api/session/')).body
  assert.notEqual(again.token_id, token_id)
})

test('who comes back without what was begun here is not let in', async () => {
  provider.next = { sub: 'ada-1', name: 'Ada', groups: ['admins'] }
  const browser = newBrowser()
  const back = await almost(browser)
  await failsWith(newBrowser(), back.href, 'expired')
  const forged = new URL(back)
  forged.searchParams.set('state', 'another')
  const asked = provider.asked.length
  await failsWith(browser, forged.href, 'expired')
  await failsWith(browser, back.href, 'expired')
  assert.equal(provider.asked.length, asked, 'the provider is not even asked')
  await failsWith(newBrowser(), `${callback()}?code=x`, 'expired')
  await failsWith(newBrowser(), callback(), 'expired')
})

/** The attempt that the browser keeps, changed. */
async function altered(
  change: (attempt: Record<string, unknown>) => void,
): Promise<[ReturnType<typeof newBrowser>, string]> {
  const browser = newBrowser()
  const back = await almost(browser)
  const box = server.services.secretBox
  const kept = Buffer.from(browser.cookies().get('keepsake_sign_in') ?? '', 'base64url')
  const attempt = JSON.parse(box.open(kept, 'sign-in attempt'))
  change(attempt)
  browser.cookies().set('keepsake_sign_in', box.seal(JSON.stringify(attempt), 'sign-in attempt').toString('base64url'))
  return [browser, back.href]
}

test('an attempt ends after ten minutes, and its nonce and verifier must fit', async () => {
  provider.next = { sub: 'ada-1', name: 'Ada', groups: ['admins'] }
  await failsWith(...(await altered(attempt => (attempt.at = Date.now() - 601_000))), 'expired')
  await failsWith(...(await altered(attempt => (attempt.nonce = 'another'))), 'provider')
  await failsWith(...(await altered(attempt => (attempt.verifier = 'v'.repeat(43)))), 'expired')
  const [browser, url] = await altered(() => {})
  const { response } = await browser.follow(url)
  assert.ok(
    response.headers.getSetCookie().some(each => each.startsWith('keepsake_session=')),
    'unchanged it is fine',
  )
  await failsWith(
    ...(await altered(attempt => (attempt.redirectUri = 'http://127.0.0.1:1/sign-in/oidc/callback/'))),
    'expired',
  )
})

test('a code works once', async () => {
  const browser = newBrowser()
  const back = await almost(browser)
  const kept = browser.cookies().get('keepsake_sign_in') ?? ''
  await browser.go(back.href)
  browser.cookies().set('keepsake_sign_in', kept)
  await failsWith(browser, back.href, 'expired')
})

test('a refusal of the provider is told as one', async () => {
  provider.next = null
  const browser = newBrowser()
  await failsWith(browser, (await almost(browser)).href, 'refused')
})

test('nobody is sent to another site', async () => {
  provider.next = { sub: 'ada-1', name: 'Ada', groups: ['admins'] }
  for (const to of ['//evil.test', 'https://evil.test', '/\\evil.test', '/x\\y', '', 'x'.repeat(2_000), '/%0d%0ax'])
    assert.equal(
      (await signIn(newBrowser(), `?to=${encodeURIComponent(decodeURIComponent(to))}`)).url,
      `${server.url}/`,
      to,
    )
  assert.equal((await signIn(newBrowser(), '?to=/a&to=/b')).url, `${server.url}/`)
})

test('claims of the person’s page count where the ID token has none', async t => {
  const quiet = await startProvider({ isTold: false })
  t.after(() => quiet.stop())
  quiet.next = { sub: 'dora', name: 'Dora', realm_access: { roles: ['crew'] } }
  const settings = { ...server.services.settings, oidcIssuer: quiet.issuer, oidcClaim: 'realm_access.roles' }
  const app = await buildServer({ ...server.services, settings })
  t.after(() => app.close())
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const browser = newBrowser()
  for (let at = `${url}/sign-in/oidc/`, hop = 0; hop < 12; hop++) {
    const response = await browser.go(at)
    const session = response.headers.getSetCookie().find(each => each.startsWith('keepsake_session='))
    if (session) {
      const who = (await as(session.split(';', 1)[0] ?? '', 'GET', '/api/session/')).body
      assert.deepEqual([who.name, who.scope], ['Dora', 'tasks'])
      assert.ok(quiet.asked.includes('/me'), quiet.asked.join(' '))
      return
    }
    at = new URL(response.headers.get('location') ?? '', at).href
  }
  assert.fail('nobody was signed in')
})

test('a provider that is away is told as that, and too many attempts are refused', async t => {
  // The minute does not end, however long the attempts take.
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const gone = { ...server.services.settings, oidcIssuer: 'http://127.0.0.1:9', maxSignIns: 2 }
  const app = await buildServer({ ...server.services, settings: gone })
  t.after(() => app.close())
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const browser = newBrowser()
  for (const reason of ['provider', 'provider', 'too_many']) await failsWith(browser, `${url}/sign-in/oidc/`, reason)
  const program = await newBrowser('*/*').go(`${url}/sign-in/oidc/`)
  assert.deepEqual([program.status, program.headers.has('retry-after')], [429, true])
})

test('without a provider there is none', async t => {
  const app = await buildServer({ ...server.services, settings: { ...server.services.settings, oidcIssuer: null } })
  t.after(() => app.close())
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  assert.deepEqual(await (await fetch(`${url}/api/sign-in/`)).json(), { oidc: null })
  assert.equal(await statusOf(`${url}/sign-in/oidc/`), 404)
  await failsWith(newBrowser(), `${url}/sign-in/oidc/callback/`, 'off')
})

test('a provider without TLS on another machine is refused at the start', async () => {
  for (const oidcIssuer of ['http://id.park.test', 'http://10.1.2.3:8080']) {
    const settings = { ...server.services.settings, oidcIssuer }
    await assert.rejects(buildServer({ ...server.services, settings }), /KEEPSAKE_OIDC_ISSUER: /)
  }
})

test('the doctor says whether the provider answers', async () => {
  const { settings } = server.services
  assert.deepEqual(await checkProvider(settings), [
    'ok',
    `${new URL(provider.issuer).host} answers as an OpenID provider; 3 roles`,
  ])
  for (const [wrong, said] of [
    [{ oidcIssuer: 'http://127.0.0.1:9' }, /^127\.0\.0\.1:9 does not answer as an OpenID provider/],
    [{ oidcIssuer: server.url }, /does not answer as an OpenID provider/],
    [{ oidcIssuer: 'http://id.park.test' }, /^KEEPSAKE_OIDC_ISSUER: /],
    [{ oidcRoles: '{' }, /^KEEPSAKE_OIDC_ROLES must be a JSON object/],
  ] as const) {
    const [verdict, sentence] = await checkProvider({ ...settings, ...wrong })
    assert.equal(verdict, 'fail')
    assert.match(sentence, said)
  }
})

test('no secret was in any answer', () => {
  assert.ok(answered.length > 30)
  const all = answered.join('\n')
  for (const secret of [CLIENT_SECRET, 'verifier', 'id_token', 'access_token']) assert.ok(!all.includes(secret), secret)
})
