// The page of a guest in a real browser: before and after the end, without scripts, in several looks.
import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { openDatabase } from '#db/database.ts'
import { newLog } from '#kit/log.ts'
import { cleanUp } from '../support/clean-up.ts'
import { freePort } from '../support/free-port.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { rawSharp, scene } from '../support/pictures.ts'
import { accessible, becomes, fits, inPage, launch, PATIENCE_MS, skip, takesPictures, watch } from './browser.ts'

const pictures = fileURLToPath(new URL('../../docs/images/guests', import.meta.url))
let keepsake: Keepsake
let browser: Browser
let photo: Blob

/** Three experiences, each with its own look. */
const looks = {
  expo: { title: 'Expo 2026', text: 'Thank you for riding the Silver Comet!', color: '#0a6e5c' },
  stadion: { title: 'Südkurve', text: 'Dein Moment im Stadion.', language: 'de', color: '#c8102e' },
  souq: { title: 'سوق الليل', text: 'شكرًا لزيارتكم', language: 'ar', color: '#f2b705', share: false },
}

before(async () => {
  if (skip) return
  const port = await freePort()
  keepsake = await startKeepsake({ settings: { port, publicUrl: `http://127.0.0.1:${port}` } })
  browser = await launch()
  photo = new Blob([new Uint8Array(await rawSharp(scene(1200, 800)).jpeg().toBuffer())])
  for (const [experience_id, look] of Object.entries(looks)) {
    await keepsake.configure(
      single(`flip ${experience_id}`, 'photo_flip', { method: 'FLIP_LEFT_RIGHT' }, { experience_id }),
    )
    const guest_page = { enabled: true, ...look }
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

const reserved = async (experience_id: string) => (await keepsake.client.post('/api/keepsake/', { experience_id })).body
const made = async (experience: string, code: string) => {
  const parts = { configuration_name: `flip ${experience}`, data: photo, keepsake: code }
  const { body } = await keepsake.send('/api/task/', parts)
  await keepsake.ended(`/api/task/${body.task_id}/`)
}

test('the page turns into the picture without a reload', { skip }, async () => {
  const { url, code } = await reserved('expo')
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
  page.setDefaultTimeout(PATIENCE_MS)
  const broken = watch(page)
  let loads = 0
  page.on('load', () => loads++)
  await page.goto(url)
  assert.match(await page.locator('main').innerText(), /being made/)
  await accessible(page, 'the page before the media')
  await made('expo', code)
  await page.locator('figure img').waitFor()
  await becomes(page, 'document.querySelector("figure img").naturalWidth > 300')
  assert.equal(loads, 1, 'it was loaded once')
  await page.getByRole('button', { name: 'Copy link' }).waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Save' }).click()
  assert.equal((await download).suggestedFilename(), 'keepsake-1.jpg')
  await made('expo', code)
  await page.locator('figure').nth(1).waitFor()
  assert.equal(await page.locator('figure').first().getAttribute('id'), 'file-1', 'the newest is first')
  assert.deepEqual(broken, [])
  await page.close()
})

test('a picture that can not be made just now comes by itself', { skip }, async () => {
  const { url, code } = await reserved('expo')
  await made('expo', code)
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
  page.setDefaultTimeout(PATIENCE_MS)
  const asked: string[] = []
  await page.route(/\/file\/0\?size=/, route => {
    asked.push(route.request().method())
    if (asked.length > 2) return route.continue()
    return route.fulfill({ status: 503, headers: { 'retry-after': '1' } })
  })
  await page.goto(url)
  await becomes(page, 'document.querySelector("figure img").naturalWidth > 300')
  assert.deepEqual(asked, ['GET', 'HEAD', 'HEAD', 'GET'])
  await page.close()
})

test('without scripts there are the picture and its download', { skip }, async () => {
  const { url, code } = await reserved('expo')
  await made('expo', code)
  const context = await browser.newContext({ javaScriptEnabled: false })
  context.setDefaultTimeout(PATIENCE_MS)
  const page = await context.newPage()
  await page.goto(url)
  await page.locator('figure img').waitFor()
  assert.equal(await page.getByRole('button').count(), 0, 'what needs scripts is not shown')
  assert.match((await page.getByRole('link', { name: 'Save' }).getAttribute('href')) ?? '', /\/file\/0\?save=1$/)
  await context.close()
})

test('it shows all of a visit without scripts, and asks in every look', { skip }, async () => {
  const database = openDatabase(keepsake.databaseUrl, newLog('silent', 'test'), { max: 1 })
  try {
    for (const experience of Object.keys(looks)) {
      const [own, other] = [await reserved(experience), await reserved(experience)]
      const name = { position: 0, kind: 'email' as const, key: 'mia@x.org', value: 'mia@x.org' }
      const names = [own, other].map(({ keepsake_id }) => ({ keepsake_id, ...name }))
      await database.db.insertInto('keepsake_lookups').values(names).execute()
      await made(experience, own.code)
      await made(experience, other.code)
      const javaScriptEnabled = experience !== 'stadion'
      const colorScheme = experience === 'souq' ? 'dark' : 'light'
      const context = await browser.newContext({
        viewport: { width: 390, height: 844 },
        javaScriptEnabled,
        colorScheme,
        reducedMotion: 'reduce',
      })
      const page = await context.newPage()
      page.setDefaultTimeout(PATIENCE_MS)
      await page.goto(own.url)
      const field = page.locator('#visit input')
      await field.waitFor()
      if (javaScriptEnabled) await accessible(page, `the form of ${experience}`)
      await field.fill('nobody@x.org')
      await page.locator('#visit button').click()
      await page.locator('#visit [role=alert]').waitFor()
      if (javaScriptEnabled) await accessible(page, `a wrong try in ${experience}`)
      if (takesPictures) await page.screenshot({ path: join(pictures, `${experience}-ask.png`), fullPage: true })
      await page.locator('#visit input').fill('MIA@x.org')
      await page.locator('#visit button').click()
      await page.locator('#visit li img').waitFor()
      if (javaScriptEnabled) {
        await accessible(page, `the visit in ${experience}`)
        await fits(page, `the visit in ${experience}`)
        await page.reload()
        await page.locator('#visit li img').waitFor()
        if (takesPictures) await page.screenshot({ path: join(pictures, `${experience}-visit.png`), fullPage: true })
      }
      await page.locator('#visit li a').click()
      await page.locator('figure img').waitFor()
      assert.equal(await page.locator('#visit').count(), 0)
      await context.close()
    }
  } finally {
    await database.close()
  }
})

test('it fits and reads well in three experiences, on phones and desktops, light and dark', { skip }, async () => {
  if (takesPictures) await mkdir(pictures, { recursive: true })
  for (const experience of Object.keys(looks)) {
    const { url, code } = await reserved(experience)
    await made(experience, code)
    for (const [device, width, height] of [
      ['phone', 390, 844],
      ['desktop', 1280, 860],
    ] as const)
      for (const colorScheme of ['light', 'dark'] as const) {
        const what = `${experience} on a ${device}, ${colorScheme}`
        const page = await browser.newPage({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' })
        const broken = watch(page)
        await page.goto(url)
        await becomes(page, 'document.querySelector("figure img")?.complete')
        assert.equal(await inPage(page, 'document.dir'), experience === 'souq' ? 'rtl' : 'ltr')
        await accessible(page, what)
        await fits(page, what)
        assert.deepEqual(broken, [], what)
        if (takesPictures) await page.screenshot({ path: join(pictures, `${experience}-${device}-${colorScheme}.png`) })
        await page.close()
      }
  }
})
