// The one catalogue of everything that can go wrong, and the error type that carries it.

/** Whose fault it is. This alone decides whether work is tried again and what the operator is told to do. */
export type Fault = 'input' | 'config' | 'transient' | 'quota' | 'destination' | 'bug'

interface Kind {
  status: number
  fault: Fault
  title: string
}

export const catalogue = {
  // Requests
  bad_request: { status: 400, fault: 'input', title: 'The request is not valid' },
  bad_json: { status: 400, fault: 'input', title: 'The body is not valid JSON' },
  bad_multipart: { status: 400, fault: 'input', title: 'The multipart body is broken' },
  bad_cursor: { status: 400, fault: 'input', title: 'The cursor is not one this list gave out' },
  bad_extras: { status: 400, fault: 'input', title: 'The extras are not valid' },
  bad_options: { status: 400, fault: 'config', title: 'The adapter options are not valid' },
  bad_chain: { status: 400, fault: 'config', title: 'The call chain is not valid' },
  bad_group: { status: 400, fault: 'input', title: 'The task group is not valid' },
  over_limit: { status: 400, fault: 'input', title: 'A limit is exceeded' },
  unknown_configuration: { status: 400, fault: 'input', title: 'There is no configuration of that name' },
  unknown_adapter: { status: 400, fault: 'config', title: 'There is no adapter of that name' },
  unknown_asset: { status: 400, fault: 'config', title: 'There is no asset of that name' },
  secret_needed: { status: 400, fault: 'input', title: 'The secret must be given again' },
  blocked_url: { status: 400, fault: 'input', title: 'That address may not be reached' },
  unauthorized: { status: 401, fault: 'input', title: 'No valid credential' },
  forbidden: { status: 403, fault: 'input', title: 'The credential does not allow this' },
  not_found: { status: 404, fault: 'input', title: 'There is no such thing' },
  method_not_allowed: { status: 405, fault: 'input', title: 'That method is not served here' },
  in_use: { status: 409, fault: 'input', title: 'Something still uses it' },
  name_taken: { status: 409, fault: 'input', title: 'The name is taken' },
  lookup_taken: { status: 409, fault: 'input', title: 'A lookup value belongs to another profile' },
  wrong_state: { status: 409, fault: 'input', title: 'The state does not allow this' },
  idempotency_conflict: { status: 409, fault: 'input', title: 'The Idempotency-Key belongs to another request' },
  idempotency_in_progress: {
    status: 409,
    fault: 'transient',
    title: 'The first request with this key is still being received',
  },
  gone: { status: 410, fault: 'input', title: 'It is no longer there' },
  changed_meanwhile: { status: 412, fault: 'input', title: 'It was changed meanwhile' },
  wrong_tus_version: { status: 412, fault: 'input', title: 'That version of the tus protocol is not spoken here' },
  too_large: { status: 413, fault: 'input', title: 'Too many bytes' },
  wrong_content_type: { status: 415, fault: 'input', title: 'That content type is not accepted here' },
  bad_range: { status: 416, fault: 'input', title: 'The range lies outside the file' },
  upload_busy: { status: 423, fault: 'transient', title: 'Another request holds the upload' },
  token_limit: { status: 429, fault: 'transient', title: 'A limit of the token is reached' },
  too_many_requests: { status: 429, fault: 'transient', title: 'Too many requests' },
  internal: { status: 500, fault: 'bug', title: 'Something went wrong on our side' },
  full: { status: 503, fault: 'transient', title: 'The service is full' },
  unavailable: { status: 503, fault: 'transient', title: 'The service cannot take this now' },
  // Files
  unsupported_format: { status: 400, fault: 'input', title: 'That kind of file is not supported here' },
  corrupt_input: { status: 400, fault: 'input', title: 'The file is damaged' },
  too_many_pixels: { status: 400, fault: 'input', title: 'The picture has too many pixels' },
  too_many_frames: { status: 400, fault: 'input', title: 'The animation has too many frames' },
  too_long: { status: 400, fault: 'input', title: 'The recording is too long' },
  time_limit: { status: 400, fault: 'input', title: 'It took too long' },
  memory_limit: { status: 400, fault: 'input', title: 'It needs too much memory' },
  output_too_large: { status: 400, fault: 'input', title: 'The result is too large' },
  people_unclear: { status: 400, fault: 'input', title: 'People could not be told from the background' },
  policy_blocked: { status: 400, fault: 'input', title: 'The file asks for something that is not allowed' },
  // Entries of a task
  option_missing: { status: 400, fault: 'config', title: 'A required option is missing' },
  asset_missing: { status: 400, fault: 'config', title: 'An asset is missing' },
  tool_missing: { status: 503, fault: 'config', title: 'A tool is missing on this machine' },
  media_failed: { status: 500, fault: 'bug', title: 'The media step failed' },
  worker_died: { status: 500, fault: 'bug', title: 'The file stopped the worker' },
  cancelled: { status: 409, fault: 'input', title: 'It was cancelled' },
  needs_consent: { status: 409, fault: 'quota', title: 'It waits for the consent of a guest' },
  no_consent: { status: 409, fault: 'input', title: 'The guest has not agreed' },
  download_failed: { status: 400, fault: 'input', title: 'The input could not be downloaded' },
  destination_refused: { status: 502, fault: 'destination', title: 'The destination refused the file' },
  destination_unreachable: { status: 502, fault: 'transient', title: 'The destination could not be reached' },
  destination_quota: { status: 502, fault: 'quota', title: 'The destination’s quota is used up' },
  outcome_unknown: { status: 502, fault: 'destination', title: 'Whether it was delivered cannot be known' },
} as const satisfies Record<string, Kind>

