// Growing blobs in S3: a multipart upload that any process goes on with. What is too small for a part yet lies beside it as an object.
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  type ListPartsCommandOutput,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { isProblem, type Problem } from '#kit/errors.ts'
import { failpoint } from '#kit/failpoint.ts'
import type { JsonObject } from '#kit/json.ts'
import { type GrowingBlobs, type Growth, lost, patient } from './growing-blobs.ts'
import { endingWith } from './s3-upload.ts'

interface Place {
  client: S3Client
  bucket: string
  /** The key of a complete blob. */
  keyOf(blob: string): string
  /** The keys of bytes that wait for more begin with it. */
  tailPrefixOf(blob: string): string
  /** Turns an error of the client into a Problem that has it as its cause. */
  problem(error: unknown): Problem
}

/**
 * `parts` parts are uploaded; the `tail` bytes behind them lie in an object of their own, named by where they end. A request may end late, when
 * somebody else has gone on: which bytes of the file a part or a tail has follows from its name, so it writes what is there already.
 */
interface Noted {
  upload: string | null
  parts: number
  tail: number
  /** The key of the tail. One of an earlier version has no name of its own. */
  tailKey?: string
}

/** Bytes of a client that falls silent for this long are stored as they are. */
const NOTE_MS = 2_000
/** Besides the last one, a part has this many bytes at least. */
const LEAST_PART_BYTES = 5 * 1024 ** 2
/** S3 takes 10,000 parts. They grow with their number, so that 300 GiB fit, and small files need little memory. */
const partBytes = (parts: number): number => LEAST_PART_BYTES * 2 ** Math.floor(parts / 2_000)

const notedIn = (place: JsonObject | null): Noted =>
  (place as unknown as Noted | null) ?? { upload: null, parts: 0, tail: 0 }

