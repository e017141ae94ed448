// The wall in a real browser, and the page of the console where somebody decides what is on it.
import assert from 'node:assert/strict'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { cleanUp } from '../support/clean-up.ts'
import type { Answer } from '../support/client.ts'
import { statusOf } from '../support/client.ts'
import { freePort } from '../support/free-port.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { rawSharp, scene } from '../support/pictures.ts'
import { until } from '../support/until.ts'
import { clip } from '../support/videos.ts'
import {
  accessible,
  type Browser,
  becomes,
  built,
  fits,
  inPage,
  launch,
  PATIENCE_MS,
  type Page,
  picture,
  signedIn,
  skip,
  takesPictures,
  watch,
} from './browser.ts'

const pictures = fileURLToPath(new URL('../../docs/images/guests', import.meta.url))
const SHAPES = [
  [1200, 800],
  [800, 1200],
  [1000, 1000],
  [1600, 900],
  [900, 1200],
  [1200, 800],
  [1500, 1000],
] as const
let keepsake: Keepsake
let browser: Browser
let photos: Blob[]

before(async () => {
  if (skip) return
  await built()
  const port = await freePort()
  keepsake = await startKeepsake({ settings: { port, publicUrl: `http://127.0.0.1:${port}` } })
  browser = await launch()
  photos = await Promise.all(
    SHAPES.map(async ([width, height], at) => {
      const jpeg = rawSharp(scene(width, height))
        .modulate({ hue: at * 47 })
        .jpeg()
      return new Blob([new Uint8Array(await jpeg.toBuffer())])
    }),
  )
  for (const [experience_id, approval] of [
    ['expo', 'none'],
    ['gala', 'required'],
  ] as const) {
    await keepsake.configure(
      single(`flip ${experience_id}`, 'photo_flip', { method: 'FLIP_LEFT_RIGHT' }, { experience_id }),
    )
    const corner = { wall_url: 'https://example.com/expo', wall_text: 'Take yours at the booth in hall 3' }
    const guest_page = { enabled: true, title: 'Expo 2026', color: '#0a6e5c', approval, ...corner }
    const { status, body } = await keepsake.client.patch(`/api/experience/${experience_id}/`, { guest_page })
    assert.equal(status, 200, JSON.stringify(body))
  }
})
after(() =>
  cleanUp(
    () => browser?.close(),
    () => keepsake?.stop(),
  ),
)

async function made(experience: string, at: number): Promise<string> {
  const parts = { configuration_name: `flip ${experience}`, data: photos[at % photos.length] as Blob }
  const { body } = await keepsake.send('/api/task/', parts)
  await keepsake.ended(`/api/task/${body.task_id}/`)
  return body.keepsake_id
}

const wallOf = async (experience: string): Promise<string> =>
  (await keepsake.client.post(`/api/experience/${experience}/wall-key/`, {})).body.url
const hide = (id: string) => keepsake.client.post(`/api/keepsake/${id}/hide/`, {})
const shown = '[...document.querySelectorAll(".scene.here figure")].length'

async function pictured(page: Page, name: string, width: number): Promise<void> {
  if (!takesPictures) return
  await mkdir(pictures, { recursive: true })
  await sharp(await page.screenshot())
    .resize({ width, withoutEnlargement: true })
    .png({ palette: true, quality: 90, effort: 8 })
    .toFile(join(pictures, `${name}.png`))
}