export type Code = keyof typeof catalogue

/**
 * How a field is at fault, for code that decides by it: the message is for people alone. `required`: the schema wants it;
 * `unknown`: the schema has no such field; `wrong`: its value does not fit. The others are those of remarks (engine/adapter.ts).
 */
type FieldErrorKind = 'required' | 'unknown' | 'wrong' | 'missing' | 'idle'

export interface FieldError {
  field: string
  message: string
  /** Set by every check against a schema and every remark. */
  kind?: FieldErrorKind
}

interface Extra {
  errors?: FieldError[]
  retryAfterSeconds?: number
  receiptUrl?: string
  cause?: unknown
}

/** An error whose message is meant for the person who caused it or runs the event: no paths, no secrets. */
export class Problem extends Error {
  readonly code: Code
  readonly errors: FieldError[] | undefined
  readonly retryAfterSeconds: number | undefined
  /** Of what was taken back, for who took it back. */
  readonly receiptUrl: string | undefined

  constructor(code: Code, message: string, extra: Extra = {}) {
    super(message, { cause: extra.cause })
    this.name = 'Problem'
    this.code = code
    this.errors = extra.errors
    this.retryAfterSeconds = extra.retryAfterSeconds
    this.receiptUrl = extra.receiptUrl
  }

  get status(): number {
    return catalogue[this.code].status
  }

  get fault(): Fault {
    return catalogue[this.code].fault
  }

  get title(): string {
    return catalogue[this.code].title
  }
}

export const badField = (field: string, message: string, code: Code = 'bad_request'): Problem =>
  new Problem(code, `${field}: ${message}`, { errors: [{ field, message }] })

/** One problem for several wrong fields; the detail lists the first ones. */
export function badFields(errors: FieldError[], title: string, code: Code = 'bad_request'): Problem {
  const named = errors.map(error => ({ ...error, field: error.field || 'body' }))
  const told = named.slice(0, 5).map(({ field, message }) => `${field}: ${message}`)
  const more = named.length > told.length ? `; and ${named.length - told.length} more` : ''
  return new Problem(code, `${title}: ${told.join('; ')}${more}.`, { errors: named })
}

/** For work that a caller no longer wants. */
export const cancellation = (): Problem => new Problem('cancelled', 'It was cancelled.')

/** An option that a check refuses, or misses (`missing`). */
export const badOption = (field: string, message: string, kind: 'wrong' | 'missing' = 'wrong'): Problem =>
  new Problem(kind === 'wrong' ? 'bad_options' : 'option_missing', `${field} ${message}.`, {
    errors: [{ field, message, kind }],
  })

/** Says of a problem which part of the request it is about: in its sentence, and in front of each field. */
export async function about<T>(thing: string, field: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { code, message, retryAfterSeconds, errors = [{ field: '', message }] } = error
    throw new Problem(code, `${thing}: ${message}`, {
      cause: error,
      errors: errors.map(one => ({ ...one, field: one.field === '' ? field : `${field}.${one.field}` })),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    })
  }
}

export const isProblem = (error: unknown, ...codes: Code[]): error is Problem =>
  error instanceof Problem && (codes.length === 0 || codes.includes(error.code))
