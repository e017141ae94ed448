// Writes docs/errors.md from the catalogue of errors: node scripts/errors-page.ts
import { writeFileSync } from 'node:fs'
import { catalogue, type Fault } from '#kit/errors.ts'

const faults: Record<Fault, string> = {
  input: 'What was sent. The same request fails again: change it as the sentence says.',
  config: 'A configuration, an asset or this machine. Change it once; the requests were fine.',
  transient: 'The moment. It is tried again by itself where it can be; else send it again after `Retry-After`.',
  quota: 'A quota of the target. The entry waits until it is reset.',
  destination: 'The target of a delivery. Its own message is in the sentence.',
  bug: 'The service. The log has the whole story under the request id or task id; please report it.',
}

export function errorsPage(): string {
  const rows = Object.entries(catalogue).map(
    ([code, { status, fault, title }]) => `| <a id="${code}"></a>\`${code}\` | ${status} | ${fault} | ${title} |`,
  )
  return `# Errors

Every error of the API is an RFC 9457 problem (\`application/problem+json\`):

\`\`\`json
{
  "type": "/docs#bad_options",
  "title": "The adapter options are not valid",
  "status": 400,
  "detail": "photo_flip does not take this: adapter_config.defaults.method: must be one of …, not \\"ROTATE_181\\".",
  "code": "bad_options",
  "errors": [{ "field": "adapter_config.defaults.method", "message": "must be one of …, not \\"ROTATE_181\\"" }]
}
\`\`\`

\`code\` is stable and meant for programs; \`detail\` is a sentence for people and may change. \`errors\` is there for bad input and names each field that is wrong. A \`500\` carries \`request_id\` and nothing else.
An entry of a task that fails has the same codes in \`error.code\`; the status then has no meaning. In callbacks there are sentences only.

## Whose fault it is

| fault | what to change |
|---|---|
${Object.entries(faults)
  .map(([fault, advice]) => `| ${fault} | ${advice} |`)
  .join('\n')}

## All codes

| code | status | fault | meaning |
|---|---|---|---|
${rows.join('\n')}
`
}

if (import.meta.main) writeFileSync(new URL('../docs/errors.md', import.meta.url), errorsPage())
