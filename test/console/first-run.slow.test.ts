// The first minute: start the service as an operator does, open the printed link, make a keepsake.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { start, testFolder } from '../start/keepsake.ts'
import {
  accessible,
  type Browser,
  becomes,
  built,
  inPage,
  launch,
  PATIENCE_MS,
  picture,
  skip,
  watch,
} from './browser.ts'

const KILOBYTE = 1000
let browser: Browser

before(async () => {
  if (skip) return
  await built()
  browser = await launch()
})
after(() => browser?.close())

test('the printed link leads in one click to a first keepsake, and only once', { skip }, async t => {
  const service = start(t, { data: join(testFolder(t), 'data') })
  const url = await service.ready()
  const link = /Sign in\s+(\S+)/.exec(service.said())?.[1] ?? assert.fail('no link was printed')

  const page = await browser.newPage({ viewport: { width: 1360, height: 860 }, reducedMotion: 'reduce' })
  page.setDefaultTimeout(PATIENCE_MS)
  const broken = watch(page)
  await page.goto(link)
  await page.getByRole('heading', { name: 'Make a keepsake' }).waitFor()
  assert.ok(!page.url().includes('code='), 'the code stays out of the address')
  await picture(page, 'start-light')
  await accessible(page, 'the start page')

  await page.getByRole('button', { name: 'Use a sample photo' }).click()
  await page.getByText('A keepsake, made in').waitFor()
  const after = page.getByRole('img', { name: 'After' })
  await after.waitFor()
  await becomes(page, '[...document.images].every(image => image.complete && image.naturalWidth > 0)')
  const [width, height] = await inPage<number[]>(
    page,
    '(image => [image.naturalWidth, image.naturalHeight])(document.querySelector("img[alt=After]"))',
  )
  assert.deepEqual({ width, height }, { width: 1200, height: 1500 })
  await picture(page, 'start-result-light')
  await accessible(page, 'the first result')
  assert.deepEqual(broken, [])

  const second = await browser.newPage()
  second.setDefaultTimeout(PATIENCE_MS)
  await second.goto(link)
  await second.getByText('That link has been used or is too old').waitFor()
  await second.getByLabel('Access token').fill('ks_wrong')
  await second.getByRole('button', { name: 'Sign in' }).click()
  await second.getByText('This token is not valid').waitFor()
  await accessible(second, 'the sign-in page')
  const token = /Admin token\s+(ks_\S+)/.exec(service.said())?.[1] ?? ''
  await second.getByLabel('Access token').fill(token)
  await second.getByRole('button', { name: 'Sign in' }).click()
  await second.getByRole('heading', { name: 'Overview' }).waitFor()
  const storage = await inPage<string>(second, 'JSON.stringify([localStorage, sessionStorage, document.cookie])')
  assert.ok(!storage.includes(token), 'no script can read the token')
  await second.getByRole('button', { name: /^operator/ }).click()
  await second.getByRole('button', { name: 'Sign out' }).click()
  await second.getByLabel('Access token').waitFor()
  assert.ok(url.startsWith('http://127.0.0.1:'))
})

test('the first page weighs under 400 kB gzipped in at most 15 files, all of them ours', { skip }, async t => {
  const service = start(t, { data: join(testFolder(t), 'data') })
  const url = await service.ready()
  const page = await browser.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  const sizes = new Map<string, number>()
  page.on('response', async response => {
    const body = await response.body().catch(() => Buffer.alloc(0))
    const packed = /woff2|image/.test(response.headers()['content-type'] ?? '') ? body.length : gzipSync(body).length
    sizes.set(new URL(response.url()).pathname, packed)
  })
  await page.goto(url)
  await page.getByLabel('Access token').waitFor()
  await page.waitForLoadState('networkidle')
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  t.diagnostic(`the first page: ${Math.round(total / KILOBYTE)} kB in ${sizes.size} files`)
  assert.ok(total < 400 * KILOBYTE, JSON.stringify(Object.fromEntries(sizes)))
  assert.ok(sizes.size <= 15, JSON.stringify([...sizes.keys()]))
  assert.ok(
    [...sizes.keys()].every(path => path.startsWith('/')),
    'nothing from elsewhere',
  )
})
