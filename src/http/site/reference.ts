// Renders the OpenAPI document as one page, for people.
import { escaped } from '#kit/text.ts'
import { type Answer, type Operation, operationHtml, type Schemas, webhookHtml } from './reference-operation.ts'

export interface ApiDocument {
  info: { title: string; version: string; description?: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: { schemas: Schemas; responses: Record<string, Answer> }
}

interface ReferencePage {
  html: string
  contents: { name: string; anchor: string }[]
}

/** The page without its frame. */
export function referencePage({ info, tags, paths, webhooks, components }: ApiDocument): ReferencePage {
  /** Those that all operations share are named by reference. */
  const withAnswers = (operation: Operation): Operation => ({
    ...operation,
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, answer]) => [
        status,
        answer.$ref ? (components.responses[answer.$ref.split('/').at(-1) as string] as Answer) : answer,
      ]),
    ),
  })
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation: withAnswers(operation) })),
  )
  const sections = tags
    .map(tag => ({ ...tag, own: operations.filter(({ operation }) => operation.tags?.includes(tag.name)) }))
    .filter(({ own }) => own.length > 0)
  const html = `<h1>${escaped(info.title)} API</h1>${paragraphs(info.description ?? '')}<p><a href="/api/openapi.json">openapi.json</a>, version ${escaped(info.version)}</p>
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
  .join('\n')}</section>`
  const contents = [...sections.map(({ name }) => name), 'Webhooks'].map(name => ({ name, anchor: anchor(name) }))
  return { html, contents }
}

const anchor = (name: string): string => name.toLowerCase().replaceAll(' ', '-')

const paragraphs = (text: string): string =>
  text
    .split('\n\n')
    .map(part => `<p>${escaped(part).replace(/`([^`]+)`/g, '<code>$1</code>')}</p>`)
    .join('')
