// The guest desk in a real browser: a guest is found, gets the link, says what they agree to, is given a keepsake, and is erased.
import assert from 'node:assert/strict'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { testFolder } from '../start/keepsake.ts'
import { runCommand } from '../start/remote-command.ts'
import { cleanUp } from '../support/clean-up.ts'
import type { Answer } from '../support/client.ts'
import { statusOf } from '../support/client.ts'
import { freePort } from '../support/free-port.ts'
import { type Receiver, startReceiver } from '../support/https-receiver.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { rawSharp, scene } from '../support/pictures.ts'
import { until } from '../support/until.ts'
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

const activity_config = { experience_id: 'expo', activity_type: 'photo-taken', payload: { object_id: 'gate' } }
let keepsake: Keepsake
let browser: Browser
let photos: Blob[]
let ada: Answer['body']
let receiver: Receiver

before(async () => {
  if (skip) return
  await built()
  const port = await freePort()
  // Guests see another address than the console: the code must be drawn all the same.
  keepsake = await startKeepsake({ settings: { port, publicUrl: 'https://photos.example.com' } })
  browser = await launch()
  receiver = await startReceiver()
  photos = await Promise.all(
    [0, 90, 200].map(async hue => {
      const jpeg = rawSharp(scene(900, 600)).modulate({ hue }).jpeg()
      return new Blob([new Uint8Array(await jpeg.toBuffer())])
    }),
  )
  const { client } = keepsake
  await keepsake.configure(
    single('photo', 'photo_flip', { method: 'FLIP_LEFT_RIGHT' }, { experience_id: 'expo', activity_config }),
  )
  await keepsake.configure(
    single(
      'photo with news',
      'photo_flip',
      { method: 'ROTATE_180' },
      { experience_id: 'expo', webhook_url: `${receiver.url}/hook` },
    ),
  )
  const guest_page = { enabled: true, title: 'Expo 2026' }
  assert.equal((await client.patch('/api/experience/expo/', { name: 'Expo 2026', guest_page })).status, 200)
  const make = async (body: object) => (await client.post('/api/profile/', { experience_id: 'expo', ...body })).body
  ada = await make({
    email: 'ada@example.com',
    qr_code: 'A-1042',
    attributes: { name: 'Ada Lovelace', table: 7 },
    consent: { share: true },
  })
  await make({ email: 'adam@example.com', rfid: '04A2B3C4', attributes: { name: 'Adam Smith' } })
  await task(0, { email: 'ada@example.com' })
  await task(1, { email: 'ada@example.com' }, 'photo with news')
  await until('the callback is there', async () => receiver.received.length > 0)
  await task(2, {})
})
after(() =>
  cleanUp(
    () => browser?.close(),
    () => keepsake?.stop(),
    () => receiver?.stop(),
  ),
)

async function task(at: number, extras: object, configuration_name = 'photo'): Promise<void> {
  const parts = { configuration_name, data: photos[at] as Blob, extras: JSON.stringify(extras) }
  const { status, body } = await keepsake.send('/api/task/', parts)
  assert.equal(status, 202, JSON.stringify(body))
  await keepsake.ended(`/api/task/${body.task_id}/`)
}

const field = (page: Page) => page.getByLabel('E-mail, name, code or tag of a guest')
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 2 })

/** As a reader types: wherever the focus is, fast, with Enter at the end. */
const scan = async (page: Page, text: string): Promise<void> => {
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

/** Every address that the page asks for. */
function addresses(page: Page): string[] {
  const asked: string[] = []
  page.on('request', request => asked.push(request.url()))
  return asked
}

test('a guest is found by a part, by what a reader types, and by keys', { skip }, async () => {
  const { page, context, broken } = await signedIn(browser, keepsake)
  await page.goto('/desk')
  await page.locator('li[data-keepsake] img').waitFor()
  await becomes(page, 'document.activeElement.matches("search input")')
  await accessible(page, 'the empty desk')
  await scan(page, 'ADA')
  await page.getByRole('button', { name: /Adam Smith/ }).waitFor()
  assert.equal(await page.getByRole('button', { name: /@example\.com/ }).count(), 2)
  await accessible(page, 'what was found')
  await page.getByRole('button', { name: /Ada Lovelace/ }).click()
  await heading(page, 'Ada Lovelace').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /Adam Smith/ }).focus()
  await page.keyboard.press('/')
  await becomes(page, 'document.activeElement.matches("search input")')
  assert.equal(await field(page).inputValue(), 'ADA', 'the key itself is not typed')
  await page.getByRole('button', { name: /Adam Smith/ }).focus()
  await scan(page, '04A2B3C4')
  await heading(page, 'Adam Smith').waitFor()
  await scan(page, 'ADA@example.com')
  await heading(page, 'Ada Lovelace').waitFor()
  await scan(page, 'A-1042')
  await heading(page, 'Ada Lovelace').waitFor()
  await scan(page, ada.profile_id)
  await heading(page, 'Ada Lovelace').waitFor()
  await scan(page, 'nobody at all')
  await page.getByText('Nobody goes by that').waitFor()
  await page.keyboard.press('Escape')
  await becomes(page, 'document.querySelector("search input").value === ""')
  assert.deepEqual(broken, [])
  await context.close()
})

