// Twilio as its public protocol describes it: accounts, messages, the list of them, and its errors.
import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { type Received, startReceiver } from './https-receiver.ts'

export interface TwilioFake {
  url: string
  port: number
  messages: { sid: string; to: string; from: string | null; body: string; status: string; date_created: string }[]
  /** Answers in place of taking a message, one each; with `takes` it is taken all the same. */
  troubles: { status: number; headers?: Record<string, string>; body?: object; takes?: true }[]
  stop(): Promise<void>
}

export const twilioAuth = { account_sid: 'AC0123456789abcdef0123456789abcdef', auth_token: 'twilio-token-1' }

export async function startTwilio(): Promise<TwilioFake> {
  const said = (response: ServerResponse, status: number, body: object, headers = {}) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  function answer({ method, url, headers, body }: Received, response: ServerResponse): unknown {
    const { pathname, searchParams } = new URL(url, 'http://twilio')
    const { account_sid, auth_token } = twilioAuth
    const right = `Basic ${Buffer.from(`${account_sid}:${auth_token}`).toString('base64')}`
    if (headers.authorization !== right)
      return said(response, 401, { code: 20003, message: `Authenticate with ${headers.authorization}`, status: 401 })
    if (pathname === `/2010-04-01/Accounts/${account_sid}.json`) return said(response, 200, { status: 'active' })
    if (pathname !== `/2010-04-01/Accounts/${account_sid}/Messages.json`)
      return said(response, 404, { code: 20404, message: 'Not found' })
    if (method === 'GET')
      return said(response, 200, { messages: fake.messages.filter(({ to }) => to === searchParams.get('To')) })
    const trouble = fake.troubles.shift()
    if (trouble && !trouble.takes) return said(response, trouble.status, trouble.body ?? {}, trouble.headers)
    const form = new URLSearchParams(body.toString())
    const to = form.get('To') ?? ''
    if (to.endsWith('0000000'))
      return said(response, 400, { code: 21610, message: 'Attempt to send to unsubscribed recipient', status: 400 })
    const message = {
      sid: `SM${randomBytes(16).toString('hex')}`,
      to,
      from: form.get('From'),
      body: form.get('Body') ?? '',
      status: 'queued',
      date_created: new Date().toUTCString(),
    }
    fake.messages.push(message)
    return trouble ? said(response, trouble.status, {}) : said(response, 201, message)
  }
  const receiver = await startReceiver({ answer: (request, response) => void answer(request, response) })
  const fake: TwilioFake = { url: receiver.url, port: receiver.port, messages: [], troubles: [], stop: receiver.stop }
  return fake
}
