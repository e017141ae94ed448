// Compresses answers of text that gain by it. Files of the console are compressed when they are built.
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { App } from '../route/route.ts'

/** A smaller answer takes one packet either way. */
const LEAST_BYTES = 4_096
/** Fast, and within a tenth of the smallest. */
const BROTLI_QUALITY = 4
const TEXT = ['text/', 'application/json', 'application/problem+json', 'application/javascript', 'image/svg+xml']

const encoders: Record<'br' | 'gzip', (bytes: Buffer) => Promise<Buffer>> = {
  br: bytes => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: promisify<Buffer, Buffer>(gzip),
}

/** The best encoding that the client takes; undefined: none. */
export function encodingFor(accepted: string | undefined): 'br' | 'gzip' | undefined {
  const named = (accepted ?? '')
    .toLowerCase()
    .split(',', 32)
    .map(each => each.split(';', 2).map(part => part.trim()))
  const isTaken = (name: string): boolean =>
    named.some(([encoding, quality]) => encoding === name && !(quality && Number(quality.slice('q='.length)) === 0))
  return (['br', 'gzip'] as const).find(isTaken)
}

/** Leaves alone what has a strong tag: that names the very bytes. */
export function compressAnswers(app: App): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload
    const type = String(reply.getHeader('content-type') ?? '')
    if (!TEXT.some(start => type.startsWith(start)) || reply.hasHeader('etag')) return payload
    if (reply.statusCode === 206 || reply.hasHeader('content-encoding')) return payload
    const bytes = Buffer.from(payload)
    if (bytes.length < LEAST_BYTES) return payload
    const vary = reply.getHeader('vary')
    reply.header('vary', vary ? `${String(vary)}, accept-encoding` : 'accept-encoding')
    const encoding = encodingFor(request.headers['accept-encoding'])
    if (!encoding) return payload
    const compressed = await encoders[encoding](bytes)
    reply.headers({ 'content-encoding': encoding, 'content-length': compressed.length })
    return compressed
  })
}
