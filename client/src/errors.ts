// Every error that the client throws. Each has a stable `code`; sentences are for people.
import type { Problem, Task, TaskGroup } from './api-types.ts'

export type FieldError = NonNullable<Problem['errors']>[number]

/** What all errors of this package are. `code` is one of the service's, or one of the client's own. */
export class KeepsakeError extends Error {
  readonly code: string
  constructor(code: string, message: string, options: ErrorOptions = {}) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }
}

export interface ProblemFacts {
  code: string
  status: number
  title: string
  detail: string
  errors: FieldError[]
  requestId: string | null
  retryAfterSeconds: number | null
  method: string
  path: string
}

/** The service answered with an error. */
export class ProblemError extends KeepsakeError {
  readonly status: number
  readonly title: string
  readonly detail: string
  /** Each field that was wrong; empty where the error is about no field. */
  readonly errors: readonly FieldError[]
  /** Leads to the line in the log of the service. */
  readonly requestId: string | null
  /** When to come back, where the service said so. */
  readonly retryAfterSeconds: number | null
  readonly method: string
  readonly path: string
  constructor(facts: ProblemFacts) {
    super(facts.code, facts.detail)
    this.status = facts.status
    this.title = facts.title
    this.detail = facts.detail
    this.errors = facts.errors
    this.requestId = facts.requestId
    this.retryAfterSeconds = facts.retryAfterSeconds
    this.method = facts.method
    this.path = facts.path
  }
}

/** No whole answer came: `connection_failed`. Whether the request was carried out can't be known. */
export class ConnectionError extends KeepsakeError {}

/** It took longer than it may: `timeout`. */
export class TimeoutError extends KeepsakeError {}

/** An upload stopped half-way: `upload_interrupted`. With `uploadId` it can be gone on with. */
export class UploadInterrupted extends KeepsakeError {
  readonly uploadId: string
  constructor(uploadId: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause)
    super('upload_interrupted', `The upload stopped: ${why} Go on with its id, ${uploadId}.`, { cause })
    this.uploadId = uploadId
  }
}

/** A task or group that was waited for did not succeed: `task_failed` or `task_cancelled`. */
export class TaskFailed extends KeepsakeError {
  readonly task: Task | TaskGroup
  constructor(task: Task | TaskGroup) {
    const entries = 'entries' in task ? task.entries : task.tasks.flatMap(each => each.entries)
    const reasons = entries.flatMap(({ configuration, error }) => (error ? [`${configuration}: ${error.message}`] : []))
    super(
      task.status === 'Cancelled' ? 'task_cancelled' : 'task_failed',
      `The task ${task.task_id} is ${task.status}. ${reasons.join(' ')}`.trim(),
    )
    this.task = task
  }
}

/** A request that claims to be a callback, but is not one: `bad_callback`. */
export class BadCallback extends KeepsakeError {
  constructor(message: string) {
    super('bad_callback', message)
  }
}

const LONGEST_PROBLEM = 1024 ** 2

/** Reads the problem of an answer; whatever else came (a proxy's page) becomes `unexpected_answer`. */
export async function problemOf(method: string, path: string, response: Response): Promise<ProblemError> {
  const text = await readText(response, LONGEST_PROBLEM).catch(() => '')
  const told = parsed(text)
  const asText = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise)
  return new ProblemError({
    code: asText(told.code, 'unexpected_answer'),
    status: response.status,
    title: asText(told.title, response.statusText),
    detail: asText(told.detail, `${method} ${path} was answered with ${response.status}.`),
    errors: Array.isArray(told.errors) ? (told.errors as FieldError[]) : [],
    requestId: response.headers.get('x-request-id'),
    retryAfterSeconds: retryAfterOf(response.headers),
    method,
    path,
  })
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** Seconds, from either form of the header. */
export function retryAfterOf(headers: Headers, now = Date.now()): number | null {
  const value = headers.get('retry-after')?.trim()
  if (!value) return null
  if (/^\d{1,9}$/.test(value)) return Number(value)
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : Math.max(0, (at - now) / 1000)
}

/** The text of an answer; throws when there is more than that. */
export async function readText(response: Response, most: number): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.length
    if (bytes > most) {
      await reader.cancel()
      throw new KeepsakeError('unexpected_answer', `The answer has more than ${most} bytes.`)
    }
    text += decoder.decode(value, { stream: true })
  }
}
