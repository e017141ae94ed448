// Saving says what is so: kept or not, over what was read and nothing else, and what is still open is asked for by name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Configuration } from '../../console/src/api/shapes.ts'
import { differences, merged } from '../../console/src/configuration/difference.ts'
import { type Keepsake, single } from '../support/keepsake.ts'
import { accessible, type Browser, signedIn, skip, withConsole } from './browser.ts'

let keepsake: Keepsake
let browser: Browser

withConsole(async started => {
  ;({ keepsake, browser } = started)
  await keepsake.configure(single('small', 'photo_resize', { width: 64 }))
  await keepsake.configure(single('wide', 'photo_resize', { width: 64, height: 32 }))
})

const defaultsOf = async (name: string) =>
  (await keepsake.client.get(`/api/configuration/${name}/`)).body.adapter_config.defaults

const open = (name: string) => `/configurations/open?name=${name}`

test('a save that did not reach the service says so, keeps what was written, and is sent again only when asked', {
  skip,
}, async () => {
  const { page, context } = await signedIn(browser, keepsake)
  await page.goto(open('small'))
  await page.getByLabel('Width').fill('80')
  await page.getByText('Can be saved').waitFor()
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('It was not saved').waitFor()
  assert.equal(await page.getByText('by itself').filter({ hasText: 'tried again' }).count(), 0)
  await context.setOffline(false)
  await page.getByText('Connection lost').waitFor({ state: 'detached' })
  assert.deepEqual(await defaultsOf('small'), { width: 64 }, 'nothing is sent behind one’s back')
  assert.equal(await page.getByLabel('Width').inputValue(), '80')
  await page.getByRole('button', { name: 'Save again' }).click()
  await page.getByText('“small” is saved.').waitFor()
  await page.getByText('It was not saved').waitFor({ state: 'detached' })
  assert.deepEqual(await defaultsOf('small'), { width: 80 })
  await context.close()
})

test('a save whose answer was lost counts as saved when it is sent again', { skip }, async () => {
  const { page, context } = await signedIn(browser, keepsake)
  await page.goto(open('small'))
  await page.getByLabel('Width').fill('96')
  await page.getByText('Can be saved').waitFor()
  // The service gets it and stores it; the answer never arrives.
  await page.route('**/api/configuration/small/', async route => {
    if (route.request().method() !== 'PUT') return route.continue()
    await route.fetch()
    await route.abort()
  })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('It was not saved').waitFor()
  await page.unroute('**/api/configuration/small/')
  assert.deepEqual(await defaultsOf('small'), { width: 96 })
  await page.getByRole('button', { name: 'Save again' }).click()
  await page.getByText('“small” is saved.').waitFor()
  assert.equal(await page.getByText('Changed meanwhile').count(), 0)
  await context.close()
})

test('the later of two saves does not undo the earlier: both sides are shown and put together by field', {
  skip,
}, async () => {
  const { page, context } = await signedIn(browser, keepsake)
  await page.goto(open('wide'))
  await page.getByLabel('Width').fill('100')
  await keepsake.client.patch('/api/configuration/wide/', {
    adapter_config: { defaults: { height: 50, fit: 'contain', width: 70 } },
  })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { name: 'Changed meanwhile' }).waitFor()
  assert.deepEqual(await defaultsOf('wide'), { width: 70, height: 50, fit: 'contain' }, 'nothing was overwritten')
  await accessible(page, 'a change that met another')
  const width = page.getByRole('group', { name: /^Width/ })
  await width.getByText('changed by both').waitFor()
  assert.ok(await width.getByRole('radio', { name: /^Yours/ }).isChecked())
  assert.ok(
    await page
      .getByRole('group', { name: 'Height' })
      .getByRole('radio', { name: /^Theirs/ })
      .isChecked(),
  )
  await page.getByRole('button', { name: 'Save this choice' }).click()
  await page.getByText('“wide” is saved.').waitFor()
  assert.deepEqual(await defaultsOf('wide'), { width: 100, height: 50, fit: 'contain' })

  await page.getByLabel('Width').fill('101')
  await keepsake.client.patch('/api/configuration/wide/', { adapter_config: { defaults: { height: 51 } } })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('button', { name: 'Take theirs' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'detached' })
  assert.equal(await page.getByLabel('Width').inputValue(), '100')
  assert.equal(await page.getByLabel('Height').inputValue(), '51')
  assert.deepEqual(await defaultsOf('wide'), { width: 100, height: 51, fit: 'contain' })
  await context.close()
})

test('a failed try is over when a later one is good', { skip }, async () => {
  await keepsake.configure(single('turn', 'photo_flip', { method: 'ROTATE_90' }))
  const { page, context } = await signedIn(browser, keepsake)
  await page.goto(open('turn'))
  await page.route('**/api/task/', route =>
    route.fulfill({ status: 503, json: { title: 'Full', detail: 'Full now.' } }),
  )
  await page.getByRole('button', { name: 'Use a sample photo' }).click()
  await page.getByRole('img', { name: 'After' }).waitFor()
  await page.getByRole('button', { name: 'Run as a task' }).click()
  await page.getByText('Full now.').waitFor()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('Full now.').waitFor({ state: 'detached' })
  await context.close()
})

test('what two people changed is told apart, and the choice is theirs with mine laid over it', () => {
  const one = (defaults: object, more: object = {}) =>
    ({
      configuration_name: 'a',
      experience_id: 'e',
      adapter_name: 'x',
      adapter_config: { auth: {}, defaults },
      ...more,
    }) as unknown as Configuration
  const before = one({ width: 1, height: 1, fit: 'cover' }, { webhook_url: 'https://a.example' })
  const mine = one({ width: 2, height: 1 }, { webhook_url: 'https://a.example' })
  const theirs = one({ width: 3, height: 4, fit: 'cover' })
  const all = differences(before, mine, theirs)
  assert.deepEqual(
    all.map(({ field, by }) => [field, by]),
    [
      ['webhook_url', 'theirs'],
      ['adapter_config.defaults.width', 'both'],
      ['adapter_config.defaults.height', 'theirs'],
      ['adapter_config.defaults.fit', 'mine'],
    ].toSorted(([a = ''], [b = '']) => all.findIndex(one => one.field === a) - all.findIndex(one => one.field === b)),
  )
  const together = merged(theirs, all, field =>
    all.find(one => one.field === field)?.by === 'theirs' ? 'theirs' : 'mine',
  )
  assert.deepEqual(together, one({ width: 2, height: 4 }))
  assert.deepEqual(
    merged(theirs, all, () => 'theirs'),
    theirs,
  )
})
