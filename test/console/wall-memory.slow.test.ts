// A wall that runs for days frees what it drew, also pictures that could not be loaded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newSampler } from '../../scripts/soak/samples.ts'
import { freePort } from '../support/free-port.ts'
import { type Keepsake, single } from '../support/keepsake.ts'
import { rawSharp, scene } from '../support/pictures.ts'
import { until } from '../support/until.ts'
import { type Browser, becomes, PATIENCE_MS, skip, withConsole } from './browser.ts'

let keepsake: Keepsake
let browser: Browser

const port = await freePort()

withConsole(
  async started => {
    ;({ keepsake, browser } = started)
    await keepsake.configure(single('turn', 'photo_flip', { method: 'ROTATE_180' }))
    const saved = await keepsake.client.patch('/api/experience/park/', {
      guest_page: { enabled: true, approval: 'none' },
    })
    assert.equal(saved.status, 200, JSON.stringify(saved.body))
    const jpeg = await rawSharp(scene(900, 600)).jpeg().toBuffer()
    for (let n = 0; n < 8; n++) {
      const data = new Blob([new Uint8Array(jpeg)])
      const { body } = await keepsake.send('/api/task/', { configuration_name: 'turn', data })
      await keepsake.ended(`/api/task/${body.task_id}/`)
    }
  },
  skip,
  { settings: { port, publicUrl: `http://127.0.0.1:${port}` } },
)

test('pictures that the network loses are not held on to', { skip }, async () => {
  const { url } = (await keepsake.client.post('/api/experience/park/wall-key/', {})).body
  const page = await browser.newPage({ viewport: { width: 1600, height: 900 } })
  page.setDefaultTimeout(PATIENCE_MS)
  await page.goto(url)
  await becomes(page, 'document.querySelectorAll(".scene.here figure").length >= 3')
  const look = await newSampler(page)
  const before = await look()
  // The wall tries again every few seconds with other pictures.
  let lost = 0
  await page.route('**/file/**', route => {
    lost++
    return route.abort()
  })
  await until('thirty pictures are lost', () => lost >= 30)
  const after = await look()
  // A picture that is held on to is seven nodes.
  assert.ok(after.nodes - before.nodes < 100, `${before.nodes} nodes became ${after.nodes}`)
  await page.unroute('**/file/**')
  await becomes(page, 'document.querySelectorAll(".scene.here figure").length >= 3')
  await page.close()
})
