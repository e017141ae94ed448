// Videos in the console: a still in the list and before the first press, and then they play.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { type Keepsake, single } from '../support/keepsake.ts'
import { clip, withFfmpeg } from '../support/videos.ts'
import { accessible, type Browser, becomes, inPage, skip as noBrowser, signedIn, withConsole } from './browser.ts'

const skip = noBrowser || withFfmpeg.skip
let keepsake: Keepsake
let browser: Browser

withConsole(async started => {
  ;({ keepsake, browser } = started)
  await keepsake.configure(single('mirror', 'video_flip', { method: 'FLIP_LEFT_RIGHT' }))
}, skip)

test('a video has stills of what came and what was made, and plays where it is shown', { skip }, async () => {
  const { path } = await clip({ seconds: 2 })
  const data = new Blob([new Uint8Array(await readFile(path))])
  const { body } = await keepsake.send('/api/task/', { configuration_name: 'mirror', data })
  const task = await keepsake.ended(`/api/task/${body.task_id}/`)
  assert.equal(task.status, 'Succeeded', JSON.stringify(task.entries))
  const { page, context, broken } = await signedIn(browser, keepsake)
  await page.goto('/tasks')
  await becomes(page, '[...document.images].filter(({ naturalWidth }) => naturalWidth === 160).length === 2')

  await page.getByRole('link', { name: /mirror/ }).click()
  await page.getByLabel('What mirror made').waitFor()
  await page.getByLabel('The file that was sent in').waitFor()
  const stills = await inPage<string[]>(page, '[...document.querySelectorAll("video")].map(({ poster }) => poster)')
  assert.equal(stills.length, 2)
  for (const still of stills) {
    const answer = await context.request.get(still)
    assert.equal(answer.status(), 200, still)
    assert.equal(answer.headers()['content-type'], 'image/jpeg')
  }
  await accessible(page, 'a task with videos')

  const made = 'document.querySelector("video[aria-label=\'What mirror made\']")'
  await becomes(page, `${made}.readyState >= 1 && Math.abs(${made}.duration - 2) < 0.1 && ${made}.videoWidth === 320`)
  await inPage(page, `(${made}.muted = true, ${made}.play())`)
  await becomes(page, `${made}.currentTime > 0.5`)
  assert.equal(await inPage(page, `${made}.error`), null)
  // Somebody looks at a moment near the end: only that part is fetched.
  await inPage(page, `void (${made}.currentTime = 1.8)`)
  await becomes(page, `${made}.ended || ${made}.currentTime >= 1.8`)
  assert.deepEqual(broken, [])
  await context.close()
})
