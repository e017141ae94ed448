// docs/api.md against the routes that are served. With KEEPSAKE_WRITE_DOCS=1 the table is written instead.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { newClient } from '../support/client.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const file = new URL('../../docs/api.md', import.meta.url)

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

interface Operation {
  summary: string
  tags: string[]
  security: object[]
  description: string
}

async function table(): Promise<string> {
  const { paths, tags } = (await newClient(server, null).get('/api/openapi.json')).body as {
    paths: Record<string, Record<string, Operation>>
    tags: { name: string }[]
  }
  const order = tags.map(({ name }) => name)
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([
        method,
        {
          summary,
          tags: [tag = ''],
          description,
        },
      ]) => ({
        place: `${String(order.indexOf(tag)).padStart(3, '0')} ${path} ${method}`,
        text: `| ${method.toUpperCase()} | \`${path}\` | ${/scope `(\w+)`/.exec(description)?.[1] ?? 'open'} | ${summary} |`,
      }),
    ),
  )
  rows.sort((a, b) => (a.place < b.place ? -1 : 1))
  return ['| method | path | scope | what |', '|---|---|---|---|', ...rows.map(({ text }) => text)].join('\n')
}

test('the page lists every route with its scope, and no other', async () => {
  const page = readFileSync(file, 'utf8')
  const made = page.replace(/(<!-- made: routes -->\n)[\s\S]*(<!-- \/made -->)/, `$1\n${await table()}\n\n$2`)
  if (process.env.KEEPSAKE_WRITE_DOCS === '1') writeFileSync(file, made)
  else assert.equal(page, made, 'write it anew with: KEEPSAKE_WRITE_DOCS=1 node --test test/docs/api.test.ts')
})

test('every tag of a route is described', async () => {
  const { paths, tags } = (await newClient(server, null).get('/api/openapi.json')).body
  const known = tags.map((tag: { name: string }) => tag.name)
  for (const methods of Object.values<Record<string, Operation>>(paths))
    for (const { tags: own } of Object.values(methods)) for (const tag of own) assert.ok(known.includes(tag), tag)
})
