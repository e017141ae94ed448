// The interface of blob stores, and the choice of a store by the setting.
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { BadSetting } from '#kit/settings.ts'
import { withoutEnd } from '#kit/text.ts'
import { diskBlobs } from './disk-blobs.ts'
import type { GrowingBlobs } from './growing-blobs.ts'

export interface Stored {
  blob: string
  bytes: number
  sha256: string
}

export interface StoredWithHead extends Stored {
  /** The first bytes, enough to detect the type of the file. */
  head: Buffer
}

export interface PutFileOptions {
  /** Awaited when all bytes are written, before the blob becomes visible. Callers record the blob here, so that no crash orphans it. */
  announce?: ((blob: string) => Promise<void>) | undefined
  signal?: AbortSignal | undefined
}

export interface PutOptions extends PutFileOptions {
  maxBytes?: number | undefined
}

/** A local file whose size and hash its maker has computed already. */
export interface HashedFile {
  path: string
  bytes: number
  sha256: string
}

export interface BlobInfo {
  blob: string
  bytes: number
  modifiedAt: Date
}

export interface Blobs {
  /** Streams bytes in and returns once they are durable. Beyond `maxBytes` it throws `too_large` and leaves nothing behind. */
  put(source: AsyncIterable<Uint8Array>, options?: PutOptions): Promise<StoredWithHead>
  /** Takes in a finished local file, without a copy when both lie on one disk. Nobody may write to the file again. */
  putFile(file: HashedFile, options?: PutFileOptions): Promise<Stored>
  /** Both ends of the range are included, as in HTTP. Throws `gone` when the blob does not exist. */
  read(blob: string, range?: { start: number; end: number }, signal?: AbortSignal): Promise<Readable>
  /** A local path for tools, for reading only: the blob's own file, or a download into `folder`. */
  local(blob: string, folder: string, signal?: AbortSignal): Promise<string>
  /** Does not fail when the blob does not exist. */
  delete(blob: string, signal?: AbortSignal): Promise<void>
  list(): AsyncIterable<BlobInfo>
  /** Removes what interrupted writers left behind. Returns the count. */
  sweep(signal?: AbortSignal): Promise<number>
  /** Writes, reads and deletes a blob, to prove that the store works. */
  check(): Promise<void>
  /** Blobs that are received piece by piece. */
  growing: GrowingBlobs
}

export interface S3Keys {
  accessKey: string | null
  secretKey: string | null
  sessionToken: string | null
}

export interface S3Place {
  bucket: string
  /** Empty or ending in a slash. */
  prefix: string
  endpoint: string | null
  region: string
}

const bad = (why: string): BadSetting => new BadSetting(`KEEPSAKE_BLOBS ${why}`)

/** The folder of a store on disk; null when files are stored elsewhere. */
export function storeFolder(setting: string | null, dataFolder: string): string | null {
  if (setting === null) return resolve(dataFolder, 'blobs')
  if (!setting.startsWith('file:')) return null
  const path = setting.slice('file:'.length).replace(/^\/\/(?=\/)/, '')
  if (path === '') throw bad('must name a folder behind file:, for example file:/srv/keepsake')
  return resolve(path)
}

/** Opens the store that the setting names: `file:PATH`, `s3://BUCKET/PREFIX?endpoint=URL&region=R`, or the data folder when unset. */
export async function newBlobs(setting: string | null, dataFolder: string, keys: S3Keys, make = true): Promise<Blobs> {
  const folder = storeFolder(setting, dataFolder)
  if (folder !== null) return diskBlobs(folder, make)
  if (!setting?.startsWith('s3://')) throw bad('must be file:PATH or s3://BUCKET/PREFIX?endpoint=URL&region=R')
  const place = s3Place(setting)
  if ((keys.accessKey === null) !== (keys.secretKey === null))
    throw new BadSetting('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set together')
  if (place.endpoint !== null && keys.accessKey === null)
    throw new BadSetting('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set for the endpoint of KEEPSAKE_BLOBS')
  // The SDK is large, so it is loaded only when files are stored in S3.
  const { s3Blobs } = await import('./s3-blobs.ts')
  return s3Blobs(place, keys)
}

export function s3Place(setting: string): S3Place {
  if (!URL.canParse(setting)) throw bad('is not a URL; it must look like s3://BUCKET/PREFIX?endpoint=URL&region=R')
  const url = new URL(setting)
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.host)) throw bad('must name a bucket behind s3://')
  if (url.username !== '' || url.password !== '')
    throw bad('takes no keys in the URL; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY')
  const unknown = [...url.searchParams.keys()].find(key => key !== 'endpoint' && key !== 'region')
  if (unknown !== undefined) throw bad(`has the unknown parameter "${unknown}"; known are endpoint and region`)
  const endpoint = url.searchParams.get('endpoint')
  if (endpoint !== null && !(URL.canParse(endpoint) && /^https?:$/.test(new URL(endpoint).protocol)))
    throw bad('must have an endpoint starting with https:// or http://')
  const prefix = withoutEnd(url.pathname.replace(/^\/+/, ''), '/')
  if (!/^[\w.\-/]*$/.test(prefix)) throw bad('may have only letters, digits and . _ - / in the prefix')
  return {
    bucket: url.host,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint,
    region: url.searchParams.get('region') || 'us-east-1',
  }
}
