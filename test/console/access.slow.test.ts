// Who may do what, and what stays when something breaks: a session that ended, a token that may only look, a page that can’t be fetched.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Keepsake, single } from '../support/keepsake.ts'
import { until } from '../support/until.ts'
import { accessible, type Browser, signedIn, skip, withConsole } from './browser.ts'

let keepsake: Keepsake
let browser: Browser

withConsole(async started => {
  ;({ keepsake, browser } = started)
  await keepsake.configure(single('turn', 'photo_flip', { method: 'ROTATE_90' }))
})

test('a session that ended leads to the door, and from there back to the same page', { skip }, async () => {
  const { page, context, broken } = await signedIn(browser, keepsake)
  await page.goto('/configurations/open?name=turn')
  await page.getByRole('heading', { level: 1, name: 'turn' }).waitFor()
  await page.getByLabel('Webhook URL').fill('https://example.com/not-saved-yet')
  await context.clearCookies()
  // What the page asks next finds the session gone: by this, or by what it had still to ask.
  await page.keyboard.type('/more')
  await page.getByLabel('Access token').waitFor()
  await accessible(page, 'the door after a session')
  await page.getByLabel('Access token').fill(keepsake.token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'turn' }).waitFor()
  assert.match(await page.getByLabel('Webhook URL').inputValue(), /^https:\/\/example\.com\/not-saved-yet/)
  assert.deepEqual(broken, [])
  await context.close()
})

test('a token that may only look is not offered what it may not do', { skip }, async () => {
  const { body: made } = await keepsake.client.post('/api/token/', {
    name: 'looks',
    scopes: ['read'],
    experiences: null,
  })
  const { body } = await keepsake.send('/api/task/', { configuration_name: 'turn', data: new Blob(['no picture']) })
  await keepsake.ended(`/api/task/${body.task_id}/`)
  const { page, context } = await signedIn(browser, { url: keepsake.url, token: made.token })
  await page.goto(`/tasks/${body.task_id}`)
  await page.getByText('Your token may look at tasks').waitFor()
  for (const name of ['Retry', 'Run as a new task', 'Resend'])
    assert.equal(await page.getByRole('button', { name }).count(), 0, name)
  await page.goto('/configurations')
  await page.getByRole('link', { name: /turn/ }).click()
  await page.getByText('Your token may look, but not run anything.').waitFor()
  for (const name of ['Save', 'Delete']) assert.equal(await page.getByRole('button', { name }).count(), 0, name)
  await page.goto('/tokens')
  await page.getByText('Only for administrators').waitFor()
  await context.close()
})

test('a page whose code can’t be fetched says so, leaves the rest alone, and opens by itself', { skip }, async () => {
  const { page, context } = await signedIn(browser, keepsake)
  const errors: string[] = []
  page.on('console', message => {
    if (message.type() === 'error' && !/net::ERR|Failed to load resource/.test(message.text()))
      errors.push(message.text())
  })
  await page.goto('/tasks')
  await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor()
  await page.route(/\/assets\/assets-.*\.js$/, route => route.abort())
  await page.getByRole('link', { name: 'Assets' }).click()
  await page.getByRole('heading', { name: 'This page could not be fetched yet' }).waitFor()
  // It is loaded anew by itself, also in the middle of the look: only a look at a page that stayed counts.
  let loads = 0
  page.on('framenavigated', () => loads++)
  await until('it was looked at', async () => {
    const before = loads
    await page.getByRole('heading', { name: 'This page could not be fetched yet' }).waitFor()
    const error = await accessible(page, 'a page that could not be fetched').catch((error: Error) => error)
    if (loads !== before || error?.message.includes('context was destroyed')) return false
    if (error) throw error
    return true
  })
  await page.getByRole('link', { name: 'Tasks', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor()
  await page.getByRole('link', { name: 'Assets' }).click()
  await page.unroute(/\/assets\/assets-.*\.js$/)
  await page.getByRole('heading', { level: 1, name: 'Assets' }).waitFor()
  assert.match(page.url(), /\/assets$/)
  assert.deepEqual(errors, [], 'what heals by itself is no error in the browser’s console')
  await context.close()
})
