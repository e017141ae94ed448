// Every page, as it looks with a full house: accessible in light and dark, from a phone to a wide screen, whatever names hold.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { cleanUp } from '../support/clean-up.ts'
import {
  accessible,
  type Browser,
  becomes,
  built,
  fits,
  inPage,
  launch,
  type Page,
  picture,
  signedIn,
  skip,
} from './browser.ts'
import { furnish, type House, NASTY } from './full-house.ts'

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

const named = (name: string) => `/configurations/open?name=${encodeURIComponent(name)}`

/** What is looked at: a path, and what shows that it is all there. */
const pages = (): Record<string, [string, (page: Page) => Promise<unknown>]> => ({
  overview: ['/', page => page.getByRole('heading', { name: 'Who does what now' }).waitFor()],
  tasks: ['/tasks', page => page.locator('img[src*=thumbnail]').last().waitFor()],
  'tasks-gallery': ['/tasks?view=gallery', page => page.locator('img[src*=thumbnail]').last().waitFor()],
  'tasks-causes': [
    '/tasks?view=dense&group=error',
    page => page.getByRole('heading', { name: 'By cause, of the last day' }).waitFor(),
  ],
  task: [`/tasks/${house.succeeded}`, page => page.getByRole('img', { name: /^What/ }).first().waitFor()],
  'task-failed': [`/tasks/${house.failed}`, page => page.getByRole('heading', { name: 'Rescue it' }).waitFor()],
  groups: ['/groups', page => page.getByRole('list', { name: 'Task groups' }).waitFor()],
  group: [`/groups/${house.group}`, page => page.getByRole('img', { name: /^What/ }).first().waitFor()],
  configurations: ['/configurations', page => page.getByText('photo to wall').first().waitFor()],
  chain: [named('photo to wall'), page => page.getByRole('button', { name: 'Remove thumbnail' }).waitFor()],
  compositor: [named('frame with words'), page => page.getByRole('button', { name: /^Layer title/ }).waitFor()],
  destination: [named('to the bucket'), page => page.getByLabel('Secret key').waitFor()],
  'configuration-new': ['/configurations/new', page => page.getByText('Which experience is it for?').waitFor()],
  assets: ['/assets', page => page.getByRole('img', { name: 'frame.png' }).waitFor()],
  profiles: ['/profiles', page => page.getByText('Ada Lovelace').waitFor()],
  profile: [
    `/profiles/${house.profile}`,
    page =>
      page
        .getByRole('img', { name: /^Keepsake/ })
        .first()
        .waitFor(),
  ],
  callbacks: ['/callbacks', page => page.getByText('Given up').first().waitFor()],
  experiences: ['/experiences', page => page.getByText('Expo 2026').waitFor()],
  experience: ['/experiences/open?id=expo-2026', page => page.getByRole('heading', { name: 'Settings' }).waitFor()],
  tokens: ['/tokens', page => page.getByText('photo booth 1').waitFor()],
  start: ['/start', page => page.getByText('Drop a photo here').waitFor()],
})

/** What is wrong with the page that is shown. */
async function faults(page: Page, what: string, name: string, ready: (page: Page) => Promise<unknown>) {
  const wrong: string[] = []
  const note = (error: Error) => void wrong.push(error.message)
  await ready(page).catch(note)
  await picture(page, `${what}-${name}`)
  await fits(page, `${what} (${name})`).catch(note)
  await accessible(page, `${what} (${name})`).catch(note)
  return wrong
}

/** Every page in light and dark, loaded once: each second one in the dark, and then turned to the other. */
async function lookInBoth(): Promise<Record<'light' | 'dark', string[]>> {
  const { page, context, broken } = await signedIn(browser, house.keepsake)
  const wrong: Record<'light' | 'dark', string[]> = { light: [], dark: [] }
  for (const [at, [what, [path, ready]]] of Object.entries(pages()).entries()) {
    const themes = at % 2 ? (['dark', 'light'] as const) : (['light', 'dark'] as const)
    await page.emulateMedia({ colorScheme: themes[0] })
    await page.goto(path)
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme })
      await becomes(page, `document.documentElement.dataset.theme === "${colorScheme}"`)
      wrong[colorScheme].push(...(await faults(page, what, colorScheme, ready)))
    }
  }
  await context.close()
  return { light: [...wrong.light, ...broken], dark: [...wrong.dark, ...broken] }
}
let inBoth: ReturnType<typeof lookInBoth> | undefined

