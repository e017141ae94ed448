// gcs_upload: puts the file into a bucket of Google Cloud Storage.
import Type, { type Static } from 'typebox'
import { type DeliveryStep, destinationAdapter } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import type { OutboundResponse } from '#kit/net/outbound.ts'
import { strictlyEncoded, withoutEnd } from '#kit/text.ts'
import { newProbe, tried } from '../delivery/check-lines.ts'
import {
  baseName,
  contentDisposition,
  keyOf,
  naming,
  patience,
  serving,
  urlPath,
} from '../delivery/delivery-options.ts'
import { refused } from '../delivery/failure.ts'
import { type Google, newGoogle, serviceAccountForm } from '../delivery/google.ts'
import { uploadResumably } from '../delivery/resumable.ts'
import { reviewNaming } from '../delivery/review.ts'

const options = Type.Object(
  {
    bucket_name: Type.String({
      description: 'Bucket to put the file into.',
      role: 'place',
      minLength: 3,
      maxLength: 222,
      pattern: '^[a-z0-9][a-z0-9._-]+$',
      expects: 'the name of a bucket: small letters, digits, ., _ and -',
      examples: ['souvenirs'],
    }),
    ...serving,
    ...naming,
    api_base_url: Type.String({
      description: 'Address of the service.',
      placeholders: 'url',
      role: 'place',
      default: 'https://storage.googleapis.com',
      pattern: '^https?://[^/]+',
      maxLength: 2048,
    }),
    ...patience,
  },
  { additionalProperties: false },
)

/** Parts of a key file that are taken so that it can be given whole. */
const unused = [
  'type',
  'project_id',
  'private_key_id',
  'client_id',
  'auth_uri',
  'auth_provider_x509_cert_url',
  'client_x509_cert_url',
  'universe_domain',
] as const

const ignored = (name: (typeof unused)[number]) =>
  Type.Optional(Type.String({ description: `\`${name}\` of the key file; not used.`, maxLength: 2048 }))

const auth = Type.Object(
  {
    client_email: Type.String({
      description: 'Address of the service account, `client_email` of its key file.',
      minLength: 3,
      maxLength: 256,
    }),
    private_key: Type.String({
      description: 'Key of the service account in PEM form, `private_key` of its key file.',
      minLength: 1,
      maxLength: 8192,
    }),
    token_uri: Type.Optional(
      Type.String({
        description: 'Where tokens are given out, `token_uri` of the key file.',
        pattern: '^https?://[^/]+',
        maxLength: 2048,
      }),
    ),
    type: ignored('type'),
    project_id: ignored('project_id'),
    private_key_id: ignored('private_key_id'),
    client_id: ignored('client_id'),
    auth_uri: ignored('auth_uri'),
    auth_provider_x509_cert_url: ignored('auth_provider_x509_cert_url'),
    client_x509_cert_url: ignored('client_x509_cert_url'),
    universe_domain: ignored('universe_domain'),
  },
  { additionalProperties: false },
)

type GcsStep = DeliveryStep<Static<typeof options>, Static<typeof auth>>

const scope = 'https://www.googleapis.com/auth/devstorage.full_control'

