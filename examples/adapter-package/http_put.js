// @ts-check
// http_put: puts the file to a web address under a name, as WebDAV servers and many stores take it.
import {
  answered,
  deliveryOptions,
  destinationAdapter,
  keyOf,
  namingOptions,
  newMeter,
  newProbe,
  quote,
  refused,
  reviewNaming,
  tried,
  urlPath,
  wholeFile,
} from 'keepsake/adapter'

/** @typedef {import('keepsake/adapter').DeliveryStep<{ url: string, file_prefix: string, file_name: string }, { token?: string }>} PutStep */

export const httpPut = destinationAdapter({
  name: 'http_put',
  summary: 'Puts the file to a web address under a name of its own.',
  accepts: ['image', 'video', 'audio', 'file'],
  makes: 'same',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['url', 'file_prefix', 'file_name'],
    properties: {
      url: {
        type: 'string',
        pattern: '^https?://[^/]+',
        maxLength: 2048,
        description: 'Address below which files are put.',
        examples: ['https://files.example.com/event'],
        // What placeholders stand for stays inside of its part of the path.
        placeholders: 'url',
      },
      // `file_prefix` and `file_name`. The name is the same at every attempt: a second one overwrites the first.
      ...namingOptions,
      // `delivery_attempts` and `delivery_backoff`, which the service reads by their roles.
      ...deliveryOptions,
    },
  },
  auth: {
    type: 'object',
    additionalProperties: false,
    properties: { token: { type: 'string', minLength: 1, maxLength: 4096, description: 'Sent as a bearer token.' } },
  },
  // Where the token is sent: no task may change it, and nobody who does not know the token.
  target: ['url'],
  addresses: ['url'],
  // Made of options alone, so no word of the target is in it.
  ownWords: ['url'],
  review: reviewNaming,

  async deliver(input, step) {
    const url = addressOf(step, keyOf(step.options))
    const meter = newMeter(input.bytes, step.progress)
    await call(step, url, 'PUT', wholeFile(input, meter.add), input.mime)
    meter.set(input.bytes)
    return { url }
  },

  async retract(delivered, step) {
    await call(step, String(delivered.url), 'DELETE')
  },

  async *check(step) {
    const { name, content, mime } = newProbe()
    const url = addressOf(step, keyOf({ ...step.options, file_name: name }))
    const written = await tried('Write a file', async () => {
      await call(step, url, 'PUT', content, mime)
      return 'A small file was put there.'
    })
    yield written
    if (!written.ok) return
    yield await tried('Read it back', async () => {
      if ((await call(step, url, 'GET')) !== content.toString())
        throw refused('What came back differs from what was written')
      return 'The same bytes came back.'
    })
    yield await tried('Delete it', async () => {
      await call(step, url, 'DELETE')
      return 'The small file is gone again.'
    })
  },
})

/** @param {PutStep} step @param {string} key */
const addressOf = ({ options }, key) => `${options.url.replace(/\/$/, '')}/${urlPath(key)}`

/**
 * One request to the target, guarded by the service. What it answers becomes a problem whose fault says whether the
 * delivery is tried again.
 * @param {PutStep} step
 * @param {string} url
 * @param {string} method
 * @param {import('keepsake/adapter').OutboundRequest['body']} [body]
 * @param {string} [mime]
 */
async function call({ auth, outbound, signal, clean }, url, method, body, mime) {
  const answer = await outbound.request(url, {
    method,
    headers: {
      ...(auth.token && { authorization: `Bearer ${auth.token}` }),
      ...(mime && { 'content-type': mime }),
    },
    ...(body && { body }),
    signal,
  })
  const words = await answer.text()
  const isGone = method === 'DELETE' && (answer.status === 404 || answer.status === 410)
  if (answer.status < 300 || isGone) return words
  throw answered(new URL(url).host, answer.status, answer.headers, quote(words, clean))
}
