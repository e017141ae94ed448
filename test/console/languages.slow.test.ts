// The console in German: chosen by the browser or by hand, remembered, never cut off, and never a reason for a white page.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { cleanUp } from '../support/clean-up.ts'
import { accessible, type Browser, built, fits, inPage, launch, picture, signedIn, skip } from './browser.ts'
import { furnish, type House } from './full-house.ts'

let house: House
let browser: Browser

before(async () => {
  if (skip) return
  await built()
  house = await furnish()
  browser = await launch()
})
after(() =>
  cleanUp(
    () => browser?.close(),
    () => house?.stop(),
  ),
)

const spoken = 'document.documentElement.lang'

test('the browser’s language is spoken, another is chosen in the shell and remembered', { skip }, async () => {
  const { page, context, broken } = await signedIn(browser, house.keepsake, { locale: 'de-AT' })
  await page.goto('/tasks')
  await page.getByRole('heading', { level: 1, name: 'Aufgaben' }).waitFor()
  assert.equal(await inPage(page, spoken), 'de')
  await page.getByRole('combobox', { name: 'Sprache' }).selectOption('English')
  await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor()
  assert.equal(await inPage(page, spoken), 'en')
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor()
  assert.deepEqual(broken, [])
  await context.close()
})

test('numbers and times are written as the language writes them', { skip }, async () => {
  const { page, context } = await signedIn(browser, house.keepsake, { locale: 'de-DE' })
  await page.goto(`/tasks/${house.succeeded}`)
  await page
    .getByText(/\d{1,2}\. \p{L}+\.? 2\d{3}, \d\d:\d\d:\d\d/u)
    .first()
    .waitFor()
  await page.getByText('Was getan wurde').first().click()
  await page
    .locator('dd')
    .getByText(/\d,\d+ s\b/)
    .filter({ visible: true })
    .first()
    .waitFor()
  await context.close()
})

test('a language that there is not, and one whose file can’t be fetched, is English', { skip }, async () => {
  const french = await signedIn(browser, house.keepsake, { locale: 'fr-FR' })
  await french.page.goto('/tasks')
  await french.page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor()
  assert.equal(await inPage(french.page, spoken), 'en')
  await french.context.close()

  const cut = await signedIn(browser, house.keepsake, { locale: 'de-DE' })
  await cut.page.route(/\/assets\/de-[^/]*\.js$/, route => route.abort())
  await cut.page.goto('/tasks')
  await cut.page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor()
  assert.equal(await inPage(cut.page, spoken), 'en')
  await cut.context.close()
})

/** What is longest in German, and where there is least room. */
const pages = (): [string, string, string][] => [
  ['overview', '/', 'Wer gerade was macht'],
  ['tasks', '/tasks', 'Aufgaben'],
  ['task-failed', `/tasks/${house.failed}`, 'Retten'],
  ['destination', '/configurations/open?name=to%20the%20bucket', 'Zugangsdaten'],
  ['compositor', '/configurations/open?name=frame%20with%20words', 'Layout'],
  ['experience', '/experiences/open?id=expo-2026', 'Gästeseiten'],
  ['desk', '/desk', 'Gästeschalter'],
  ['tokens', '/tokens', 'Token'],
]

for (const [name, look] of [
  ['light', {}],
  ['phone', { width: 360, height: 740 }],
] as const)
  test(`nothing sticks out in German, and it is accessible: ${name}`, { skip }, async () => {
    const { page, context, broken } = await signedIn(browser, house.keepsake, { ...look, locale: 'de-DE' })
    const wrong: string[] = []
    for (const [what, path, heading] of pages()) {
      await page.goto(path)
      await page.locator('h1, h2, legend').filter({ hasText: heading, visible: true }).first().waitFor()
      await picture(page, `german-${what}-${name}`)
      await fits(page, `${what} (${name})`).catch((error: Error) => wrong.push(error.message))
      await accessible(page, `${what} (${name})`).catch((error: Error) => wrong.push(error.message))
    }
    assert.deepEqual([...wrong, ...broken], [])
    await context.close()
  })