export const gcsUpload = destinationAdapter({
  name: 'gcs_upload',
  summary: 'Puts the file into a bucket of Google Cloud Storage.',
  accepts: ['image', 'video', 'audio', 'file'],
  makes: 'same',
  options,
  auth,
  target: ['api_base_url', 'auth.token_uri'],
  addresses: ['api_base_url'],
  authParts: {
    client_email: 'plain',
    token_uri: 'plain',
    ...Object.fromEntries(unused.map(name => [name, 'plain' as const])),
  },
  result: Type.Object({
    bucket_name: Type.String({ description: 'The bucket.' }),
    file_key: Type.String({ description: 'The name of the file there, with its prefix.' }),
    url: Type.String({ description: 'Where the file is.' }),
  }),
  ownWords: ['bucket_name', 'file_key', 'url'],
  review: reviewNaming,

  async deliver(input, step) {
    const key = keyOf(step.options)
    const google = googleOf(step)
    const begin = () => withAcl(step, acl => beginUpload(google, step, key, input.mime, input.bytes, acl))
    const { public: open, force_download, cache_control = '' } = step.options
    const about = { key, bucket: step.options.bucket_name, open, force_download, cache_control }
    await uploadResumably(
      { google, target: hostOf(step), base: baseOf(step), about, begin, overwrites: true },
      input,
      step,
    )
    return {
      bucket_name: step.options.bucket_name,
      file_key: key,
      url: publicUrl(step, key),
    }
  },

  aims: ({ options }) => ({ bucket_name: options.bucket_name, file_key: keyOf(options) }),

  async retract(delivered, step) {
    const { bucket_name: bucket, file_key: key } = delivered
    if (typeof bucket !== 'string' || typeof key !== 'string')
      throw new Problem('internal', 'That is no result of gcs_upload.')
    await remove(step, bucket, key)
  },

  async *check(step) {
    const google = googleOf(step)
    const { name, content, mime } = newProbe()
    const { bucket_name: bucket } = step.options
    const key = keyOf({ file_prefix: step.options.file_prefix, file_name: name })
    const warnings: string[] = []
    const hearing = { ...step, warn: (sentence: string) => void warnings.push(sentence) }
    const written = await tried('Write a file', async () => {
      await withAcl(hearing, async acl => {
        const query = new URLSearchParams({ uploadType: 'media', name: key, ...(acl && { predefinedAcl: acl }) })
        const url = `${baseOf(step)}/upload/storage/v1/b/${bucket}/o?${query}`
        return google.call(url, { method: 'POST', headers: { 'content-type': mime }, body: content })
      })
      return `A small file was written to the bucket "${bucket}".`
    })
    yield written
    if (!written.ok) return
    yield {
      ok: true,
      what: 'ACL',
      detail: warnings[0] ?? (step.options.public ? 'The bucket takes a public ACL.' : 'No ACL is sent.'),
    }
    yield await tried('Read it back', async () => {
      const answer = await google.call(`${objectUrl(step, bucket, key)}?alt=media`, {})
      if (answer.status !== 200) throw await google.problem(answer, hostOf(step))
      if ((await answer.text()) !== content.toString()) throw refused('What came back differs from what was written')
      return 'The same bytes came back.'
    })
    if (step.options.public) {
      yield await tried('Open the URL as a guest', async () => {
        const answer = await step.outbound.request(publicUrl(step, key), { signal: step.signal, timeoutMs: 15_000 })
        const text = await answer.text()
        if (answer.status !== 200 || text !== content.toString())
          throw refused(`A guest who opens the URL gets the status ${answer.status}, not the file`)
        return 'A guest who opens the URL gets the file.'
      })
    }
    yield await tried('Delete it', async () => {
      await remove(step, bucket, key)
      return 'The small file is gone again.'
    })
  },
})

const baseOf = ({ options }: GcsStep): string => withoutEnd(options.api_base_url, '/')
const hostOf = (step: GcsStep): string => new URL(step.options.api_base_url).host
const publicUrl = (step: GcsStep, key: string): string => `${baseOf(step)}/${step.options.bucket_name}/${urlPath(key)}`
const objectUrl = (step: GcsStep, bucket: string, key: string): string =>
  `${baseOf(step)}/storage/v1/b/${bucket}/o/${strictlyEncoded(key)}`

function googleOf(step: GcsStep): Google {
  const { auth } = step
  const tokenUrl = auth.token_uri ?? 'https://oauth2.googleapis.com/token'
  const form = () => serviceAccountForm(auth.client_email, auth.private_key, tokenUrl, scope)
  return newGoogle({ tokenUrl, form }, step)
}

function beginUpload(
  google: Google,
  step: GcsStep,
  key: string,
  mime: string,
  bytes: number,
  acl: string | undefined,
): Promise<OutboundResponse> {
  const { bucket_name: bucket, force_download, cache_control } = step.options
  const query = new URLSearchParams({ uploadType: 'resumable', name: key, ...(acl && { predefinedAcl: acl }) })
  const about = {
    contentType: mime,
    ...(force_download && { contentDisposition: contentDisposition(baseName(key)) }),
    ...(cache_control && { cacheControl: cache_control }),
  }
  const headers = {
    'content-type': 'application/json; charset=UTF-8',
    'x-upload-content-type': mime,
    'x-upload-content-length': String(bytes),
  }
  return google.call(`${baseOf(step)}/upload/storage/v1/b/${bucket}/o?${query}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(about),
  })
}

/** A bucket with uniform access takes no ACLs (400), one that prevents public access none that open (412). */
async function withAcl(
  step: GcsStep,
  send: (acl: string | undefined) => Promise<OutboundResponse>,
): Promise<OutboundResponse> {
  const { public: open, bucket_name: bucket } = step.options
  let answer = await send(open ? 'publicRead' : undefined)
  if (open && (answer.status === 400 || answer.status === 412)) {
    answer.discard()
    answer = await send(undefined)
    if (answer.status === 200)
      step.warn(
        `The bucket "${bucket}" refuses ACLs, so the file was stored without one; whether guests can read it is up to the bucket's own policy.`,
      )
  }
  if (answer.status === 200) return answer
  if (answer.status === 404) {
    answer.discard()
    throw refused(`There is no bucket "${bucket}" at ${hostOf(step)}`)
  }
  throw await googleOf(step).problem(answer, hostOf(step))
}

async function remove(step: GcsStep, bucket: string, key: string): Promise<void> {
  const google = googleOf(step)
  const answer = await google.call(objectUrl(step, bucket, key), { method: 'DELETE' })
  if (answer.status >= 300 && answer.status !== 404) throw await google.problem(answer, hostOf(step))
  answer.discard()
}
