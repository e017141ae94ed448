// Where files are kept: what every blob store can do, and the choice between them.
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { BadSetting } from '#kit/settings.ts'
import { withoutEnd } from '#kit/text.ts'
import { diskBlobs } from './disk-blobs.ts'

export interface Stored {
  blob: string
  bytes: number
  sha256: string
}

export interface Kept extends Stored {
  /** The first bytes, enough to tell the type of the file. */
  head: Buffer
}

export interface PutFileOptions {
  /** Awaited when all bytes are down, before the blob can be seen: the place to note it, so that no crash orphans it. */
  announce?: ((blob: string) => Promise<void>) | undefined
  signal?: AbortSignal | undefined
}

export interface PutOptions extends PutFileOptions {
  maxBytes?: number | undefined
}

/** A local file that whoever made it has counted and hashed already. */
export interface MadeFile {
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
  /** Streams in and returns once the bytes are durably in place. Past `maxBytes` it throws `too_large` and leaves nothing. */
  put(source: AsyncIterable<Uint8Array>, options?: PutOptions): Promise<Kept>
  /** Takes in a finished local file, without a copy where both lie on one disk: it must not be written to again. */
  putFile(file: MadeFile, options?: PutFileOptions): Promise<Stored>
  /** Both ends of the range are included, as in HTTP. Throws `gone` when there is no such blob. */
  read(blob: string, range?: { start: number; end: number }): Promise<Readable>
  /** A local path for tools, to be read only: the blob's own, or a download into `folder`. */
  local(blob: string, folder: string): Promise<string>
  /** Fine with a blob that is not there. */
  delete(blob: string): Promise<void>
  list(): AsyncIterable<BlobInfo>
  /** Removes what interrupted writers left behind; answers how many. */
  sweep(): Promise<number>
  /** Proves that a blob can be written, read and deleted. */
  check(): Promise<void>
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

/** The folder of a store on disk; null where files are kept elsewhere. */
export function storeFolder(setting: string | null, dataFolder: string): string | null {
  if (setting === null) return resolve(dataFolder, 'blobs')
  if (!setting.startsWith('file:')) return null
  const path = setting.slice('file:'.length).replace(/^\/\/(?=\/)/, '')
  if (path === '') throw bad('must name a folder behind file:, for example file:/srv/keepsake')
  return resolve(path)
}

/** The store that the setting names: `file:PATH`, `s3://BUCKET/PREFIX?endpoint=URL&region=R`, or unset. */
export async function newBlobs(setting: string | null, dataFolder: string, keys: S3Keys, make = true): Promise<Blobs> {
  const folder = storeFolder(setting, dataFolder)
  if (folder !== null) return diskBlobs(folder, make)
  if (!setting?.startsWith('s3://')) throw bad('must be file:PATH or s3://BUCKET/PREFIX?endpoint=URL&region=R')
  const place = s3Place(setting)
  if ((keys.accessKey === null) !== (keys.secretKey === null))
    throw new BadSetting('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set together')
  if (place.endpoint !== null && keys.accessKey === null)
    throw new BadSetting('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set for the endpoint of KEEPSAKE_BLOBS')
  // The SDK is large: it is loaded only where files are kept in S3.
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