for (const name of ['light', 'dark'] as const)
  test(`every page is accessible and fits: ${name}`, { skip }, async () => {
    inBoth ??= lookInBoth()
    assert.deepEqual((await inBoth)[name], [])
  })

test('every page is accessible and fits: phone', { skip }, async () => {
  const { page, context, broken } = await signedIn(browser, house.keepsake, { width: 360, height: 740 })
  const wrong: string[] = []
  for (const [what, [path, ready]] of Object.entries(pages())) {
    await page.goto(path)
    wrong.push(...(await faults(page, what, 'phone', ready)))
  }
  assert.deepEqual([...wrong, ...broken], [])
  await context.close()
})

test('the polaroid of the README: three steps that melted into one, and the picture they made', { skip }, async () => {
  const { keepsake } = house
  const from = (file: string) => readFile(new URL(`../../docs/${file}`, import.meta.url))
  const experience_id = 'summer-festival'
  await keepsake.configure(JSON.parse((await from('examples/polaroid.json')).toString()))
  const step = (configuration_name: string, adapter_name: string, defaults: object) =>
    keepsake.configure({ configuration_name, experience_id, adapter_name, adapter_config: { defaults } })
  await step('vivid', 'photo_filter', { preset: 'vivid' })
  await step('for the wall', 'photo_resize', { width: 800 })
  const call_chain = [['vivid', null], ['polaroid', 0], ['for the wall', 1]] // biome-ignore format: one line reads better
  await keepsake.configure({ configuration_name: 'polaroid to wall', experience_id, call_chain })
  const extras = JSON.stringify({ email: 'mia@example.com', additional_context: { name: 'Mia & Noah' } })
  const data = new Blob([new Uint8Array(await from('images/guest.jpg'))])
  const run = () => keepsake.send('/api/task/', { configuration_name: 'polaroid to wall', data, extras })
  // The first one of a day loads fonts and libraries; the second is what guests get.
  await keepsake.ended(`/api/task/${(await run()).body.task_id}/`)
  const { task_id } = (await run()).body
  await keepsake.ended(`/api/task/${task_id}/`)
  for (const name of ['light', 'dark']) {
    const dark = name === 'dark'
    const { page, context } = await signedIn(browser, keepsake, { dark, width: 1280, height: 1080 })
    await page.goto(`/tasks/${task_id}`)
    await page.getByRole('img', { name: 'What for the wall made' }).waitFor()
    assert.equal(await page.getByRole('article').getByText('Succeeded').count(), 3)
    assert.equal(await page.getByRole('article').getByRole('img', { name: /^What/ }).count(), 1, 'one file, not three')
    await picture(page, `polaroid-${name}`)
    if (!dark) {
      await page.getByRole('button', { name: 'Show how it looked here' }).first().click()
      await page.getByRole('img', { name: 'What vivid made' }).waitFor()
      const seen = '({ alt, naturalWidth }) => alt === "What vivid made" && naturalWidth > 0'
      await becomes(page, `[...document.images].some(${seen})`)
    }
    await context.close()
  }
})

test('names full of markup and emoji are shown as they are, and nothing in them runs', { skip }, async () => {
  const { page, context, broken } = await signedIn(browser, house.keepsake)
  const seen = ['/tasks', '/configurations', named(NASTY), '/assets', '/profiles', '/tokens', '/experiences']
  for (const path of seen) {
    await page.goto(path)
    await page
      .getByText(NASTY)
      .or(page.locator(`input[value="${NASTY.replaceAll('"', '\\"')}"]`))
      .filter({ visible: true })
      .first()
      .waitFor()
    assert.equal(await inPage(page, 'window.hacked'), undefined, path)
    assert.equal(await page.locator('b.nasty').count(), 0, path)
  }
  assert.deepEqual(broken, [])
  await context.close()
})

