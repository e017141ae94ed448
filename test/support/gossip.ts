// A target of every kind that says aloud what it was sent and what it knows, each time in other letters.
import { type Received, type Receiver, startReceiver } from './https-receiver.ts'
import { spellers } from './leaks.ts'

export interface Gossip extends Receiver {
  /** The address for one customer, whose secrets it knows from somewhere. */
  customer(secrets: readonly string[]): string
  /** Access tokens and sessions that it made up on the way; they are secrets too. */
  made: string[]
}

export async function startGossip(): Promise<Gossip> {
  const customers: (readonly string[])[] = []
  const made: string[] = []
  const spell = Object.values(spellers)
  let turn = 0
  const receiver = await startReceiver({
    answer(request, response) {
      const { method, url } = request
      const secrets = customers[Number(url.split('/')[1])] ?? []
      const fresh = (what: string): string => {
        const secret = `canary-${what}-${turn++}-${'q'.repeat(12)}`
        made.push(secret)
        return secret
      }
      const send = (status: number, body: object | string, headers: Record<string, string> = {}) => {
        const isText = typeof body === 'string'
        response.writeHead(status, { 'content-type': isText ? 'application/xml' : 'application/json', ...headers })
        response.end(isText ? body : JSON.stringify(body))
      }
      /** What this request brought, and the secrets in the next spelling. */
      const words = ({ headers, url, body }: Received): string => {
        const letters = spell[turn++ % spell.length] as (text: string) => string
        const form = url.endsWith('/token') ? body.toString('latin1') : undefined
        const heard = [headers.authorization, headers['x-amz-security-token'], url, form]
        return [...secrets.map(letters), ...heard.filter(text => text !== undefined)].join(' ').replaceAll('<', '&lt;')
      }
      if (url.endsWith('/token')) {
        if (url.includes('/deaf')) return send(400, { error: 'odd', error_description: words(request) })
        return send(200, { access_token: fresh('access'), scope: words(request) })
      }
      if (url.includes('/videos/s?')) {
        const [first = '', second = ''] = secrets
        return send(200, { id: first, status: { privacyStatus: Buffer.from(second).toString('base64') } })
      }
      if (url.includes('/taking') && method === 'POST')
        return send(200, {}, { location: `${receiver.url}${url.split('?')[0]}/s?upload_id=${fresh('session')}` })
      if (url.includes('/taken')) return send(200, { you: request.headers, words: words(request), [words(request)]: 1 })
      if (url.includes('/refused')) return send(400, { you: request.headers, words: words(request) })
      if (url.includes('/google'))
        return send(403, { error: { message: words(request), errors: [{ reason: words(request) }] } })
      send(403, `<Error><Code>AccessDenied</Code><Message>${words(request)}</Message></Error>`, {
        'x-ms-error-code': 'AuthenticationFailed',
      })
    },
  })
  return {
    ...receiver,
    made,
    customer: secrets => `${receiver.url}/${customers.push(secrets) - 1}`,
  }
}
