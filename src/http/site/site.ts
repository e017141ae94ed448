// /docs/: the documentation site, made from docs/ on request. It needs no network and no scripts.
import Type from 'typebox'
import { catalogue, Problem } from '#kit/errors.ts'
import { escaped } from '#kit/text.ts'
import type { App } from '../route/route.ts'
import { layout, type PageParts, POLICY } from './layout.ts'
import { type ApiDocument, referencePage } from './reference.ts'
import type { Operation } from './reference-operation.ts'
import type { Shelf } from './shelf.ts'
import { bytesOf, isPage, typeOf } from './site-files.ts'
import { type Findable, type Hit, newSiteSearch } from './site-search.ts'

type Paths = Record<string, Record<string, Operation>>

const Query = Type.Object({ q: Type.Optional(Type.String({ maxLength: 200 })) })

export function site(app: App): void {
  let shelf: Promise<Shelf> | undefined
  let search: Promise<(query: string) => Hit[]> | undefined
  // Few processes are ever asked for it, so none loads at its start what reads and renders pages.
  const opened = (): Promise<Shelf> => {
    shelf ??= import('./shelf.ts').then(({ newShelf }) => newShelf())
    return shelf
  }
  const document = (): ApiDocument => app.swagger() as unknown as ApiDocument
  const paths = (): Paths => document().paths
  const hidden = { config: { scope: null }, schema: { hide: true } }
  const framed = async (parts: Omit<PageParts, 'nav'>): Promise<string> =>
    layout({ ...parts, nav: (await opened()).nav })

  app.addHook('onRequest', async (request, reply) => {
    if (!/^\/docs(\/|\?|$)/.test(request.url)) return
    reply.header('content-security-policy', POLICY).header('cache-control', 'no-cache')
  })

  app.get(
    '/docs/',
    {
      config: { scope: null },
      schema: {
        tags: ['Operations'],
        summary: 'The documentation, readable',
        operationId: 'readDocumentation',
        response: { 200: { description: 'A page.', content: { 'text/html': { schema: { type: 'string' } } } } },
      },
    },
    async (_request, reply) => {
      const { title, html } = (await opened()).page('docs/README.md')
      return reply
        .type('text/html; charset=utf-8')
        .send(await framed({ title, address: '/docs/', html: html + routesHtml(paths()) + errorsHtml() }))
    },
  )

  app.get(
    '/docs/reference/',
    {
      config: { scope: null },
      schema: {
        tags: ['Operations'],
        operationId: 'readReference',
        summary: 'The reference, readable',
        response: { 200: { description: 'A page.', content: { 'text/html': { schema: { type: 'string' } } } } },
      },
    },
    async (_request, reply) => {
      const { html, contents } = referencePage(document())
      const address = '/docs/reference/'
      return reply
        .type('text/html; charset=utf-8')
        .send(await framed({ title: 'API reference', address, html, contents }))
    },
  )

  app.get<{ Querystring: { q?: string } }>(
    '/docs/search',
    { ...hidden, schema: { ...hidden.schema, querystring: Query } },
    async ({ query: { q = '' } }, reply) => {
      search ??= newSiteSearch(everything(await opened(), paths()))
      const hits = q.trim() === '' ? [] : (await search)(q)
      return reply
        .type('text/html; charset=utf-8')
        .send(await framed({ title: 'Search', address: '/docs/search', html: hitsHtml(q, hits), query: q }))
    },
  )

  app.get<{ Params: { '*': string } }>('/docs/*', hidden, async ({ params }, reply) => {
    const { fileAt, page } = await opened()
    const file = fileAt(params['*'].replace(/\/$/, ''))
    if (file === undefined) throw new Problem('not_found', 'There is no such page; /docs/ lists them all.')
    if (!isPage(file)) return reply.type(typeOf(file)).send(bytesOf(file))
    const { title, html, sections } = page(file)
    const contents = sections
      .filter(({ depth }) => depth === 2)
      .map(({ heading, anchor }) => ({ name: heading, anchor }))
    return reply
      .type('text/html; charset=utf-8')
      .send(await framed({ title, address: `/docs/${params['*'].replace(/\/$/, '')}/`, html, contents }))
  })
}

async function* everything(shelf: Shelf, paths: Paths): AsyncGenerator<Findable> {
  yield* shelf.findable()
  for (const { path, method, operation } of operationsOf(paths))
    yield {
      title: `${method.toUpperCase()} ${path}`,
      heading: operation.summary ?? '',
      text: operation.description ?? '',
      address: referenceOf(operation),
    }
}

const operationsOf = (paths: Paths) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

const referenceOf = ({ operationId }: { operationId?: string }): string =>
  operationId === undefined ? '/docs/reference/' : `/docs/reference/#${operationId}`

function routesHtml(paths: Paths): string {
  const rows = operationsOf(paths).map(
    ({ path, method, operation }) =>
      `<tr><td>${method.toUpperCase()}</td><td><a href="${referenceOf(operation)}"><code>${escaped(path)}</code></a></td><td>${escaped(operation.summary ?? '')}</td></tr>`,
  )
  return `<h2 id="routes">Every route</h2><p>Each has its fields, an example and its answers in the <a href="/docs/reference/">API reference</a>.</p>
<div class="wide" tabindex="0"><table><thead><tr><th>method</th><th>path</th><th>what</th></tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`
}

/** The `type` of every problem leads here. */
function errorsHtml(): string {
  const rows = Object.entries(catalogue).map(
    ([code, { status, title }]) =>
      `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${title}</td></tr>`,
  )
  return `<h2 id="errors">Every error</h2><p><a href="/docs/errors/">Errors</a> says more of each.</p>
<div class="wide" tabindex="0"><table><thead><tr><th>code</th><th>status</th><th>meaning</th></tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`
}

function hitsHtml(query: string, hits: Hit[]): string {
  const found = hits.map(
    ({ title, address, excerpt }) =>
      `<article class="hit"><h2><a href="${escaped(address)}">${escaped(title)}</a></h2><p>${excerpt}</p></article>`,
  )
  const said =
    query.trim() === '' ? 'Type a word above.' : hits.length === 0 ? `Nothing was found for “${escaped(query)}”.` : ''
  return `<h1>Search</h1>${said === '' ? '' : `<p>${said}</p>`}${found.join('\n')}`
}
