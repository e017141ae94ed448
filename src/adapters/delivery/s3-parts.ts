// Streams a file into an S3 bucket: whole when it is small, else in parts of which none is sent twice.
import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { PutObjectCommandInput, S3Client } from '@aws-sdk/client-s3'
import type { DeliveryStep } from '#engine/adapter.ts'
import type { MediaFile } from '#media/file/file.ts'
import { fingerprint, md5Of, newMeter, type Range } from './bytes.ts'
import { unreachable } from './failure.ts'
import { FileBody, isPassing, sdk } from './s3.ts'
import { abortUpload, begunIn, clearAway, isGone, type Part, partsOf, type Upload } from './s3-unfinished.ts'

/** Everything but the bytes. */
export type Target = Pick<
  PutObjectCommandInput,
  'ACL' | 'ContentType' | 'ContentDisposition' | 'CacheControl' | 'Metadata'
> & {
  Bucket: string
  Key: string
}

type Sending = Pick<DeliveryStep, 'signal' | 'progress' | 'checkpoint' | 'save' | 'warn'>

const MiB = 1024 ** 2
const partBytes = 16 * MiB
/** More than these no store takes. */
const mostParts = 10_000
const partsAtOnce = 3
const partPauses = [200, 1000]

export async function uploadFile(client: S3Client, target: Target, file: MediaFile, step: Sending): Promise<void> {
  if (file.bytes > partBytes) return uploadInParts(client, target, file, step)
  const begun = begunIn(step.checkpoint)
  if (begun) await clearAway(client, begun, step)
  await uploadWhole(client, target, file, step)
}

async function uploadWhole(client: S3Client, target: Target, { path, bytes }: MediaFile, step: Sending): Promise<void> {
  const { PutObjectCommand } = await sdk()
  const meter = newMeter(bytes, step.progress)
  const range = { start: 0, end: bytes }
  const ContentMD5 = await md5Of(path, range, step.signal)
  const Body = new FileBody({ path, ...range, sent: meter.add })
  const command = new PutObjectCommand({ ...target, Body, ContentLength: bytes, ContentMD5 })
  await client.send(command, { abortSignal: step.signal })
  meter.set(bytes)
}

async function uploadInParts(client: S3Client, target: Target, file: MediaFile, step: Sending): Promise<void> {
  const { ACL: _separately, ...about } = target
  const content = createHash('sha256')
    .update(await fingerprint(file.path, step.signal))
    .update(JSON.stringify(about))
    .digest('hex')
  const { upload, parts } = (await goOn(client, target, content, step)) ?? (await begin(client, target, content, step))
  try {
    await sendParts(client, upload, parts, file, step)
    await complete(client, upload, parts, step)
  } catch (error) {
    // What may pass is gone on with by the next attempt; whoever calls it off calls `abandon`.
    if (!isPassing(error) && !step.signal.aborted) await abortUpload(client, upload).catch(() => {})
    // The next attempt begins anew.
    throw isGone(error) ? unreachable('The store forgot the upload that was under way', '', { cause: error }) : error
  }
}

interface Going {
  upload: Upload
  parts: Map<number, Part>
}

/** The upload that an earlier attempt began, if it is of the same file and the store still knows it. */
async function goOn(
  client: S3Client,
  { Bucket, Key, ACL }: Target,
  content: string,
  step: Sending,
): Promise<Going | null> {
  const begun = begunIn(step.checkpoint)
  if (!begun) return null
  const { upload_id: UploadId } = begun
  const same =
    begun.bucket_name === Bucket && begun.file_key === Key && begun.content === content && begun.acl === (ACL ?? null)
  if (same && UploadId !== undefined) {
    const upload = { Bucket, Key, UploadId }
    const parts = await partsOf(client, upload, step.signal)
    if (parts) return { upload, parts }
  }
  await clearAway(client, begun, step)
  return null
}

/** That an upload will begin is kept first: a process that dies before it learns the id leaves no upload behind. */
async function begin(client: S3Client, target: Target, content: string, step: Sending): Promise<Going> {
  const { CreateMultipartUploadCommand } = await sdk()
  const { Bucket, Key } = target
  const intent = { bucket_name: Bucket, file_key: Key, content, acl: target.ACL ?? null }
  await step.save(intent)
  const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand(target), { abortSignal: step.signal })
  await step.save({ ...intent, upload_id: UploadId })
  return { upload: { Bucket, Key, UploadId }, parts: new Map() }
}

/** Sends what is missing, a few parts at a time. */
async function sendParts(
  client: S3Client,
  upload: Upload,
  parts: Map<number, Part>,
  { path, bytes }: MediaFile,
  step: Sending,
): Promise<void> {
  const { UploadPartCommand } = await sdk()
  const failed = new AbortController()
  const abortSignal = AbortSignal.any([step.signal, failed.signal])
  const meter = newMeter(bytes, step.progress)

  async function sendPart(PartNumber: number, range: Range): Promise<void> {
    const length = range.end - range.start
    if (parts.get(PartNumber)?.bytes === length) return meter.add(length)
    // Checksums that newer clients send are unknown to older stores; this one all of them compare.
    const ContentMD5 = await md5Of(path, range, abortSignal)
    for (const wait of [...partPauses, null]) {
      let sent = 0
      const count = (more: number) => {
        sent += more
        meter.add(more)
      }
      try {
        const Body = new FileBody({ path, ...range, sent: count })
        const part = { ...upload, PartNumber, Body, ContentLength: length, ContentMD5 }
        const { ETag = '' } = await client.send(new UploadPartCommand(part), { abortSignal })
        parts.set(PartNumber, { etag: ETag, bytes: length })
        return
      } catch (error) {
        if (wait === null || !isPassing(error) || abortSignal.aborted) throw error
        meter.add(-sent)
        await pause(wait, undefined, { signal: abortSignal })
      }
    }
  }

  const ranges = rangesOf(bytes).entries()
  const sender = async () => {
    for (const [index, range] of ranges) await sendPart(index + 1, range)
  }
  await Promise.all(Array.from({ length: partsAtOnce }, () => sender().catch(error => failed.abort(error))))
  step.signal.throwIfAborted()
  if (failed.signal.aborted) throw failed.signal.reason
}

async function complete(client: S3Client, upload: Upload, parts: Map<number, Part>, step: Sending): Promise<void> {
  const { CompleteMultipartUploadCommand } = await sdk()
  const Parts = [...parts].sort(([a], [b]) => a - b).map(([PartNumber, { etag }]) => ({ PartNumber, ETag: etag }))
  await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }), {
    abortSignal: step.signal,
  })
}

/** Always the same for the same file, so that parts of an earlier attempt fit. */
function rangesOf(bytes: number): Range[] {
  const size = Math.max(partBytes, Math.ceil(bytes / mostParts / MiB) * MiB)
  return Array.from({ length: Math.ceil(bytes / size) }, (_, i) => ({
    start: i * size,
    end: Math.min((i + 1) * size, bytes),
  }))
}
