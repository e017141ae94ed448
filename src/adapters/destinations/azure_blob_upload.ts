// azure_blob_upload: puts the file into a container of Azure Blob Storage.
import Type, { type Static } from 'typebox'
import { type DeliveryStep, destinationAdapter } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import { withoutEnd } from '#kit/text.ts'
import type { MediaFile } from '#media/file/file.ts'
import { type Account, blobUrl, callAzure } from '../delivery/azure.ts'
import { fingerprint, newMeter, wholeFile } from '../delivery/bytes.ts'
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
import { reviewNaming } from '../delivery/review.ts'

const options = Type.Object(
  {
    container_name: Type.String({
      description: 'Container to put the file into.',
      role: 'place',
      expects: 'a name of 3 to 63 small letters, digits and single -',
      pattern: '^(\\$root|[a-z0-9](-?[a-z0-9]){2,62})$',
      examples: ['souvenirs'],
    }),
    service_url: Type.Union([Type.String({ pattern: '^https?://[^/]+', maxLength: 2048 }), Type.Null()], {
      description: 'Address of the blob service. `null`: https://ACCOUNT.blob.core.windows.net.',
      placeholders: 'url',
      role: 'place',
      default: null,
    }),
    ...serving,
    ...naming,
    ...patience,
  },
  { additionalProperties: false },
)

const auth = Type.Object(
  {
    account_name: Type.String({ description: 'Name of the storage account.', pattern: '^[a-z0-9]{3,24}$' }),
    account_key: Type.Optional(
      Type.String({ description: 'Key of the account (base64).', pattern: '^[A-Za-z0-9+/]+={0,2}$', maxLength: 256 }),
    ),
    sas_token: Type.Optional(
      Type.String({
        description: 'A SAS token that may create, read and delete blobs, in place of the key.',
        minLength: 1,
        maxLength: 4096,
        pattern: visible,
      }),
    ),
  },
  { additionalProperties: false },
)

type AzureStep = DeliveryStep<Static<typeof options>, Static<typeof auth>>

const MiB = 1024 ** 2
const blockBytes = 8 * MiB
/** More than these Azure does not take. */
const mostBlocks = 50_000
const blocksAtOnce = 3

export const azureBlobUpload = destinationAdapter({
  name: 'azure_blob_upload',
  summary: 'Puts the file into a container of Azure Blob Storage.',
  accepts: ['image', 'video', 'audio', 'file'],
  makes: 'same',
  options,
  auth,
  target: ['service_url', 'auth.account_name'],
  addresses: ['service_url'],
  authParts: { account_name: 'plain' },
  result: Type.Object({
    container_name: Type.String({ description: 'The container.' }),
    file_key: Type.String({ description: 'The name of the file there, with its prefix.' }),
    url: Type.String({ description: 'Where the file is.' }),
  }),
  ownWords: ['container_name', 'file_key', 'url'],
  review: reviewNaming,

  async deliver(input, step) {
    const key = keyOf(step.options)
    const account = accountOf(step)
    const path = pathOf(step, key)
    await (input.bytes > blockBytes ? uploadBlocks : uploadWhole)(
      account,
      path,
      headersOf(step, key, input.mime),
      input,
      step,
    )
    const url = blobUrl(account, path)
    // The file is there by now, so a look that fails is no reason to send it again.
    const open = !step.options.public || (await opensForGuests(url, step).catch(() => true))
    if (!open) step.warn(guestsAreRefused(step))
    return { container_name: step.options.container_name, file_key: key, url }
  },

  aims: ({ options }) => ({ container_name: options.container_name, file_key: keyOf(options) }),

  async retract(delivered, step) {
    const { container_name: container, file_key: key } = delivered
    if (typeof container !== 'string' || typeof key !== 'string')
      throw new Problem('internal', 'That is no result of azure_blob_upload.')
    await remove(step, `${container}/${urlPath(key)}`)
  },

  async *check(step) {
    const { name, content, mime } = newProbe()
    const key = keyOf({ file_prefix: step.options.file_prefix, file_name: name })
    const path = pathOf(step, key)
    const { outbound, signal } = step
    const written = await tried('Write a file', async () => {
      const headers = { ...headersOf(step, key, mime), 'x-ms-blob-type': 'BlockBlob' }
      const answer = await callAzure(accountOf(step), outbound, {
        method: 'PUT',
        path,
        headers,
        body: content,
        length: content.length,
        signal,
      })
      answer.discard()
      return `A small file was written to the container "${step.options.container_name}".`
    })
    yield written
    if (!written.ok) return
    yield await tried('Read it back', async () => {
      const answer = await callAzure(accountOf(step), outbound, { method: 'GET', path, signal })
      if ((await answer.text()) !== content.toString()) throw refused('What came back differs from what was written')
      return 'The same bytes came back.'
    })
    if (step.options.public) {
      yield await tried('Open the URL as a guest', async () => {
        if (!(await opensForGuests(blobUrl(accountOf(step), path), step)))
          throw refused(guestsAreRefused(step).replace(/\.$/, ''))
        return 'A guest who opens the URL gets the file.'
      })
    }
    yield await tried('Delete it', async () => {
      await remove(step, path)
      return 'The small file is gone again.'
    })
  },
})

