// Reads multipart/form-data (RFC 7578) as a stream of parts. Strict: anything malformed is a Problem, never a partial value.
import { Problem } from '#kit/errors.ts'

export interface Part {
  name: string
  /** As the client sent it, with any folders; null if it sent none. */
  fileName: string | null
  /** Read it to its end before asking for the next part. */
  body: AsyncIterable<Buffer>
}

const HEADER_BYTES = 16 * 1024
const PREAMBLE_BYTES = 64 * 1024
const CR = 0x0d
const CRLF = Buffer.from('\r\n')
const END_OF_HEADERS = Buffer.from('\r\n\r\n')

const broken = (why: string): Problem => new Problem('bad_multipart', `The multipart body is broken: ${why}.`)

/** The boundary of a Content-Type. Throws a Problem for the client if there is none. */
export function boundaryOf(contentType: string | undefined): string {
  if (!/^\s*multipart\/form-data\s*(;|$)/i.test(contentType ?? ''))
    throw new Problem('wrong_content_type', 'Send multipart/form-data here.')
  const boundary = parameterOf(contentType ?? '', /;\s*boundary=/i)
  if (boundary === '') throw broken('the Content-Type names no boundary')
  if (!/^[\x20-\x7e]{0,69}[\x21-\x7e]$/.test(boundary))
    throw broken('the boundary of the Content-Type is not 1 to 70 plain characters')
  return boundary
}

/** The value of a parameter, quoted or not; empty if there is none. */
function parameterOf(header: string, name: RegExp): string {
  const found = name.exec(header)
  if (!found) return ''
  const value = header.slice(found.index + found[0].length)
  if (!value.startsWith('"')) return /^[^\s;"]+/.exec(value)?.[0] ?? ''
  const end = value.indexOf('"', 1)
  return end < 0 ? '' : value.slice(1, end)
}

export async function* readParts(source: AsyncIterable<Buffer>, boundary: string): AsyncGenerator<Part> {
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const chunks = source[Symbol.asyncIterator]()
  // The first boundary has no line break before it; this adds one, so that it looks like the others.
  let held: Buffer = CRLF
  let bytes = 0
  let hasBegun = false

  async function more(): Promise<void> {
    const next = await chunks.next()
    if (next.done) throw broken(cutOff())
    bytes += next.value.length
    held = held.length === 0 ? next.value : Buffer.concat([held, next.value])
  }

  function cutOff(): string {
    if (bytes === 0) return 'it is empty'
    return hasBegun ? 'it ends before its closing boundary' : 'the boundary of the Content-Type does not occur in it'
  }

  /** Yields what comes before the mark, and consumes the mark. */
  async function* upTo(mark: Buffer): AsyncGenerator<Buffer> {
    for (;;) {
      const at = held.indexOf(mark)
      const safe = at >= 0 ? at : held.length - beginningAtEnd(held, mark)
      const before = held.subarray(0, safe)
      held = held.subarray(at >= 0 ? at + mark.length : safe)
      if (before.length > 0) yield before
      if (at >= 0) return
      await more()
    }
  }

  async function collect(mark: Buffer, limit: number, what: string): Promise<Buffer> {
    const pieces: Buffer[] = []
    let bytes = 0
    for await (const piece of upTo(mark)) {
      pieces.push(piece)
      bytes += piece.length
      if (bytes > limit) throw broken(`${what} longer than ${limit} bytes`)
    }
    return Buffer.concat(pieces)
  }

  try {
    await collect(delimiter, PREAMBLE_BYTES, 'the text before its first boundary is')
    hasBegun = true
    for (;;) {
      while (held.length < 2) await more()
      if (held.subarray(0, 2).toString('latin1') === '--') return
      const padding = await collect(CRLF, HEADER_BYTES, 'a boundary line is')
      if (!/^[ \t]*$/.test(padding.toString('latin1'))) throw broken('a boundary is followed by other text')
      held = Buffer.concat([CRLF, held])
      const headers = await collect(END_OF_HEADERS, HEADER_BYTES, 'the headers of a part are')
      let isRead = false
      const body = (async function* () {
        yield* upTo(delimiter)
        isRead = true
      })()
      yield { ...namesOf(headers), body }
      if (!isRead) throw new Error('a part was not read to its end')
    }
  } finally {
    await chunks.return?.()
  }
}

/** How many bytes at the end may be the start of the mark. Mostly none, and then no chunk is copied. */
function beginningAtEnd(bytes: Buffer, mark: Buffer): number {
  for (let length = Math.min(bytes.length, mark.length - 1); length > 0; length--) {
    const at = bytes.length - length
    if (bytes[at] === CR && mark.subarray(0, length).equals(bytes.subarray(at))) return length
  }
  return 0
}

function namesOf(headers: Buffer): { name: string; fileName: string | null } {
  const found = new Map<string, string>()
  // As latin1, so that no byte is lost before it is known which parts are text.
  for (const line of headers.toString('latin1').split('\r\n').slice(1)) {
    const colon = line.indexOf(':')
    const key = line.slice(0, Math.max(0, colon)).toLowerCase()
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(key) || /[\r\n\0]/.test(line)) throw broken('a part has a bad header line')
    if (found.has(key)) throw broken(`a part has two ${key} headers`)
    found.set(key, line.slice(colon + 1).trim())
  }
  const encoding = found.get('content-transfer-encoding')?.toLowerCase() ?? 'binary'
  if (!['7bit', '8bit', 'binary'].includes(encoding))
    throw broken('a part has a Content-Transfer-Encoding; send the bytes as they are')
  const parameters = parametersOf(found.get('content-disposition'))
  const name = parameters.get('name')
  if (name === undefined || name === '') throw broken('a part has no name')
  const plain = parameters.get('filename')
  const fileName = extended(parameters.get('filename*')) ?? (plain === undefined ? null : lenient(plain))
  return { name: strict(name), fileName: fileName === '' ? null : fileName }
}