test('the link of a guest is opened, never looked up', { skip }, async () => {
  const { page, context, broken } = await signedIn(browser, keepsake)
  const asked = addresses(page)
  await page.goto('/desk')
  await field(page).waitFor()
  const { code, url } = (await keepsake.client.post('/api/keepsake/', { experience_id: 'expo' })).body
  const link = page.getByRole('link', { name: 'Open it' })
  for (const [typed, opens] of [
    [url, url],
    [`photos.example.com/k/${code}`, url],
    [`/k/${code}/file/0`, `${keepsake.url}/k/${code}/file/0`],
    [code, `${keepsake.url}/k/${code}`],
  ] as const) {
    await scan(page, typed)
    await page.getByText('This is the guest’s own link').waitFor()
    await until('its address', async () => (await link.getAttribute('href')) === opens)
    assert.equal(await field(page).inputValue(), '')
    await page.keyboard.press('Escape')
  }
  const shouted = [...url].map(each => (each === each.toUpperCase() ? each.toLowerCase() : each.toUpperCase())).join('')
  for (const typed of [`httpsÖ--photos.example.com-k-${code}`, `https:&&photos.example.com&k&${code}`, shouted]) {
    await scan(page, typed)
    await page.getByText('another keyboard').waitFor()
    await page.keyboard.press('Escape')
  }
  await accessible(page, 'the desk after a link')
  assert.deepEqual(
    asked.filter(address => address.toLowerCase().includes(code.toLowerCase())),
    [],
  )
  assert.deepEqual(broken, [])
  await context.close()
})

/** A camera that sees this text, in a browser that reads codes. */
const camera = (text: string) => `
  globalThis.tracks = []
  globalThis.BarcodeDetector = class {
    static async getSupportedFormats() { return ['qr_code'] }
    async detect() { return globalThis.sees ? [{ rawValue: ${JSON.stringify(text)} }] : [] }
  }
  navigator.mediaDevices.getUserMedia = async () => {
    const canvas = document.createElement('canvas')
    canvas.getContext('2d')
    const stream = canvas.captureStream(5)
    tracks.push(...stream.getTracks())
    return stream
  }`

test('the camera reads a code where the browser can, and is off when closed', { skip }, async () => {
  const { page, context, broken } = await signedIn(browser, keepsake)
  await page.addInitScript('delete globalThis.BarcodeDetector')
  await page.goto('/desk')
  await page.getByText('This browser can’t scan with the camera.').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Scan with the camera' }).count(), 0)
  await page.addInitScript(camera('A-1042'))
  await page.reload()
  const start = page.getByRole('button', { name: 'Scan with the camera' })
  await start.click()
  await becomes(page, 'tracks.length === 1 && tracks[0].readyState === "live"')
  await accessible(page, 'the camera')
  await page.keyboard.press('Escape')
  await becomes(page, 'tracks[0].readyState === "ended"')
  await start.click()
  await becomes(page, 'tracks.length === 2')
  await inPage(page, 'globalThis.sees = true')
  await heading(page, 'Ada Lovelace').waitFor()
  await becomes(page, 'tracks.every(track => track.readyState === "ended")')
  await page.addInitScript(
    'navigator.mediaDevices.getUserMedia = async () => { throw new DOMException("no", "NotAllowedError") }',
  )
  await page.goto('/desk')
  await start.click()
  await page.getByText('does not let this page use the camera').waitFor()
  assert.deepEqual(broken, [])
  await context.close()
})

const profileOf = async (id: string) => (await keepsake.client.get(`/api/profile/${id}/`)).body

