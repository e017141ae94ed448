// Every route of the published document with own, foreign and unknown ids, in paths, queries and bodies, for limited tokens of every scope.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { includes, type Scope, scopes } from '#access/scopes.ts'
import { newId } from '#kit/ids.ts'
import { type Body, EXPERIENCE, mutations, named, type Operation, operationsOf } from '../support/api-walk.ts'
import { newClient } from '../support/client.ts'
import { type Seeded, seedEach } from '../support/seed-rows.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

type Ids = Record<string, string>

let server: TestServer
let operations: Operation[]
let ours: Ids
let theirs: Ids
let unknown: Ids
/** By scope, each limited to OWN. */
const limited = new Map<Scope, string>()
const limitedFor = (scope: Scope | null): string => limited.get(scope as Scope) as string
/** Of scope admin, limited to the first of OWN. */
let narrow: string
/** Experiences of the limited tokens; each is used once, because requests change what is in it. */
const OWN = Array.from({ length: 480 }, (_, index) => `own${String(index).padStart(3, '0')}`)
/** What is put into bodies in the short form: names that people choose, and ids that are found in results. */
const KEYS =
  process.env.KEEPSAKE_HOSTILE === 'long'
    ? null
    : ['experience_id', 'configuration_name', 'name', 'profile_id', 'email', 'task_id']
/** Path parameters that name no thing of an experience. Uploads belong to tokens (`test/http/upload.test.ts`). */
const NO_THING = new Set(['index', 'entry', 'adapter_name', 'upload_id', 'version', 'number'])
/** Whole-deployment figures, which have tests of their own. */
const APART = new Set(['/metrics', '/api/stats/', '/api/trouble/'])

const known = (seeded: Seeded): Ids => ({
  ...seeded,
  email: `${seeded.experience_id}@x.org`,
  activity_type: `${seeded.experience_id} type`,
})
/** So many experiences are made at a time; the first one alone, because the lists are walked row by row. */
const atOnce = (done: number): number => (done === 0 ? 1 : 16)
let used = 0
const fresh: Seeded[] = []
async function newOwn(): Promise<Ids> {
  if (fresh.length === 0) {
    const next = OWN.slice(used, used + atOnce(used))
    assert.ok(next.length > 0, 'OWN is used up')
    fresh.push(...(await seedEach(server.db, server.services.secretBox, next)))
    used += next.length
  }
  return known(fresh.shift() as Seeded)
}

let counted = 0
const strange: [Seeded, missing: string][] = []
/** Things of an experience that no limited token sees, and ids as long as theirs that nothing has. */
async function newForeign(): Promise<{ theirs: Ids; unknown: Ids }> {
  if (strange.length === 0) {
    const numbers = Array.from({ length: atOnce(counted) }, () => String(counted++).padStart(5, '0'))
    const made = await seedEach(
      server.db,
      server.services.secretBox,
      numbers.map(number => `x${number}`),
    )
    strange.push(...made.map((seeded): [Seeded, string] => [seeded, seeded.experience_id.replace('x', 'y')]))
  }
  const [seeded, missing] = strange.shift() as [Seeded, string]
  const foreign = seeded.experience_id
  const theirs = known(seeded)
  const unknown = Object.fromEntries(
    Object.entries(theirs).map(([key, id]) => [key, id.includes(foreign) ? id.replace(foreign, missing) : newId()]),
  )
  return { theirs, unknown }
}

before(async () => {
  server = await startTestServer()
  operations = (await operationsOf(server.url)).filter(({ scope }) => scope !== null)
  ours = await newOwn()
  ;({ theirs, unknown } = await newForeign())
  const token = async (scope: Scope, experiences: string[]): Promise<string> =>
    (await newClient(server).post('/api/token/', { name: scope, scopes: [scope], experiences })).body.token
  for (const scope of scopes) limited.set(scope, await token(scope, OWN))
  narrow = await token('admin', OWN.slice(0, 1))
})
after(() => server.stop())