test('pictures come to the wall and leave it without a reload', { skip }, async () => {
  const page = await browser.newPage({ viewport: { width: 1920, height: 1080 } })
  page.setDefaultTimeout(PATIENCE_MS)
  const broken = watch(page)
  let loads = 0
  page.on('load', () => loads++)
  await page.goto(await wallOf('expo'))
  await page.getByText('The first pictures will appear here').waitFor()
  await accessible(page, 'an empty wall')
  await fits(page, 'an empty wall')
  await pictured(page, 'wall-empty', 900)
  const first = await made('expo', 0)
  await becomes(page, `${shown} === 1`)
  await becomes(page, 'document.querySelector(".scene.here img").naturalWidth > 300')
  assert.equal(await page.getByText('The first pictures').isVisible(), false)
  const ids: string[] = []
  for (let at = 1; at < 5; at++) ids.push(await made('expo', at))
  await becomes(page, `${shown} === 5`)
  const cut = `[...document.querySelectorAll("figure img")].filter(({ naturalWidth: w, naturalHeight: h, clientWidth: x, clientHeight: y }) => Math.abs(w / h - x / y) > 0.02).length`
  await until('each has its own shape', async () => (await inPage<number>(page, cut)) === 0)
  const outside = `[...document.querySelectorAll(".scene.here figure")].filter(figure => { const { left, top, right, bottom } = figure.getBoundingClientRect(); return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight }).length`
  assert.equal(await inPage(page, outside), 0, 'nothing is cut off by the screen')
  await accessible(page, 'a full wall')
  // It leaves at once: the scene that is seen stays, no next one is waited for.
  await inPage(page, 'void (document.querySelector(".scene.here").isMarked = true)')
  await hide(first)
  await becomes(page, `${shown} === 4`)
  assert.equal(await inPage(page, 'document.querySelector(".scene.here").isMarked'), true)
  for (const id of ids) await hide(id)
  await page.getByText('The first pictures will appear here').waitFor()
  assert.equal(loads, 1)
  assert.deepEqual(broken, [])
  await page.close()
})

test('a wall goes on after a cut, with the state of then, and a page that is opened meanwhile comes back', {
  skip,
}, async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, reducedMotion: 'reduce' })
  context.setDefaultTimeout(PATIENCE_MS)
  const page = await context.newPage()
  const [gone] = [await made('expo', 1), await made('expo', 2)]
  await page.goto(await wallOf('expo'))
  await becomes(page, `${shown} === 2`)
  await becomes(page, 'navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller !== null)')
  await context.setOffline(true)
  await hide(gone)
  await made('expo', 3)
  const late = await context.newPage()
  await late.goto(page.url()).catch(() => {})
  await late.getByText('The wall comes back by itself').waitFor()
  await context.setOffline(false)
  await late.locator('.scene.here figure').first().waitFor()
  await becomes(page, `${shown} === 2`)
  await context.close()
})

test('a wall fits every screen, and its key can be revoked', { skip }, async () => {
  for (let at = 0; at < 7; at++) await made('expo', at)
  for (const [name, width, height, kept] of [
    ['wall-phone', 390, 844, 390],
    ['wall-1080p', 1920, 1080, 1100],
    ['wall-4k', 3840, 2160, 1100],
  ] as const) {
    const page = await browser.newPage({ viewport: { width, height }, reducedMotion: 'reduce' })
    page.setDefaultTimeout(PATIENCE_MS)
    const broken = watch(page)
    const url = await wallOf('expo')
    await page.goto(url)
    await becomes(page, `${shown} >= 3`)
    await accessible(page, name)
    await fits(page, name)
    await pictured(page, name, kept)
    assert.deepEqual(broken, [], name)
    if (name === 'wall-phone') {
      await keepsake.client.delete('/api/experience/expo/wall-key/')
      await page.getByText('There is no wall here').waitFor()
      await accessible(page, 'a closed wall')
    }
    await page.close()
  }
})

const stateOf = async (id: string) => (await keepsake.client.get(`/api/keepsake/${id}/`)).body.wall.state

