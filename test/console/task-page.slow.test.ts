// The page of a task: what it was made of and for whom, what happened to it, and what can be done with it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sharp from 'sharp'
import { cleanUp } from '../support/clean-up.ts'
import { type Receiver, startReceiver } from '../support/https-receiver.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { drawnPeople } from '../support/people.ts'
import { until } from '../support/until.ts'
import { accessible, type Browser, becomes, built, fits, inPage, launch, signedIn, skip } from './browser.ts'

let keepsake: Keepsake
let browser: Browser
let receiver: Receiver
let status = 200

const picture = (background: string) =>
  sharp({ create: { width: 300, height: 200, channels: 3, background } })
    .png()
    .toBuffer()
const named = async (name: string, background = '#20a060') =>
  new File([new Uint8Array(await picture(background))], name, { type: 'image/png' })

before(async () => {
  if (skip) return
  await built()
  receiver = await startReceiver({ answer: (_request, response) => void response.writeHead(status).end() })
  keepsake = await startKeepsake()
  browser = await launch()
  const activity_config = { experience_id: 'park', activity_type: 'photo', payload: { object_id: 'gate' } }
  await keepsake.configure(single('turn', 'photo_flip', { method: 'ROTATE_90' }, { activity_config }))
  await keepsake.configure(single('small', 'photo_resize', { height: 50 }))
  const url = `${receiver.url}/post`
  await keepsake.configure(single('deliver', 'http_post', { url, delivery_attempts: 9, delivery_backoff: 600 }))
  const { status: patched } = await keepsake.client.patch('/api/experience/park/', {
    time_zone: 'Asia/Tokyo',
    guest_page: { enabled: true },
  })
  assert.equal(patched, 200)
})
after(() =>
  cleanUp(
    () => browser?.close(),
    () => keepsake?.stop(),
    () => receiver?.stop(),
  ),
)

