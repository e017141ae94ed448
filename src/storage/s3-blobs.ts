// Stores blobs as objects of an S3 bucket: uploaded in parts, visible only when complete.
import { createReadStream, createWriteStream } from 'node:fs'
import { access, lstat, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { addAbortSignal, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3'
import { isProblem, Problem } from '#kit/errors.ts'
import { isId, newId } from '#kit/ids.ts'
import { checkByProbe, gone, newTally, shardedPath } from './blob.ts'
import type {
  BlobInfo,
  Blobs,
  HashedFile,
  PutFileOptions,
  PutOptions,
  S3Keys,
  S3Place,
  Stored,
  StoredWithHead,
} from './blobs.ts'
import { diskProblem } from './disk-calls.ts'
import { s3Growing } from './s3-growing.ts'
import { endingWith, uploadStream } from './s3-upload.ts'
import { makeWorkFolder } from './work-folders.ts'

/** No upload takes this long, so its writer is dead: one that is resumed has 24 hours, its last request 4 more. */
const LEFTOVER_AGE_MS = 30 * 3600 * 1000

export function s3Blobs({ bucket, prefix, endpoint, region }: S3Place, keys: S3Keys): Blobs {
  const client = new S3Client({
    region,
    // Self-hosted servers rarely answer to BUCKET.HOST.
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    // Without keys of ours, the SDK finds those of the machine's role.
    ...(keys.accessKey === null || keys.secretKey === null
      ? {}
      : {
          credentials: {
            accessKeyId: keys.accessKey,
            secretAccessKey: keys.secretKey,
            ...(keys.sessionToken === null ? {} : { sessionToken: keys.sessionToken }),
          },
        }),
    // Servers other than Amazon's refuse the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 5_000,
      socketTimeout: 60_000,
      httpAgent: { maxSockets: 256 },
      httpsAgent: { maxSockets: 256 },
    },
  })
  const keyOf = (blob: string): string => prefix + shardedPath(blob)

  async function put(source: AsyncIterable<Uint8Array>, options: PutOptions = {}): Promise<StoredWithHead> {
    const blob = newId()
    const tally = newTally(blob, options)
    const target = { Bucket: bucket, Key: keyOf(blob) }
    try {
      await uploadStream(client, target, tally.through(source), options.maxBytes ?? 0, options.signal)
      return tally.total()
    } catch (error) {
      throw tally.failure() ?? s3Problem(error)
    }
  }

  async function putFile({ path }: HashedFile, options: PutFileOptions = {}): Promise<Stored> {
    const facts = await lstat(path)
    if (!facts.isFile()) throw new Error('only a plain file can be kept')
    return put(createReadStream(path, { highWaterMark: 1024 ** 2 }), { ...options, maxBytes: facts.size })
  }

  async function read(blob: string, range?: { start: number; end: number }, signal?: AbortSignal): Promise<Readable> {
    const Key = keyOf(blob)
    const Range = range && `bytes=${range.start}-${range.end}`
    try {
      const asked = new GetObjectCommand({ Bucket: bucket, Key, ...(Range && { Range }) })
      const { Body } = await endingWith(client, signal).send(asked)
      if (Body instanceof Readable) return signal ? addAbortSignal(signal, Body) : Body
      throw new Error('the SDK answered no stream')
    } catch (error) {
      signal?.throwIfAborted()
      throw s3Problem(error)
    }
  }

  /** Downloads under way, by their path. */
  const downloads = new Map<string, Promise<string>>()

  /** Who shares a folder shares a signal. */
  function local(blob: string, folder: string, signal?: AbortSignal): Promise<string> {
    const path = join(folder, blob)
    const under = downloads.get(path)
    if (under) return under
    const download = downloaded(blob, path, folder, signal).finally(() => downloads.delete(path))
    downloads.set(path, download)
    return download
  }

  async function downloaded(
    blob: string,
    path: string,
    folder: string,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const isHere = await access(path).then(
      () => true,
      () => false,
    )
    if (isHere) return path
    // Written aside, so that nobody gets half of the file after an interruption.
    const aside = join(makeWorkFolder(folder), newId())
    try {
      await pipeline(await read(blob, undefined, signal), createWriteStream(aside, { flags: 'wx', mode: 0o600 }))
      await rename(aside, path)
      return path
    } catch (error) {
      await rm(aside, { force: true })
      signal?.throwIfAborted()
      throw s3Problem(diskProblem(error))
    }
  }

  async function remove(blob: string, signal?: AbortSignal): Promise<void> {
    try {
      await endingWith(client, signal).send(new DeleteObjectCommand({ Bucket: bucket, Key: keyOf(blob) }))
    } catch (error) {
      const problem = s3Problem(error)
      if (!isProblem(problem, 'gone')) throw problem
    }
  }

  async function* list(): AsyncGenerator<BlobInfo> {
    for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix })) {
      for (const { Key = '', Size = 0, LastModified = new Date() } of page.Contents ?? []) {
        const blob = Key.slice(Key.lastIndexOf('/') + 1)
        if (isId(blob) && keyOf(blob) === Key) yield { blob, bytes: Size, modifiedAt: LastModified }
      }
    }
  }

  async function sweep(signal?: AbortSignal): Promise<number> {
    const sweeper = endingWith(client, signal)
    let swept = 0
    let from: { KeyMarker?: string; UploadIdMarker?: string } | null = {}
    while (from !== null) {
      const page: ListMultipartUploadsCommandOutput = await sweeper.send(
        new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...from }),
      )
      for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
        if (!Initiated || Date.now() - Initiated.getTime() < LEFTOVER_AGE_MS) continue
        await sweeper.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }))
        swept++
      }
      from =
        page.IsTruncated && page.NextKeyMarker
          ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker ?? '' }
          : null
    }
    return swept
  }

  const growing = s3Growing({
    client,
    bucket,
    keyOf,
    tailPrefixOf: blob => `${prefix}growing/${shardedPath(blob)}`,
    problem: s3Problem,
  })
  const check = (): Promise<void> => checkByProbe(blobs)
  const blobs: Blobs = { put, putFile, read, local, delete: remove, list, sweep, check, growing }
  return blobs
}

function s3Problem(error: unknown): Problem {
  if (isProblem(error)) return error
  const name = error instanceof Error ? error.name : ''
  const refuse = (why: string) => new Problem('unavailable', why, { cause: error, retryAfterSeconds: 30 })
  if (name === 'NoSuchKey' || name === 'NotFound') return gone(error)
  if (name === 'NoSuchBucket') return refuse('The bucket of the file store does not exist.')
  if (/AccessDenied|Forbidden|InvalidAccessKeyId|SignatureDoesNotMatch/.test(name))
    return refuse('The file store refused our keys.')
  return refuse('The file store cannot be used now.')
}
