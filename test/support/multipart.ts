// Multipart bodies for tests: whole ones, and ones broken in a reproducible way; sent over a raw socket.
import { connect } from 'node:net'
import { soon } from './until.ts'

export interface TestPart {
  name: string
  body: string | Buffer
  fileName?: string
}

export const BOUNDARY = 'keepsake-test-boundary'

export function multipart(parts: TestPart[], boundary = BOUNDARY): Buffer<ArrayBuffer> {
  const pieces = parts.flatMap(({ name, body, fileName }) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"`}\r\n\r\n`,
    body,
    '\r\n',
  ])
  return Buffer.concat(
    [...pieces, `--${boundary}--\r\n`].map(piece => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
  )
}

export interface RawRequest {
  method?: string
  path: string
  headers?: Record<string, string>
  body: Buffer
  /** What Content-Length says; the body's own length unless told. */
  length?: number
  /** How many bytes go out at once. */
  chunk?: number
}

/** Sends exactly these bytes, and ends our side if they are fewer than promised. Answers status 0 if the server just closed. */
export async function sendRaw(port: number, request: RawRequest): Promise<{ status: number; body: string }> {
  const { method = 'POST', path, headers = {}, body, length = body.length, chunk = body.length } = request
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  const answer: Buffer[] = []
  socket.on('data', data => answer.push(data))
  // Not `event`, which an error ends: what has been answered by then counts.
  const closed = soon('the connection is closed', new Promise<void>(resolve => socket.once('close', () => resolve())))
  const lines = Object.entries({ host: 'test', connection: 'close', 'content-length': String(length), ...headers })
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
  for (let at = 0; at < body.length; at += Math.max(1, chunk)) {
    if (!socket.write(body.subarray(at, at + chunk)))
      await Promise.race([new Promise<void>(resolve => socket.once('drain', resolve)), closed])
  }
  if (length > body.length) socket.end()
  await closed
  const [head = '', ...rest] = Buffer.concat(answer).toString('utf8').split('\r\n\r\n')
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0), body: rest.join('\r\n\r\n') }
}

const junk = [
  '\r\n',
  '\n',
  '\0',
  '--',
  '"',
  ';',
  `--${BOUNDARY}`,
  `\r\n--${BOUNDARY}--`,
  '\r\n\r\n',
  '%22',
  '\\',
  '\xff',
]

/** A body with one to three wounds: cut, flipped, doubled, removed or filled with what parsers trip over. */
export function broken(whole: Buffer, next: () => number): Buffer {
  let body: Buffer = whole
  for (let wounds = 1 + Math.floor(next() * 3); wounds > 0; wounds--) {
    const at = Math.floor(next() * (body.length + 1))
    const end = Math.min(body.length, at + Math.floor(next() * 40))
    const before = body.subarray(0, at)
    const after = body.subarray(at)
    const kind = Math.floor(next() * 5)
    if (kind === 0) body = before
    else if (kind === 1) body = Buffer.concat([before, Buffer.from([Math.floor(next() * 256)]), after.subarray(1)])
    else if (kind === 2) body = Buffer.concat([body.subarray(0, end), after])
    else if (kind === 3) body = Buffer.concat([before, body.subarray(end)])
    else body = Buffer.concat([before, Buffer.from(junk[Math.floor(next() * junk.length)] ?? '', 'latin1'), after])
  }
  return body
}
