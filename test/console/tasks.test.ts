// The list of tasks: it moves by itself, finds by id and guest, takes ten thousand rows, and heals when the line is cut.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import sharp from 'sharp'
import { type Db, openDatabase } from '#db/database.ts'
import { newId } from '#kit/ids.ts'
import { newLog } from '#kit/log.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { accessible, type Browser, becomes, built, inPage, launch, type Page, signedIn, skip } from './browser.ts'

let keepsake: Keepsake
let browser: Browser
let photo: Blob

before(async () => {
  if (skip) return
  await built()
  keepsake = await startKeepsake()
  browser = await launch()
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
after(async () => {
  await browser?.close()
  await keepsake?.stop()
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
  const { page, context } = await signedIn(browser, keepsake)
  await page.goto('/tasks?status=Failed')
  await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
  const search = page.getByRole('searchbox', { name: 'Search by id or guest' })
  await search.fill(body.task_id)
  await page.getByRole('link', { name: /kept/ }).waitFor()
  await search.fill('ADA@example.com')
  await page.getByText('1 keepsake').waitFor()
  await search.fill('nobody@example.com')
  await page.getByText('Nobody and nothing goes by that').waitFor()
  await search.fill('ada@example.com')
  await page.getByRole('link', { name: 'ada@example.com' }).click()
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

/** Milliseconds a frame takes while scrolling fast, up from where the page is. */
async function scrolled(page: Page): Promise<{ p50: number; p95: number }> {
  const frames = await inPage<number[]>(
    page,
    `new Promise(done => {
      const times = []
      let last = performance.now()
      const from = window.scrollY
      const step = now => {
        times.push(now - last)
        last = now
        window.scrollTo(0, from - times.length * 300)
        if (times.length < 120) requestAnimationFrame(step)
        else done(times.slice(1).sort((a, b) => a - b))
      }
      requestAnimationFrame(step)
    })`,
  )
  const at = (share: number) => Math.round(frames[Math.floor(frames.length * share)] ?? 0)
  return { p50: at(0.5), p95: at(0.95) }
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
  const size = () => inPage<number>(page, 'document.querySelector("ul[aria-label=Tasks]").clientHeight / 76')
  while ((await size()) < 10_000) {
    await inPage(page, 'window.scrollTo(0, document.documentElement.scrollHeight)')
    const now = await size()
    if (now < 10_000) await becomes(page, `document.querySelector("ul[aria-label=Tasks]").clientHeight / 76 > ${now}`)
  }
  const list = await scrolled(page)
  const rows = await inPage<number>(page, 'document.querySelectorAll("ul[aria-label=Tasks] > li").length')
  // The same on an empty page, because a busy machine makes every frame late.
  await page.goto('/keepsake.svg')
  await inPage(page, 'document.documentElement.style.height = "800000px"')
  const empty = await scrolled(page)
  t.diagnostic(
    `${rows} rows exist; a frame takes ${list.p50} ms (95 % ${list.p95}), an empty one ${empty.p50} (${empty.p95})`,
  )
  assert.ok(rows < 60)
  assert.ok(list.p50 <= Math.max(34, 6 * empty.p50), 'half of the frames are late')
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
  assert.equal(await page.getByText('Connection lost.').count(), 0)
  await context.close()
})
