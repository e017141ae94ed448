// The list of tasks: it moves by itself, finds by id and guest, takes ten thousand rows, and heals when the line is cut.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import sharp from 'sharp'
import { type Db, openDatabase } from '#db/database.ts'
import { newId } from '#kit/ids.ts'
import { newLog } from '#kit/log.ts'
import { type Keepsake, single } from '../support/keepsake.ts'
import { accessible, type Browser, becomes, inPage, type Page, signedIn, skip, withConsole } from './browser.ts'

/** As the list draws them. */
const ROW_HEIGHT = 76
let keepsake: Keepsake
let browser: Browser
let photo: Blob

withConsole(async started => {
  ;({ keepsake, browser } = started)
  await keepsake.configure(single('turn', 'photo_flip', { method: 'ROTATE_90' }))
  await keepsake.configure(
    single('kept', 'photo_flip', { method: 'ROTATE_180' }, {
      activity_config: { experience_id: 'park', activity_type: 'content-generation', payload: { object_id: 'gate' } },
    }), // biome-ignore format: one thing
  )
  const png = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#c06020' } })
    .png()
    .toBuffer()
  photo = new Blob([new Uint8Array(png)])
})

test('a new task appears by itself, runs before one’s eyes and shows its pictures', { skip }, async () => {
  const { page, context, broken } = await signedIn(browser, keepsake)
  await page.goto('/tasks')
  await page.getByRole('heading', { name: 'No tasks yet' }).waitFor()
  await accessible(page, 'the empty list')
  const { body } = await keepsake.send('/api/task/', { configuration_name: 'turn', data: photo })
  const row = page.getByRole('link', { name: /turn/ }).filter({ hasText: 'Succeeded' })
  await row.waitFor()
  await becomes(page, '[...document.images].filter(image => image.naturalWidth === 160).length >= 2')
  await row.click()
  await page.getByRole('heading', { level: 1, name: 'turn' }).waitFor()
  assert.ok(page.url().endsWith(body.task_id))
  await page.getByRole('img', { name: 'What turn made' }).waitFor()
  await page.getByText('What was done').click()
  await accessible(page, 'a task')
  assert.deepEqual(broken, [])
  await context.close()
})

test('an id is found at once, a guest with all that was made for them', { skip }, async () => {
  await keepsake.client.post('/api/profile/', { email: 'ada@example.com', attributes: { name: 'Ada' } })
  const { body } = await keepsake.send('/api/task/', {
    configuration_name: 'kept',
    data: photo,
    extras: '{"email": ["ada@example.com"]}',
  })
  await keepsake.ended(`/api/task/${body.task_id}/`)
  const spoilt = await keepsake.send('/api/task/', {
    configuration_name: 'kept',
    data: new Blob(['no picture']),
    extras: '{"email": "Ada@Example.com"}',
  })
  await keepsake.ended(`/api/task/${spoilt.body.task_id}/`)
  const { page, context } = await signedIn(browser, keepsake)
  await page.goto('/tasks?status=Cancelled')
  await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
  const search = page.getByRole('searchbox', { name: 'Search by guest, file or id' })
  await search.fill(body.task_id)
  await page.getByRole('link', { name: /kept/ }).waitFor()
  await search.fill('ADA@example.com')
  await page.getByText('2 tasks').waitFor()
  await page.getByRole('link', { name: /kept.*Failed/ }).waitFor()
  await page.getByRole('list', { name: 'Tasks' }).waitFor({ state: 'hidden' })
  await search.fill('nobody@example.com')
  await page.getByText('Nobody and nothing goes by that').waitFor()
  await search.fill('ada@example.com')
  await page.getByRole('link', { name: 'Ada', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Ada' }).waitFor()
  await page.getByRole('img', { name: 'Keepsake: content-generation' }).waitFor()
  await accessible(page, 'a profile')
  await context.close()
})

async function fill(db: Db, count: number): Promise<void> {
  const one = await db.selectFrom('chains').select('snapshot_id').executeTakeFirstOrThrow()
  const tasks = sql.join(Array.from({ length: count }, () => newId()))
  await sql`
    insert into tasks (task_id, flow_id, is_group, configuration, experience_id, status, lane, created_at, started_at, ended_at)
    select id::uuid, id::uuid, false, 'turn', 'park', 'Succeeded', 'picture',
      now() - interval '1 day' - n * interval '1 second', now() - interval '1 day', now() - interval '1 day'
    from unnest(array[${tasks}]) with ordinality as t(id, n)`.execute(db)
  await sql`
    insert into chains (chain_id, task_id, index, configuration, snapshot_id, status, extras, input, assets)
    select id::uuid, id::uuid, 0, 'turn', ${one.snapshot_id}, 'Succeeded', '{}', '{"url": "https://example.com/x"}', '{}'
    from unnest(array[${tasks}]) as t(id)`.execute(db)
  await sql`
    insert into entries (chain_id, index, configuration, adapter_name, input_idx, status, progress)
    select id::uuid, 0, 'turn', 'photo_flip', null, 'Succeeded', 1
    from unnest(array[${tasks}]) as t(id)`.execute(db)
}

const FRAMES = 80

/** How often styles and places were reckoned in a fast scroll of so many frames. */
async function reckonedIn(page: Page): Promise<{ styles: number; layouts: number }> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const counts = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    const count = (name: string) => metrics.find(metric => metric.name === name)?.value ?? assert.fail(name)
    return { styles: count('RecalcStyleCount'), layouts: count('LayoutCount') }
  }
  const before = await counts()
  await inPage(
    page,
    `new Promise(done => {
      let drawn = 0
      const step = () => {
        window.scrollBy(0, -200)
        if (++drawn < ${FRAMES}) requestAnimationFrame(step)
        else done()
      }
      requestAnimationFrame(step)
    })`,
  )
  const after = await counts()
  await session.detach()
  return { styles: after.styles - before.styles, layouts: after.layouts - before.layouts }
}

