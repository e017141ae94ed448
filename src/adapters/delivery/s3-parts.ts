// Streams a file into an S3 bucket: whole when it is small, else in parts that are aborted when one fails.
import { setTimeout as pause } from 'node:timers/promises'
import type { PutObjectCommandInput, S3Client } from '@aws-sdk/client-s3'
import type { DeliveryStep } from '#engine/adapter.ts'
import { isProblem } from '#kit/errors.ts'
import type { MediaFile } from '#media/file.ts'
import { newMeter, type Range } from './bytes.ts'
import { FileBody, sdk } from './s3.ts'

/** Everything but the bytes. */
export type Target = Pick<
  PutObjectCommandInput,
  'ACL' | 'ContentType' | 'ContentDisposition' | 'CacheControl' | 'Metadata'
> & {
  Bucket: string
  Key: string
}

type Sending = Pick<DeliveryStep, 'signal' | 'progress' | 'checkpoint' | 'save'>

export const partBytes = 16 * 1024 ** 2
const partsAtOnce = 3
const partPauses = [200, 1000]

export async function uploadFile(client: S3Client, target: Target, file: MediaFile, step: Sending): Promise<void> {
  await abortLeftover(client, step)
  await (file.bytes > partBytes ? uploadInParts : uploadWhole)(client, target, file, step)
}

async function uploadWhole(client: S3Client, target: Target, { path, bytes }: MediaFile, step: Sending): Promise<void> {
  const { PutObjectCommand } = await sdk()
  const meter = newMeter(bytes, step.progress)
  const Body = new FileBody({ path, start: 0, end: bytes, sent: meter.add })
  await client.send(new PutObjectCommand({ ...target, Body, ContentLength: bytes }), { abortSignal: step.signal })
  meter.set(bytes)
}

async function uploadInParts(
  client: S3Client,
  target: Target,
  { path, bytes }: MediaFile,
  step: Sending,
): Promise<void> {
  const { CreateMultipartUploadCommand, CompleteMultipartUploadCommand, UploadPartCommand } = await sdk()
  const { Bucket, Key } = target
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(target), { abortSignal: step.signal })
  const upload = { Bucket, Key, UploadId }
  const failed = new AbortController()
  const abortSignal = AbortSignal.any([step.signal, failed.signal])
  const meter = newMeter(bytes, step.progress)
  const etags: (string | undefined)[] = []

  async function sendPart(index: number, range: Range): Promise<void> {
    for (const wait of [...partPauses, null]) {
      let sent = 0
      const count = (more: number) => {
        sent += more
        meter.add(more)
      }
      try {
        const part = {
          ...upload,
          PartNumber: index + 1,
          Body: new FileBody({ path, ...range, sent: count }),
          ContentLength: range.end - range.start,
        }
        etags[index] = (await client.send(new UploadPartCommand(part), { abortSignal })).ETag
        return
      } catch (error) {
        if (wait === null || !isPassing(error) || abortSignal.aborted) throw error
        meter.add(-sent)
        await pause(wait, undefined, { signal: abortSignal })
      }
    }
  }

  try {
    await step.save({ upload_id: UploadId ?? '', bucket_name: Bucket, file_key: Key })
    const parts = rangesOf(bytes).entries()
    const sender = async () => {
      for (const [index, range] of parts) await sendPart(index, range)
    }
    const senders = Array.from({ length: partsAtOnce }, () => sender().catch(error => failed.abort(error)))
    await Promise.all(senders)
    if (failed.signal.aborted) throw failed.signal.reason
    const Parts = etags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }))
    await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }), {
      abortSignal: step.signal,
    })
  } catch (error) {
    await abortUpload(client, upload)
    throw error
  }
}

/** Parts of an attempt whose process died would otherwise stay, unseen and paid for. */
async function abortLeftover(client: S3Client, { checkpoint }: Sending): Promise<void> {
  const { upload_id: UploadId, bucket_name: Bucket, file_key: Key } = checkpoint ?? {}
  if (typeof UploadId === 'string' && typeof Bucket === 'string' && typeof Key === 'string')
    await abortUpload(client, { Bucket, Key, UploadId })
}

async function abortUpload(
  client: S3Client,
  upload: { Bucket: string; Key: string; UploadId: string | undefined },
): Promise<void> {
  const { AbortMultipartUploadCommand } = await sdk()
  // Whatever went wrong before is what the operator must read, and an upload that is gone needs no abort.
  await client
    .send(new AbortMultipartUploadCommand(upload), { abortSignal: AbortSignal.timeout(10_000) })
    .catch(() => {})
}

const rangesOf = (bytes: number): Range[] =>
  Array.from({ length: Math.ceil(bytes / partBytes) }, (_, i) => ({
    start: i * partBytes,
    end: Math.min((i + 1) * partBytes, bytes),
  }))

const isPassing = (error: unknown): boolean =>
  isProblem(error)
    ? error.fault === 'transient'
    : ((error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode ?? 0) >= 500
