// A wall in a real browser for hours: pictures come all the time, the network is cut, the service restarts. npm run soak -- --minutes 60
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { runApi } from '../src/app.ts'
import { inPage, launch } from '../test/console/browser.ts'
import { cleanUp } from '../test/support/clean-up.ts'
import { freePort } from '../test/support/free-port.ts'
import { single, startKeepsake } from '../test/support/keepsake.ts'
import { rawSharp, scene } from '../test/support/pictures.ts'

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' } } })
const minutes = Number(values.minutes)
if (!(minutes > 0)) {
  console.error('--minutes must be a number above 0')
  process.exit(2)
}

const EVERY_MS = 2_000
const SAMPLES = 12
/** How much more the last samples may hold than the first ones. */
const MOST_GROWTH = 1.35
const CUT_MS = Math.min(60_000, (minutes * 60_000) / 15)

interface Sample {
  minute: number
  heap: number
  nodes: number
  listeners: number
  shown: number
  held: number
}

const port = await freePort()
const publicUrl = `http://127.0.0.1:${port}`
const keepsake = await startKeepsake({ settings: { publicUrl } })
const settings = { ...keepsake.settings, port, publicUrl }
let screens = await runApi(settings)
const browser = await launch()
const errors: string[] = []
const samples: Sample[] = []
let sent = 0
try {
  const photos = await Promise.all(
    [0, 1, 2, 3].map(async at => {
      const jpeg = rawSharp(scene(at % 2 ? 900 : 1400, at % 2 ? 1200 : 900)).modulate({ hue: at * 80 })
      return new Blob([new Uint8Array(await jpeg.jpeg().toBuffer())])
    }),
  )
  await keepsake.configure(single('turn', 'photo_flip', { method: 'ROTATE_180' }, { experience_id: 'soak' }))
  await keepsake.client.patch('/api/experience/soak/', { guest_page: { enabled: true, approval: 'none' } })
  const { url } = (await keepsake.client.post('/api/experience/soak/wall-key/', {})).body
  const page = await browser.newPage({ viewport: { width: 1920, height: 1080 } })
  page.on('pageerror', error => errors.push(String(error)))
  // A network that is away is told by the browser itself; that is no mistake of the page.
  page.on('console', message => {
    if (message.type() === 'error' && !/net::ERR|Failed to load resource/.test(message.text()))
      errors.push(message.text())
  })
  await page.goto(url)
  const chrome = await page.context().newCDPSession(page)
  await chrome.send('Performance.enable')

  const end = Date.now() + minutes * 60_000
  const began = Date.now()
  const at = (share: number): number => began + minutes * 60_000 * share
  const events = [
    { at: at(0.35), what: 'network away', run: () => page.context().setOffline(true) },
    { at: at(0.35) + CUT_MS, what: 'network back', run: () => page.context().setOffline(false) },
    {
      at: at(0.65),
      what: 'restart',
      run: async () => {
        await screens.drain()
        await pause(3_000)
        screens = await runApi(settings)
      },
    },
    ...Array.from({ length: SAMPLES }, (_each, number) => ({
      at: at((number + 1) / (SAMPLES + 0.5)),
      what: 'sample',
      run: sample,
    })),
  ].sort((one, other) => one.at - other.at)

  async function sample(): Promise<void> {
    await chrome.send('HeapProfiler.collectGarbage')
    const { metrics } = await chrome.send('Performance.getMetrics')
    const value = (name: string): number => metrics.find(each => each.name === name)?.value ?? 0
    samples.push({
      minute: Math.round((Date.now() - began) / 6_000) / 10,
      heap: Math.round(value('JSHeapUsedSize') / 1024),
      nodes: value('Nodes'),
      listeners: value('JSEventListeners'),
      shown: await inPage<number>(page, 'document.querySelectorAll(".scene.here figure").length'),
      held: await inPage<number>(page, 'document.querySelectorAll(".scene").length'),
    })
    console.log(JSON.stringify({ ...samples.at(-1), sent }))
  }

  while (Date.now() < end) {
    const parts = { configuration_name: 'turn', data: photos[sent % photos.length] as Blob }
    const { status } = await keepsake.send('/api/task/', parts)
    if (status !== 202) errors.push(`a task was answered with ${status}`)
    sent++
    while (events[0] && events[0].at <= Date.now()) {
      const next = events.shift()
      if (next && next.what !== 'sample') console.log(next.what)
      await next?.run()
    }
    await pause(EVERY_MS)
  }
} catch (error) {
  errors.push(String(error))
} finally {
  await cleanUp(
    () => browser.close(),
    () => screens.drain(),
    () => keepsake.stop(),
  )
}

const mean = (some: readonly Sample[], of: (sample: Sample) => number): number =>
  some.reduce((sum, each) => sum + of(each), 0) / Math.max(1, some.length)
console.log('\n| minute | JS heap (KiB) | DOM nodes | listeners | pictures shown | scenes |\n|---|---|---|---|---|---|')
for (const { minute, heap, nodes, listeners, shown, held } of samples)
  console.log(`| ${minute} | ${heap} | ${nodes} | ${listeners} | ${shown} | ${held} |`)
// The first quarter fills the wall.
const [first, last] = [samples.slice(SAMPLES / 4, SAMPLES / 2), samples.slice(-SAMPLES / 4)]
for (const [what, of] of [
  ['JS heap', (each: Sample) => each.heap],
  ['DOM nodes', (each: Sample) => each.nodes],
] as const)
  if (mean(last, of) > mean(first, of) * MOST_GROWTH)
    errors.push(`${what} grew from ${mean(first, of)} to ${mean(last, of)}`)
if (samples.length < SAMPLES || samples.some(({ held }) => held > 2))
  errors.push('samples are missing, or scenes pile up')
console.log(`\n${sent} pictures, ${errors.length} errors${errors.map(each => `\n- ${each}`).join('')}`)
process.exit(errors.length === 0 ? 0 : 1)
