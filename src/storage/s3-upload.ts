// Uploads one object to S3 in fixed memory with the SDK's uploader, and aborts uploads that could not be finished.
import { Readable } from 'node:stream'
import { AbortMultipartUploadCommand, type S3Client } from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'

interface Target {
  Bucket: string
  Key: string
}

/** The smallest part size that S3 accepts, except for the last part. */
const PART_BYTES = 5 * 1024 ** 2
/** S3 accepts at most this many parts for one object. */
const MAX_PARTS = 10_000

/** The object appears when the source has ended, whole or not at all. */
export async function uploadStream(
  client: S3Client,
  target: Target,
  source: AsyncIterable<Buffer>,
  maxBytes: number,
  abortSignal: AbortSignal | undefined,
): Promise<void> {
  const upload = new Upload({
    client: endingWith(client, abortSignal),
    // Not in object mode, in which the stream would read 16 chunks ahead.
    params: { ...target, Body: Readable.from(ending(source), { objectMode: false }) },
    partSize: Math.max(PART_BYTES, Math.ceil(maxBytes / MAX_PARTS)),
    queueSize: 2,
    // The uploader's own cleanup would leave an upload whose completion failed, so we abort it below.
    leavePartsOnError: true,
  })
  try {
    await upload.done()
  } catch (error) {
    const { uploadId: UploadId } = upload
    // If the abort fails, a later sweep removes the upload.
    const removed =
      UploadId === undefined
        ? undefined
        : client.send(new AbortMultipartUploadCommand({ ...target, UploadId })).catch(() => {})
    // Whoever called it off waits for no store.
    if (!abortSignal?.aborted) await removed
    throw error
  }
}

/** A cancelled stream throws into its source. This generator only ends the source, so the source throws only errors of its own. */
async function* ending(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of source) yield chunk
}

/** A client whose requests end with the signal. The uploader's own abort lets running requests go on. */
export function endingWith(client: S3Client, abortSignal: AbortSignal | undefined): S3Client {
  if (!abortSignal) return client
  const send = (command: Parameters<S3Client['send']>[0]) => client.send(command, { abortSignal })
  return Object.assign(Object.create(client) as S3Client, { send })
}
