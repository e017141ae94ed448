// The one place that speaks HTTP to the service: the session cookie goes along, problems come back as typed errors.

import { askedUntil } from '../later/not-yet.ts'
import { t } from '../words/t.ts'
import { reportLost, reportReached } from './connection.ts'
import type { FieldError } from './shapes.ts'

/** What the service answered instead of what was asked (an RFC 9457 problem). */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly title: string
  readonly errors: FieldError[]

  constructor(status: number, problem: { code?: string; title?: string; detail?: string; errors?: FieldError[] }) {
    super(problem.detail ?? problem.title ?? t('The service answered {status}.', { status }))
    this.name = 'ApiError'
    this.status = status
    this.code = problem.code ?? 'unknown'
    this.title = problem.title ?? t('The request was refused')
    this.errors = problem.errors ?? []
  }
}

/** The service could not be reached at all. */
export class LostConnection extends Error {
  constructor(cause: unknown) {
    super(t('The service cannot be reached right now.'), { cause })
    this.name = 'LostConnection'
  }
}

const signedOutListeners = new Set<() => void>()
export function onSignedOut(listener: () => void): () => void {
  signedOutListeners.add(listener)
  return () => signedOutListeners.delete(listener)
}

/** For what the service makes at once: a busy one is asked again. */
export async function requestInTime(path: string, init: RequestInit): Promise<Response> {
  return answered(
    path,
    await askedUntil(
      () => reached(path, init),
      () => !init.signal?.aborted,
    ),
  )
}

export const request = async (path: string, init: RequestInit = {}): Promise<Response> =>
  answered(path, await reached(path, init))

async function reached(path: string, init: RequestInit): Promise<Response> {
  let response: Response
  try {
    response = await fetch(path, { credentials: 'same-origin', ...init })
  } catch (error) {
    if (init.signal?.aborted) throw error
    reportLost()
    throw new LostConnection(error)
  }
  // A gateway in front of a stopped service answers 502 or 504 itself: that too is a lost connection.
  if (response.status === 502 || response.status === 504) reportLost()
  else reportReached()
  return response
}

async function answered(path: string, response: Response): Promise<Response> {
  if (response.ok) return response
  const problem = await response.json().catch(() => ({}))
  const error = new ApiError(response.status, typeof problem === 'object' && problem ? problem : {})
  if (response.status === 401 && path !== '/api/session/') for (const tell of signedOutListeners) tell()
  throw error
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await request(path, { headers: { accept: 'application/json' }, ...(signal ? { signal } : {}) })
  return response.json() as Promise<T>
}

/** The same with its ETag, for a form that must not undo what somebody else wrote meanwhile. */
export async function getTagged<T>(path: string, signal?: AbortSignal): Promise<{ value: T; tag: string | null }> {
  const response = await request(path, { headers: { accept: 'application/json' }, ...(signal ? { signal } : {}) })
  return { value: (await response.json()) as T, tag: response.headers.get('etag') }
}

/** `tag`: written only if it is still so. */
export async function send<T>(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
  tag: string | null = null,
): Promise<T> {
  const init: RequestInit = { method, headers: { accept: 'application/json', ...(tag ? { 'if-match': tag } : {}) } }
  if (body instanceof FormData) init.body = body
  else if (body !== undefined) {
    init.body = JSON.stringify(body)
    init.headers = { ...init.headers, 'content-type': 'application/json' }
  }
  const response = await request(path, init)
  const text = await response.text()
  return (text === '' ? null : JSON.parse(text)) as T
}

/** A path with its names percent-encoded: `at('task', id, 'cancel')` is `/api/task/ID/cancel/`. */
export const at = (...parts: (string | number)[]): string =>
  `/api/${parts.map(part => encodeURIComponent(part)).join('/')}/`

export function query(path: string, filters: Record<string, string | number | null | undefined>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(filters))
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value))
  const text = search.toString()
  return text ? `${path}?${text}` : path
}

export const sentence = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** What was wrong with one field, looked up by its name or path as the service reports it. */
export function fieldMessage(error: unknown, ...names: string[]): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  return error.errors.find(({ field }) => names.includes(field))?.message
}
