// /docs/reference/: renders the OpenAPI document as one page, on request, without scripts or external resources.
import { catalogue } from '#kit/errors.ts'
import type { App } from '../route/route.ts'
import { escaped, type Operation, operationHtml, type Schemas, webhookHtml } from './docs-operation.ts'

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

interface Document {
  info: { title: string; version: string; description?: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: { schemas: Schemas }
}

export function docs(app: App): void {
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
    async (_request, reply) =>
      reply
        .header('content-security-policy', POLICY)
        .header('cache-control', 'no-cache')
        .type('text/html; charset=utf-8')
        .send(page(app.swagger() as unknown as Document)),
  )
}

function page({ info, tags, paths, webhooks, components }: Document): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const sections = tags
    .map(tag => ({ ...tag, own: operations.filter(({ operation }) => operation.tags?.includes(tag.name)) }))
    .filter(({ own }) => own.length > 0)
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(info.title)} API</title><style>${STYLE}</style></head><body>
<nav aria-label="Contents"><strong>${escaped(info.title)}</strong> ${escaped(info.version)}<ul>
${sections.map(({ name }) => `<li><a href="#${anchor(name)}">${escaped(name)}</a></li>`).join('\n')}
<li><a href="#webhooks">Webhooks</a></li><li><a href="#errors">Errors</a></li><li><a href="/api/openapi.json">openapi.json</a></li></ul></nav>
<main><h1>${escaped(info.title)} API</h1>${paragraphs(info.description ?? '')}
${sections
  .map(
    ({
      name,
      description,
      own,
    }) => `<section id="${anchor(name)}"><h2>${escaped(name)}</h2><p>${escaped(description)}</p>
${own.map(({ path, method, operation }) => operationHtml(path, method, operation, components.schemas)).join('\n')}</section>`,
  )
  .join('\n')}
<section id="webhooks"><h2>Webhooks</h2><p>What the service posts to the address of a receiver, signed.</p>
${Object.entries(webhooks)
  .map(([event, { post }]) => webhookHtml(event, post, components.schemas))
  .join('\n')}</section>
<section id="errors"><h2>Errors</h2><p>Every error is a problem with one of these codes.</p><table>
<thead><tr><th>code</th><th>status</th><th>meaning</th></tr></thead><tbody>
${Object.entries(catalogue)
  .map(
    ([code, { status, title }]) =>
      `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${title}</td></tr>`,
  )
  .join('\n')}
</tbody></table></section></main></body></html>`
}

const anchor = (name: string): string => name.toLowerCase().replaceAll(' ', '-')

const paragraphs = (text: string): string =>
  text
    .split('\n\n')
    .map(part => `<p>${escaped(part).replace(/`([^`]+)`/g, '<code>$1</code>')}</p>`)
    .join('')

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#ddd, #444); --soft: light-dark(#f5f5f4, #222); --accent: light-dark(#0b5fa5, #7cc0ff) }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 76rem; padding: 1rem; font: 16px/1.55 system-ui, sans-serif; display: grid; gap: 2rem; grid-template-columns: 12rem minmax(0, 1fr) }
nav { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow: auto }
nav ul { list-style: none; padding: 0 } a { color: var(--accent) }
article { border: 1px solid var(--line); border-radius: .5rem; margin: 1rem 0; padding: 0 1rem 1rem }
h3 { font-size: 1rem; margin: 1rem 0 .25rem; overflow-wrap: anywhere } h4 { margin: 1rem 0 .25rem }
.method { display: inline-block; min-width: 4.5em; font-weight: 700; color: var(--accent) }
table { border-collapse: collapse; width: 100%; font-size: .9rem } th, td { text-align: left; vertical-align: top; padding: .25rem .5rem; border-top: 1px solid var(--line) }
pre { background: var(--soft); padding: .75rem; border-radius: .375rem; overflow: auto; font-size: .85rem } code { font-family: ui-monospace, monospace; font-size: .9em }
tr:target { outline: 2px solid var(--accent); outline-offset: 4px }
@media (max-width: 50rem) { body { grid-template-columns: minmax(0, 1fr) } nav { position: static } }`
