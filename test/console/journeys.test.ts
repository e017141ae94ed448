// The journeys that people make in a browser, one of each: the crew in the console, a guest at their page, everybody at the wall.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { chain, type Keepsake, single } from '../support/keepsake.ts'
import { photoOf } from '../support/pictures.ts'
import { until } from '../support/until.ts'
import {
  accessible,
  type Browser,
  type BrowserContext,
  becomes,
  fits,
  inPage,
  PATIENCE_MS,
  type Page,
  signedIn,
  skip,
  watch,
  withConsole,
} from './browser.ts'

let keepsake: Keepsake
let browser: Browser
let photo: Blob
/** One profile for all journeys of the crew: what it has compiled once, it compiles for none of them again. */
let crew: BrowserContext

// The pages of guests speak of their own address.
const port = await freePort()

withConsole(
  async started => {
    ;({ keepsake, browser } = started)
    const { context, page } = await signedIn(browser, keepsake)
    await page.close()
    crew = context
  },
  skip,
  { settings: { port } },
)
before(async () => {
  photo = await photoOf(600, 400)
})

interface Open {
  page: Page
  broken: string[]
  /** How often a page was loaded in it. */
  loads(): number
}

async function open(context: Pick<BrowserContext, 'newPage'>, url: string, width = 1360): Promise<Open> {
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  await page.setViewportSize({ width, height: 860 })
  const broken = watch(page)
  let loads = 0
  page.on('load', () => loads++)
  await page.goto(url)
  return { page, broken, loads: () => loads }
}

/** A page of the console, signed in, that is about one experience. */
const openConsole = (path: string, experience: string, width?: number): Promise<Open> =>
  open(crew, `${keepsake.url}${path}${path.includes('?') ? '&' : '?'}experience=${experience}`, width)

const file = async (name: string) => ({ name, mimeType: 'image/jpeg', buffer: Buffer.from(await photo.arrayBuffer()) })

async function send(configuration_name: string, parts: Record<string, string | Blob> = {}): Promise<string> {
  const { status, body } = await keepsake.send('/api/task/', { configuration_name, data: photo, ...parts })
  assert.equal(status, 202, JSON.stringify(body))
  return body.task_id
}
const ended = (id: string) => keepsake.ended(`/api/task/${id}/`)
const step = (name: string, experience_id: string, more: object = {}): Promise<void> =>
  keepsake.configure(single(name, 'photo_flip', { method: 'ROTATE_90' }, { experience_id, ...more }))

/** Gives an experience pages for its guests. */
async function guestPages(experience: string, more: object = {}): Promise<void> {
  const guest_page = { enabled: true, title: experience, ...more }
  const { status, body } = await keepsake.client.patch(`/api/experience/${experience}/`, { guest_page })
  assert.equal(status, 200, JSON.stringify(body))
}
test('the printed link signs in, and the first keepsake is made of a sample photo', { skip }, async () => {
  const context = await browser.newContext({ reducedMotion: 'reduce', locale: 'en-GB' })
  const { page, broken } = await open(context, keepsake.signInUrl)
  await page.getByRole('heading', { name: 'Make a keepsake' }).waitFor()
  assert.ok(!page.url().includes('code='), 'the code stays out of the address')
  await page.getByRole('radio', { name: /^A mirror/ }).click()
  await page.getByRole('button', { name: 'Use a sample photo' }).click()
  await page.getByText('A keepsake, made in').waitFor()
  const after = '(image => [image.naturalWidth, image.naturalHeight].join())(document.querySelector("img[alt=After]"))'
  await becomes(page, `${after} === "1440,1080"`)
  assert.deepEqual(broken, [])
  await context.close()
})

/** Draws a line between two handles of the graph, as a hand does. */
async function draw(page: Page, from: string, to: string): Promise<void> {
  const source = await page.getByTitle(from).boundingBox()
  const target = await page.getByTitle(to).boundingBox()
  assert.ok(source && target)
  await page.mouse.move(source.x + source.width / 2, source.y + source.height / 2)
  await page.mouse.down()
  await page.mouse.move(target.x - 30, target.y + 5, { steps: 6 })
  await page.mouse.move(target.x + target.width / 2, target.y + target.height / 2, { steps: 6 })
  await page.mouse.up()
}