test('a guest agrees, is changed, gets a new code and a keepsake that was nobody’s', { skip }, async () => {
  const { page, context, broken } = await signedIn(browser, keepsake)
  await page.goto(`/desk?guest=${ada.profile_id}`)
  const cards = page.locator('li[data-keepsake]')
  await until('both keepsakes', async () => (await cards.count()) === 2)
  await page.getByText('photo-taken').first().waitFor()
  await accessible(page, 'a guest')
  await fits(page, 'a guest')
  await picture(page, 'desk-light')

  const said = (name: string) => page.getByRole('button', { name, exact: true })
  assert.equal(await said('Share: Yes').getAttribute('aria-pressed'), 'true')
  for (const [name, consent] of [
    ['Wall: No', { share: true, wall: false }],
    ['Marketing: Yes', { share: true, wall: false, marketing: true }],
    ['Share: Not said', { wall: false, marketing: true }],
  ] as const) {
    await said(name).click()
    await until(name, async () => (await said(name).getAttribute('aria-pressed')) === 'true')
    assert.deepEqual((await profileOf(ada.profile_id)).consent, consent)
  }

  await page.getByRole('button', { name: 'Change' }).click()
  await page.getByLabel('RFID').fill('tag-1\ntag 2')
  await page.getByLabel('Value of table').fill('9')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByLabel('What').last().fill('diet')
  await page.getByLabel('Value of diet').fill('vegan')
  await accessible(page, 'the form')
  await keepsake.client.patch(`/api/profile/${ada.profile_id}/`, { attributes: { seat: 'B' } })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Show what is there now' }).click()
  await page.getByText('seat').waitFor()
  assert.equal((await profileOf(ada.profile_id)).rfid.length, 0, 'nothing was written over')
  await page.getByRole('button', { name: 'Change' }).click()
  await page.getByLabel('RFID').fill('tag-1\ntag 2')
  await page.getByLabel('Value of table').fill('9')
  await page.getByRole('button', { name: 'Remove seat' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await until('it is saved', async () => (await profileOf(ada.profile_id)).rfid.length === 2)
  const changed = await profileOf(ada.profile_id)
  assert.deepEqual(changed.rfid, ['tag-1', 'tag 2'])
  assert.deepEqual(changed.attributes, { name: 'Ada Lovelace', table: 9 })
  assert.deepEqual(changed.email, ['ada@example.com'])

  await cards.first().getByRole('button', { name: 'Hand out' }).click()
  await becomes(page, 'document.querySelector("[role=dialog] img")?.naturalWidth > 0')
  const shown = async () => (await page.getByRole('link', { name: 'Open it' }).getAttribute('href')) ?? ''
  const first = await shown()
  assert.match(first, /^https:\/\/photos\.example\.com\/k\/[\w-]{22}$/)
  const side = 'document.querySelector("[role=dialog] img").getBoundingClientRect().width'
  assert.ok((await inPage<number>(page, side)) > 250, 'large enough for a phone')
  await accessible(page, 'the code')
  await picture(page, 'desk-code')
  const opens = async (url: string) => await statusOf(url.replace('https://photos.example.com', keepsake.url))
  await page.getByRole('button', { name: 'New code' }).click()
  await page.getByText('stops working at once').waitFor()
  assert.equal(await opens(first), 200, 'not before it is confirmed')
  await accessible(page, 'the question for a new code')
  await page.getByRole('button', { name: 'Make a new code' }).click()
  await until('a new code', async () => (await shown()) !== first)
  assert.deepEqual([await opens(first), await opens(await shown())], [404, 200])
  await page.keyboard.press('Escape')
  assert.ok(await heading(page, 'Ada Lovelace').isVisible(), 'the dialog alone was left')

  await page.getByRole('button', { name: 'Give a keepsake' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.locator('li[data-keepsake] img').waitFor()
  await accessible(page, 'what is nobody’s')
  const given = await dialog.locator('li[data-keepsake]').last().getAttribute('data-keepsake')
  await dialog.getByRole('button', { name: 'Give it to this guest' }).last().click()
  await page.getByRole('button', { name: 'Give it', exact: true }).click()
  await page.locator(`main li[data-keepsake="${given}"]`).waitFor()
  const { lookups } = (await keepsake.client.get(`/api/keepsake/${given}/`)).body
  assert.deepEqual(lookups, { profile_id: [ada.profile_id] })
  assert.deepEqual(broken, [])
  await context.close()
})

test('a person who is there twice becomes one guest, after a look at both sides', { skip }, async () => {
  const make = async (body: object) => (await keepsake.client.post('/api/profile/', body)).body
  const once = await make({ email: 'grace@navy.example', attributes: { name: 'Grace Hopper', rank: 'Captain' } })
  const twice = await make({ rfid: 'HOPPER-2', attributes: { name: 'G. Hopper', rank: 'Admiral' } })
  const { page, context, broken } = await signedIn(browser, keepsake)
  await page.goto(`/desk?guest=${once.profile_id}`)
  await page.getByRole('button', { name: 'Merge' }).click()
  await page.getByRole('dialog').getByRole('searchbox').fill('opper')
  await page.getByRole('button', { name: /^G\. Hopper/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Merge Grace Hopper and G. Hopper?' })
  await dialog.getByRole('row', { name: 'RFID – HOPPER-2 HOPPER-2' }).waitFor()
  await dialog.getByRole('row', { name: 'rank Captain Admiral Captain' }).waitFor()
  await accessible(page, 'the two sides of a merge')
  await picture(page, 'desk-merge')
  await dialog.getByRole('button', { name: 'Swap the two' }).click()
  await page.getByRole('row', { name: 'rank Admiral Captain Admiral' }).waitFor()
  await page.getByRole('button', { name: 'Merge them' }).click()
  await page.getByText('Both are one guest now.').waitFor()
  await page.getByRole('heading', { name: 'G. Hopper', exact: true }).waitFor()
  const { body } = await keepsake.client.get(`/api/profile/${once.profile_id}/`)
  assert.deepEqual([body.profile_id, body.email, body.rfid], [twice.profile_id, ['grace@navy.example'], ['HOPPER-2']])
  assert.deepEqual(broken, [])
  await context.close()
})

test('the desk is right in the dark and on a phone', { skip }, async () => {
  for (const [name, look] of [
    ['desk-dark', { dark: true }],
    ['desk-phone', { width: 360, height: 780 }],
  ] as const) {
    const { page, context, broken } = await signedIn(browser, keepsake, look)
    await page.goto('/desk')
    await page.getByText('Pictures without a guest').waitFor()
    await fits(page, `${name}, empty`)
    await accessible(page, `${name}, empty`)
    await page.goto(`/desk?guest=${ada.profile_id}`)
    await page.locator('li[data-keepsake] img').first().waitFor()
    await fits(page, name)
    await accessible(page, name)
    await picture(page, name)
    await page.getByRole('button', { name: 'Hand out' }).first().click()
    await becomes(page, 'document.querySelector("[role=dialog] img")?.naturalWidth > 0')
    await fits(page, `${name}, the code`)
    await accessible(page, `${name}, the code`)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Change' }).click()
    await page.getByLabel('RFID').waitFor()
    await fits(page, `${name}, the form`)
    assert.deepEqual(broken, [], name)
    await context.close()
  }
})

test('who may only read changes nothing', { skip }, async () => {
  const { body } = await keepsake.client.post('/api/token/', { name: 'reader', scopes: ['read'] })
  const { page, context, broken } = await signedIn(browser, { url: keepsake.url, token: body.token })
  await page.goto(`/desk?guest=${ada.profile_id}`)
  await page.locator('li[data-keepsake] img').first().waitFor()
  for (const name of ['Change', 'Erase', 'Give a keepsake', 'Hand out'])
    assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
  assert.ok(await page.getByRole('button', { name: 'Wall: Yes' }).isDisabled())
  await accessible(page, 'a guest for who may only read')
  assert.deepEqual(broken, [])
  await context.close()
})

test('a guest is erased, with a receipt that can be proven', { skip }, async t => {
  const { page, context, broken } = await signedIn(browser, keepsake)
  await page.goto(`/desk?guest=${ada.profile_id}`)
  await page.getByRole('button', { name: 'Erase', exact: true }).click()
  await page.getByText('3 keepsakes, with').waitFor()
  await page.getByText('What can’t be taken back').waitFor()
  await accessible(page, 'the question before an erasure')
  assert.equal((await keepsake.client.get(`/api/profile/${ada.profile_id}/`)).status, 200)
  await page.getByRole('button', { name: 'Erase for good' }).click()
  await page.getByText('Receipt of the erasure').waitFor()
  await page.getByText('Done', { exact: true }).waitFor()
  const stays = page.getByRole('listitem').filter({ hasText: 'Callback' }).filter({ hasText: '127.0.0.1' })
  await stays.waitFor()
  assert.equal((await keepsake.client.get(`/api/profile/${ada.profile_id}/`)).status, 404)
  await accessible(page, 'the receipt')
  await fits(page, 'the receipt')
  await picture(page, 'desk-receipt')
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download the receipt' }).click(),
  ])
  const receipt = (await saved.path()) ?? ''
  const { receipt: text } = JSON.parse(await readFile(receipt, 'utf8'))
  assert.equal(saved.suggestedFilename(), `receipt-${JSON.parse(text).erasure_id}.json`)
  const folder = testFolder(t)
  await copyFile(receipt, join(folder, 'receipt.json'))
  await writeFile(join(folder, 'key.json'), JSON.stringify((await keepsake.client.get('/api/erasure/key/')).body))
  const told = await runCommand(keepsake, folder, ['verify', 'receipt', 'receipt.json', '--key', 'key.json'])
  assert.match(told.out, /^ok {2}erasure [\w-]+, Done/)
  await scan(page, 'ada@example.com')
  await page.getByText('Nobody goes by that').waitFor()
  assert.deepEqual(broken, [])
  await context.close()
})