async function sent(parts: Record<string, string | Blob>, token = keepsake.token): Promise<string> {
  const body = new FormData()
  for (const [name, value] of Object.entries(parts)) body.set(name, value)
  const answer = await fetch(`${keepsake.url}/api/task/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body,
  })
  assert.equal(answer.status, 202, await answer.clone().text())
  return ((await answer.json()) as { task_id: string }).task_id
}

test('the page names the file, the guest, the booth, the time here and at the event, and hands out the link', {
  skip,
}, async () => {
  const guest = await keepsake.client.post('/api/profile/', {
    email: 'mia@example.com',
    experience_id: 'park',
    attributes: { name: 'Mia' },
  })
  const booth = await keepsake.client.post('/api/token/', { name: 'photo booth 7', scopes: ['tasks'] })
  const extras = JSON.stringify({ email: 'mia@example.com' })
  const data = await named('IMG 0815.png')
  const id = await sent({ configuration_name: 'turn', data, extras }, booth.body.token)
  await keepsake.ended(`/api/task/${id}/`)
  const { page, context, broken } = await signedIn(browser, keepsake)
  await page.goto(`/tasks/${id}`)
  const fact = (name: string) =>
    page.locator('dt', { hasText: new RegExp(`^${name}$`) }).locator('xpath=following-sibling::dd[1]')
  await fact('File').getByText('IMG 0815.png').waitFor()
  await fact('File').getByText(`${data.size}`.slice(0, 1)).first().waitFor()
  await fact('Sent by').getByText('photo booth 7').waitFor()
  await fact('Guest').getByRole('link', { name: 'Mia' }).waitFor()
  assert.equal(await fact('Guest').getByRole('link').getAttribute('href'), `/profiles/${guest.body.profile_id}`)
  await fact('Made').getByText('At the event:').getByText('GMT+9').waitFor()
  await accessible(page, 'a task with all its facts')

  await page.getByRole('button', { name: 'Hand out' }).click()
  await page.getByRole('img', { name: 'QR code of the guest’s page' }).waitFor()
  await page.getByRole('button', { name: 'Close' }).click()

  await inPage(
    page,
    'void (window.print = () => { window.printed = document.querySelectorAll(".print-sheet img").length })',
  )
  await page.getByRole('button', { name: 'Print' }).click()
  await becomes(page, 'window.printed === 1')
  assert.deepEqual(broken, [])
  await context.close()

  const phone = await signedIn(browser, keepsake, { width: 390, height: 844 })
  await phone.page.goto(`/tasks/${id}`)
  await phone.page.getByText('photo booth 7').waitFor()
  await fits(phone.page, 'a task on a phone')
  await phone.context.close()
})

test('a task that waits is tried now; after a cancel and a retry the page still tells what failed, and who did what', {
  skip,
}, async () => {
  status = 503
  const id = await sent({ configuration_name: 'deliver', data: await named('first.png') })
  const { page, context, broken } = await signedIn(browser, keepsake)
  await page.goto(`/tasks/${id}`)
  await page.getByRole('button', { name: 'Try now' }).click()
  await page.getByText('It is tried now.').waitFor()
  const past = page.getByRole('list', { name: 'What happened' })
  await past.getByText('2 attempts failed in the same way').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await past.getByText('Cut off').waitFor()
  await past.getByText('Cancelled', { exact: true }).waitFor()
  assert.equal(await past.getByText('in the console').count(), 2, 'the try and the cancel')
  await accessible(page, 'a task with a past')

  status = 200
  const other = await picture('#c02040')
  await page.getByLabel('Replace the file').setInputFiles({ name: 'second.png', mimeType: 'image/png', buffer: other })
  await page.getByRole('button', { name: 'Retry with this file' }).click()
  await page.getByRole('article').getByText('Succeeded').waitFor()
  await past.getByText('2 attempts failed in the same way').waitFor()
  await past.getByText('new_files').waitFor()
  // The picture on screen is the one that was sent instead.
  await page.getByText('second.png').first().waitFor()
  const colour = `(image => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 })
    const context = canvas.getContext('2d')
    context.drawImage(image, 0, 0)
    return context.getImageData(0, 0, 1, 1).data[0]
  })([...document.images].find(({ alt }) => alt === 'The file that was sent in'))`
  await becomes(page, `${colour} === 0xc0`)
  assert.deepEqual(broken, [])
  await context.close()
})

test('a finished task is run as a new one with another configuration; the first stays as it is', { skip }, async () => {
  const id = await sent({ configuration_name: 'turn', data: await named('again.png') })
  await keepsake.ended(`/api/task/${id}/`)
  const { page, context } = await signedIn(browser, keepsake)
  await page.goto(`/tasks/${id}`)
  await page.getByRole('button', { name: 'Run as a new task' }).click()
  await page.getByLabel('Configuration').selectOption('small')
  await accessible(page, 'running as a new task')
  await page.getByRole('button', { name: 'Run it' }).click()
  await page.getByRole('heading', { level: 1, name: 'small' }).waitFor()
  const made = await until('the page is the new task', async () => {
    const found = /tasks\/([0-9a-f-]{36})$/.exec(page.url())?.[1]
    return found !== id && found
  })
  const { body } = await keepsake.client.get(`/api/task/${made}/`)
  assert.equal(body.input.file_name, 'again.png')
  assert.equal((await keepsake.client.get(`/api/task/${id}/`)).body.configuration, 'turn')
  await context.close()
})

test('the faces that an entry found are boxes on the picture that it looked at', { skip }, async () => {
  await keepsake.configure(single('upright', 'photo_crop', { aspect: '3:2', gravity: 'faces' }))
  const places = [
    { left: 380, top: 40, side: 300 },
    { left: 690, top: 60, side: 290 },
  ]
  const people = await drawnPeople(1000, 400, places)
  const data = new File([new Uint8Array(people)], 'pair.png', { type: 'image/png' })
  const id = await sent({ configuration_name: 'upright', data })
  await keepsake.ended(`/api/task/${id}/`)
  const { page, context, broken } = await signedIn(browser, keepsake)
  await page.goto(`/tasks/${id}`)
  await page.getByText('What was done').click()
  await page.getByRole('img', { name: '2 faces' }).waitFor()
  await becomes(page, 'document.querySelectorAll("svg[aria-label=\\"2 faces\\"] rect").length === 2')
  const isDrawn =
    'new Promise(done => { const image = new Image(); image.onload = () => done(image.naturalWidth > 0); image.onerror = () => done(false); image.src = document.querySelector("svg[aria-label=\\"2 faces\\"] image").href.baseVal })'
  assert.equal(await inPage(page, isDrawn), true)
  const width = 'document.querySelector("svg[aria-label=\\"2 faces\\"]").getBoundingClientRect().width'
  assert.ok((await inPage<number>(page, width)) > 200)
  await accessible(page, 'faces')
  await fits(page, 'faces')
  assert.deepEqual(broken, [])
  await context.close()
})
