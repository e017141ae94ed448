// Sends a stored file: ranges, revalidation by its hash, and headers that keep other people's files harmless.
import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import Type from 'typebox'
import { Problem } from '#kit/errors.ts'
import type { Blobs } from '#storage/blobs.ts'

interface SentFile {
  mime: string
  bytes: number
  sha256: string
  /** The name to save it under; without one a browser shows it. */
  download?: string | undefined
}

const bytes = { schema: { type: 'string', format: 'binary' } }

/** For the reference: a file, which comes with a type of its own. Streams are sent as they are, whatever stands here. */
export const fileAnswer = (description: string) => ({
  description,
  content: { 'application/octet-stream': bytes, '*/*': bytes },
})

/** For the schema of a route that answers with `sendBlob`. */
export const fileHeaders = Type.Object({
  Range: Type.Optional(Type.String({ description: 'One range of bytes.', examples: ['bytes=0-1023'] })),
  'If-Range': Type.Optional(Type.String({ description: 'The ETag for which the range is meant; else all is sent.' })),
  'If-None-Match': Type.Optional(Type.String({ description: 'The ETag of what the client has.' })),
})
export const fileAnswers = {
  200: fileAnswer('The bytes, with their own type. The ETag is the SHA-256 of the file.'),
  206: fileAnswer('The range that was asked for.'),
  304: Type.Null({ description: 'The client has it already.' }),
}

/** Opened in a tab, a file can run nothing and load nothing, whatever it is. */
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
  if (matches(headers['if-none-match'], etag)) return reply.code(304).headers({ etag, 'cache-control': CACHE }).send()

  const isCurrent = headers['if-range'] === undefined || headers['if-range'] === etag
  const range = isCurrent && method === 'GET' ? rangeOf(headers.range, file.bytes) : null
  if (range === 'outside') {
    reply.header('content-range', `bytes */${file.bytes}`)
    throw new Problem('bad_range', `The file has ${file.bytes} bytes; the range lies outside of it.`)
  }
  // Opened before anything is said, so that a file that is gone is a 410 and not a broken 200.
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
  // A closed stream, because with none at all Fastify would call the length 0.
  return reply.send(method === 'HEAD' ? stream.destroy() : stream)
}

/** Kept by the reader alone, and asked after each time: a file may be replaced or taken back at any moment. */
const CACHE = 'private, no-cache'

function matches(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map(tag => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}

/** One range; several at once, or what is no range at all, is answered with the whole file, as HTTP allows. */
function rangeOf(header: string | undefined, bytes: number): Range | 'outside' | null {
  const [, first = '', last = ''] = /^bytes=(\d{0,16})-(\d{0,16})$/.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return null
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1)
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null
  return start > end ? 'outside' : { start, end }
}

/** Both spellings: plain for old readers, and RFC 5987 for every name there is. */
function attachment(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    c => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
