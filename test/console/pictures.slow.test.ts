// Pictures and videos in the console: what no browser shows is drawn by the service, everything in its own shape, and large on a press.
import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import sharp from 'sharp'
import { type Keepsake, single } from '../support/keepsake.ts'
import { clip, withFfmpeg } from '../support/videos.ts'
import {
  accessible,
  type Browser,
  becomes,
  fits,
  inPage,
  skip as noBrowser,
  type Page,
  signedIn,
  withConsole,
} from './browser.ts'

const skip = noBrowser
let keepsake: Keepsake
let browser: Browser

/** No browser shows a TIFF. */
const tiff = () =>
  sharp({ create: { width: 600, height: 900, channels: 3, background: '#b03060' } })
    .tiff()
    .toBuffer()

const root = mkdtempSync(join(tmpdir(), 'keepsake-pictures-'))
after(() => rm(root, { recursive: true, force: true }))

const configure = async (started: { keepsake: Keepsake; browser: Browser }) => {
  ;({ keepsake, browser } = started)
  // A destination hands on the file as it came.
  await keepsake.configure(single('as tiff', 'local_file', { folder: 'kept' }))
  await keepsake.configure(single('as png', 'photo_convert', { format: 'png' }))
  await keepsake.configure(single('as jpeg', 'photo_convert', { format: 'jpeg' }))
}
withConsole(configure, skip, { settings: { localRoot: root } })

const blob = (bytes: Buffer) => new Blob([new Uint8Array(bytes)])

async function made(path: '/api/task/' | '/api/taskgroup/', parts: Record<string, string | Blob>): Promise<string> {
  const { status, body } = await keepsake.send(path, parts)
  assert.equal(status, 202, JSON.stringify(body))
  const ended = await keepsake.ended(`${path}${body.task_id}/`)
  assert.equal(ended.status, 'Succeeded', JSON.stringify(ended))
  return body.task_id
}

const image = (label: string) => `[...document.images].find(({ alt }) => alt === ${JSON.stringify(label)})`
const shown = (page: Page, label: string) => becomes(page, `${image(label)}?.naturalWidth > 0`)

test('a picture that no browser shows is drawn by the service: on a task, a group, while it is made and tried', {
  skip,
}, async () => {
  const { page, context, broken } = await signedIn(browser, keepsake)
  await page.goto(`/tasks/${await made('/api/task/', { configuration_name: 'as tiff', data: blob(await tiff()) })}`)
  await shown(page, 'The file that was sent in')
  await shown(page, 'What as tiff made')
  assert.deepEqual(
    await inPage(
      page,
      `(({ naturalWidth, naturalHeight }) => [naturalWidth, naturalHeight])(${image('What as tiff made')})`,
    ),
    [427, 640],
  )

  const group = { configuration_names: '["as tiff"]', 'as tiff_data': blob(await tiff()) }
  await page.goto(`/groups/${await made('/api/taskgroup/', group)}`)
  await shown(page, 'What as tiff made')

  // A browser often knows no type of such a file.
  const file = { name: 'photo.heic', mimeType: '', buffer: await tiff() }
  await page.goto('/start')
  await page.getByLabel(/Drop a photo here/).setInputFiles(file)
  await shown(page, 'Before')
  await shown(page, 'After')
  await page.goto('/configurations/open?name=as%20png')
  await page.getByLabel('Drop a file here').setInputFiles({ ...file, mimeType: 'image/heic' })
  await shown(page, 'Before')
  await shown(page, 'After')
  assert.equal(await page.getByText('no longer kept').count(), 0)
  assert.deepEqual(broken, [])
  await context.close()
})

test('only a file that is gone is called gone; of others is said why they are not shown', { skip }, async () => {
  const { page, context } = await signedIn(browser, keepsake)
  const id = await made('/api/task/', { configuration_name: 'as jpeg', data: blob(await tiff()) })
  await page.route('**/thumbnail/**', route => route.fulfill({ status: 404, body: '{}' }))
  await page.goto(`/tasks/${id}`)
  await page.getByText('Your browser cannot show TIFF files.').waitFor()
  assert.equal((await keepsake.client.post(`/api/task/${id}/retract/`)).status, 200)
  await page.reload()
  await page.getByText('This file is no longer kept').first().waitFor()
  await context.close()
})

