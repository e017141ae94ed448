// One object into S3 with fixed memory, by the SDK's own uploader; what it began and could not end is taken back.
import { Readable } from 'node:stream'
import { AbortMultipartUploadCommand, type S3Client } from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'

interface Target {
  Bucket: string
  Key: string
}

/** The smallest part that S3 takes but for the last one. */
const PART_BYTES = 5 * 1024 ** 2
/** S3 takes no more parts than this for one object. */
const MAX_PARTS = 10_000

/** The object appears when the source has come to its end, whole or not at all. */
export async function uploadStream(
  client: S3Client,
  target: Target,
  source: AsyncIterable<Buffer>,
  maxBytes: number,
  abortSignal: AbortSignal | undefined,
): Promise<void> {
  const upload = new Upload({
    client: abortSignal ? endingWith(client, abortSignal) : client,
    // Not as objects, of which it would read 16 ahead.
    params: { ...target, Body: Readable.from(ending(source), { objectMode: false }) },
    partSize: Math.max(PART_BYTES, Math.ceil(maxBytes / MAX_PARTS)),
    queueSize: 2,
    // It would leave an upload whose completion failed.
    leavePartsOnError: true,
  })
  try {
    await upload.done()
  } catch (error) {
    const { uploadId: UploadId } = upload
    // What can't be taken back now is swept later.
    if (UploadId !== undefined)
      await client.send(new AbortMultipartUploadCommand({ ...target, UploadId })).catch(() => {})
    throw error
  }
}

/** Called off, a stream throws into its source; this one only ends it, so that the source's errors are its own. */
async function* ending(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of source) yield chunk
}

/** Its requests end with the signal. The uploader's own way to abort lets those go on that are under way. */
function endingWith(client: S3Client, abortSignal: AbortSignal): S3Client {
  const send = (command: Parameters<S3Client['send']>[0]) => client.send(command, { abortSignal })
  return Object.assign(Object.create(client) as S3Client, { send })
}