export function s3Growing({ client: plain, bucket: Bucket, keyOf, tailPrefixOf, problem }: Place): GrowingBlobs {
  // Errors of the source and of `note` pass unchanged, so only those of the client are translated.
  const send = (command: Parameters<S3Client['send']>[0], options?: Parameters<S3Client['send']>[1]) =>
    plain.send(command, options).catch((error: unknown) => {
      throw problem(error)
    })
  const client = Object.assign(Object.create(plain) as S3Client, { send })

  async function readTail(blob: string, { tail: bytes, tailKey: Key = tailPrefixOf(blob) }: Noted): Promise<Buffer> {
    if (bytes === 0) return Buffer.alloc(0)
    const { Body } = await client
      .send(new GetObjectCommand({ Bucket, Key, Range: `bytes=0-${bytes - 1}` }))
      .catch(error => {
        throw isMissing(error) ? lost(error) : error
      })
    const tail = Buffer.from((await Body?.transformToByteArray()) ?? [])
    if (tail.length !== bytes) throw lost()
    return tail
  }

  async function append(
    blob: string,
    { bytes: start, place }: Growth,
    source: AsyncIterable<Uint8Array>,
    note: (growth: Growth) => Promise<void>,
    lostLock?: AbortSignal,
  ): Promise<void> {
    const writer = endingWith(client, lostLock)
    const Key = keyOf(blob)
    let noted = notedIn(place)
    /** The bytes of all parts. */
    let inParts = start - noted.tail
    let pending = await readTail(blob, noted)
    let given: Buffer[] = []
    let pendingBytes = noted.tail

    async function say(next: Noted): Promise<void> {
      failpoint('append.before')
      await note({ bytes: inParts + next.tail, place: { ...next } })
      failpoint('append.after')
      const before = noted
      noted = next
      if (before.tail > 0) await removeTail(before.tailKey ?? tailPrefixOf(blob))
    }
    // What cannot be deleted now goes with the upload.
    const removeTail = (Key: string): Promise<unknown> =>
      writer.send(new DeleteObjectCommand({ Bucket, Key })).catch(() => {})
    function gather(): Buffer {
      pending = Buffer.concat([pending, ...given])
      given = []
      return pending
    }
    async function uploadPart(bytes: number): Promise<void> {
      lostLock?.throwIfAborted()
      const Body = gather().subarray(0, bytes)
      const upload = noted.upload ?? (await writer.send(new CreateMultipartUploadCommand({ Bucket, Key }))).UploadId
      if (upload === undefined) throw new Error('the server named no upload')
      const parts = noted.parts + 1
      await writer.send(new UploadPartCommand({ Bucket, Key, UploadId: upload, PartNumber: parts, Body }))
      pending = Buffer.from(pending.subarray(bytes))
      pendingBytes -= bytes
      inParts += bytes
      await say({ upload, parts, tail: 0 })
    }

    async function putTail(): Promise<void> {
      lostLock?.throwIfAborted()
      if (pendingBytes === noted.tail) return
      const tailKey = `${tailPrefixOf(blob)}.${inParts + pendingBytes}`
      await writer.send(new PutObjectCommand({ Bucket, Key: tailKey, Body: gather() }))
      await say({ ...noted, tail: pendingBytes, tailKey })
    }

    const { chunks, failure } = patient(source, NOTE_MS)
    for await (const chunk of chunks) {
      // A copy: a slice would keep the whole chunk in memory.
      if (chunk) given.push(Buffer.from(chunk))
      else await putTail()
      pendingBytes += chunk?.length ?? 0
      for (let bytes = partBytes(noted.parts); pendingBytes >= bytes; bytes = partBytes(noted.parts))
        await uploadPart(bytes)
    }
    await putTail()
    failure()
  }

  async function isComplete(blob: string, bytes: number): Promise<boolean> {
    try {
      return (await client.send(new HeadObjectCommand({ Bucket, Key: keyOf(blob) }))).ContentLength === bytes
    } catch (error) {
      if (isMissing(error)) return false
      throw error
    }
  }

  async function complete(blob: string, { bytes, place }: Growth): Promise<void> {
    const Key = keyOf(blob)
    const noted = notedIn(place)
    const { upload, parts, tail } = noted
    if (!(await isComplete(blob, bytes))) {
      const Body = await readTail(blob, noted)
      failpoint('complete.before')
      if (upload === null) await client.send(new PutObjectCommand({ Bucket, Key, Body }))
      else {
        const target = { Bucket, Key, UploadId: upload }
        if (tail > 0) await client.send(new UploadPartCommand({ ...target, PartNumber: parts + 1, Body }))
        const Parts = await listParts(target, parts + (tail > 0 ? 1 : 0))
        await client.send(new CompleteMultipartUploadCommand({ ...target, MultipartUpload: { Parts } }))
      }
      failpoint('complete.after')
    }
    await removeTails(blob, client)
  }

  async function listParts(target: { Bucket: string; Key: string; UploadId: string }, count: number) {
    const parts: { PartNumber: number; ETag: string }[] = []
    // Not by the SDK's paginator: it goes on as long as a server names a next marker, and some do so on every page.
    let from: { PartNumberMarker?: string } | null = {}
    while (from !== null) {
      const page: ListPartsCommandOutput = await client.send(new ListPartsCommand({ ...target, ...from }))
      for (const { PartNumber = 0, ETag = '' } of page.Parts ?? [])
        if (PartNumber <= count) parts.push({ PartNumber, ETag })
      from = page.IsTruncated && page.NextPartNumberMarker ? { PartNumberMarker: page.NextPartNumberMarker } : null
    }
    if (parts.length !== count) throw lost()
    return parts
  }

  async function removeTails(blob: string, remover: S3Client): Promise<void> {
    const { Contents = [] } = await remover.send(new ListObjectsV2Command({ Bucket, Prefix: tailPrefixOf(blob) }))
    for (const { Key } of Contents) await remover.send(new DeleteObjectCommand({ Bucket, Key }))
  }

  async function discard(blob: string, { place }: Growth, signal?: AbortSignal): Promise<void> {
    const remover = endingWith(client, signal)
    const { upload } = notedIn(place)
    const Key = keyOf(blob)
    const unlessMissing = (error: unknown): void => {
      if (!isMissing(error)) throw error
    }
    if (upload !== null) {
      const abort = new AbortMultipartUploadCommand({ Bucket, Key, UploadId: upload })
      await remover.send(abort).catch(unlessMissing)
    }
    await removeTails(blob, remover)
    await remover.send(new DeleteObjectCommand({ Bucket, Key })).catch(unlessMissing)
  }

  return { append, complete, discard }
}

const MISSING = ['NoSuchKey', 'NotFound', 'NoSuchUpload']

const isMissing = (error: unknown): boolean =>
  isProblem(error) && error.cause instanceof Error && MISSING.includes(error.cause.name)