/** The parameters of `form-data; name="…"; filename="…"`, still as latin1. */
function parametersOf(disposition: string | undefined): Map<string, string> {
  const rest = /^form-data\s*(?=;|$)/i.exec(disposition ?? '')
  if (!rest || disposition === undefined) throw broken('a part has no Content-Disposition: form-data')
  const parameters = new Map<string, string>()
  // Browsers write a quote in a name as %22, other clients as \".
  const parameter = /\s*;\s*([!#$&+.^_`|~\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\[\s\S])*)"|([^\s;"]+))?/y
  parameter.lastIndex = rest[0].length
  while (parameter.lastIndex < disposition.length) {
    const at = parameter.lastIndex
    const [, key, quoted, token] = parameter.exec(disposition) ?? []
    if (key === undefined) {
      if (/^[\s;]*$/.test(disposition.slice(at))) break
      throw broken('a part has a bad Content-Disposition')
    }
    if (parameters.has(key.toLowerCase())) throw broken(`a Content-Disposition has two "${key}"`)
    parameters.set(key.toLowerCase(), quoted === undefined ? (token ?? '') : unquoted(quoted))
  }
  return parameters
}

const unquoted = (text: string): string =>
  text.replace(/\\(["\\])/g, '$1').replace(/%(22|0A|0D)/gi, code => decodeURIComponent(code))

function strict(name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(name, 'latin1'))
  } catch {
    throw broken('the name of a part is not UTF-8')
  }
}

/** A file name decides nothing, so a badly encoded one is no reason to refuse the file. */
const lenient = (name: string): string => Buffer.from(name, 'latin1').toString('utf8')

/** RFC 5987: `UTF-8''na%C3%AFve.png`. */
function extended(value: string | undefined): string | null {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value ?? '')?.[1]
  if (encoded === undefined) return null
  try {
    return decodeURIComponent(encoded)
  } catch {
    return null
  }
}
