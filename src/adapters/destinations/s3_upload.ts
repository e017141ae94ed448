// s3_upload: puts the file into a bucket of Amazon S3 or any store that speaks its protocol.
import type { S3Client } from '@aws-sdk/client-s3'
import Type, { type Static } from 'typebox'
import { type DeliveryStep, destinationAdapter } from '#engine/adapter.ts'
import { withStandIns } from '#engine/placeholders.ts'
import { badOption, Problem } from '#kit/errors.ts'
import { named } from '#kit/schema.ts'
import { withoutEnd } from '#kit/text.ts'
import { newProbe, tried } from '../delivery/check-lines.ts'
import {
  baseName,
  contentDisposition,
  keyOf,
  naming,
  patience,
  serving,
  urlPath,
  visible,
} from '../delivery/delivery-options.ts'
import { refused } from '../delivery/failure.ts'
import { checkNames } from '../delivery/header-names.ts'
import { remarksBy, reviewNaming } from '../delivery/review.ts'
import { newS3, type Store, s3Problem, sdk } from '../delivery/s3.ts'
import { type Target, uploadFile } from '../delivery/s3-parts.ts'
import { abortUpload, begunIn, clearAway } from '../delivery/s3-unfinished.ts'

const options = Type.Object(
  {
    bucket_name: Type.String({
      description: 'Bucket to put the file into.',
      role: 'place',
      minLength: 3,
      maxLength: 255,
      examples: ['souvenirs'],
    }),
    bucket_url: Type.String({
      description: 'Base URL of the store, without the bucket.',
      placeholders: 'url',
      role: 'place',
      pattern: '^https?://[^/]+',
      maxLength: 2048,
      examples: ['https://s3.eu-central-1.amazonaws.com'],
    }),
    ...serving,
    ...naming,
    region: Type.String({
      description: 'Region the bucket lies in.',
      default: 'us-east-1',
      minLength: 1,
      maxLength: 64,
      pattern: '^[A-Za-z0-9_-]+$',
      expects: 'a name of letters, digits, _ and -',
    }),
    url_style: Type.Enum(['path', 'virtual'], {
      description: 'Where the bucket stands in URLs: `path` is HOST/BUCKET/KEY, `virtual` is BUCKET.HOST/KEY.',
      default: 'path',
    }),
    public_base_url: Type.Union([Type.String({ pattern: '^https?://[^/]+', maxLength: 2048 }), Type.Null()], {
      description:
        'Put before the key to make the URL in the result, for a CDN or an own domain in front of the bucket.',
      placeholders: 'url',
      default: null,
      examples: ['https://cdn.example.com'],
    }),
    signed_url_ttl: Type.Union([Type.Integer({ minimum: 1, maximum: 604_800 }), Type.Null()], {
      description:
        'Seconds for which the URL in the result opens a private file; up to a week. `null`: the URL is not signed.',
      default: null,
      examples: [86_400],
    }),
    acl_mode: Type.Enum(['auto', 'acl', 'none'], {
      description:
        '`auto` asks for a public ACL where `public` is set and does without in a bucket that refuses ACLs; `acl` always sends one and insists on it; `none` never does.',
      default: 'auto',
    }),
    metadata: Type.Optional(
      named(
        Type.String({ maxLength: 2048 }),
        {
          description: 'Metadata kept with the file (`x-amz-meta-…`), 2,048 bytes with all names at most.',
          examples: [{ event: 'summer-party' }],
          names: 'letters, digits, "-", "_" and "."',
        },
        '^[A-Za-z0-9._-]{1,128}$',
      ),
    ),
    ...patience,
  },
  { additionalProperties: false },
)

const auth = Type.Object(
  {
    access_key: Type.String({ description: 'Access key.', minLength: 1, maxLength: 256, pattern: visible }),
    secret_key: Type.String({ description: 'Secret key that belongs to it.', minLength: 1, maxLength: 256 }),
    session_token: Type.Optional(
      Type.String({
        description: 'Session token, for temporary keys.',
        minLength: 1,
        maxLength: 8192,
        pattern: visible,
      }),
    ),
  },
  { additionalProperties: false },
)

type S3Step = DeliveryStep<Static<typeof options>, Static<typeof auth>>
const storeOf = ({ options, auth, clean }: S3Step): Store => ({
  bucketUrl: withoutEnd(options.bucket_url, '/'),
  region: options.region,
  urlStyle: options.url_style,
  accessKey: auth.access_key,
  secretKey: auth.secret_key,
  sessionToken: auth.session_token,
  clean,
})

