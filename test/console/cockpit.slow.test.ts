// The first page as a cockpit: the newest keepsakes arrive by themselves, trouble stands by cause with one button, alarms can be silenced.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Received, type Receiver, startReceiver } from '../support/https-receiver.ts'
import { type Keepsake, single } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { accessible, type Browser, becomes, fits, inPage, signedIn, skip, withConsole } from './browser.ts'

let keepsake: Keepsake
let browser: Browser
let receiver: Receiver
let photo: Blob
let isDown = true
let refusesHooks = true

withConsole(async started => {
  ;({ keepsake, browser } = started)
  receiver = await startReceiver({
    answer: async ({ url }: Received, response) => {
      const isHook = url.startsWith('/hook')
      response.statusCode = (isHook && refusesHooks) || (!isHook && isDown) ? (isHook ? 410 : 503) : 200
      response.end()
    },
  })
  photo = new Blob([new Uint8Array(await png(pattern(300, 200, 3)))])
  await keepsake.configure(single('turn', 'photo_flip', { method: 'ROTATE_90' }))
  await keepsake.configure(
    single('told', 'photo_flip', { method: 'ROTATE_180' }, { webhook_url: `${receiver.url}/hook` }),
  )
  await keepsake.configure(single('sent', 'http_post', { url: `${receiver.url}/put` }))
  await keepsake.configure({ ...single('zoo turn', 'photo_flip', { method: 'ROTATE_90' }), experience_id: 'zoo' })
  await made('turn')
})
after(() => receiver?.stop())

async function sent(configuration_name: string, data = photo): Promise<string> {
  const { status, body } = await keepsake.send('/api/task/', { configuration_name, data })
  assert.equal(status, 202, JSON.stringify(body))
  return body.task_id
}
async function made(configuration_name: string, data = photo): Promise<string> {
  const id = await sent(configuration_name, data)
  await keepsake.ended(`/api/task/${id}/`)
  return id
}

test('keepsakes hang on the wall by themselves, and those that hang there stay', { skip }, async () => {
  const { page, context, broken } = await signedIn(browser, keepsake)
  await page.goto('/')
  const wall = page.getByRole('list', { name: 'The newest keepsakes' })
  await wall.getByRole('link', { name: 'turn' }).waitFor()
  await inPage(page, 'document.querySelector("ul[aria-label=\'The newest keepsakes\'] img").marked = true')
  const id = await made('zoo turn')
  await wall.getByRole('link', { name: 'zoo turn' }).waitFor()
  const kept = '[...document.querySelectorAll("ul[aria-label=\'The newest keepsakes\'] img")]'
  assert.equal(
    await inPage(page, `${kept}.filter(image => image.marked).length`),
    1,
    'the first one was not drawn anew',
  )
  await becomes(page, `${kept}.length === 2 && ${kept}.every(image => image.naturalWidth > 0)`)
  await page.getByRole('combobox', { name: 'Event' }).selectOption('park')
  await wall.getByRole('link', { name: 'zoo turn' }).waitFor({ state: 'hidden' })
  assert.ok(page.url().endsWith('?experience=park'), page.url())
  await page.getByRole('combobox', { name: 'Event' }).selectOption('zoo')
  await wall.getByRole('link', { name: 'zoo turn' }).click()
  await page.getByRole('heading', { level: 1, name: 'zoo turn' }).waitFor()
  assert.match(page.url(), new RegExp(`${id}.experience=zoo$`))
  assert.deepEqual(broken, [])
  await context.close()
})

