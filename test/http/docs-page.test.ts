// /docs: readable, offline, with a search, and with a place for every error.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { catalogue } from '#kit/errors.ts'
import { type Client, newClient } from '../support/client.ts'
import { anchorsOf, pages } from '../support/markdown.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let client: Client
before(async () => {
  server = await startTestServer()
  client = newClient(server, null)
})
after(() => server.stop())

async function page(path: string): Promise<string> {
  const { status, headers, body } = await client.get(path)
  assert.equal(status, 200, path)
  assert.match(headers.get('content-type') ?? '', /^text\/html/)
  assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'unsafe-inline'/)
  assert.ok(!/<script|<link|(?:src|srcset)="(?!\/docs\/)/i.test(body), `${path} loads something from elsewhere`)
  return body
}

test('the reference shows every operation', async () => {
  const body = await page('/docs/reference')
  const { paths } = (await client.get('/api/openapi.json')).body
  for (const path of Object.keys(paths)) assert.ok(body.includes(`<code>${path}</code>`), path)
})

test('the first page lists every route, and has the place that the type of a problem names', async () => {
  const body = await page('/docs')
  const { paths } = (await client.get('/api/openapi.json')).body
  for (const path of Object.keys(paths)) assert.ok(body.includes(`<code>${path}</code>`), path)
  for (const code of Object.keys(catalogue)) assert.ok(body.includes(`<tr id="${code}">`), code)
  const problem = (await client.get('/api/nothing/')).body
  assert.equal(problem.type, '/docs#not_found')
})

test('every page of the docs is served, and every link between them leads somewhere', async () => {
  const seen = new Map<string, string>()
  const open = ['/docs/']
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (seen.has(path)) continue
    const { status, headers, body } = await client.get(path)
    assert.equal(status, 200, path)
    const isHtml = headers.get('content-type')?.startsWith('text/html') ?? false
    seen.set(path, isHtml ? body : '')
    if (isHtml) for (const [, link = ''] of body.matchAll(/(?:href|src|srcset)="(\/docs\/[^"#]*)/g)) open.push(link)
  }
  for (const [path, body] of seen)
    for (const [, target = '', anchor = ''] of body.matchAll(/href="(\/docs\/[^"#]*)?#([^"]+)"/g))
      assert.ok(seen.get(target || path)?.includes(`id="${anchor}"`), `${path}: ${target}#${anchor}`)
  const served = pages.filter(({ file }) => file.startsWith('docs/'))
  for (const { file } of served) {
    const place = file
      .replace(/^docs\//, '')
      .replace(/(^|\/)README\.md$/, '$1')
      .replace(/\.md$/, '/')
    assert.ok(seen.has(`/docs/${place}`), `no page links to ${file}`)
  }
})

test('headings have the anchors that they have where the code is hosted', async () => {
  const design = pages.find(({ file }) => file === 'docs/design.md')
  assert.ok(design)
  const body = await page('/docs/design/')
  for (const anchor of anchorsOf(design)) assert.ok(body.includes(`id="${anchor}"`), anchor)
})

test('pictures and examples are served as what they are', async () => {
  const picture = await client.get('/docs/images/architecture.svg')
  assert.equal(picture.headers.get('content-type'), 'image/svg+xml')
  const example = await client.get('/docs/examples/polaroid.json')
  assert.equal(example.headers.get('content-type'), 'application/json; charset=utf-8')
})

test('nothing but the documentation is served', async () => {
  for (const path of [
    'nothing',
    '../package.json',
    '%2e%2e/package.json',
    'project/package.json',
    'project/.env',
    'images',
    'project/src/main.ts',
  ]) {
    const { status } = await client.get(`/docs/${path}`)
    assert.equal(status, 404, path)
  }
})

test('the search finds sections, options and operations, and shows no markup of the asker', async () => {
  const hits = (html: string): string[] => [...html.matchAll(/<h2><a href="([^"]+)"/g)].map(([, link = '']) => link)
  assert.ok(hits(await page('/docs/search?q=idempotency'))[0]?.includes('/docs/'))
  assert.ok(hits(await page('/docs/search?q=overlay_file_name')).some(link => link.startsWith('/docs/adapters/')))
  assert.ok(
    hits(await page('/docs/search?q=rotate+secret')).some(
      link => link.includes('reference') || link.includes('rotat') || link.includes('secret'),
    ),
  )
  assert.deepEqual(hits(await page('/docs/search?q=xyzzyplugh')), [])
  assert.deepEqual(hits(await page('/docs/search')), [])
  const hostile = await page('/docs/search?q=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E%22%27')
  assert.ok(!hostile.includes('<img src=x'))
  assert.equal((await client.get(`/docs/search?q=${'a'.repeat(201)}`)).status, 400)
  assert.equal((await client.get(`/docs/search?q=${encodeURIComponent('(a+)+$ [ \\ ')}`)).status, 200)
})
