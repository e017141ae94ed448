// What an earlier attempt left of an upload in parts: gone on with, or taken away so that nobody pays for it for ever.
import type { ListMultipartUploadsCommandInput, ListMultipartUploadsCommandOutput, S3Client } from '@aws-sdk/client-s3'
import type { DeliveryStep } from '#engine/adapter.ts'
import type { JsonObject } from '#kit/json.ts'
import { unreachable } from './failure.ts'
import { isPassing, sdk } from './s3.ts'

export interface Upload {
  Bucket: string
  Key: string
  UploadId: string
}

/** What an attempt keeps: first that it is about to begin an upload, then which one it began. */
interface Begun {
  bucket_name: string
  file_key: string
  /** Fingerprint of the file and of what is said of it: parts of another one are of no use. */
  content: string
  /** The ACL it was begun with; null where it went without. */
  acl: string | null
  /** Missing while nobody knows whether the store began it. */
  upload_id?: string
}

/** A part that the store has. */
export interface Part {
  etag: string
  bytes: number
}

type Cleaning = Pick<DeliveryStep, 'warn' | 'signal'>

export function begunIn(checkpoint: JsonObject | null): Begun | null {
  const { bucket_name, file_key, content = '', acl, upload_id } = checkpoint ?? {}
  if (typeof bucket_name !== 'string' || typeof file_key !== 'string' || typeof content !== 'string') return null
  const had = typeof acl === 'string' ? acl : null
  return { bucket_name, file_key, content, acl: had, ...(typeof upload_id === 'string' && { upload_id }) }
}

/** The parts that are there already, or null when the upload cannot be gone on with. */
export async function partsOf(
  client: S3Client,
  upload: Upload,
  signal: AbortSignal,
): Promise<Map<number, Part> | null> {
  const { ListPartsCommand } = await sdk()
  const parts = new Map<number, Part>()
  let marker: string | undefined
  try {
    do {
      const page = await client.send(new ListPartsCommand({ ...upload, ...(marker && { PartNumberMarker: marker }) }), {
        abortSignal: signal,
      })
      for (const { PartNumber = 0, ETag = '', Size = -1 } of page.Parts ?? [])
        parts.set(PartNumber, { etag: ETag, bytes: Size })
      marker = page.IsTruncated ? page.NextPartNumberMarker : undefined
    } while (marker)
    return parts
  } catch (error) {
    // `NoSuchUpload` passes when an upload is under way; here it says that there is none.
    if (!isGone(error) && (isPassing(error) || signal.aborted)) throw error
    return null
  }
}

/** Takes away whatever the attempt that kept this may have left; what may pass is thrown, to be tried again. */
export async function clearAway(client: S3Client, begun: Begun, step: Cleaning): Promise<void> {
  const { bucket_name: Bucket, file_key: Key, upload_id } = begun
  try {
    const found = upload_id === undefined ? await uploadsOf(client, Bucket, Key, step.signal) : [upload_id]
    for (const UploadId of found) await abortUpload(client, { Bucket, Key, UploadId }, step.signal)
  } catch (error) {
    step.signal.throwIfAborted()
    if (error instanceof Error && error.name === 'TimeoutError')
      throw unreachable('The store did not answer while parts were taken away', '', { cause: error })
    if (isPassing(error)) throw error
    step.warn(
      `Whether a stopped attempt left parts in the bucket "${Bucket}" could not be seen to; give the keys the rights s3:ListBucketMultipartUploads and s3:AbortMultipartUpload.`,
    )
  }
}

/** Without a signal it is tried also where the rest was called off. */
export async function abortUpload(client: S3Client, upload: Upload, signal?: AbortSignal): Promise<void> {
  const { AbortMultipartUploadCommand } = await sdk()
  try {
    await client.send(new AbortMultipartUploadCommand(upload), { abortSignal: within(10_000, signal) })
  } catch (error) {
    // One that is gone needs no abort.
    if (!isGone(error)) throw error
  }
}

const within = (ms: number, signal: AbortSignal | undefined): AbortSignal =>
  signal ? AbortSignal.any([signal, AbortSignal.timeout(ms)]) : AbortSignal.timeout(ms)

/** It was completed or aborted, perhaps by somebody else. */
export const isGone = (error: unknown): boolean => error instanceof Error && error.name === 'NoSuchUpload'

/** The unfinished uploads of exactly this key. */
async function uploadsOf(client: S3Client, Bucket: string, Key: string, signal: AbortSignal): Promise<string[]> {
  const { ListMultipartUploadsCommand } = await sdk()
  const found: string[] = []
  let from: Pick<ListMultipartUploadsCommandInput, 'KeyMarker' | 'UploadIdMarker'> | null = {}
  while (from) {
    const command = new ListMultipartUploadsCommand({ Bucket, Prefix: Key, ...from })
    const page: ListMultipartUploadsCommandOutput = await client.send(command, {
      abortSignal: within(30_000, signal),
    })
    for (const upload of page.Uploads ?? []) if (upload.Key === Key && upload.UploadId) found.push(upload.UploadId)
    // Keys come in order, so a page that ends behind this one was the last to hold it.
    const more = page.IsTruncated && page.NextKeyMarker === Key
    from = more ? { KeyMarker: Key, UploadIdMarker: page.NextUploadIdMarker } : null
  }
  return found
}
