// Reads back from a running version what a later one must have kept.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type pg from 'pg'
import type { Facts } from './facts.ts'
import type { Site, World } from './make-work.ts'

const nouns = {
  configuration: 'configuration_name',
  asset: 'name',
  profile: 'profile_id',
  activity: 'activity_id',
  callback: 'callback_id',
  experience: 'experience_id',
  task: 'task_id',
  taskgroup: 'task_id',
}

export async function collect(
  site: Site,
  world: World,
  unfinished: string[],
  client: pg.Client,
): Promise<Omit<Facts, 'version' | 'made_at'>> {
  const tokens = await tokensOf(site)
  const views = await viewsOf(site, unfinished)
  const callbacks = async (status: string): Promise<Facts['waiting']> =>
    (await client.query('select callback_id, experience_id, body from callbacks where status = $1', [status])).rows
  const facts = {
    ...world,
    tokens,
    cookie: await cookieOf(site, tokens.admin),
    views,
    files: await filesOf(site, tokens.read, views),
    unfinished,
    waiting: await callbacks('Waiting'),
    givenUp: await callbacks('GivenUp'),
  }
  assert.ok(facts.waiting.length >= 3 && facts.givenUp.length >= 1, 'there are callbacks of each kind')
  assert.ok(Object.keys(facts.files).length >= 10, 'there are files')
  return facts
}

async function tokensOf({ admin }: Site): Promise<Facts['tokens']> {
  const tokens: Facts['tokens'] = { read: '', tasks: '', write: '', admin: '', expired: '' }
  for (const name of Object.keys(tokens) as (keyof Facts['tokens'])[]) {
    const { status, body } = await admin.post('/api/token/', {
      name,
      scopes: [name === 'expired' ? 'read' : name],
      experiences: name === 'tasks' ? ['park'] : null,
      expires_at: name === 'expired' ? new Date(Date.now() + 60_000).toISOString() : null,
    })
    assert.equal(status, 201, JSON.stringify(body))
    tokens[name] = body.token
  }
  return tokens
}

async function cookieOf({ api }: Site, token: string): Promise<string> {
  const answer = await fetch(`${api}/api/session/`, {
    method: 'POST',
    body: JSON.stringify({ token }),
    headers: { 'content-type': 'application/json', origin: api },
  })
  assert.equal(answer.status, 201, await answer.text())
  return answer.headers.get('set-cookie')?.split(';')[0] ?? ''
}

/** Of everything that will not change by itself. */
async function viewsOf({ admin }: Site, unfinished: string[]): Promise<Facts['views']> {
  const views: Facts['views'] = {}
  for (const [noun, key] of Object.entries(nouns)) {
    const { items } = (await admin.get(`/api/${noun}/?limit=100`)).body
    assert.ok(items.length > 0 && items.length < 100, noun)
    for (const item of items) {
      const path = `/api/${noun}/${encodeURIComponent(item[key])}/`
      const { status, body } = await admin.get(path)
      assert.equal(status, 200, path)
      if (!unfinished.includes(path) && body.status !== 'Waiting') views[path] = body
    }
  }
  return views
}

interface FileView {
  entries?: { index: number; output: { sha256: string | null } | null }[]
}

/** Files that can be fetched: of assets, inputs of tasks, and what entries have left (what melted has left nothing). */
function pathsOf(path: string, { entries = [] }: FileView): string[] {
  if (path.startsWith('/api/asset/')) return [`${path}file/`]
  if (!path.startsWith('/api/task/')) return []
  const made = entries.filter(({ output }) => output?.sha256)
  return [`${path}input/`, ...made.map(({ index }) => `${path}output/${index}/`)]
}

async function filesOf({ api }: Site, token: string, views: Facts['views']): Promise<Facts['files']> {
  const files: Facts['files'] = {}
  for (const path of Object.entries(views).flatMap(([of, view]) => pathsOf(of, view))) {
    const answer = await fetch(api + path, { headers: { authorization: `Bearer ${token}` } })
    assert.equal(answer.status, 200, path)
    files[path] = createHash('sha256')
      .update(Buffer.from(await answer.arrayBuffer()))
      .digest('hex')
  }
  return files
}