export const s3Upload = destinationAdapter({
  name: 's3_upload',
  summary: 'Puts the file into a bucket of Amazon S3 or any store that speaks its protocol.',
  accepts: ['image', 'video', 'audio', 'file'],
  makes: 'same',
  options,
  auth,
  target: ['bucket_url', 'url_style'],
  // There the bucket is a part of the host, which gets a session token as it is.
  targetIf: ({ url_style }) => (url_style === 'virtual' ? ['bucket_name'] : []),
  onlySigns: ({ session_token }) => session_token === undefined,
  // A signed URL holds the access key and a signature, for which it was asked.
  result: Type.Object({
    bucket_name: Type.String({ description: 'The bucket.' }),
    file_key: Type.String({ description: 'The name of the file there, with its prefix.' }),
    url: Type.String({ description: 'Where the file is.' }),
  }),
  ownWords: ['bucket_name', 'file_key', 'url'],
  review: options => [
    ...reviewNaming(options),
    ...remarksBy(() =>
      checkPlace(withStandIns(options.bucket_name ?? 'xxx'), withStandIns(options.bucket_url ?? 'https://x')),
    ),
    ...remarksBy(() => checkMetadata(mapValues(options.metadata ?? {}, withStandIns))),
  ],

  async deliver(input, step) {
    const Key = keyOf(step.options)
    const Bucket = step.options.bucket_name
    checkPlace(Bucket, step.options.bucket_url)
    checkMetadata(step.options.metadata ?? {})
    await withStore(step, Bucket, client =>
      withAcl(step, ACL =>
        uploadFile(client, { ...targetOf(step, Key, input.mime), ...(ACL && { ACL }) }, input, step),
      ),
    )
    return { bucket_name: Bucket, file_key: Key, url: await urlOf(step, Key) }
  },

  async abandon(step) {
    const begun = begunIn(step.checkpoint)
    if (begun) await withStore(step, begun.bucket_name, client => clearAway(client, begun, step))
  },

  aims({ options }) {
    checkPlace(options.bucket_name, options.bucket_url)
    return { bucket_name: options.bucket_name, file_key: keyOf(options) }
  },

  async retract(delivered, step) {
    const { bucket_name: Bucket, file_key: Key } = delivered
    if (typeof Bucket !== 'string' || typeof Key !== 'string')
      throw new Problem('internal', 'That is no result of s3_upload.')
    const { DeleteObjectCommand } = await sdk()
    await withStore(step, Bucket, client =>
      client.send(new DeleteObjectCommand({ Bucket, Key }), { abortSignal: step.signal }),
    )
  },

  async *check(step) {
    const {
      GetObjectCommand,
      PutObjectCommand,
      DeleteObjectCommand,
      CreateMultipartUploadCommand,
      ListMultipartUploadsCommand,
    } = await sdk()
    const Bucket = step.options.bucket_name
    const { name, content, mime } = newProbe()
    const Key = keyOf({ file_prefix: step.options.file_prefix, file_name: name })
    const within = <T>(work: (client: S3Client) => Promise<T>) => withStore(step, Bucket, work)
    const abortSignal = step.signal
    const mode = { sentence: 'No ACL is sent.' }
    const written = await tried('Write a file', async () => {
      const warnings: string[] = []
      const hearing = { ...step, warn: (sentence: string) => void warnings.push(sentence) }
      const target = { ...targetOf(step, Key, mime), Body: content }
      const acl = await within(client =>
        withAcl(hearing, ACL => client.send(new PutObjectCommand({ ...target, ...(ACL && { ACL }) }), { abortSignal })),
      )
      mode.sentence = warnings[0] ?? (acl ? `The bucket takes the ACL "${acl}".` : mode.sentence)
      return `A small file was written to the bucket "${Bucket}".`
    })
    yield written
    if (!written.ok) return
    yield { ok: true, what: 'ACL', detail: mode.sentence }
    yield await tried('Read it back', async () => {
      const { Body } = await within(client => client.send(new GetObjectCommand({ Bucket, Key }), { abortSignal }))
      if ((await Body?.transformToString()) !== content.toString())
        throw refused('What came back differs from what was written')
      return 'The same bytes came back.'
    })
    if (step.options.public || step.options.signed_url_ttl !== null || step.options.public_base_url !== null) {
      yield await tried('Open the URL as a guest', async () => {
        const answer = await step.outbound.request(await urlOf(step, Key), { signal: step.signal, timeoutMs: 15_000 })
        if (answer.status !== 200 || (await answer.text()) !== content.toString()) {
          answer.discard()
          throw refused(`A guest who opens the URL gets the status ${answer.status}, not the file`)
        }
        return 'A guest who opens the URL gets the file.'
      })
    }
    yield await tried('Begin a large file', async () => {
      await within(async client => {
        const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand(targetOf(step, Key, mime)), {
          abortSignal,
        })
        try {
          await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: Key }), { abortSignal })
        } finally {
          await abortUpload(client, { Bucket, Key, UploadId })
        }
      })
      return 'An upload in parts was begun, found and taken back.'
    })
    yield await tried('Delete it', async () => {
      await within(client => client.send(new DeleteObjectCommand({ Bucket, Key }), { abortSignal }))
      return 'The small file is gone again.'
    })
  },
})