test('somebody decides with keys, and takes it back', { skip }, async () => {
  const ids: string[] = []
  for (let at = 0; at < 4; at++) ids.push(await made('gala', at))
  const { page, context, broken } = await signedIn(browser, keepsake)
  await page.goto('/walls?experience=gala')
  const cards = page.locator('li[data-keepsake]')
  await until('all wait', async () => (await cards.count()) === 4)
  await accessible(page, 'the queue')
  await picture(page, 'wall-light')
  await page.mouse.move(2, 2)
  const chosen = () => page.locator('li[aria-current=true]').getAttribute('data-keepsake')
  assert.equal(await chosen(), ids[3], 'the newest is first')
  await page.keyboard.press('j')
  await until('the next is chosen', async () => (await chosen()) === ids[2])
  await page.keyboard.press('ArrowLeft')
  await until('the one before is chosen', async () => (await chosen()) === ids[3])
  await page.keyboard.press('a')
  await until('it is approved', async () => (await stateOf(ids[3] as string)) === 'approved')
  await until('three are left', async () => (await cards.count()) === 3)
  // The hand is quicker than the service: what is taken back is the last decision all the same.
  await page.route('**/hide/', async route => {
    await sleep(500)
    await route.continue()
  })
  const decided = [page.waitForResponse('**/hide/'), page.waitForResponse('**/wait/')]
  await page.keyboard.press('h')
  await page.keyboard.press('u')
  await Promise.all(decided)
  assert.equal(await stateOf(ids[2] as string), 'waiting')
  assert.equal(await stateOf(ids[3] as string), 'approved')
  await until('it waits again', async () => (await cards.count()) === 3)
  await page.getByRole('button', { name: 'Undo' }).click()
  await until('and the one before', async () => (await stateOf(ids[3] as string)) === 'waiting')
  await until('four wait again', async () => (await cards.count()) === 4)
  const more = await made('gala', 5)
  await page.locator(`li[data-keepsake="${more}"]`).waitFor()
  await page.getByRole('button', { name: 'Open a wall' }).click()
  const link = page.getByRole('link', { name: 'Open it here' })
  const opened = (await link.getAttribute('href')) ?? ''
  assert.equal(await statusOf(opened), 200)
  await accessible(page, 'the address of a new wall')
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await page.getByRole('button', { name: 'Close the wall' }).click()
  await page.getByRole('button', { name: 'Revoke the keys' }).click()
  await until('the key is revoked', async () => (await statusOf(opened)) === 404)
  assert.deepEqual(broken, [])
  await context.close()
})

/** As a finger does it. */
const swipe = (page: Page, id: string, far: number): Promise<void> =>
  inPage(
    page,
    `(() => {
      const card = document.querySelector('li[data-keepsake="${id}"]')
      const { left, top, width } = card.getBoundingClientRect()
      const at = (type, x) => card.querySelector('img').dispatchEvent(new PointerEvent(type, { bubbles: true, pointerId: 7, pointerType: 'touch', clientX: left + width / 2 + x, clientY: top + 90 }))
      card.setPointerCapture = () => {}
      at('pointerdown', 0)
      return (async () => {
        for (let step = 1; step <= 5; step++) {
          at('pointermove', (${far} * step) / 5)
          await new Promise(resolve => requestAnimationFrame(resolve))
        }
        at('pointerup', ${far})
      })()
    })()`,
  )

test('on a phone somebody swipes: right approves, left hides, a little does nothing', { skip }, async () => {
  const { items } = (await keepsake.client.get('/api/keepsake/?experience_id=gala&wall=waiting')).body
  const [one, other, third] = items.map((each: Answer['body']) => each.keepsake_id)
  const { page, context, broken } = await signedIn(browser, keepsake, { width: 360, height: 780, dark: true })
  await page.goto('/walls?experience=gala')
  await page.locator(`li[data-keepsake="${one}"] img`).waitFor()
  await fits(page, 'the queue on a phone')
  await accessible(page, 'the queue on a phone, dark')
  await picture(page, 'wall-phone-dark')
  await swipe(page, one, 140)
  await until('it is approved', async () => (await stateOf(one)) === 'approved')
  await swipe(page, other, -140)
  await until('it is hidden', async () => (await stateOf(other)) === 'hidden')
  await swipe(page, third, 60)
  assert.equal(await stateOf(third), 'waiting')
  await page.getByRole('button', { name: 'Hidden' }).click()
  await page.locator(`li[data-keepsake="${other}"]`).getByRole('button', { name: 'Approve' }).click()
  await until('it is on the wall after all', async () => (await stateOf(other)) === 'approved')
  assert.deepEqual(broken, [])
  await context.close()
  const dark = await signedIn(browser, keepsake, { dark: true })
  await dark.page.goto('/walls?experience=gala&state=approved')
  await dark.page.locator('li[data-keepsake] img').first().waitFor()
  await accessible(dark.page, 'the queue, dark')
  await picture(dark.page, 'wall-dark')
  await dark.context.close()
})

