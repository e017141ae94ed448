// Guests, callbacks and tokens in the console: all that was made for a guest, in few requests, and names as they are written.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { type Keepsake, single } from '../support/keepsake.ts'
import { accessible, type Browser, becomes, inPage, signedIn, skip, withConsole } from './browser.ts'

let keepsake: Keepsake
let browser: Browser
const HEBREW = 'אורי בן־דוד, שם ארוך מאוד שאינו נכנס בשורה אחת של מסך קטן'
const activity_config = { experience_id: 'park', activity_type: 'photo', payload: { object_id: 'gate' } }

withConsole(async started => {
  ;({ keepsake, browser } = started)
  await keepsake.configure(single('turn', 'photo_flip', { method: 'ROTATE_90' }, { activity_config }))
  await keepsake.configure(
    single('posted', 'photo_flip', { method: 'ROTATE_90' }, { webhook_url: 'https://127.0.0.1:9/hook' }),
  )
})

const data = async () =>
  new Blob([
    new Uint8Array(
      await sharp({ create: { width: 60, height: 40, channels: 3, background: '#20a060' } })
        .png()
        .toBuffer(),
    ),
  ])

async function made(path: string, parts: Record<string, string | Blob>): Promise<string> {
  const { status, body } = await keepsake.send(path, parts)
  assert.equal(status, 202, JSON.stringify(body))
  await keepsake.ended(`${path}${body.task_id}/`)
  return body.task_id
}

test('a guest has all that was made for them, counted whole and read in few requests with small pictures', {
  skip,
}, async () => {
  const attributes = { name: HEBREW }
  const guest = await keepsake.client.post('/api/profile/', {
    email: 'uri@example.com',
    experience_id: 'park',
    attributes,
  })
  const extras = JSON.stringify({ email: 'uri@example.com' })
  const photo = await data()
  for (let count = 0; count < 22; count++) await made('/api/task/', { configuration_name: 'turn', data: photo, extras })
  await made('/api/taskgroup/', { configuration_names: '["turn"]', turn_data: photo, turn_extras: extras })
  const { page, context, broken } = await signedIn(browser, keepsake)
  const asked: string[] = []
  page.on('request', request => asked.push(new URL(request.url()).pathname))
  await page.goto(`/profiles/${guest.body.profile_id}`)
  await page.getByText('23 tasks').waitFor()
  await becomes(
    page,
    '[...document.images].filter(({ alt, naturalWidth }) => /^Keepsake/.test(alt) && naturalWidth > 0).length >= 12',
  )
  assert.equal(asked.filter(path => /^\/api\/(task|taskgroup)\/[0-9a-f-]+\/$/.test(path)).length, 0, 'no task alone')
  assert.equal(asked.filter(path => path.includes('/output/')).length, 0, 'no file at its full size')
  await page.getByRole('button', { name: 'Enlarge: Keepsake: photo' }).first().click()
  await page.getByRole('dialog').getByText('of 23').waitFor()
  await page.keyboard.press('Escape')
  assert.equal(await inPage(page, `getComputedStyle(document.querySelector('h1')).direction`), 'rtl')
  await accessible(page, 'a guest with many keepsakes')

  await page.goto('/tasks')
  await page.getByRole('searchbox').first().fill('uri@example.com')
  await page.getByText('23 tasks').waitFor()
  await context.close()

  // What can't be read is not called gone.
  const second = await signedIn(browser, keepsake)
  await second.page.route('**/api/task/?profile_id=**', route =>
    route.fulfill({ status: 503, contentType: 'application/json', body: '{"detail": "The database is away."}' }),
  )
  await second.page.goto(`/profiles/${guest.body.profile_id}`)
  await second.page.getByText('The database is away.').first().waitFor()
  assert.equal(await second.page.getByText('no longer kept').count(), 0)

  await second.page.setViewportSize({ width: 390, height: 844 })
  await second.page.goto('/profiles')
  const name = second.page.getByText(HEBREW)
  await name.waitFor()
  const cut = `[...document.querySelectorAll('.truncate')].find(({ textContent }) => textContent.includes(${JSON.stringify(HEBREW)}))`
  assert.equal(await inPage(second.page, `getComputedStyle(${cut}).direction`), 'rtl', 'cut at the left end')
  assert.deepEqual(broken, [])
  await second.context.close()
})

test('a callback says of which configuration and guest it is; a copy button is named by what it copies', {
  skip,
}, async () => {
  const extras = JSON.stringify({ qr_code: ['A-77'] })
  const id = await made('/api/task/', { configuration_name: 'posted', data: await data(), extras })
  const { items } = (await keepsake.client.get(`/api/callback/?task_id=${id}`)).body
  assert.deepEqual([items[0].configurations, items[0].guest], [['posted'], 'A-77'])
  const { page, context } = await signedIn(browser, keepsake)
  await page.goto('/callbacks')
  const row = page.getByRole('listitem').filter({ hasText: 'A-77' })
  await row.getByText('posted', { exact: true }).waitFor()
  await accessible(page, 'callbacks with their tasks')
  await page.goto(`/tasks/${id}`)
  await page.getByRole('button', { name: 'Copy: Extras' }).waitFor()
  await context.close()
})

test('a new token stays on screen until somebody says that they have it', { skip }, async () => {
  const { page, context } = await signedIn(browser, keepsake)
  await page.goto('/tokens')
  await page.getByRole('button', { name: 'New token' }).first().click()
  await page.getByLabel('Name').fill('booth')
  await page.getByRole('button', { name: 'Make the token' }).click()
  const dialog = page.getByRole('dialog', { name: 'Copy it now' })
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  await dialog.getByText(/^ks_/).waitFor()
  await accessible(page, 'a new token')
  await dialog.getByRole('button', { name: 'I have kept it' }).click()
  await dialog.waitFor({ state: 'detached' })
  await context.close()
})
