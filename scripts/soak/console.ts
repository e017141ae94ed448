// The console in a real browser during an event: thousands of tasks arrive, somebody walks through all pages, the network is cut, the service is upgraded.
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { build } from 'vite'
import { inPage, launch, type Page, signedIn } from '../../test/console/browser.ts'
import { type Grounds, newGrounds, sendTask } from '../../test/support/chaos.ts'
import type { Part } from '../../test/support/chaos-process.ts'
import { cleanUp } from '../../test/support/clean-up.ts'
import { freePort } from '../../test/support/free-port.ts'
import { root } from '../../test/support/markdown.ts'
import { nextVersion } from '../../test/support/next-version.ts'
import { rawSharp, scene } from '../../test/support/pictures.ts'
import { growth, newSampler, type Sample, watchErrors } from './samples.ts'

/** As the bar at the side names them. */
const pages = [
  'Tasks',
  'Configurations',
  'Make one',
  'Assets',
  'Profiles',
  'Callbacks',
  'Guest desk',
  'Wall',
  'Overview',
]
const STAY_MS = 1_000
/** Shares of the time. */
const CUT = 0.3
const UPGRADE = 0.6
const MOST_CUT_MS = 60_000
/** A page that loads is empty for a moment. */
const WHITE_MS = 4_000

interface Soak {
  grounds: Grounds
  page: Page
  errors: string[]
  /** From 0 to 1. */
  passed(): number
}

export async function soakConsole(minutes: number, tasks: number): Promise<string[]> {
  const errors: string[] = []
  const samples: { before: Sample[]; after: Sample[] } = { before: [], after: [] }
  const grounds = await newGrounds()
  const browser = await launch()
  const began = Date.now()
  const passed = (): number => (Date.now() - began) / (minutes * 60_000)
  let sent = 0
  try {
    const next = await nextConsole(grounds.folder)
    const env = { PORT: String(await freePort()) }
    let parts = [await grounds.start('api', env), await grounds.start('worker')]
    const [api] = parts as [Part, Part]
    await prepare(grounds, api.url)
    const { page, context } = await signedIn(browser, { url: api.url, token: grounds.token })
    watchErrors(page, errors)
    await page.goto('/')
    const soak: Soak = { grounds, page, errors, passed }
    const arriving = arrive(soak, api.url, tasks, () => sent++)
    const watching = watchForWhite(soak)
    const look = await newSampler(page)
    let isUpgraded = false
    let isCut = false
    while (passed() < 1) {
      await walk(soak, isUpgraded)
      const sample = await look()
      samples[isUpgraded ? 'after' : 'before'].push(sample)
      console.log(JSON.stringify({ ...sample, sent }))
      if (!isCut && passed() > CUT) {
        isCut = true
        console.log('the network is cut')
        await context.setOffline(true)
        const until = Date.now() + Math.min(MOST_CUT_MS, minutes * 6_000)
        while (Date.now() < until) await walk(soak, isUpgraded)
        await context.setOffline(false)
        console.log('the network is back')
      }
      if (!isUpgraded && passed() > UPGRADE) {
        for (const part of parts) part.kill('SIGTERM')
        const codes = await Promise.all(parts.map(part => part.exit()))
        if (codes.some(code => code !== 0)) errors.push(`processes ended with ${codes}`)
        parts = [await grounds.start('api', env, next), await grounds.start('worker', {}, next)]
        isUpgraded = true
        console.log('the next version runs')
      }
    }
    await Promise.all([arriving, watching])
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  } catch (error) {
    errors.push(String(error))
  } finally {
    await cleanUp(
      () => browser.close(),
      () => grounds.stop(),
    )
  }
  console.log('\n| minute | JS heap (KiB) | DOM nodes | listeners |\n|---|---|---|---|')
  for (const { minute, heap, nodes, listeners } of [...samples.before, ...samples.after])
    console.log(`| ${minute} | ${heap} | ${nodes} | ${listeners} |`)
  // The first rounds fetch the code of each page and fill the lists; the page is loaded anew when it is upgraded.
  for (const some of [samples.before, samples.after]) errors.push(...growth(some.slice(Math.ceil(some.length / 4))))
  if (sent < tasks) errors.push(`only ${sent} of ${tasks} tasks were taken`)
  console.log(`\n${sent} tasks, ${errors.length} errors`)
  return errors
}

