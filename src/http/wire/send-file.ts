// Sends a stored file: ranges, revalidation by its hash, and headers that make untrusted files harmless.
import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import Type, { type TSchema } from 'typebox'
import { Problem } from '#kit/errors.ts'
import { strictlyEncoded } from '#kit/text.ts'
import type { Blobs } from '#storage/blobs.ts'
import { emptyAnswer, etagHeader } from '../contract/answers.ts'
import { hasSameTag } from './preconditions.ts'

interface SentFile {
  mime: string
  bytes: number
  sha256: string
  /** The name to save the file under; without one a browser shows it. */
  download?: string | undefined
}

const bytes = { schema: { type: 'string', format: 'binary' } }

/** For the reference: a file with its own content type. Fastify sends streams unchanged, so this has no effect. */
export const fileAnswer = (description: string, headers: Record<string, TSchema> = {}) => ({
  description,
  headers,
  content: { 'application/octet-stream': bytes, '*/*': bytes },
})

/** For the schema of a route that answers with `sendBlob`. */
export const fileHeaders = Type.Object({
  Range: Type.Optional(Type.String({ description: 'One range of bytes.', examples: ['bytes=0-1023'] })),
  'If-Range': Type.Optional(Type.String({ description: 'The ETag for which the range is meant; else all is sent.' })),
  'If-None-Match': Type.Optional(Type.String({ description: 'The ETag of what the client has.' })),
})
const etag = etagHeader('The SHA-256 of the file, in quotation marks.')
const sent = {
  ...etag,
  'Accept-Ranges': Type.Literal('bytes', { description: 'Ranges of bytes can be asked for.' }),
  'Content-Disposition': Type.String({ description: 'With `download`: the name to save the file under.' }),
}
export const fileAnswers = {
  200: fileAnswer('The bytes, with their own type.', sent),
  206: fileAnswer('The range that was asked for.', {
    ...sent,
    'Content-Range': Type.String({ description: 'Which bytes these are.', examples: ['bytes 0-1023/52113'] }),
  }),
  304: emptyAnswer('The client has it already.', etag),
}

/** A file opened in a tab can run no script and load nothing. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src 'self'; sandbox"

type Range = { start: number; end: number }

export const sendBlob = (reply: FastifyReply, blobs: Blobs, file: SentFile & { blob: string }): Promise<FastifyReply> =>
  sendFile(reply, file, range => blobs.read(file.blob, range))

export async function sendFile(
  reply: FastifyReply,
  file: SentFile,
  read: (range?: Range) => Promise<Readable>,
): Promise<FastifyReply> {
  const { method, headers } = reply.request
  const etag = `"${file.sha256}"`
  if (hasSameTag(reply.request, etag)) return reply.code(304).headers({ etag, 'cache-control': CACHE }).send()

  const isCurrent = headers['if-range'] === undefined || headers['if-range'] === etag
  const range = isCurrent && method === 'GET' ? rangeOf(headers.range, file.bytes) : null
  if (range === 'outside') {
    reply.header('content-range', `bytes */${file.bytes}`)
    throw new Problem('bad_range', `The file has ${file.bytes} bytes; the range lies outside of it.`)
  }
  // The file is opened before the headers are sent, so that a missing one is a 410 and not a broken 200.
  const stream = await read(range ?? undefined)
  reply.headers({
    etag,
    'accept-ranges': 'bytes',
    'cache-control': CACHE,
    'content-type': /^text\//.test(file.mime) ? `${file.mime}; charset=utf-8` : file.mime,
    'content-length': range ? range.end - range.start + 1 : file.bytes,
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    ...(file.download === undefined ? {} : { 'content-disposition': attachment(file.download) }),
    ...(range ? { 'content-range': `bytes ${range.start}-${range.end}/${file.bytes}` } : {}),
  })
  if (range) reply.code(206)
  // Send a closed stream: without one, Fastify would set the length to 0.
  return reply.send(method === 'HEAD' ? stream.destroy() : stream)
}

/** Only the reader may cache it, and must revalidate each time: a file may be replaced or taken back at any time. */
const CACHE = 'private, no-cache'

/** Parses a single range. Several ranges, or an invalid one, get the whole file, as HTTP allows. */
function rangeOf(header: string | undefined, bytes: number): Range | 'outside' | null {
  const [, first = '', last = ''] = /^bytes=(\d{0,16})-(\d{0,16})$/.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return null
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1)
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null
  return start > end ? 'outside' : { start, end }
}

/** Both spellings: plain for old readers, and RFC 5987 for any name. */
function attachment(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  return `attachment; filename="${plain}"; filename*=UTF-8''${strictlyEncoded(name)}`
}