test('a wall from right to left has its logo, its words, and plays a video', { skip }, async () => {
  const file = new Blob([new Uint8Array(await logo())])
  assert.equal((await keepsake.send('/api/asset/', { name: 'lamp.png', experience_id: 'souq', file })).status, 201)
  await keepsake.configure(single('flip souq', 'photo_flip', { method: 'FLIP_LEFT_RIGHT' }, { experience_id: 'souq' }))
  await keepsake.configure(single('play souq', 'video_flip', { method: 'FLIP_LEFT_RIGHT' }, { experience_id: 'souq' }))
  const guest_page = {
    enabled: true,
    language: 'ar',
    approval: 'none',
    title: 'سوق الصيف',
    logo_file_name: 'lamp.png',
    color: '#b5651d',
    wall_url: 'https://example.com/souq',
    wall_text: 'التقط صورتك عند الكشك',
  }
  const saved = await keepsake.client.patch('/api/experience/souq/', { guest_page })
  assert.equal(saved.status, 200, JSON.stringify(saved.body))
  for (let at = 0; at < 3; at++) await made('souq', at)
  const { path } = await clip({ seconds: 2, size: '640x360' })
  const data = new Blob([new Uint8Array(await readFile(path))])
  const { body } = await keepsake.send('/api/task/', { configuration_name: 'play souq', data })
  assert.equal((await keepsake.ended(`/api/task/${body.task_id}/`)).status, 'Succeeded')

  for (const [name, viewport] of [
    ['wall-right-to-left', { width: 1920, height: 1080 }],
    ['wall-right-to-left-phone', { width: 390, height: 844 }],
  ] as const) {
    const page = await browser.newPage({ viewport })
    page.setDefaultTimeout(PATIENCE_MS)
    const broken = watch(page)
    await page.goto(await wallOf('souq'))
    await page.locator('.scene.here video').waitFor()
    await becomes(page, 'document.querySelector(".scene.here video").currentTime > 0.2')
    assert.equal(await inPage(page, 'document.documentElement.dir'), 'rtl')
    assert.equal(await inPage(page, 'document.querySelector("header img").naturalWidth'), 300)
    // The corner is at the end of a line, which is on the left, and no picture lies under it.
    const under = `(() => {
      const corner = document.querySelector('#corner').getBoundingClientRect()
      const overlaps = figure => {
        const box = figure.getBoundingClientRect()
        return box.left < corner.right - 1 && corner.left < box.right - 1 && box.top < corner.bottom - 1 && corner.top < box.bottom - 1
      }
      return [corner.left < innerWidth / 2, [...document.querySelectorAll('.scene.here figure')].filter(overlaps).length]
    })()`
    assert.deepEqual(await inPage(page, under), [true, 0], name)
    await accessible(page, name)
    await fits(page, name)
    assert.deepEqual(broken, [])
    await page.close()
  }
})

const logo = (): Promise<Buffer> =>
  sharp({ create: { width: 300, height: 120, channels: 4, background: '#b5651dff' } })
    .composite([
      { input: Buffer.from('<svg width="300" height="120"><circle cx="150" cy="60" r="44" fill="#fff"/></svg>') },
    ])
    .png()
    .toBuffer()