/** The next version has the same pages in files of other names: those that the open page knows are gone. */
async function nextConsole(folder: string): Promise<string> {
  const project = nextVersion(folder)
  const names = { entryFileNames: 'assets/next-[hash].js', chunkFileNames: 'assets/next-[name]-[hash].js' }
  await build({
    root: join(root, 'console'),
    logLevel: 'error',
    build: { outDir: join(project, 'console/dist'), emptyOutDir: true, rolldownOptions: { output: names } },
  })
  return project
}

async function prepare(grounds: Grounds, url: string): Promise<void> {
  const client = grounds.client(url)
  const one = (configuration_name: string, adapter_name: string, defaults: object) =>
    client.post('/api/configuration/', {
      configuration_name,
      experience_id: 'park',
      adapter_name,
      adapter_config: { auth: {}, defaults },
      webhook_url: `${grounds.receiver.url}/hook`,
    })
  const made = [
    await one('small', 'photo_resize', { height: 200 }),
    await one('turned', 'photo_flip', { method: 'ROTATE_180' }),
    await client.post('/api/profile/', { rfid: ['guest-1'], experience_id: 'park' }),
  ]
  for (const { status, body } of made) if (status !== 201) throw new Error(JSON.stringify(body))
}

/** As many tasks as there shall be, evenly over the time. What is not taken while the service is upgraded is sent again. */
async function arrive(
  { grounds, passed, errors }: Soak,
  url: string,
  tasks: number,
  count: () => number,
): Promise<void> {
  const jpegs = await Promise.all(
    [0, 1, 2, 3].map(async at =>
      rawSharp(scene(600, 400))
        .modulate({ hue: at * 80 })
        .jpeg()
        .toBuffer(),
    ),
  )
  let done = 0
  while (done < tasks) {
    if (done / tasks > passed() && passed() < 1) {
      await pause(20)
      continue
    }
    const data = new Blob([new Uint8Array(jpegs[done % jpegs.length] as Buffer)])
    const configuration = done % 2 ? 'small' : 'turned'
    const answer = await sendTask(url, grounds.token, {
      configuration,
      data,
      extras: { rfid: ['guest-1'] },
      key: `soak-${done}`,
    })
    if (answer?.status === 202) done = count() + 1
    else if (answer && ![503, 429, 409].includes(answer.status))
      errors.push(`a task was answered with ${answer.status}`)
    else await pause(200)
  }
}

/** Opens every page by its link, as people do, and a task of the list. */
async function walk({ page, errors }: Soak, isUpgraded: boolean): Promise<void> {
  for (const name of pages) {
    await page.getByRole('navigation', { name: 'Main', exact: true }).getByRole('link', { name, exact: true }).click()
    await pause(STAY_MS)
    const isOnline = await inPage<boolean>(page, 'navigator.onLine').catch(() => false)
    if (!isOnline) continue
    await page
      .locator('main h1')
      .first()
      .waitFor({ timeout: 30_000 })
      .catch(() => errors.push(`${name} did not open${isUpgraded ? ' after the upgrade' : ''}`))
    // The code of this page is first asked for when its file is gone: the page must fetch all of it anew by itself.
    const inside =
      name === 'Tasks' ? '/tasks/' : isUpgraded && name === 'Configurations' ? '/configurations/open' : null
    if (inside === null) continue
    await page.locator(`main a[href^="${inside}"]`).first().click()
    await pause(STAY_MS)
    if (name !== 'Configurations') continue
    await page
      .getByText('Duplicate', { exact: true })
      .first()
      .waitFor({ timeout: 30_000 })
      .catch(async () => {
        const text = await inPage<string>(page, 'document.body.innerText.slice(0, 1500)').catch(String)
        errors.push(`a configuration did not open after the upgrade: ${page.url()} shows ${text}`)
      })
  }
}

async function watchForWhite({ page, errors, passed }: Soak): Promise<void> {
  let seen = Date.now()
  let isWhite = false
  while (passed() < 1) {
    const text = await inPage<string>(page, 'document.body.innerText.slice(0, 200)').catch(() => '')
    if (text.trim().length > 20) {
      seen = Date.now()
      isWhite = false
    } else if (!isWhite && Date.now() - seen > WHITE_MS) {
      isWhite = true
      errors.push(`the page was white at ${page.url()}`)
    }
    await pause(500)
  }
}
