// Azure Blob Storage over its REST interface: signing, blocks, and its errors in words.
import { createHmac } from 'node:crypto'
import type { DeliveryStep } from '#engine/adapter.ts'
import type { Problem } from '#kit/errors.ts'
import type { Outbound, OutboundRequest, OutboundResponse } from '#kit/net/outbound.ts'
import { answered, quote, refused } from './failure.ts'

export interface Account {
  serviceUrl: string
  name: string
  key: string | undefined
  sasToken: string | undefined
  clean: DeliveryStep['clean']
}

interface BlobRequest extends Pick<OutboundRequest, 'body' | 'signal'> {
  method: 'PUT' | 'GET' | 'HEAD' | 'DELETE'
  /** Container and blob, percent-encoded. */
  path: string
  query?: Record<string, string>
  headers?: Record<string, string>
  /** Bytes of the body: they are part of what is signed. */
  length?: number
  /** A blob that is not there is no Problem: the 404 is handed back. */
  mayBeMissing?: boolean
}

const version = '2021-12-02'

/** Sends one request, signed by key or by token. Answers below 300 are handed back, others are Problems. */
export async function callAzure(account: Account, outbound: Outbound, request: BlobRequest): Promise<OutboundResponse> {
  const answer = await outbound.request(urlOf(account, request), {
    method: request.method,
    headers: signed(account, request),
    ...(request.body === undefined ? {} : { body: request.body }),
    ...(request.signal === undefined ? {} : { signal: request.signal }),
  })
  const isMissing = answer.headers['x-ms-error-code'] === 'BlobNotFound'
  if (answer.status < 300 || (isMissing && request.mayBeMissing)) return answer
  throw await azureProblem(answer, account, request.path)
}

export const blobUrl = ({ serviceUrl }: Account, path: string): string => `${serviceUrl}/${path}`

function urlOf(account: Account, { path, query = {} }: BlobRequest): string {
  const token = account.sasToken?.replace(/^\?/, '')
  const pairs = [new URLSearchParams(query).toString(), token].filter(Boolean)
  return `${blobUrl(account, path)}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`
}

/** The Shared Key scheme: an HMAC over the method, a fixed row of headers, all `x-ms-` headers and the resource. */
function signed(account: Account, request: BlobRequest): Record<string, string> {
  const { method, query = {}, length = 0 } = request
  const headers: Record<string, string> = {
    'x-ms-date': new Date().toUTCString(),
    'x-ms-version': version,
    ...request.headers,
  }
  if (method === 'PUT') headers['content-length'] = String(length)
  if (account.key === undefined) return headers
  const row = [
    'content-encoding',
    'content-language',
    '',
    'content-md5',
    'content-type',
    '',
    '',
    '',
    '',
    '',
    'range',
  ].map(name => headers[name] ?? '')
  row[2] = length === 0 ? '' : String(length)
  const msHeaders = Object.keys(headers)
    .filter(name => name.startsWith('x-ms-'))
    .sort()
    .map(name => `${name}:${headers[name]}`)
  const resource = `/${account.name}${new URL(blobUrl(account, request.path)).pathname}`
  const parameters = Object.entries(query)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}:${value}`)
  const text = [method, ...row, ...msHeaders, [resource, ...parameters].join('\n')].join('\n')
  const signature = createHmac('sha256', Buffer.from(account.key, 'base64')).update(text).digest('base64')
  return { ...headers, authorization: `SharedKey ${account.name}:${signature}` }
}

async function azureProblem(answer: OutboundResponse, account: Account, path: string): Promise<Problem> {
  const body = await answer.text(8192).catch(() => '')
  const code = answer.headers['x-ms-error-code'] ?? /<Code>([^<]*)</.exec(body)?.[1] ?? ''
  const message = /<Message>([^<\n]*)/.exec(body)?.[1] ?? ''
  const { host } = new URL(account.serviceUrl)
  const container = path.split('/')[0]
  const words = quote(message, account.clean)
  const all = quote(code === '' ? message : `${message} (${code})`, account.clean)
  if (code === 'ContainerNotFound') return refused(`There is no container "${container}" at ${host}`)
  if (/^(Authentication|Authorization)|^Insufficient|^InvalidAuthenticationInfo$/.test(code)) {
    const secret = account.key === undefined ? 'SAS token' : 'account key'
    return refused(`${host} does not accept the ${secret} for this`, words)
  }
  if (code === 'AccountIsDisabled') return refused(`The storage account at ${host} is disabled`)
  return answered(host, answer.status, answer.headers, all)
}