test('failures stand by cause, are run again with one button, and can be put aside', { skip }, async () => {
  const ids: string[] = []
  for (let n = 0; n < 3; n++) ids.push(await made('turn', new Blob(['no picture'])))
  const { page, context, broken } = await signedIn(browser, keepsake)
  await page.goto('/?window=day')
  await page.getByText('3 tasks failed').waitFor()
  assert.equal(await page.getByRole('radio', { name: 'Last day' }).getAttribute('aria-checked'), 'true')
  await becomes(page, 'document.title === "(1) Overview · Keepsake"')
  assert.equal(
    await inPage(page, 'document.querySelector("link[rel=icon]").getAttribute("href")'),
    '/keepsake-alarm.svg',
  )
  await page.getByRole('button', { name: 'Retry 3' }).click()
  await page.getByRole('heading', { name: 'Run 3 tasks again?' }).waitFor()
  await accessible(page, 'the question before a retry of many')
  await page.getByRole('dialog').getByRole('button', { name: 'Retry 3 tasks' }).click()
  await page.getByText('3 tasks run again.').waitFor()
  for (const id of ids) await keepsake.ended(`/api/task/${id}/`)
  await page.reload()
  await page.getByRole('button', { name: 'Put aside until it happens again' }).first().click()
  await page.getByText('Nothing does').waitFor()
  await becomes(page, 'document.title === "Overview · Keepsake"')
  await page.reload()
  await page.getByRole('button', { name: 'Show 1 that was put aside' }).waitFor()
  await made('turn', new Blob(['no picture']))
  await page.getByText('4 tasks failed').waitFor()
  await page.getByRole('button', { name: 'Put aside until it happens again' }).first().click()
  assert.deepEqual(broken, [])
  await context.close()
})

test('a destination that goes wrong shows at once and is tried now; given up callbacks are sent again', {
  skip,
}, async () => {
  const { page, context, broken } = await signedIn(browser, keepsake)
  await page.goto('/')
  await page.getByRole('heading', { name: 'Needs a hand' }).waitFor()
  const id = await sent('sent')
  await made('told')
  await page.getByText('1 delivery goes wrong and is tried again').waitFor()
  await page.getByText(/503/).first().waitFor()
  await page.getByText('1 callback was given up').waitFor()
  await becomes(page, '/^\\(\\d\\) Overview/.test(document.title)')
  refusesHooks = false
  await page.getByRole('button', { name: 'Resend 1' }).click()
  await page.getByRole('button', { name: 'Resend 1 callback' }).click()
  await page.getByText('1 callback was given up').waitFor({ state: 'hidden' })
  isDown = false
  await page.getByRole('button', { name: 'Try now' }).click()
  // Its own next attempt may come first: then there is nothing to do any more.
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('heading', { name: /Try 1 task now|nothing to do/ }).waitFor()
  await dialog.getByRole('button').last().click()
  await page.getByText('1 delivery goes wrong and is tried again').waitFor({ state: 'hidden' })
  assert.equal((await keepsake.ended(`/api/task/${id}/`)).status, 'Succeeded')
  assert.deepEqual(broken, [])
  await context.close()
})

test('a worker that was there and is gone is missed, until it is put aside', { skip }, async () => {
  const { page, context } = await signedIn(browser, keepsake)
  await page.goto('/')
  await page.getByRole('heading', { name: 'Needs a hand' }).waitFor()
  const before = new Date(Date.now() - 120_000).toISOString()
  await inPage(
    page,
    `localStorage.setItem('keepsake-workers', JSON.stringify({ ...JSON.parse(localStorage.getItem('keepsake-workers')), 'booth-2': '${before}' }))`,
  )
  const line = page.getByRole('listitem').filter({ hasText: 'booth-2 The worker on this machine is gone' })
  await line.waitFor()
  await line.getByRole('button', { name: 'Put aside until it happens again' }).click()
  await line.waitFor({ state: 'hidden' })
  await context.close()
})

test('alarms are silenced one by one, and stay so', { skip }, async () => {
  const { page, context } = await signedIn(browser, keepsake)
  await page.goto('/')
  await page.getByRole('button', { name: 'Alarms' }).click()
  await accessible(page, 'the alarms')
  await page.getByRole('checkbox', { name: /^Sign in the tab/ }).uncheck()
  await page.getByRole('checkbox', { name: /^Sound/ }).uncheck()
  await page.reload()
  await page.getByRole('button', { name: 'Alarms' }).click()
  assert.equal(await page.getByRole('checkbox', { name: /^Sign in the tab/ }).isChecked(), false)
  assert.equal(await page.getByRole('checkbox', { name: /^Sound/ }).isChecked(), false)
  await context.close()
})