const guestsAreRefused = ({ options }: AzureStep): string =>
  `The container "${options.container_name}" does not let guests read its blobs; set its access level to "Blob".`

function accountOf({ options, auth, clean }: AzureStep): Account {
  const { account_name: name, account_key: key, sas_token: sasToken } = auth
  if (key === undefined && sasToken === undefined)
    throw new Problem('option_missing', 'auth needs an account_key or a sas_token.')
  return {
    serviceUrl: withoutEnd(options.service_url ?? `https://${name}.blob.core.windows.net`, '/'),
    name,
    key,
    sasToken: key === undefined ? sasToken : undefined,
    clean,
  }
}

const pathOf = ({ options }: AzureStep, key: string): string => `${options.container_name}/${urlPath(key)}`

const headersOf = ({ options }: AzureStep, key: string, mime: string): Record<string, string> => ({
  'x-ms-blob-content-type': mime,
  ...(options.force_download && { 'x-ms-blob-content-disposition': contentDisposition(baseName(key)) }),
  ...(options.cache_control && { 'x-ms-blob-cache-control': options.cache_control }),
})

async function uploadWhole(
  account: Account,
  path: string,
  headers: Record<string, string>,
  file: MediaFile,
  step: AzureStep,
): Promise<void> {
  const meter = newMeter(file.bytes, step.progress)
  const request = {
    method: 'PUT',
    path,
    headers: { ...headers, 'x-ms-blob-type': 'BlockBlob' },
    length: file.bytes,
    signal: step.signal,
  } as const
  const answer = await callAzure(account, step.outbound, { ...request, body: wholeFile(file, meter.add) })
  answer.discard()
  meter.set(file.bytes)
}

/** A block's id tells what is in it, so blocks that an earlier attempt brought over are not sent again. */
async function uploadBlocks(
  account: Account,
  path: string,
  headers: Record<string, string>,
  file: MediaFile,
  step: AzureStep,
): Promise<void> {
  const content = (await fingerprint(file.path, step.signal)).slice(0, 32)
  const size = Math.max(blockBytes, Math.ceil(file.bytes / mostBlocks / MiB) * MiB)
  const ids = Array.from({ length: Math.ceil(file.bytes / size) }, (_, i) =>
    Buffer.from(`${content}-${String(i).padStart(5, '0')}`).toString('base64'),
  )
  const there = await waitingBlocks(account, path, step)
  const meter = newMeter(file.bytes, step.progress)
  const failed = new AbortController()
  const signal = AbortSignal.any([step.signal, failed.signal])
  const blocks = ids.entries()
  const sender = async () => {
    for (const [index, id] of blocks) {
      const range = {
        path: file.path,
        start: index * size,
        end: Math.min((index + 1) * size, file.bytes),
        sent: meter.add,
      }
      const length = range.end - range.start
      if (there.get(id) === length) meter.add(length)
      else
        (
          await callAzure(account, step.outbound, {
            method: 'PUT',
            path,
            query: { comp: 'block', blockid: id },
            body: [range],
            length,
            signal,
          })
        ).discard()
    }
  }
  await Promise.all(Array.from({ length: blocksAtOnce }, () => sender().catch(error => failed.abort(error))))
  step.signal.throwIfAborted()
  if (failed.signal.aborted) throw failed.signal.reason
  const list = Buffer.from(
    `<?xml version="1.0" encoding="utf-8"?><BlockList>${ids.map(id => `<Uncommitted>${id}</Uncommitted>`).join('')}</BlockList>`,
  )
  const commit = {
    method: 'PUT',
    path,
    query: { comp: 'blocklist' },
    headers,
    body: list,
    length: list.length,
    signal: step.signal,
  } as const
  ;(await callAzure(account, step.outbound, commit)).discard()
}

async function waitingBlocks(
  account: Account,
  path: string,
  { outbound, signal }: AzureStep,
): Promise<Map<string, number>> {
  const query = { blocklisttype: 'uncommitted', comp: 'blocklist' }
  const answer = await callAzure(account, outbound, { method: 'GET', path, query, signal, mayBeMissing: true })
  const list = await answer.text(16 * 1024 ** 2)
  return new Map(
    [...list.matchAll(/<Name>([^<]+)<\/Name><Size>(\d+)<\/Size>/g)].map(([, id = '', size]) => [id, Number(size)]),
  )
}

async function remove(step: AzureStep, path: string): Promise<void> {
  const answer = await callAzure(accountOf(step), step.outbound, {
    method: 'DELETE',
    path,
    // Azure refuses to delete a blob that has snapshots without its copies.
    headers: { 'x-ms-delete-snapshots': 'include' },
    signal: step.signal,
    mayBeMissing: true,
  })
  answer.discard()
}

async function opensForGuests(url: string, { outbound, signal }: AzureStep): Promise<boolean> {
  const answer = await outbound.request(url, { method: 'HEAD', signal, timeoutMs: 15_000 })
  answer.discard()
  return answer.status === 200
}