interface Answer {
  status: number
  /** Status, headers and body, without what differs between any two requests. */
  whole: string
  text: string
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const SECRET = /(ks|whsec)_[\w+/=-]+/g
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g

async function send({ method }: Operation, url: string, body: Body, token: string, ids: Ids): Promise<Answer> {
  const stop = new AbortController()
  const init: RequestInit = { method, signal: stop.signal, redirect: 'manual' }
  const headers: Record<string, string> = { authorization: `Bearer ${token}` }
  if (body && 'json' in body) {
    init.body = JSON.stringify(body.json)
    headers['content-type'] = 'application/json'
  } else if (body) {
    const form = new FormData()
    for (const [name, value] of Object.entries(body.form)) form.append(name, value)
    init.body = form
  }
  const response = await fetch(server.url + url, { ...init, headers })
  // Streams are not waited for.
  const streamed = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const text = streamed ? '' : await response.text()
  stop.abort()
  const told = [...response.headers].filter(([name]) => !['date', 'x-request-id', 'content-length'].includes(name))
  let whole = `${response.status} ${JSON.stringify(told)} ${text}`
  for (const [key, id] of Object.entries(ids).sort(([, a], [, b]) => b.length - a.length))
    for (const spelled of [id, encodeURIComponent(id)]) whole = whole.replaceAll(spelled, `<${key}>`)
  whole = whole
    .replace(UUID, '<uuid>')
    .replace(TIME, '<time>')
    .replace(SECRET, '<secret>')
    .replace(/(key(?:":"|=))[\w-]{22}/g, '$1<secret>')
    .replace(/own\d{3}/g, '<own>')
  return { status: response.status, whole, text }
}

/** The path with an id for each parameter; the id of a task stands for a group where the path is a group's. */
function pathTo({ path, parameters }: Operation, ids: Ids): string {
  for (const name of parameters)
    assert.ok(
      name in ids || NO_THING.has(name),
      `test/support/seed-rows.ts makes nothing that {${name}} of ${path} can name`,
    )
  return path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const key = name === 'task_id' && path.startsWith('/api/taskgroup/') ? 'group_id' : name
    return encodeURIComponent(ids[key] ?? (name === 'version' ? '1' : '0'))
  })
}

/** An example of the document as it would be sent in an experience of one's own. */
function inExperience(body: Body, experience: string): Body {
  if (!body || 'form' in body)
    return body && { form: { ...body.form, ...('experience_id' in body.form ? { experience_id: experience } : {}) } }
  return { json: JSON.parse(JSON.stringify(body.json).replaceAll(EXPERIENCE, experience)) }
}

const aboutThings = () => operations.filter(({ parameters }) => parameters.some(name => !NO_THING.has(name)))

test('lists tell nothing of foreign things, whatever filter or cursor asks for them', async () => {
  const operator = newClient(server)
  const lists = operations.filter(
    ({ method, path, parameters }) => method === 'GET' && parameters.length === 0 && !APART.has(path),
  )
  let compared = 0
  for (const operation of lists) {
    // A search needs something to look for.
    const bare = operation.filters.includes('q') ? `${operation.path}?q=zz` : operation.path
    const plain = await send(operation, bare, null, narrow, {})
    // An archive of nothing is not there.
    assert.equal(plain.status, operation.path.endsWith('/zip/') ? 404 : 200, plain.whole)
    const urls = new Set([bare])
    for (const filter of operation.filters)
      for (const key of KEYS ?? Object.keys(theirs)) {
        const url = (ids: Ids) => `${operation.path}?${filter}=${encodeURIComponent(ids[key] as string)}`
        const [foreign, missing] = [
          await send(operation, url(theirs), null, narrow, theirs),
          await send(operation, url(unknown), null, narrow, unknown),
        ]
        assert.equal(foreign.whole, missing.whole, `${operation.path}?${filter}=${key}`)
        urls.add(url(ours))
        compared++
      }
    if (operation.hasCursor) {
      // Made by a token that sees everything, somewhere among the foreign rows.
      for (let at = `${operation.path}?limit=1`; at !== ''; ) {
        const { next_cursor } = (await operator.get(at)).body
        at = next_cursor ? `${operation.path}?limit=1&cursor=${next_cursor}` : ''
        if (at !== '') urls.add(at)
      }
    }
    for (const url of urls) {
      const { text } = await send(operation, url, null, narrow, {})
      for (const id of Object.values(theirs)) assert.ok(!text.includes(id), `${url} tells ${id}`)
    }
  }
  assert.ok(compared > 50, `${compared} compared`)
})

