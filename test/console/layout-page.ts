// The layout editor as a hand finds it: layers by name, drags, fields, and what is really painted where.
import assert from 'node:assert/strict'
import sharp from 'sharp'
import type { Keepsake } from '../support/keepsake.ts'
import { type Browser, becomes, inPage, type Look, type Page, signedIn } from './browser.ts'

interface Spot {
  x: number
  y: number
}
export interface Painted {
  left: number
  top: number
  right: number
  bottom: number
  /** The middle of all its pixels. */
  middle: Spot
}

export const canvas = { width: 600, height: 400, background: '#ffffff' }

/** Colours that nothing else on the canvas has. */
export const layers = [
  { type: 'photo', name: 'photo', x: 0, y: 0, width: 300, height: 200 },
  { type: 'shape', name: 'red', x: '60%', y: 101, width: 121, height: 80, anchor: 'center', color: '#ff0000' },
  { type: 'shape', name: 'blue', x: 380, y: 230, width: 120, height: 60, color: '#0000ff', rotate: 30 },
  { type: 'text', name: 'words', x: 20, y: 60, width: 200, height: 60, text: '{{name}}', color: '#ff00ff' },
  { type: 'qr', name: 'code', x: 40, y: 240, width: 120, height: 120, data: 'https://example.com' },
]

export async function makeConfiguration(keepsake: Keepsake, name: string, more: object = {}): Promise<void> {
  await keepsake.configure({
    configuration_name: name,
    experience_id: 'park',
    adapter_name: 'photo_compositor',
    adapter_config: { auth: {}, defaults: { canvas, layers, context: { name: 'Ada' }, ...more } },
  })
}

/** A still green photo: where it lies is told from its colour. */
export const greenPhoto = async () => ({
  name: 'green.png',
  mimeType: 'image/png',
  buffer: await sharp({ create: { width: 640, height: 480, channels: 3, background: '#00ff00' } })
    .png()
    .toBuffer(),
})

export async function openLayout(browser: Browser, keepsake: Keepsake, name: string, look: Look = {}) {
  const { page, context, broken } = await signedIn(browser, keepsake, look)
  await page.addInitScript(noteExtras)
  await page.goto(`/configurations/open?name=${name}`)
  await page.getByText('As the service makes it').waitFor()
  return { page, broken, context, ...handsOn(page) }
}

export function handsOn(page: Page) {
  const list = page.getByRole('list', { name: 'Layers, the front one first' })
  const row = (name: string) => list.getByRole('button', { name, exact: true })
  const layer = (name: string) => page.getByRole('button', { name: new RegExp(`^Layer ${name}\\.`) })
  const middle = async (name: string): Promise<Spot> => {
    const box = (await layer(name).boundingBox()) ?? assert.fail(`${name} is not on the canvas`)
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  }
  const grip = async (which: string): Promise<Spot> => {
    const box = (await page.locator(`[data-grip=${which}]`).boundingBox()) ?? assert.fail(`no grip ${which}`)
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  }
  /** Stops before the pointer is let go when `hold` is set. */
  const drag = async (from: Spot, by: Spot, hold = false) => {
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(from.x + by.x / 2, from.y + by.y / 2, { steps: 3 })
    await page.mouse.move(from.x + by.x, from.y + by.y, { steps: 3 })
    if (!hold) await page.mouse.up()
  }
  const field = (name: string) => page.getByRole('textbox', { name, exact: true })
  const place = async (): Promise<Record<'x' | 'y' | 'width' | 'height', string>> => ({
    x: await field('x').inputValue(),
    y: await field('y').inputValue(),
    width: await field('width').inputValue(),
    height: await field('height').inputValue(),
  })
  const selected = (): Promise<string[]> => list.locator('button[aria-pressed=true] span[dir]').allInnerTexts()
  /** Front first. */
  const order = (): Promise<string[]> => list.locator('button span[dir]').allInnerTexts()
  const exact = () => page.getByText('As the service makes it').waitFor()
  const save = async () => {
    const answered = page.waitForResponse(answer => /^P(UT|ATCH)$/.test(answer.request().method()))
    await page.getByRole('button', { name: 'Save' }).click()
    assert.equal((await answered).status(), 200)
    await page
      .getByText(/” is saved\.$/)
      .first()
      .waitFor()
    await exact()
  }
  return { list, row, layer, middle, grip, drag, field, place, selected, order, exact, save }
}

const colours: Record<string, (r: number, g: number, b: number) => boolean> = {
  red: (r, g, b) => r > 190 && g < 90 && b < 90,
  green: (r, g, b) => g > 190 && r < 90 && b < 90,
  blue: (r, g, b) => b > 190 && r < 90 && g < 90,
  magenta: (r, g, b) => r > 150 && b > 150 && g < 110,
}

/** Where each colour lies on the stage, in pixels of the screen. */
export async function painted(page: Page): Promise<Record<string, Painted>> {
  const shot = await page.locator('[data-stage]').screenshot()
  const { data, info } = await sharp(shot).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const found: Record<string, Painted & { count: number }> = {}
  for (let at = 0; at < data.length; at += 3) {
    const [x, y] = [(at / 3) % info.width, Math.floor(at / 3 / info.width)]
    for (const [name, isIt] of Object.entries(colours)) {
      if (!isIt(data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0)) continue
      const spot = found[name] ?? { left: x, top: y, right: x, bottom: y, middle: { x: 0, y: 0 }, count: 0 }
      found[name] = spot
      spot.left = Math.min(spot.left, x)
      spot.right = Math.max(spot.right, x)
      spot.bottom = y
      spot.count++
      spot.middle = {
        x: spot.middle.x + (x - spot.middle.x) / spot.count,
        y: spot.middle.y + (y - spot.middle.y) / spot.count,
      }
    }
  }
  return found
}

/** Within a pixel: the middle always, the edges of what is upright. The tips of a turned one are lost to JPEG. */
export function assertClose(actual: Painted | undefined, wanted: Painted | undefined, what: string): void {
  assert.ok(actual && wanted, `${what} is not painted`)
  const off = (name: string, a: number, b: number) =>
    assert.ok(Math.abs(a - b) <= 1, `${what}: ${name} is at ${a.toFixed(1)}, not at ${b.toFixed(1)}`)
  off('its middle', actual.middle.x, wanted.middle.x)
  off('its middle', actual.middle.y, wanted.middle.y)
  if (what.startsWith('blue')) return
  for (const side of ['left', 'top', 'right', 'bottom'] as const) off(side, actual[side], wanted[side])
}

/** Shows what this page draws by itself, without the picture of the service. */
export const showLocal = (page: Page): Promise<unknown> =>
  inPage(
    page,
    `(() => {
      document.querySelector('[data-stage] > img').style.visibility = 'hidden'
      document.querySelector('[data-local]').style.visibility = 'visible'
    })()`,
  )

/** Notes the extras of every picture that is asked for: a request with a file in it can't be read from outside. */
const noteExtras = `
  window.sentExtras = []
  const send = window.fetch
  window.fetch = (path, init) => {
    if (init?.body instanceof FormData) window.sentExtras.push(String(init.body.get('extras')))
    return send(path, init)
  }`

/** Waits until a picture was asked for whose extras hold all of these words and none of those. */
export const asked = (page: Page, words: string[], without: string[] = []): Promise<true> =>
  becomes(
    page,
    `window.sentExtras.some(sent => ${JSON.stringify(words)}.every(word => sent.includes(word)) && !${JSON.stringify(without)}.some(word => sent.includes(word)))`,
  )
