// Google's resumable upload: a session that remembers how far it came, so that nothing is sent or made twice.
import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { DeliveryStep } from '#engine/adapter.ts'
import { isProblem } from '#kit/errors.ts'
import { isObject } from '#kit/json.ts'
import type { OutboundResponse } from '#kit/net/outbound.ts'
import type { MediaFile } from '#media/file/file.ts'
import { fingerprint, newMeter } from './bytes.ts'
import { outcomeUnknown, refused, unreachable } from './failure.ts'
import type { Google } from './google.ts'

interface Upload {
  google: Google
  /** Named in sentences. */
  target: string
  /** Where the API is; a session elsewhere gets no token of ours. */
  base: string
  /** What is said of the file; a session that was begun with other words is not gone on with. */
  about: object
  /** Asks for a session; its answer names it in `location`. */
  begin(): Promise<OutboundResponse>
  /** Whether a second upload would overwrite the first, so that a lost session can simply be begun again. */
  overwrites: boolean
}

type Sending = Pick<DeliveryStep, 'signal' | 'progress' | 'checkpoint' | 'save'>

/** A multiple of 256 KiB, as the protocol wants it. */
const chunkBytes = 16 * 1024 ** 2

/** Uploads the file, going on where an earlier attempt of the same file broke off. Answers what the target made of it. */
export async function uploadResumably(
  upload: Upload,
  file: MediaFile,
  step: Sending,
): Promise<Record<string, unknown>> {
  const content = await fingerprint(file.path, step.signal)
  const about = createHash('sha256').update(JSON.stringify(upload.about)).digest('hex')
  const meter = newMeter(file.bytes, step.progress)
  const before = step.checkpoint
  let session = typeof before?.session === 'string' && before.content === content ? before.session : null
  // A retry may have another target, which is no business of the old one's.
  if (session !== null && !isOwn(session, upload)) session = null
  let ending = session !== null && before?.ending === true
  let state: State = session === null ? 'gone' : await askState(upload, session, file)
  // What is made is made, whatever was said of it; what is not made can still be told about anew.
  const outdated = before?.about !== about && state !== 'gone' && 'offset' in state
  if (outdated) ending = false
  if (state === 'gone' || session === null || outdated) {
    // The last bytes may have arrived, and a session that is over tells nothing any more.
    if (ending && !upload.overwrites) throw lost(upload.target)
    session = sessionOf(await upload.begin(), upload)
    state = { offset: 0 }
    ending = false
    await step.save({ session, content, about })
  }
  while (!('made' in state)) {
    const { offset }: { offset: number } = state
    meter.set(offset)
    if (offset + chunkBytes >= file.bytes && !ending) {
      ending = true
      await step.save({ session, content, about, ending })
    }
    const next = await goOn(upload, session, file, offset, step, sent => meter.set(offset + sent))
    if (next === 'gone') {
      if (ending && !upload.overwrites) throw lost(upload.target)
      throw unreachable(`${upload.target} forgot the upload that was under way`)
    }
    if ('offset' in next && next.offset <= offset) throw unreachable(`${upload.target} kept nothing of what was sent`)
    state = next
  }
  meter.set(file.bytes)
  return state.made
}

/** Sends the next chunk. When that breaks, the target is asked how far it came: going on is worth it if it got anywhere. */
async function goOn(
  upload: Upload,
  session: string,
  file: MediaFile,
  offset: number,
  step: Sending,
  sent: (total: number) => void,
): Promise<State> {
  try {
    return await sendChunk(upload, session, file, offset, sent)
  } catch (error) {
    if (!isProblem(error) || error.fault !== 'transient' || step.signal.aborted) throw error
    const state = await afterBreak(upload, session, file, step.signal, error)
    if (state !== 'gone' && 'offset' in state && state.offset <= offset) throw error
    return state
  }
}

type State = { offset: number } | { made: Record<string, unknown> } | 'gone'

async function afterBreak(
  upload: Upload,
  session: string,
  file: MediaFile,
  signal: AbortSignal,
  error: unknown,
): Promise<State> {
  try {
    await pause(500, undefined, { signal })
    return await askState(upload, session, file)
  } catch {
    signal.throwIfAborted()
    throw error
  }
}

const askState = (upload: Upload, session: string, file: MediaFile): Promise<State> =>
  put(upload, session, file, { headers: { 'content-range': `bytes */${file.bytes}` }, body: '' })

function sendChunk(
  upload: Upload,
  session: string,
  file: MediaFile,
  start: number,
  sent: (total: number) => void,
): Promise<State> {
  const end = Math.min(start + chunkBytes, file.bytes)
  const range = file.bytes === 0 ? 'bytes */0' : `bytes ${start}-${end - 1}/${file.bytes}`
  let done = 0
  const count = (bytes: number) => {
    done += bytes
    sent(done)
  }
  return put(upload, session, file, {
    headers: { 'content-range': range, 'content-type': file.mime },
    body: [{ path: file.path, start, end, sent: count }],
  })
}

async function put(
  upload: Upload,
  session: string,
  file: MediaFile,
  options: Parameters<Google['call']>[1],
): Promise<State> {
  const answer = await upload.google.call(session, { method: 'PUT', ...options })
  if (answer.status === 308) {
    answer.discard()
    const last = /^bytes=0-(\d+)$/.exec(answer.headers.range ?? '')?.[1]
    const offset = last === undefined ? 0 : Number(last) + 1
    if (offset > file.bytes) throw refused(`${upload.target} claims to have more bytes than the file`)
    return { offset }
  }
  if (answer.status === 200 || answer.status === 201) {
    const made = await answer.json()
    if (!isObject(made)) throw refused(`${upload.target} gave an answer that cannot be read`)
    return { made }
  }
  if (answer.status === 404 || answer.status === 410) {
    answer.discard()
    return 'gone'
  }
  throw await upload.google.problem(answer, upload.target)
}

function sessionOf(answer: OutboundResponse, upload: Upload): string {
  const { target } = upload
  answer.discard()
  const { location } = answer.headers
  if (location === undefined || !URL.canParse(location)) throw refused(`${target} began no upload`)
  if (!isOwn(location, upload)) throw refused(`${target} sends the upload to another host, which is not its own`)
  return location
}

/** Whether tokens for the API may be sent there. */
function isOwn(session: string, { base }: Upload): boolean {
  if (!URL.canParse(session)) return false
  const { origin, protocol, hostname } = new URL(session)
  return origin === new URL(base).origin || (protocol === 'https:' && hostname.endsWith('.googleapis.com'))
}

const lost = (target: string) =>
  outcomeUnknown(
    `${target} no longer knows the upload that was under way, so it may or may not have arrived. Look there, then retry the task if it is missing.`,
  )
