// The door with an OpenID provider, in a real browser: the button, the way there and back, and what is said when it fails.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Keepsake } from '../support/keepsake.ts'
import { startProvider, type TestProvider } from '../support/oidc.ts'
import { accessible, type Browser, PATIENCE_MS, skip, watch, withConsole } from './browser.ts'

let keepsake: Keepsake
let browser: Browser
const provider: TestProvider = await startProvider()
after(() => provider.stop())

withConsole(
  started => {
    ;({ keepsake, browser } = started)
  },
  skip,
  {
    worker: false,
    settings: {
      oidcIssuer: provider.issuer,
      oidcClientId: provider.clientId,
      oidcClientSecret: provider.clientSecret,
      oidcRoles: JSON.stringify({ crew: { scope: 'tasks', experiences: ['park'] } }),
      oidcName: 'Park ID',
    },
  },
)

async function door(look: { width: number; dark?: boolean }, path = '/') {
  const context = await browser.newContext({
    baseURL: keepsake.url,
    viewport: { width: look.width, height: 860 },
    colorScheme: look.dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    locale: 'en-GB',
  })
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  const broken = watch(page)
  await page.goto(path)
  const button = page.getByRole('link', { name: 'Sign in with Park ID' })
  await button.waitFor()
  return { context, page, button, broken }
}

test('a person comes in by the button, back to the page they wanted, under their name, and out again', {
  skip,
}, async () => {
  provider.next = { sub: 'ada', name: 'Ada Lovelace', groups: ['crew'] }
  const { context, page, button, broken } = await door({ width: 1360 }, '/tasks?status=Failed')
  await accessible(page, 'the door with a provider')
  await page.getByLabel('Access token').waitFor()
  await button.click()
  await page.getByRole('button', { name: /Ada Lovelace/ }).click()
  assert.equal(new URL(page.url()).pathname, '/tasks')
  const dialog = page.getByRole('dialog', { name: 'Signed in' })
  await dialog.getByText('park').waitFor()
  await dialog.getByRole('button', { name: 'Sign out' }).click()
  await button.waitFor()
  await page.getByRole('status').getByText('You are signed out of Keepsake').waitFor()
  assert.equal(new URL(page.url()).hash, '')
  await accessible(page, 'the door after signing out')
  await page.getByRole('link', { name: 'Sign out of Park ID too' }).click()
  await page.waitForURL(url => url.origin === provider.issuer)
  await page.getByRole('button', { name: /Yes/ }).click()
  await button.waitFor()
  assert.equal(new URL(page.url()).origin, keepsake.url, 'the provider leads back')
  assert.deepEqual(broken, [])
  await context.close()
})

for (const look of [{ width: 1360, dark: true }, { width: 390 }])
  test(`who has no role reads why, ${look.width} px wide`, { skip }, async () => {
    provider.next = { sub: 'eve', name: 'Eve', groups: [] }
    const { context, page, button } = await door(look)
    const box = await button.boundingBox()
    assert.ok((box?.height ?? 0) >= 44, JSON.stringify(box))
    await button.click()
    await page.getByRole('alert').getByText('You have no role here').waitFor()
    assert.equal(new URL(page.url()).hash, '', 'the word is taken out of the address')
    await accessible(page, 'the door after a failure')
    await context.close()
  })
