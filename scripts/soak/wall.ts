// A wall in a real browser for hours: pictures come all the time, the network is cut, the service restarts.
import { setTimeout as pause } from 'node:timers/promises'
import { runApi } from '../../src/app.ts'
import { inPage, launch } from '../../test/console/browser.ts'
import { cleanUp } from '../../test/support/clean-up.ts'
import { freePort } from '../../test/support/free-port.ts'
import { single, startKeepsake } from '../../test/support/keepsake.ts'
import { rawSharp, scene } from '../../test/support/pictures.ts'
import { growth, newSampler, type Sample, watchErrors } from './samples.ts'

const EVERY_MS = 2_000
const SAMPLES = 12

/** What the wall shows as well. */
interface Shown extends Sample {
  shown: number
  held: number
}

export async function soakWall(minutes: number): Promise<string[]> {
  const port = await freePort()
  const publicUrl = `http://127.0.0.1:${port}`
  const keepsake = await startKeepsake({ settings: { publicUrl } })
  const settings = { ...keepsake.settings, port, publicUrl }
  let screens = await runApi(settings)
  const browser = await launch()
  const errors: string[] = []
  const samples: Shown[] = []
  const cutMs = Math.min(60_000, (minutes * 60_000) / 15)
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
    watchErrors(page, errors)
    await page.goto(url)
    const look = await newSampler(page)

    const end = Date.now() + minutes * 60_000
    const began = Date.now()
    const at = (share: number): number => began + minutes * 60_000 * share
    const events = [
      { at: at(0.35), what: 'network away', run: () => page.context().setOffline(true) },
      { at: at(0.35) + cutMs, what: 'network back', run: () => page.context().setOffline(false) },
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
      samples.push({
        ...(await look()),
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

  console.log(
    '\n| minute | JS heap (KiB) | DOM nodes | listeners | pictures shown | scenes |\n|---|---|---|---|---|---|',
  )
  for (const { minute, heap, nodes, listeners, shown, held } of samples)
    console.log(`| ${minute} | ${heap} | ${nodes} | ${listeners} | ${shown} | ${held} |`)
  // The first quarter fills the wall.
  errors.push(...growth(samples.slice(SAMPLES / 4)))
  if (samples.length < SAMPLES || samples.some(({ held }) => held > 2))
    errors.push('samples are missing, or scenes pile up')
  console.log(`\n${sent} pictures, ${errors.length} errors`)
  return errors
}
