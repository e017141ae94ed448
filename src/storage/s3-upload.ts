// One object into S3 with fixed memory: two buffers, one being filled while the other is sent.
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'

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
  const partBytes = Math.max(PART_BYTES, Math.ceil(maxBytes / MAX_PARTS))
  const options = abortSignal ? { abortSignal } : {}
  const parts: { PartNumber: number; ETag: string | undefined }[] = []
  // Not filled with zeros, so a small file takes up no more memory than it has bytes.
  let filling = Buffer.allocUnsafeSlow(partBytes)
  let other: Buffer<ArrayBuffer> | null = null
  let filled = 0
  let UploadId: string | undefined
  let sending: Promise<void> = Promise.resolve()

  async function begin(): Promise<string> {
    const begun = await client.send(new CreateMultipartUploadCommand(target), options)
    if (begun.UploadId === undefined) throw new Error('the server gave the upload no id')
    return begun.UploadId
  }

  async function sendPart(PartNumber: number, Body: Buffer): Promise<void> {
    const { ETag } = await client.send(new UploadPartCommand({ ...target, UploadId, PartNumber, Body }), options)
    parts.push({ PartNumber, ETag })
  }

  async function flush(): Promise<void> {
    await sending
    UploadId ??= await begin()
    sending = sendPart(parts.length + 1, filling.subarray(0, filled))
    // It is waited for before the next part and at the end.
    sending.catch(() => {})
    const free = other ?? Buffer.allocUnsafeSlow(partBytes)
    other = filling
    filling = free
    filled = 0
  }

  try {
    for await (const chunk of source) {
      for (let at = 0; at < chunk.length; ) {
        if (filled === partBytes) await flush()
        const copied = chunk.copy(filling, filled, at)
        filled += copied
        at += copied
      }
    }
    if (UploadId === undefined) {
      await client.send(new PutObjectCommand({ ...target, Body: filling.subarray(0, filled) }), options)
      return
    }
    await flush()
    await sending
    await client.send(
      new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts: parts } }),
      options,
    )
  } catch (error) {
    await sending.catch(() => {})
    // What can't be taken back now is swept later.
    if (UploadId !== undefined)
      await client.send(new AbortMultipartUploadCommand({ ...target, UploadId })).catch(() => {})
    throw error
  }
}
