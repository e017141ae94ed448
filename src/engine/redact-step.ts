// What a destination says passes through here before anybody stores or shows it: every secret it was given is cut out.
import type { Json, JsonObject } from '#kit/json.ts'
import type { Outbound, OutboundRequest } from '#kit/net/outbound.ts'
import { newRedaction, type Redaction } from '#kit/secret/redaction.ts'
import type { Adapter, CheckLine, DeliveryStep } from './adapter.ts'

export interface RedactedStep {
  step: DeliveryStep
  result(delivered: JsonObject): JsonObject
  line(line: CheckLine): CheckLine
  /** For errors of all kinds, also what caused them. */
  error: Redaction['error']
}

/** The step as the adapter gets it, and what to do with whatever comes back. */
export function redactStep(adapter: Adapter, step: Omit<DeliveryStep, 'clean' | 'conceal'>): RedactedStep {
  const redaction = newRedaction(secretsOf(adapter, step))
  return {
    step: {
      ...step,
      outbound: listening(step.outbound, redaction.add),
      clean: redaction.text,
      conceal: redaction.add,
      decide: sentence => step.decide(redaction.text(sentence)),
      warn: sentence => step.warn(redaction.text(sentence)),
    },
    result(delivered) {
      const own: readonly string[] = ('ownWords' in adapter && adapter.ownWords) || []
      return Object.fromEntries(
        Object.entries(delivered).map(([key, value]) =>
          own.includes(key) ? [key, value] : [redaction.text(key), redaction.json(value)],
        ),
      )
    },
    line: ({ ok, what, detail }) => ({ ok, what: redaction.text(what), detail: redaction.text(detail) }),
    error: redaction.error,
  }
}

/** All of `auth` but what anybody knows. A name that the options show as well, or a part that anybody knows, is no secret either. */
function secretsOf(adapter: Adapter, { auth, options }: Pick<DeliveryStep, 'auth' | 'options'>): string[] {
  const kindOf = (part: string) =>
    Object.hasOwn(adapter.authParts ?? {}, part) ? adapter.authParts?.[part] : undefined
  const parts = Object.entries(auth)
  const known = [
    ...textsIn(options),
    ...parts.flatMap(([part, value]) => (kindOf(part) === 'plain' ? textsIn(value) : [])),
  ]
  return parts.flatMap(([part, value]) => {
    const kind = kindOf(part)
    if (kind === 'plain') return []
    const texts = textsIn(value)
    return kind === 'name' ? texts.filter(text => !known.some(shown => shown.includes(text))) : texts
  })
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : []
}

/** What proves who we are changes with every request, and an answer may repeat it. */
function listening(outbound: Outbound, conceal: (secret: string) => void): Outbound {
  const heard = (url: string, { headers = {} }: Pick<OutboundRequest, 'headers'> = {}) => {
    for (const secret of [...inHeaders(headers), ...inQuery(url)]) conceal(secret)
  }
  return {
    ...outbound,
    request(url, options) {
      heard(url, options)
      return outbound.request(url, options)
    },
    repeatable(url, request) {
      heard(url, request)
      return outbound.repeatable(url, request)
    },
  }
}

const PROOF = /^(proxy-)?authorization$|^cookie$|^x-amz-security-token$/i
const SIGNED = /^(sig|signature|access_token|token|upload_id|x-(amz|goog)-(signature|security-token|credential))$/i

function* inHeaders(headers: Record<string, string>): Generator<string> {
  for (const [name, value] of Object.entries(headers)) {
    if (!PROOF.test(name)) continue
    // "Bearer TOKEN", "AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…", "SharedKey ACCOUNT:SIGNATURE"
    const proof = value.replace(/^[\w-]+ +/, '')
    yield proof
    if (/^basic /i.test(value)) yield Buffer.from(proof, 'base64').toString()
    const signature = /\bSignature=(\w+)/.exec(value) ?? /^SharedKey [^:]+:(.+)$/.exec(value)
    if (signature) yield signature[1] as string
  }
}

function* inQuery(url: string): Generator<string> {
  if (!URL.canParse(url)) return
  for (const [name, value] of new URL(url).searchParams) if (SIGNED.test(name) && value !== '') yield value
}
