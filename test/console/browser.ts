// A real browser on the built console: signed-in pages, the accessibility check, pictures for the docs.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, before } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import sharp from 'sharp'
import { cleanUp } from '../support/clean-up.ts'
import { type Keepsake, startKeepsake } from '../support/keepsake.ts'
import { until, WAIT_MS } from '../support/until.ts'

/** Without windows where that is installed: pages take half of the processor in it. */
const PROGRAM = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(path => existsSync(path))
/** A busy machine is no reason to fail: what comes late still comes. */
export const PATIENCE_MS = WAIT_MS
const root = fileURLToPath(new URL('../../', import.meta.url))
const pictures = join(root, 'docs/images/console')

/** A reason to skip, or false. */
export const skip = PROGRAM ? false : 'Chromium is not installed, so the console is not looked at'

/** Pictures of the pages are kept only when asked for. */
export const takesPictures = process.env.KEEPSAKE_SCREENSHOTS === '1'

export const launch = (): Promise<Browser> =>
  chromium.launch({
    ...(PROGRAM && { executablePath: PROGRAM }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  })

/** A service and a browser for all tests of a file, and gone after them. `begin` gets both, unless the tests are skipped. */
export function withConsole(
  begin: (started: { keepsake: Keepsake; browser: Browser }) => unknown,
  skipped: string | boolean = skip,
  options: Parameters<typeof startKeepsake>[0] = {},
): void {
  let keepsake: Keepsake | undefined
  let browser: Browser | undefined
  before(async () => {
    if (skipped) return
    await built()
    keepsake = await startKeepsake(options)
    browser = await launch()
    await begin({ keepsake, browser })
  })
  afterEach(async (context: { passed?: boolean; diagnostic?(text: string): void }) => {
    if (context.passed !== false || !browser) return
    for (const page of browser.contexts().flatMap(each => each.pages()))
      context.diagnostic?.(`${page.url()} shows: ${await shownOn(page)}`)
  })
  after(() =>
    cleanUp(
      () => browser?.close(),
      () => keepsake?.stop(),
    ),
  )
}

/** What a reader sees of a page when its test failed. */
const shownOn = (page: Page): Promise<string> =>
  inPage<string>(page, 'document.body.innerText.slice(0, 3000)').catch(error => String(error))

/** Builds the console where it is stale. The set-up does it: it looks by content, and lets nobody build beside another. */
export async function built(): Promise<void> {
  await promisify(execFile)(process.execPath, [join(root, 'scripts/setup.mjs')])
}

export interface Look {
  width?: number
  height?: number
  dark?: boolean
  /** The browser's language. */
  locale?: string
}

/** A fresh browser profile, signed in with the token; fails the test when the page breaks or the policy is violated. */
export async function signedIn(browser: Browser, { url, token }: { url: string; token: string }, look: Look = {}) {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: look.width ?? 1360, height: look.height ?? 860 },
    colorScheme: look.dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    locale: look.locale ?? 'en-GB',
  })
  const answer = await context.request.post('/api/session/', { data: { token } })
  assert.equal(answer.status(), 201)
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  return { context, page, broken: watch(page) }
}

/** What went wrong inside the page: exceptions, and what its content security policy refused. */
export function watch(page: Page): string[] {
  const broken: string[] = []
  page.on('pageerror', error => broken.push(String(error)))
  page.on('console', message => {
    if (message.type() === 'error' && /Content Security Policy|React|Uncaught/.test(message.text()))
      broken.push(message.text())
  })
  return broken
}

const axeSource = readFile(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8')

interface Violation {
  id: string
  help: string
  nodes: { html: string; failureSummary: string }[]
}

/** No violation of WCAG 2.2 A and AA, nor of axe's best practices. */
export async function accessible(page: Page, what: string): Promise<void> {
  // Only once for each page that was loaded; and it answers nothing, as what it defines is long to tell.
  if (!(await inPage<boolean>(page, '"axe" in window'))) await page.evaluate(`${await axeSource};undefined`)
  const violations = await inPage<Violation[]>(
    page,
    'axe.run(document, { resultTypes: ["violations"] }).then(result => result.violations)',
  )
  const told = violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map(({ html, failureSummary }) => `  ${html}\n  ${failureSummary}`).join('\n')}`,
  )
  assert.equal(told.join('\n'), '', `${what} is not accessible`)
}

/** Evaluates an expression there; as text, because this side knows no types of the browser. */
export const inPage = <T>(page: Page, expression: string): Promise<T> => page.evaluate<T>(expression)

/** Waits for an expression to be true. Not `waitForFunction`: that one evaluates text, which the page's policy forbids. */
export async function becomes(page: Page, expression: string): Promise<true> {
  // The expression may speak of an element that is not drawn yet, or that is drawn anew at this very moment.
  let refusal: unknown
  const look = (): Promise<boolean> =>
    inPage<boolean>(page, expression).catch(error => {
      if (page.isClosed()) throw error
      refusal = error
      return false
    })
  return until(`this is so: ${expression}`, async () => (await look()) || undefined).catch(error => {
    throw refusal === undefined ? error : new Error(`${error.message}; the page said ${refusal}`, { cause: refusal })
  })
}

/** Nothing sticks out sideways. */
export async function fits(page: Page, what: string): Promise<void> {
  const { scrollWidth: wide, clientWidth: seen } = await inPage<{ scrollWidth: number; clientWidth: number }>(
    page,
    '(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }))(document.documentElement)',
  )
  assert.ok(wide <= seen, `${what} is ${wide} px wide on a screen of ${seen} px`)
}

export async function picture(page: Page, name: string): Promise<void> {
  if (!takesPictures) return
  await mkdir(pictures, { recursive: true })
  // A page is still when its fonts and pictures are there.
  await inPage(page, 'document.fonts.ready.then(() => true)')
  // Not "network idle": an event stream never is.
  // Pictures out of sight are not fetched.
  const seen = '(({ width, top }) => width > 0 && top < innerHeight)(image.getBoundingClientRect())'
  await becomes(page, `[...document.images].every(image => image.complete || !${seen})`)
  // 256 colours are enough for a page and keep the docs light.
  await sharp(await page.screenshot())
    .png({ palette: true, quality: 92, effort: 8 })
    .toFile(join(pictures, `${name}.png`))
}

export type { Browser, BrowserContext, Page }
