// Receives a multipart request: fields into memory, files straight into the blob store, in any order.
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { TokenLimiter } from '#access/token-limiter.ts'
import { badField, Problem } from '#kit/errors.ts'
import type { Settings } from '#kit/settings.ts'
import { isStorable } from '#kit/text.ts'
import { newUploads, type Uploads } from '#uploads/uploads.ts'
import type { App, Context } from '../route/route.ts'
import { letTheRestGo } from './client-deadlines.ts'
import { boundaryOf, type Part, readParts } from './multipart-parser.ts'
import { validatorCompiler } from './validate.ts'

interface ReceivedFile {
  field: string
  /** As the client sent it: only for display, never trusted. */
  fileName: string | null
  blob: string
  bytes: number
  sha256: string
  /** The first bytes, enough to detect the file type. */
  head: Buffer
}

/** Disposing it deletes the files that no transaction has taken over (`db/tasks/upload-rows.ts`). */
export interface Received extends AsyncDisposable {
  fields: Map<string, string>
  files: Map<string, ReceivedFile>
  /** The files of parts that may come several times, in the order of the request. */
  lists: Map<string, ReceivedFile[]>
  /** Call it once all files have an owner: then disposing deletes nothing. */
  taken(): void
}

type Fields = ReadonlyMap<string, string>

/** Which part names are files and which are fields; any other name is refused. */
export interface PartRules {
  file(name: string): boolean
  field(name: string): boolean
  /** What to say of another name; unset: that it is not known here. */
  unknown?(name: string): Problem
  /** Which of the files may come several times. */
  repeats?(name: string): boolean
  /** The most that one field may hold, where that is not KEEPSAKE_MAX_EXTRAS_BYTES. */
  fieldBytes?: number
  /**
   * Throws if the fields before a file show that it has no place in the request. Called only after `LARGE_BYTES` of files: a small request
   * is checked as a whole at the end.
   */
  fits?(name: string, before: Fields): void
  /** Throws if the file belongs to nothing that exists. It costs a database query, so it is called only after `VERY_LARGE_BYTES`. */
  belongs?(name: string, before: Fields): Promise<void>
}

type UploadLimits = Pick<Settings, 'maxUploadBytes' | 'maxRequestBytes' | 'maxParts' | 'maxExtrasBytes' | 'maxGroup'>

/** What requests with files need of the context. */
interface Intake {
  uploads: Uploads
  limits: UploadLimits
  limiter: Pick<TokenLimiter, 'beforeUpload' | 'countBytes'>
}

export const newIntake = ({ db, blobs, settings, limiter }: Context): Intake => ({
  uploads: newUploads(db, blobs),
  limits: settings,
  limiter,
})

/** After so many bytes of files, the request's files are checked against the fields so far (`fits`), and the database (`belongs`). */
const LARGE_BYTES = 1024 ** 2
const VERY_LARGE_BYTES = 16 * 1024 ** 2
/** A client that sends nothing for this long is gone. */
const STALLED_MS = 60_000
const NAME_LENGTH = 256
const FILE_NAME_LENGTH = 255

/** For a scope whose routes take only multipart bodies: leaves the body unread, for `receive`. */
export function acceptMultipart(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
}

/** For the options of a route with a multipart body: its schema is for the reference, and `receive` checks the body. */
export const multipartBody = {
  validatorCompiler: (part: Parameters<typeof validatorCompiler>[0]) =>
    part.httpPart === 'body' ? () => true : validatorCompiler(part),
}

/** Some generators of clients know a file by its format, others by its media type. */
export const FilePart = (description: string) =>
  Type.String({ description, format: 'binary', contentMediaType: 'application/octet-stream' })