test('the theme follows the system, can be chosen, and is remembered', { skip }, async () => {
  const { page, context } = await signedIn(browser, house.keepsake)
  const ground = () => inPage<string>(page, 'getComputedStyle(document.documentElement).backgroundColor')
  await page.goto('/tasks')
  const light = await ground()
  await page.getByRole('button', { name: 'Dark theme' }).click()
  await page.getByRole('button', { name: 'Light theme' }).waitFor()
  const dark = await ground()
  assert.notEqual(dark, light, 'the ground changes in the same moment as the button')
  await page.reload()
  await page.getByRole('button', { name: 'Light theme' }).waitFor()
  assert.equal(await ground(), dark)
  await page.getByRole('button', { name: 'Light theme' }).click()
  await page.getByRole('button', { name: 'Dark theme' }).waitFor()
  assert.equal(await ground(), light)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.getByRole('button', { name: 'Light theme' }).waitFor()
  assert.equal(await ground(), dark)
  await context.close()
})

test('the phone has every page within two presses, and the keyboard reaches the content at once', {
  skip,
}, async () => {
  const phone = await signedIn(browser, house.keepsake, { width: 360, height: 740 })
  await phone.page.goto('/')
  await phone.page.getByRole('button', { name: 'More' }).click()
  await accessible(phone.page, 'the menu of the phone')
  await phone.page.getByRole('link', { name: 'Tokens' }).click()
  await phone.page.getByRole('heading', { level: 1, name: 'Tokens' }).waitFor()
  await phone.context.close()

  const { page, context } = await signedIn(browser, house.keepsake)
  await page.goto('/tasks')
  await page.getByRole('heading', { name: 'Tasks' }).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await becomes(page, 'document.activeElement.id === "content"')
  await context.close()
})

test('doors are checked: green and red lines, and a verdict', { skip }, async () => {
  const { page, context } = await signedIn(browser, house.keepsake)
  await page.goto('/experiences/open?id=expo-2026')
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByText(/before the doors open\.$/).waitFor()
  await page.getByText('Good:').first().waitFor({ state: 'attached' })
  await accessible(page, 'the check before doors open')
  await picture(page, 'doors-light')
  await context.close()
})

test('layers of the compositor are dragged and resized, and saved as they were left', { skip }, async () => {
  const { page, context, broken } = await signedIn(browser, house.keepsake)
  await page.goto(named('frame with words'))
  const exact = page.getByRole('img', { name: 'The result as the service makes it' })
  await exact.waitFor()
  const atFirst = await exact.getAttribute('src')
  const layer = page.getByRole('button', { name: /^Layer title/ })
  const box = (await layer.boundingBox()) ?? assert.fail('the layer is not shown')
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width / 2 + 40, box.y + box.height / 2 - 20, { steps: 5 })
  await page.mouse.up()
  await layer.press('ArrowRight')
  const moved = (await layer.boundingBox()) ?? assert.fail('the layer is not shown')
  await page.mouse.move(moved.x + moved.width, moved.y + moved.height)
  await page.mouse.down()
  await page.mouse.move(moved.x + moved.width - 50, moved.y + moved.height, { steps: 5 })
  await page.mouse.up()
  // From the key on it says that it is being made, until the picture of this very layout is there.
  await page.getByText('As the service makes it').waitFor()
  assert.notEqual(await exact.getAttribute('src'), atFirst, 'the picture was made anew')
  await picture(page, 'compositor-dragged-light')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('“frame with words” is saved.').waitFor()
  const { body } = await house.keepsake.client.get('/api/configuration/frame%20with%20words/')
  const [, title] = body.adapter_config.defaults.layers
  assert.ok(title.x > 70 && title.y < 1190, JSON.stringify(title))
  assert.ok(title.width < 760, 'a corner was drawn in')
  assert.deepEqual(broken, [])
  await context.close()
})

test('docs/console.md shows every picture there is', async () => {
  const text = await readFile(new URL('../../docs/console.md', import.meta.url), 'utf8')
  for (const [, file] of text.matchAll(/\((images\/console\/[^)]+)\)/g))
    await assert.doesNotReject(readFile(new URL(`../../docs/${file}`, import.meta.url)), file)
})