test('a chain is drawn in the editor, saved, and run as a task', { skip }, async () => {
  const steps = ['turn', 'again', 'aside']
  for (const name of steps) await step(name, 'river')
  const { page, broken } = await openConsole('/configurations/new?kind=chain', 'river')
  for (const name of steps) {
    if (name !== 'turn') await page.getByRole('button', { name: 'Add a step at the end' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: new RegExp(`^${name}`) })
      .click()
    await page.getByRole('button', { name: 'Close the step' }).click()
  }
  await page.getByLabel('Name required').fill('river wall')
  const takes = page.getByRole('combobox', { name: 'takes' }).nth(2)
  await takes.locator('option:checked', { hasText: 'again' }).waitFor({ state: 'attached' })
  // The view moves to show all entries, and may take a handle away from under the pointer.
  await until('the line is drawn', async () => {
    await draw(page, 'What entry 0 makes: draw from here', 'Entry 2: draw to here')
    return (await takes.locator('option:checked', { hasText: 'turn' }).count()) > 0
  })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  // Only then the page is the one of what is stored, which has a past.
  await page.getByRole('button', { name: 'Versions' }).waitFor()
  assert.deepEqual((await keepsake.client.get('/api/configuration/river%20wall/')).body.call_chain, [
    ['turn', null],
    ['again', 0],
    ['aside', 0],
  ])
  await page.getByLabel('Drop a file here').setInputFiles(await file('photo.jpg'))
  await page.getByRole('button', { name: 'Run as a task' }).click()
  await page.getByRole('heading', { level: 1, name: 'river wall' }).waitFor()
  await page.getByRole('article').nth(2).getByText('Succeeded').waitFor()
  const { items } = (await keepsake.client.get('/api/task/?experience_id=river')).body
  assert.deepEqual(
    items.map((task: { configuration: string }) => task.configuration),
    ['river wall'],
  )
  assert.deepEqual(broken, [])
  await page.close()
})

test('a task appears in the list by itself, and its pictures with it', { skip }, async () => {
  await step('look', 'meadow')
  const { page, broken, loads } = await openConsole('/tasks', 'meadow')
  await page.getByRole('heading', { name: 'No tasks yet' }).waitFor()
  const id = await send('look')
  const row = page.getByRole('link', { name: /look/ }).filter({ hasText: 'Succeeded' })
  await row.waitFor()
  await becomes(page, '[...document.images].filter(image => image.naturalWidth === 160).length >= 2')
  assert.equal(loads(), 1, 'the page was loaded once')
  await row.click()
  await page.getByRole('img', { name: 'What look made' }).waitFor()
  assert.ok(new URL(page.url()).pathname.endsWith(id))
  assert.deepEqual(broken, [])
  await page.close()
})

test('a failed task says what to do, and runs again with another file', { skip }, async () => {
  await step('mirror', 'harbour')
  const id = await send('mirror', { data: new Blob(['not a picture']) })
  assert.equal((await ended(id)).status, 'Failed')
  const { page, broken } = await openConsole(`/tasks/${id}`, 'harbour')
  await page.getByRole('heading', { name: 'Rescue it' }).waitFor()
  await page.getByText('replace the file below').first().waitFor()
  await page.getByLabel('Replace the file').setInputFiles(await file('good.jpg'))
  await page.getByRole('button', { name: 'Retry with this file' }).click()
  await page.getByRole('article').getByText('Succeeded').waitFor()
  await page.getByRole('heading', { name: 'Rescue it' }).waitFor({ state: 'detached' })
  const { status, input } = await ended(id)
  assert.deepEqual([status, input.file_name], ['Succeeded', 'good.jpg'])
  assert.deepEqual(broken, [])
  await page.close()
})