/** Writes down what the page sounds and notifies, and lets the test say whether it is in the background. */
const listening = `
  window.heard = { tones: [], notices: [] }
  window.isAway = false
  const start = OscillatorNode.prototype.start
  OscillatorNode.prototype.start = function (when) {
    heard.tones.push(this.frequency.value)
    return start.call(this, when)
  }
  window.Notification = class {
    static permission = 'granted'
    static requestPermission = async () => 'granted'
    constructor(title, { body }) {
      heard.notices.push(title + ': ' + body)
    }
  }
  Object.defineProperty(Document.prototype, 'hidden', { get: () => isAway })
`

test('what is new is heard, and told on the desktop while the page is in the background, unless silenced', {
  skip,
}, async () => {
  const { page, context, broken } = await signedIn(browser, keepsake)
  await page.addInitScript(listening)
  await page.goto('/')
  const trouble = page.getByRole('heading', { name: 'Needs a hand' })
  await trouble.waitFor()
  const { experience_id } = (await keepsake.client.post('/api/experience/', { experience_id: 'alarms' })).body
  const failing = async (name: string): Promise<void> => {
    await keepsake.configure({ ...single(name, 'photo_flip', { method: 'ROTATE_90' }), experience_id })
    await made(name, new Blob(['no picture']))
  }
  await failing('first')
  await becomes(page, 'heard.tones.join() === "660,880"')
  assert.deepEqual(await inPage(page, 'heard.notices'), [], 'nobody asked for it')

  await page.getByRole('button', { name: 'Alarms' }).click()
  await page.getByRole('checkbox', { name: /^Desktop notification/ }).check()
  await page.getByRole('checkbox', { name: /^Sound/ }).uncheck()
  await page.getByRole('button', { name: 'Hear it' }).click()
  await becomes(page, 'heard.tones.length === 4')
  await page.keyboard.press('Escape')
  await inPage(page, 'void (isAway = true)')
  await failing('second')
  await becomes(page, 'heard.notices.length === 1')
  const [notice] = (await inPage(page, 'heard.notices')) as string[]
  assert.match(notice ?? '', /^Keepsake needs a hand: There (is 1 cause|are \d+ causes) to look at\.$/)
  assert.equal(await inPage(page, 'heard.tones.length'), 4, 'the sound is silenced')

  // In front of whoever looks, the page itself is enough.
  await inPage(page, 'void (isAway = false)')
  await failing('third')
  await page.getByText('third').first().waitFor()
  assert.equal(await inPage(page, 'heard.notices.length'), 1)
  assert.deepEqual(broken, [])
  await context.close()
})

test('no wider than a phone while workers are busy, and minutes behind are said in words', { skip }, async () => {
  const { page, context } = await signedIn(browser, keepsake, { width: 390, height: 844 })
  await page.route('**/api/stats/**', async route => {
    const answer = await route.fetch()
    const body = await answer.json()
    const since = new Date(Date.now() - 75_000).toISOString()
    for (const worker of body.workers) {
      worker.host = 'a-rather-long-name-of-a-machine.in-the-basement.example.com'
      worker.doing = ['picture', 'transfer'].map(lane => ({ task_id: crypto.randomUUID(), lane, since }))
    }
    body.behind = [
      { lane: 'transfer', waiting: 1_200, seconds: 1_000, stalled: false },
      { lane: 'picture', waiting: 3_000, seconds: 190, stalled: false },
      { lane: 'video', waiting: 4, seconds: 200, stalled: true },
    ]
    await route.fulfill({ response: answer, json: body })
  })
  await page.goto('/')
  const lanes = page.getByRole('list', { name: 'How far behind' }).getByRole('listitem')
  await lanes.filter({ hasText: '3 minutes behind' }).filter({ hasText: 'Pictures' }).waitFor()
  await lanes.filter({ hasText: 'standing still' }).filter({ hasText: 'Videos' }).waitFor()
  await lanes.filter({ hasText: '17 minutes behind' }).filter({ hasText: 'Deliveries' }).waitFor()
  await page.getByRole('listitem').filter({ hasText: 'Deliveries' }).getByRole('link').first().waitFor()
  await fits(page, 'the overview with busy workers')
  await accessible(page, 'the overview with busy workers')
  // The page asks every few seconds, and an answer that is being made needs the profile.
  await page.unrouteAll({ behavior: 'wait' })
  await context.close()
})