export async function receive(
  request: FastifyRequest,
  { uploads, limits, limiter }: Intake,
  rules: PartRules,
  stalledMs = STALLED_MS,
): Promise<Received> {
  const fields = new Map<string, string>()
  const files = new Map<string, ReceivedFile>()
  const lists = new Map<string, ReceivedFile[]>()
  let isTaken = false
  const received = (): string[] => [...files.values(), ...[...lists.values()].flat()].map(({ blob }) => blob)
  const held = uploads.hold(received)
  const drop = async (): Promise<void> => {
    held[Symbol.dispose]()
    if (isTaken) return
    const blobs = received()
    // Each file is noted as an upload, so the sweeper finds what cannot be deleted now.
    if (blobs.length > 0)
      await uploads.drop(blobs).catch(error => request.log.warn({ err: error }, 'uploads were left'))
  }
  let parts = 0
  const { fieldBytes = limits.maxExtrasBytes } = rules
  let bytesLeft = fieldBytes * limits.maxGroup
  let fileBytes = 0

  async function* judged({ name, body }: Part): AsyncGenerator<Buffer> {
    const { maxUploadBytes } = limits
    let hasFit = false
    let isJudged = false
    let bytes = 0
    for await (const piece of body) {
      bytes += piece.length
      fileBytes += piece.length
      if (bytes > maxUploadBytes)
        throw badField(name, `a file may have ${maxUploadBytes} bytes at most (KEEPSAKE_MAX_UPLOAD_BYTES)`, 'too_large')
      if (!hasFit && fileBytes > LARGE_BYTES) {
        rules.fits?.(name, fields)
        hasFit = true
      }
      if (!isJudged && fileBytes > VERY_LARGE_BYTES) {
        await rules.belongs?.(name, fields)
        isJudged = true
      }
      yield piece
    }
  }

  try {
    const boundary = boundaryOf(request.headers['content-type'])
    const length = lengthOf(request)
    if (length !== undefined && length > limits.maxRequestBytes) throw tooLong(limits)
    await limiter.beforeUpload(request.access, length)
    for await (const part of readParts(bounded(bodyOf(request, stalledMs), limits), boundary)) {
      const { name } = part
      if (++parts > limits.maxParts)
        throw new Problem('over_limit', `A request may have ${limits.maxParts} parts at most (KEEPSAKE_MAX_PARTS).`)
      const kind = kindOf(part, rules, name => fields.has(name) || files.has(name))
      if (kind === 'file') {
        const kept = await uploads.put(limiter.countBytes(request.access, judged(part)))
        const file = { field: name, fileName: shown(part.fileName), ...kept }
        if (rules.repeats?.(name)) lists.set(name, [...(lists.get(name) ?? []), file])
        else files.set(name, file)
      } else {
        const { text, bytes } = await receiveField(
          part,
          Math.min(fieldBytes, bytesLeft),
          fieldBytes,
          rules.fieldBytes === undefined,
        )
        fields.set(name, text)
        bytesLeft -= bytes
      }
    }
  } catch (error) {
    await drop()
    throw error
  } finally {
    letTheRestGo(request)
  }
  const taken = (): void => {
    isTaken = true
  }
  return { fields, files, lists, taken, [Symbol.asyncDispose]: drop }
}

function lengthOf({ headers }: FastifyRequest): number | undefined {
  const length = headers['content-length']
  return length === undefined ? undefined : Number(length)
}

const tooLong = ({ maxRequestBytes }: UploadLimits): Problem =>
  new Problem('too_large', `A request may have ${maxRequestBytes} bytes at most (KEEPSAKE_MAX_REQUEST_BYTES).`)

async function* bounded(body: AsyncIterable<Buffer>, limits: UploadLimits): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > limits.maxRequestBytes) throw tooLong(limits)
    yield piece
  }
}

function kindOf({ name, fileName }: Part, rules: PartRules, isThere: (name: string) => boolean): 'file' | 'field' {
  if (!isStorable(name)) throw new Problem('bad_multipart', 'The name of a part holds a NUL, which is no text.')
  if (name.length > NAME_LENGTH)
    throw new Problem('bad_request', `The name of a part may have ${NAME_LENGTH} characters at most.`)
  if (isThere(name)) throw badField(name, 'is there twice')
  const kinds = fileName === null ? (['field', 'file'] as const) : (['file', 'field'] as const)
  const kind = kinds.find(each => rules[each](name))
  if (kind === undefined) throw rules.unknown?.(name) ?? badField(name, 'is not a part that is known here')
  return kind
}

async function receiveField(
  { name, body }: Part,
  bytesLeft: number,
  limit: number,
  isSetting: boolean,
): Promise<{ text: string; bytes: number }> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > bytesLeft)
      throw badField(
        name,
        `a field may have ${limit} bytes at most${isSetting ? ' (KEEPSAKE_MAX_EXTRAS_BYTES)' : ''}`,
        'too_large',
      )
    // A copy: a slice would keep the whole network chunk in memory.
    pieces.push(Buffer.from(piece))
  }
  const text = textOf(Buffer.concat(pieces))
  if (text === null || !isStorable(text)) throw badField(name, 'is not text in UTF-8 without NUL')
  return { text, bytes }
}

function textOf(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Removes folders and control characters, and shortens the name. */
function shown(fileName: string | null): string | null {
  const name = (fileName ?? '')
    .toWellFormed()
    .replace(/^.*[/\\]/s, '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
    .replace(/[\u0000-\u001f\u007f]/g, '')
    .slice(0, FILE_NAME_LENGTH)
    .toWellFormed()
  return name === '' ? null : name
}

/** The body as it arrives. The request stays open, so that a refusal still reaches the client. */
async function* bodyOf({ raw }: FastifyRequest, stalledMs: number): AsyncGenerator<Buffer> {
  const chunks = raw.iterator({ destroyOnReturn: false })
  try {
    for (;;) {
      // Only the client's silence counts, not the time that we take to write.
      const watch = setTimeout(() => raw.destroy(new Error('nothing came for too long')), stalledMs)
      const next = await chunks.next().finally(() => clearTimeout(watch))
      if (next.done) return
      yield next.value
    }
  } catch (error) {
    throw new Problem('bad_multipart', 'The upload ended before it was complete.', { cause: error })
  } finally {
    await chunks.return?.()
  }
}