async function withStore<T>(step: S3Step, bucket: string, work: (client: S3Client) => Promise<T>): Promise<T> {
  const store = storeOf(step)
  const client = await newS3(store, step.outbound)
  try {
    return await work(client)
  } catch (error) {
    throw s3Problem(error, bucket, store, step.signal)
  } finally {
    client.destroy()
  }
}

function targetOf({ options }: S3Step, Key: string, mime: string): Target {
  const { bucket_name: Bucket, force_download, cache_control, metadata } = options
  return {
    Bucket,
    Key,
    ContentType: mime,
    ...(force_download && { ContentDisposition: contentDisposition(baseName(Key)) }),
    ...(cache_control && { CacheControl: cache_control }),
    ...(metadata && { Metadata: mapValues(metadata, headerText) }),
  }
}

/** The URL that the result names: signed, behind an own domain, or the store's own. */
async function urlOf(step: S3Step, key: string): Promise<string> {
  const { bucket_name: Bucket, url_style, public_base_url, signed_url_ttl } = step.options
  if (signed_url_ttl !== null) {
    const [{ GetObjectCommand }, { getSignedUrl }] = await Promise.all([sdk(), import('@aws-sdk/s3-request-presigner')])
    return withStore(step, Bucket, client =>
      getSignedUrl(client, new GetObjectCommand({ Bucket, Key: key }), { expiresIn: signed_url_ttl }),
    )
  }
  if (public_base_url !== null) return `${withoutEnd(public_base_url, '/')}/${urlPath(key)}`
  const { bucketUrl } = storeOf(step)
  if (url_style === 'path') return `${bucketUrl}/${Bucket}/${urlPath(key)}`
  return `${bucketUrl.replace('://', `://${Bucket}.`)}/${urlPath(key)}`
}

/** What Amazon's rules and its SDK would refuse; a name of a bucket may be one of older times, or another store's. */
function checkPlace(bucket: string, bucketUrl: string): void {
  if (!/^(?:[A-Za-z0-9][A-Za-z0-9._-]*|arn:[A-Za-z0-9._:/-]*)$/.test(bucket))
    throw badOption('bucket_name', 'may hold letters, digits, ".", "_" and "-", or be the ARN of an access point')
  if (!URL.canParse(bucketUrl) || /[?#]/.test(bucketUrl))
    throw badOption('bucket_url', 'must be the URL of a store, without "?" and "#"')
}

const MOST_METADATA_BYTES = 2048

function checkMetadata(metadata: Record<string, string>): void {
  checkNames('metadata', metadata)
  const bytes = Object.entries(metadata).reduce((sum, [name, value]) => sum + name.length + headerText(value).length, 0)
  if (bytes > MOST_METADATA_BYTES)
    throw badOption('metadata', `takes ${bytes} bytes; S3 keeps ${MOST_METADATA_BYTES} at most, names included`)
}

const mapValues = (texts: Record<string, string>, change: (text: string) => string): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, change(text)]))

/** Headers hold ASCII only; RFC 2047 is what S3 itself answers other text in. */
const headerText = (text: string): string =>
  /^[ -~]*$/.test(text) ? text : `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`

/** Sends with the ACL that is wanted, and without one to a bucket that refuses ACLs. Answers the ACL in force. */
async function withAcl(step: S3Step, send: (acl: Target['ACL']) => Promise<unknown>): Promise<Target['ACL']> {
  const { acl_mode: mode, public: open, bucket_name: bucket } = step.options
  const acl = mode === 'none' ? undefined : open ? 'public-read' : mode === 'acl' ? 'private' : undefined
  const before = begunIn(step.checkpoint)
  // An upload that an earlier attempt began without one is gone on with as it is.
  const wasRefused = mode === 'auto' && acl !== undefined && before?.upload_id !== undefined && before.acl === null
  if (!wasRefused) {
    try {
      await send(acl)
      return acl
    } catch (error) {
      if (acl === undefined || mode !== 'auto' || !refusesAcl(error)) throw error
    }
  }
  await send(undefined)
  step.warn(
    `The bucket "${bucket}" refuses ACLs, so the file was stored without one; whether guests can read it is up to the bucket's own policy.`,
  )
  return undefined
}

/** A bucket with public access blocked calls it an AccessDenied. */
const refusesAcl = (error: unknown): boolean =>
  /^(AccessControlListNotSupported|InvalidBucketAclWithObjectOwnership|AccessDenied|NotImplemented)$/.test(
    error instanceof Error ? error.name : '',
  )
