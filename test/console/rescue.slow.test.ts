// When something went wrong: the page says what to do, a failed task is rescued, a callback is sent again.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sharp from 'sharp'
import { cleanUp } from '../support/clean-up.ts'
import { type Receiver, startReceiver } from '../support/https-receiver.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { until } from '../support/until.ts'
import { accessible, type Browser, built, launch, signedIn, skip } from './browser.ts'

let keepsake: Keepsake
let browser: Browser
let receiver: Receiver
/** What the receiver answers to the callbacks of an experience; 200 where nothing is said. */
const answers: Record<string, number> = {}

const picture = () =>
  sharp({ create: { width: 300, height: 200, channels: 3, background: '#20a060' } })
    .png()
    .toBuffer()

before(async () => {
  if (skip) return
  await built()
  receiver = await startReceiver({
    answer: ({ url }, response) => {
      response.writeHead(answers[experienceIn(url)] ?? 200).end()
    },
  })
  keepsake = await startKeepsake({ settings: { callbackDelays: [0.1] } })
  browser = await launch()
  for (const experience_id of ['rescue', 'resend', 'list']) await configure(experience_id)
})
after(() =>
  cleanUp(
    () => browser?.close(),
    () => keepsake?.stop(),
    () => receiver?.stop(),
  ),
)

/** Each test has an experience: its callbacks, and how they are answered, are nobody else's. */
async function configure(experience_id: string): Promise<void> {
  const [turn, small] = [`turn ${experience_id}`, `small ${experience_id}`]
  await keepsake.configure(single(turn, 'photo_flip', { method: 'ROTATE_90' }, { experience_id }))
  await keepsake.configure(single(small, 'photo_resize', { height: 50 }, { experience_id }))
  const webhook_url = `${receiver.url}/${experience_id}`
  await keepsake.configure(
    chain(`tower ${experience_id}`, [[turn, null], [small, 0]], { experience_id, webhook_url }), // biome-ignore format: one line reads better
  )
}

const experienceIn = (url: string): string => url.slice(1)
const receivedOf = (experience: string) => receiver.received.filter(({ url }) => experienceIn(url) === experience)

async function failed(experience: string): Promise<string> {
  const parts = { configuration_name: `tower ${experience}`, data: new Blob(['not a picture']) }
  const { body } = await keepsake.send('/api/task/', parts)
  const task = await keepsake.ended(`/api/task/${body.task_id}/`)
  assert.equal(task.status, 'Failed')
  return body.task_id
}

test('a failed task says what to do, and runs again with another file', { skip }, async () => {
  const id = await failed('rescue')
  const { page, context, broken } = await signedIn(browser, keepsake)
  await page.goto(`/tasks/${id}`)
  await page.getByRole('heading', { name: 'Rescue it' }).waitFor()
  await page.getByText('replace the file below').first().waitFor()
  await page.getByText('Not run, because the entry it takes its file from did not succeed.').waitFor()
  await accessible(page, 'a failed task')
  await page.getByLabel('Extras').fill('{ "height": ')
  await page.getByText('Not valid JSON').waitFor()
  await page.getByLabel('Extras').fill('{ "height": 40 }')
  await page
    .getByLabel('Replace the file')
    .setInputFiles({ name: 'good.png', mimeType: 'image/png', buffer: await picture() })
  await page.getByRole('button', { name: 'Retry with this file' }).click()
  await page.getByRole('article').nth(1).getByText('Succeeded').waitFor()
  await page.getByRole('heading', { name: 'Rescue it' }).waitFor({ state: 'detached' })
  // The last entry has succeeded a moment before its task.
  const { status, entries } = await keepsake.ended(`/api/task/${id}/`)
  assert.equal(status, 'Succeeded')
  assert.equal(entries[1].output.height, 40)
  assert.deepEqual(broken, [])
  await context.close()
})

test('the callbacks of a task show every attempt, and one is sent again with a press', { skip }, async () => {
  answers.resend = 503
  const id = await failed('resend')
  const { page, context } = await signedIn(browser, keepsake)
  await page.goto(`/tasks/${id}`)
  await page.getByText('Given up').waitFor()
  await page.getByText('503').first().waitFor()
  await page.getByText('Body as it is sent').click()
  await page.getByRole('region', { name: 'Body' }).getByText('"status": "Failed"').waitFor()
  answers.resend = 200
  await page.getByRole('button', { name: 'Resend' }).click()
  await page.getByText('The callback is on its way again.').waitFor()
  await page.getByText('Delivered').waitFor()
  const ids = receivedOf('resend')
    .slice(-1)
    .map(({ headers }) => headers['webhook-id'])
  const { items } = (await keepsake.client.get(`/api/callback/?task_id=${id}`)).body
  assert.deepEqual(ids, [items[0].callback_id])
  await context.close()
})

test('all that were given up are sent again at once, after a question', { skip }, async () => {
  answers.list = 500
  await Promise.all([failed('list'), failed('list'), failed('list')])
  // The page has the words in its filter, too: they do not tell that the third is in the list.
  const path = '/api/callback/?status=GivenUp&experience_id=list'
  const givenUp = async () => (await keepsake.client.get(path)).body.items.length
  await until('all three are given up', async () => (await givenUp()) === 3)
  const { page, context } = await signedIn(browser, keepsake)
  await page.goto('/callbacks?status=GivenUp&experience_id=list')
  await page.getByText('Given up').nth(2).waitFor({ state: 'attached' })
  await accessible(page, 'the list of callbacks')
  answers.list = 200
  const before = receivedOf('list').length
  await page.getByRole('button', { name: 'Resend these' }).click()
  await page.getByRole('button', { name: 'Resend 3 callbacks' }).click()
  await page.getByText('3 callbacks are on their way again.').waitFor()
  await page.getByText('No callbacks here').waitFor()
  await until('all three have come', () => receivedOf('list').length - before >= 3)
  const ids = receivedOf('list')
    .slice(before)
    .map(({ headers }) => headers['webhook-id'])
  assert.equal(new Set(ids).size, 3)
  await context.close()
})

test('a running task is cancelled, and retried as it was', { skip }, async () => {
  const stopped = await startKeepsake({ worker: false })
  try {
    await stopped.configure(single('turn', 'photo_flip', { method: 'ROTATE_90' }))
    const data = new Blob([new Uint8Array(await picture())])
    const { body } = await stopped.send('/api/task/', { configuration_name: 'turn', data })
    const { page, context } = await signedIn(browser, stopped)
    await page.goto(`/tasks/${body.task_id}`)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Cancelling was accepted.').waitFor()
    await page.getByRole('heading', { name: 'Rescue it' }).waitFor()
    await page.getByRole('button', { name: 'Retry', exact: true }).click()
    await page.getByText('It runs again.').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).waitFor()
    await context.close()
  } finally {
    await stopped.stop()
  }
})
