// Describes the callbacks for the document: what is posted to a webhook, with which headers, and which answers count.
import type { TSchema } from 'typebox'
import { exampleId } from '../contract/shapes.ts'
import { CheckCallback, TaskCallback, TaskGroupCallback } from '../contract/webhook-shapes.ts'

const header = (name: string, description: string, schema: object) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
})

const headers = (event: string) => [
  header('webhook-id', 'One for each run of a task, the same at every attempt: whoever has seen it may stop there.', {
    type: 'string',
    format: 'uuid',
    examples: [exampleId],
  }),
  header('webhook-timestamp', 'When this attempt was made, in seconds since 1970. Refuse what is minutes old.', {
    type: 'string',
    pattern: '^[0-9]+$',
    examples: ['1794799800'],
  }),
  header(
    'webhook-signature',
    'Standard Webhooks: `v1,` and the base64 of the HMAC-SHA256 of `webhook-id.webhook-timestamp.body` with the secret of the experience. For 24 hours after a rotation there are two, with a space between; one that fits is enough.',
    { type: 'string', examples: ['v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4='] },
  ),
  header('keepsake-experience', 'The experience it belongs to, percent-encoded: whose secret signs.', {
    type: 'string',
    examples: ['expo-2026'],
  }),
  header('keepsake-event', 'What kind of body this is.', { type: 'string', enum: [event] }),
]

const callback = (event: string, operationId: string, summary: string, description: string, schema: TSchema) => ({
  post: {
    tags: ['Callbacks'],
    operationId,
    summary,
    description,
    security: [],
    parameters: headers(event),
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: {
      '2XX': { description: 'Delivered, when it comes within 15 seconds. The body is not read.' },
      '410': { description: 'This callback is given up at once.' },
      default: { description: 'It is tried again later with the same body; a `Retry-After` is honoured.' },
    },
  },
})

export const webhooks = {
  task: callback(
    'task',
    'receiveTaskCallback',
    'A task has ended',
    'Posted to the `webhook_url` of the configuration, for a chain to that of the chain alone.',
    TaskCallback,
  ),
  taskgroup: callback(
    'taskgroup',
    'receiveTaskGroupCallback',
    'A task group has ended',
    'Posted once to the `webhook_url` of the task group.',
    TaskGroupCallback,
  ),
  check: callback(
    'check',
    'receiveCheckCallback',
    'A configuration is checked',
    'Posted by the check before an event opens, and by `doctor`, to see that the webhook answers. Nothing has ended.',
    CheckCallback,
  ),
}
