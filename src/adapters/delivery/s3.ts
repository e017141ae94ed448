// Amazon's S3 client with all its traffic through the guarded way out, and its errors in words.
import { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import type { DeliveryStep } from '#engine/adapter.ts'
import { isProblem, Problem } from '#kit/errors.ts'
import type { FileRange, Outbound } from '#kit/net/outbound.ts'
import { strictlyEncoded } from '#kit/text.ts'
import { answered, quote, refused, unreachable } from './failure.ts'

export interface Store {
  bucketUrl: string
  region: string
  urlStyle: 'path' | 'virtual'
  accessKey: string
  secretKey: string
  sessionToken: string | undefined
  clean: DeliveryStep['clean']
}

/** The SDK is loaded when the first upload needs it: it takes 30 MB that most processes never use. */
export const sdk = () => import('@aws-sdk/client-s3')

export async function newS3(store: Store, outbound: Outbound): Promise<S3Client> {
  const { S3Client } = await sdk()
  const { accessKey, secretKey, sessionToken } = store
  return new S3Client({
    region: store.region,
    endpoint: store.bucketUrl,
    forcePathStyle: store.urlStyle === 'path',
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey, ...(sessionToken && { sessionToken }) },
    // Stores other than Amazon's keep the framing of the newer checksums inside the file.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // A body that was streamed can't be sent again; whoever runs the delivery decides on another attempt.
    maxAttempts: 1,
    // undici does not know "100 Continue".
    expectContinueHeader: false,
    // Left to itself the SDK writes to the console.
    logger: { trace() {}, debug() {}, info() {}, warn() {}, error() {} },
    requestHandler: guardedHandler(outbound),
  })
}

/** A range of a file in the shape of a stream, which the SDK wants; only the handler below reads it. */
export class FileBody extends Readable {
  readonly range: FileRange

  constructor(range: FileRange) {
    super()
    this.range = range
  }

  override _read(): void {
    this.destroy(new Error('this body is sent by the guarded handler only'))
  }
}

type Handler = S3Client['config']['requestHandler']
type HttpRequest = Parameters<Handler['handle']>[0]
type Response = Awaited<ReturnType<Handler['handle']>>['response']

function guardedHandler(outbound: Outbound): Handler {
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(request, options) {
      const { method, headers } = request
      const body =
        request.body instanceof FileBody ? [request.body.range] : (request.body as string | Uint8Array | undefined)
      const signal = options && 'abortSignal' in options ? options.abortSignal : undefined
      const answer = await outbound.request(urlOf(request), {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        // Some stores put the parts together before they say anything.
        ...(method === 'POST' && request.query?.uploadId !== undefined && { headersTimeoutMs: 300_000 }),
        ...(signal instanceof AbortSignal ? { signal } : {}),
      })
      return { response: { statusCode: answer.status, headers: answer.headers, body: answer.body } as Response }
    },
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
  }
}

function urlOf({ protocol, hostname, port, path, query }: HttpRequest): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === null
      ? [strictlyEncoded(name)]
      : [value].flat().map(one => `${strictlyEncoded(name)}=${strictlyEncoded(String(one))}`),
  )
  return `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`
}

interface S3Error {
  name: string
  message: string
  Region?: string
  $metadata?: { httpStatusCode?: number }
  $response?: { headers?: Record<string, string> }
}

/** Failures that pass, though some come with a status of 400 or 409. */
const passing =
  /^(RequestTimeout|SlowDown|InternalError|ServiceUnavailable|OperationAborted|ConditionalRequestConflict|IncompleteBody|BadDigest|XAmzContentSHA256Mismatch|NoSuchUpload)$/

/** Whether the same may work a moment later. */
export function isPassing(error: unknown): boolean {
  if (isProblem(error)) return error.fault === 'transient'
  const { name = '', $metadata } = error as Partial<S3Error>
  const status = $metadata?.httpStatusCode ?? 0
  return passing.test(name) || status === 429 || (status >= 500 && status !== 501 && status !== 507)
}

/** What the SDK finds wrong with a bucket, an ARN or a region before it sends anything. */
const isRefusal = ({ name, message }: Error): boolean =>
  name === 'EndpointError' || /SigV4a|^Region not accepted|^Invalid (ARN|region|bucket)/i.test(message)

/** The Problem behind an error of the SDK. */
export function s3Problem(error: unknown, bucket: string, store: Store, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (isProblem(error) || !(error instanceof Error)) return error
  if (isRefusal(error))
    return refused('The S3 client does not take these options', quote(error.message, store.clean), error)
  // What is not of the SDK comes from whoever runs the delivery.
  if (!('$metadata' in error || '$response' in error)) return error
  const { name, message, Region, $metadata, $response } = error as S3Error & Error
  const status = $metadata?.httpStatusCode
  const host = new URL(store.bucketUrl).host
  const said = /^(UnknownError|Unknown|)$/.test(message) ? '' : message
  const words = quote(said, store.clean)
  const all = quote(said === '' || said === name ? name : `${said} (${name})`, store.clean)
  if (name === 'NoSuchBucket') return refused(`There is no bucket "${bucket}" at ${host}`, '', error)
  if (name === 'InvalidAccessKeyId') return refused(`${host} does not know the access key`, '', error)
  if (name === 'SignatureDoesNotMatch')
    return refused(`The access key and the secret key do not fit together at ${host}`, '', error)
  if (name === 'InvalidToken' || name === 'ExpiredToken')
    return refused(`The session token is no longer valid at ${host}`, '', error)
  if (name === 'AccessDenied' || name === 'AllAccessDisabled')
    return refused(`The keys may not do this with the bucket "${bucket}" at ${host}`, words, error)
  if (name === 'RequestTimeTooSkewed')
    return refused(`The clock of this machine and that of ${host} differ too much`, '', error)
  if (
    name === 'PermanentRedirect' ||
    name === 'AuthorizationHeaderMalformed' ||
    name === 'IllegalLocationConstraintException'
  )
    return refused(
      `The bucket "${bucket}" lies in another region${Region ? ` (${quote(Region, store.clean)})` : ''}; set the option region`,
      '',
      error,
    )
  if (name === 'EntityTooLarge') return refused(`The file is too large for ${host}`, '', error)
  if (/Quota|StorageFull/.test(name)) return refused(`The bucket "${bucket}" at ${host} is full`, words, error)
  if (passing.test(name) && status !== undefined && status < 500)
    return unreachable(`${host} could not take the file just now (${status})`, all, { cause: error })
  if (status === undefined)
    return new Problem('destination_unreachable', `The answer of ${host} could not be read.`, { cause: error })
  return answered(host, status, $response?.headers ?? {}, all)
}