test('ten thousand rows scroll smoothly, and only those in sight exist', { skip }, async t => {
  const database = openDatabase(keepsake.databaseUrl, newLog('silent', 'test'))
  try {
    await fill(database.db, 10_000)
  } finally {
    await database.close()
  }
  const { page, context } = await signedIn(browser, keepsake)
  await page.goto('/tasks')
  await page.getByRole('list', { name: 'Tasks' }).waitFor()
  // Like somebody who holds the End key; each look goes to the end there is by now.
  await becomes(
    page,
    `(window.scrollTo(0, document.documentElement.scrollHeight),
      document.querySelector("ul[aria-label=Tasks]").clientHeight / ${ROW_HEIGHT} >= 10000)`,
  )
  const list = await reckonedIn(page)
  const rows = await inPage<number>(page, 'document.querySelectorAll("ul[aria-label=Tasks] > li").length')
  t.diagnostic(`${rows} rows exist; in ${FRAMES} frames of a scroll: ${JSON.stringify(list)}`)
  assert.ok(rows < 60)
  // One of each a frame, and room for what the page does beside it.
  assert.ok(list.layouts < 1.5 * FRAMES && list.styles < 1.5 * FRAMES, JSON.stringify(list))
  await context.close()
})

test('the list is narrowed to a time, and the address keeps that', { skip }, async () => {
  const { page, context } = await signedIn(browser, keepsake)
  await page.goto('/tasks')
  const rows = page.getByRole('list', { name: 'Tasks' }).getByRole('link')
  await page.getByRole('link', { name: /kept/ }).first().waitFor()
  await page.getByLabel('Time', { exact: true }).selectOption('Last hour')
  await becomes(page, 'document.querySelectorAll("ul[aria-label=Tasks] > li").length === 3')
  await page.getByLabel('Time', { exact: true }).selectOption('between')
  await page.getByLabel('Until').fill('2020-01-01T00:00')
  await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
  await accessible(page, 'the list between two moments')
  await page.reload()
  await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
  assert.equal(await page.getByLabel('Until').inputValue(), '2020-01-01T00:00')
  await page.getByRole('button', { name: 'Show all' }).click()
  await rows.nth(5).waitFor()
  await context.close()
})

test('a lost connection is told, heals by itself, and the page is right again', { skip }, async () => {
  const { page, context } = await signedIn(browser, keepsake)
  await page.goto('/configurations')
  await page.getByText('turn').first().waitFor()
  await context.setOffline(true)
  await page.getByText('Connection lost.').waitFor()
  await accessible(page, 'a page without connection')
  await keepsake.configure(single('made meanwhile', 'photo_flip', { method: 'ROTATE_90' }))
  await context.setOffline(false)
  await page.getByText('Connected again.').waitFor()
  await page.getByText('made meanwhile').waitFor()
  await page.getByText('Connection lost.').waitFor({ state: 'detached' })
  await context.close()
})
