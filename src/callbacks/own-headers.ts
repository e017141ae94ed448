// The headers that an experience adds to its callbacks: which are accepted, and which secrets a change may keep.
import type { Trx } from '#db/database.ts'
import type { ExperienceRow } from '#db/nouns/experience-rows.ts'
import {
  lockWebhookHeaders,
  openWebhookHeaders,
  sealWebhookHeaders,
  updateWebhookHeaders,
  type WebhookHeaders,
} from '#db/nouns/webhook-headers.ts'
import { type FieldError, Problem } from '#kit/errors.ts'
import { MASK } from '#kit/mask.ts'
import type { Outbound } from '#kit/net/outbound.ts'
import type { SecretBox } from '#kit/secret/secrets.ts'

const limits = { origins: 20, names: 20, nameLength: 100, valueLength: 4_096, bytes: 8_192 } as const

const FIELD = 'webhook_headers'

/** RFC 9110: what the name of a header may be made of. */
const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/
/** Visible ASCII, with spaces and tabs only inside. */
const VALUE = /^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/

/** Those that say how the request is to be read, that the service sets itself, or that belong to one connection (RFC 9110, 7.6.1). */
const reserved = new Set([
  'connection',
  'date',
  'expect',
  'forwarded',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'via',
])
const reservedBeginnings = ['content-', 'webhook-', 'keepsake-', 'proxy-', 'x-forwarded-']

interface Services {
  secretBox: SecretBox
  outbound: Pick<Outbound, 'check'>
}

/** Checks the list at once. The change that it returns replaces the whole list; a mask keeps the stored value of the same origin and name. */
export function webhookHeadersChange(
  { secretBox, outbound }: Services,
  experienceId: string,
  written: readonly WebhookHeaders[],
): (trx: Trx) => Promise<void> {
  const list = checked(written, outbound)
  return async trx => {
    const stored = openWebhookHeaders(secretBox, experienceId, await lockWebhookHeaders(trx, experienceId))
    await updateWebhookHeaders(trx, experienceId, sealWebhookHeaders(secretBox, experienceId, unmasked(list, stored)))
  }
}

/** As they are shown: every value is a mask. */
export const shownWebhookHeaders = (box: SecretBox, row: ExperienceRow): WebhookHeaders[] =>
  openWebhookHeaders(box, row.experience_id, row.webhook_headers).map(({ origin, headers }) => ({
    origin,
    headers: Object.fromEntries(Object.keys(headers).map(name => [name, MASK])),
  }))

/** The list with origins as URLs write them. */
function checked(written: readonly WebhookHeaders[], outbound: Pick<Outbound, 'check'>): WebhookHeaders[] {
  const errors: FieldError[] = []
  const wrong = (field: string, message: string): void => void errors.push({ field, message, kind: 'wrong' })
  if (written.length > limits.origins) wrong(FIELD, `may have ${limits.origins} origins at most`)
  const list = written.slice(0, limits.origins).map(({ origin, headers }, at) => {
    const place = `${FIELD}[${at}]`
    const url = originOf(origin)
    if (url === null) wrong(`${place}.origin`, 'must be scheme, host and port alone, like https://hooks.example.com')
    else {
      const refusal = refusalOf(url, outbound)
      if (refusal) wrong(`${place}.origin`, refusal)
    }
    for (const [field, message] of headerErrors(headers)) wrong(`${place}.headers${field}`, message)
    return { origin: url ?? origin, headers }
  })
  const origins = list.map(({ origin }) => origin)
  for (const [at, origin] of origins.entries())
    if (origins.indexOf(origin) < at) wrong(`${FIELD}[${at}].origin`, 'is there twice')
  const [first] = errors
  if (first) throw new Problem('bad_request', `${first.field}: ${first.message}`, { errors })
  return list
}

function originOf(text: string): string | null {
  if (!URL.canParse(text)) return null
  const { protocol, username, password, pathname, search, hash, origin } = new URL(text)
  const isBare = username === '' && password === '' && pathname === '/' && search === '' && hash === ''
  return isBare && /^https?:$/.test(protocol) && !/[?#]/.test(text) ? origin : null
}

function refusalOf(url: string, outbound: Pick<Outbound, 'check'>): string | null {
  try {
    outbound.check(url)
    return null
  } catch (error) {
    if (error instanceof Problem) return error.message
    throw error
  }
}

function* headerErrors(headers: Record<string, string>): Generator<[field: string, message: string]> {
  const entries = Object.entries(headers)
  if (entries.length === 0 || entries.length > limits.names) yield ['', `must have 1 to ${limits.names} headers`]
  const bytes = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  if (bytes > limits.bytes) yield ['', `may have ${limits.bytes} bytes for one origin at most`]
  const seen = new Set<string>()
  for (const [name, value] of entries.slice(0, limits.names)) {
    const lower = name.toLowerCase()
    if (name.length > limits.nameLength || !NAME.test(name)) {
      yield ['', `holds a name that is none: 1 to ${limits.nameLength} letters, digits or !#$%&'*+.^_\`|~-`]
      continue
    }
    if (reserved.has(lower) || reservedBeginnings.some(begin => lower.startsWith(begin)))
      yield [`.${name}`, 'is a header that can’t be set here']
    if (seen.has(lower)) yield [`.${name}`, 'is there twice: upper and lower case are one name']
    seen.add(lower)
    if (value.length > limits.valueLength || !VALUE.test(value))
      yield [`.${name}`, `must be 1 to ${limits.valueLength} characters of visible ASCII, with spaces only inside`]
  }
}

/** Whoever names another origin must know the values: they would be sent there. */
function unmasked(list: readonly WebhookHeaders[], stored: readonly WebhookHeaders[]): WebhookHeaders[] {
  const errors: FieldError[] = []
  const whole = list.map(({ origin, headers }, at) => {
    const before = Object.entries(stored.find(each => each.origin === origin)?.headers ?? {})
    const values = Object.entries(headers).map(([name, value]) => {
      if (value !== MASK) return [name, value]
      const [, kept] = before.find(([one]) => one.toLowerCase() === name.toLowerCase()) ?? []
      if (kept === undefined)
        errors.push({
          field: `${FIELD}[${at}].headers.${name}`,
          message: `must be given itself, not as "${MASK}": none is stored for this name and ${origin}`,
        })
      return [name, kept ?? value]
    })
    return { origin, headers: Object.fromEntries(values) as Record<string, string> }
  })
  const [first] = errors
  if (first) throw new Problem('secret_needed', `${first.field}: ${first.message}.`, { errors })
  return whole
}