test('a guest is found at the desk by a part of the name and by a tag, with what was made for them', {
  skip,
}, async () => {
  const activity_config = { experience_id: 'garden', activity_type: 'photo-taken', payload: { object_id: 'gate' } }
  await step('portrait', 'garden', { activity_config })
  await guestPages('garden')
  const make = (body: object) => keepsake.client.post('/api/profile/', { experience_id: 'garden', ...body })
  await make({ email: 'ada@example.com', attributes: { name: 'Ada Lovelace' } })
  await make({ rfid: '04A2B3C4', attributes: { name: 'Adam Smith' } })
  await ended(await send('portrait', { extras: '{"email": ["ada@example.com"]}' }))
  const { page, broken } = await openConsole('/desk', 'garden')
  await becomes(page, 'document.activeElement.matches("search input")')
  const scan = async (text: string): Promise<void> => {
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
  }
  await scan('ADA')
  await page.getByRole('button', { name: /Adam Smith/ }).waitFor()
  await page.getByRole('button', { name: /Ada Lovelace/ }).click()
  await page.getByRole('heading', { name: 'Ada Lovelace', level: 2 }).waitFor()
  await page.getByText('photo-taken').first().waitFor()
  await becomes(page, 'document.querySelector("main li[data-keepsake] img").naturalWidth > 0')
  await scan('04A2B3C4')
  await page.getByRole('heading', { name: 'Adam Smith', level: 2 }).waitFor()
  assert.deepEqual(broken, [])
  await page.close()
})

test('on a phone no page is too wide, and everybody can read it, in the light and in the dark', { skip }, async () => {
  await step('upright', 'hill')
  await keepsake.configure(chain('a way up the hill', [['upright', null]], { experience_id: 'hill' }))
  const id = await send('a way up the hill')
  await ended(id)
  const { page, broken } = await openConsole('/tasks', 'hill', 360)
  const pages: [string, () => Promise<unknown>][] = [
    ['/tasks', () => page.getByRole('link', { name: /a way up the hill/ }).waitFor()],
    [`/tasks/${id}`, () => page.getByRole('img', { name: 'What upright made' }).waitFor()],
    [
      '/configurations/open?name=a+way+up+the+hill',
      () => page.getByRole('button', { name: 'Add a step at the end' }).waitFor(),
    ],
  ]
  for (const [path, isShown] of pages) {
    if (path !== '/tasks') await page.goto(keepsake.url + path)
    await isShown()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await becomes(page, `document.documentElement.dataset.theme === "${colorScheme}"`)
      await fits(page, `${path}, ${colorScheme},`)
      await accessible(page, `${path}, ${colorScheme},`)
    }
  }
  assert.deepEqual(broken, [])
  await page.close()
})

test('the page of a guest turns from “being made” into the picture', { skip }, async () => {
  await step('flip pier', 'pier')
  await guestPages('pier')
  const { url, code } = (await keepsake.client.post('/api/keepsake/', { experience_id: 'pier' })).body
  const { page, broken, loads } = await open(browser, url, 390)
  assert.match(await page.locator('main').innerText(), /being made/)
  await send('flip pier', { keepsake: code })
  await becomes(page, 'document.querySelector("figure img").naturalWidth > 300')
  assert.equal(loads(), 1, 'the page was loaded once')
  await page.getByRole('link', { name: 'Save' }).waitFor()
  assert.deepEqual(broken, [])
  await page.close()
})

test('the wall shows a picture, and loses it when somebody takes it off', { skip }, async () => {
  await step('flip square', 'square')
  await guestPages('square', { approval: 'none' })
  const { url } = (await keepsake.client.post('/api/experience/square/wall-key/', {})).body
  const { page, broken, loads } = await open(browser, url)
  const nothing = page.getByText('The first pictures will appear here')
  await nothing.waitFor()
  const { keepsake_id } = await ended(await send('flip square'))
  await becomes(page, 'document.querySelector(".scene.here figure img").naturalWidth > 300')
  assert.equal(await nothing.isVisible(), false)
  assert.equal((await keepsake.client.post(`/api/keepsake/${keepsake_id}/hide/`, {})).status, 200)
  await nothing.waitFor()
  assert.equal(await inPage<number>(page, 'document.querySelectorAll(".scene.here figure").length'), 0)
  assert.equal(loads(), 1, 'the page was loaded once')
  assert.deepEqual(broken, [])
  await page.close()
})