/** PUT makes what is not there, so it looks at the body first. */
const isMaking = ({ method }: { method: string }): boolean => method === 'PUT'

test('in a path, a foreign thing answers exactly like one that is not there', async () => {
  let compared = 0
  for (const operation of aboutThings()) {
    const statuses = new Set<number>()
    for (const scope of scopes.filter(scope => includes(scope, operation.scope as Scope)))
      for (const body of operation.bodies.map(body => inExperience(body, OWN[0] as string))) {
        const [foreign, missing] = [
          await send(operation, pathTo(operation, theirs), body, limitedFor(scope), theirs),
          await send(operation, pathTo(operation, unknown), body, limitedFor(scope), unknown),
        ]
        assert.equal(foreign.whole, missing.whole, `${named(operation)} as ${scope} with ${JSON.stringify(body)}`)
        statuses.add(missing.status)
        compared++
      }
    assert.ok(statuses.has(404) || isMaking(operation), `${named(operation)} answered ${[...statuses]}`)
  }
  assert.ok(compared > 100, `${compared} compared`)
})

test('own things answer otherwise, so that the walk means something', async () => {
  for (const operation of aboutThings()) {
    const own = await newOwn()
    const answers = []
    for (const body of operation.bodies.map(body => inExperience(body, own.experience_id as string)))
      answers.push([
        (await send(operation, pathTo(operation, own), body, limitedFor(operation.scope), own)).whole,
        (await send(operation, pathTo(operation, unknown), body, limitedFor(operation.scope), unknown)).whole,
      ])
    assert.ok(
      isMaking(operation) || answers.some(([mine, missing]) => mine !== missing),
      `${named(operation)}: ${JSON.stringify(answers)}`,
    )
  }
})

test('in a body, a foreign name is like an unknown one but for the name that is taken', async () => {
  let compared = 0
  const taken = new Set<string>()
  for (const operation of operations.filter(({ bodies }) => bodies[0] !== null)) {
    const token = limitedFor(operation.scope)
    let [one, other, foreign] = [await newOwn(), await newOwn(), await newForeign()]
    for (const example of operation.bodies)
      for (const key of KEYS ?? Object.keys(theirs))
        for (let turn = 0; ; turn++) {
          const sent = mutated(example, one, foreign.theirs[key] as string, turn)
          const like = mutated(example, other, foreign.unknown[key] as string, turn)
          if (!sent || !like) break
          const a = await send(operation, pathTo(operation, one), sent, token, { ...one, ...prefixed(foreign.theirs) })
          const b = await send(operation, pathTo(operation, other), like, token, {
            ...other,
            ...prefixed(foreign.unknown),
          })
          compared++
          if (isTaken(a) && !isTaken(b)) taken.add(named(operation))
          else assert.equal(a.whole, b.whole, `${named(operation)} ${JSON.stringify(sent)} and ${JSON.stringify(like)}`)
          assert.ok(a.status < 500, a.whole)
          // What was made or changed would answer otherwise the next time.
          if (b.status < 300) foreign = await newForeign()
          if (b.status < 300 && operation.parameters.length > 0) [one, other] = [await newOwn(), await newOwn()]
        }
  }
  assert.ok(compared > 300, `${compared} compared`)
  assert.deepEqual([...taken].sort(), ['POST /api/asset/', 'POST /api/configuration/'])
})

const isTaken = ({ text }: Answer): boolean => text.includes('"name_taken"')

const mutated = (example: Body, own: Ids, value: string, turn: number): Body | undefined =>
  [...mutations(inExperience(example, own.experience_id as string), value)][turn]

const prefixed = (ids: Ids): Ids => Object.fromEntries(Object.entries(ids).map(([key, id]) => [`other ${key}`, id]))