test('nothing chequered stands beside an upright picture, and chequers are behind a transparent one', {
  skip,
}, async () => {
  const { page, context } = await signedIn(browser, keepsake)
  const upright = await sharp({ create: { width: 300, height: 1200, channels: 4, background: '#20a06080' } })
    .png()
    .toBuffer()
  for (const [configuration_name, isChequered] of [
    ['as jpeg', false],
    ['as png', true],
  ] as const) {
    await page.goto(`/tasks/${await made('/api/task/', { configuration_name, data: blob(upright) })}`)
    const label = `What ${configuration_name} made`
    await shown(page, label)
    assert.equal(await inPage(page, `${image(label)}.matches('.chequer')`), isChequered)
    assert.equal(await inPage(page, `${image(label)}.closest('figure').querySelectorAll('div.chequer').length`), 0)
  }
  await context.close()
})

test('videos have their own shape, before and while they play', { skip: skip || withFfmpeg.skip }, async () => {
  const { path } = await clip({ seconds: 1 })
  const data = blob(await readFile(path))
  await keepsake.configure(single('upright', 'video_flip', { method: 'ROTATE_90' }))
  const { page, context } = await signedIn(browser, keepsake)
  const group = { configuration_names: '["upright"]', upright_data: data }
  for (const address of [
    `/tasks/${await made('/api/task/', { configuration_name: 'upright', data })}`,
    `/groups/${await made('/api/taskgroup/', group)}`,
  ]) {
    await page.goto(address)
    const video = (label: string) => `document.querySelector('video[aria-label=${JSON.stringify(label)}]')`
    const ratio = (label: string) => `(({ clientWidth, clientHeight }) => clientWidth / clientHeight)(${video(label)})`
    const near = (label: string, wanted: number) =>
      becomes(page, `${video(label)} && Math.abs(${ratio(label)} - ${wanted}) < 0.02`)
    await near('The file that was sent in', 320 / 180)
    await near('What upright made', 180 / 320)
    await inPage(page, `(${video('What upright made')}.muted = true, ${video('What upright made')}.play())`)
    await near('What upright made', 180 / 320)
  }
  await context.close()
})

test('a picture is enlarged by a press or a key, zoomed, and the next one is a key away', { skip }, async () => {
  const { page, context, broken } = await signedIn(browser, keepsake)
  await page.goto(`/tasks/${await made('/api/task/', { configuration_name: 'as tiff', data: blob(await tiff()) })}`)
  await page.getByRole('button', { name: 'Enlarge: The file that was sent in' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'The file that was sent in' })
  await dialog.waitFor()
  await dialog.getByText('1 of 2').waitFor()
  await becomes(page, `document.querySelector('[role=dialog] img').naturalHeight === 900`)
  await accessible(page, 'a picture, enlarged')
  await page.keyboard.press('+')
  await dialog.getByText('150 %').waitFor()
  await page.keyboard.press('0')
  await dialog.getByText('150 %').waitFor({ state: 'detached' })
  await page.keyboard.press('ArrowRight')
  const next = page.getByRole('dialog', { name: 'What as tiff made' })
  await next.getByText('2 of 2').waitFor()
  await page.keyboard.press('ArrowRight')
  await next.getByRole('button', { name: 'Previous: The file that was sent in' }).click()
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await fits(page, 'a task after its picture was enlarged')
  assert.deepEqual(broken, [])
  await context.close()
})

test('a picture that can not be made just now comes by itself', { skip }, async () => {
  const { page, context } = await signedIn(browser, keepsake)
  const asked: string[] = []
  await page.route(/\/thumbnail\//, route => {
    asked.push(route.request().method())
    if (asked.length > 2) return route.continue()
    return route.fulfill({ status: 503, headers: { 'retry-after': '1' } })
  })
  const task = await made('/api/task/', { configuration_name: 'as tiff', data: blob(await tiff()) })
  await page.goto(`/tasks/${task}`)
  await shown(page, 'What as tiff made')
  await shown(page, 'The file that was sent in')
  assert.ok(asked.includes('HEAD'), asked.join(' '))
  await context.close()
})
