// The time filter of the task list: a span up to now, or from one moment to another in the viewer's zone; kept in the address.
import { t } from '../words/t.ts'

const HOUR_MS = 3_600_000

export const spans = {
  hour: { word: t('Last hour'), ms: HOUR_MS },
  day: { word: t('Last 24 hours'), ms: 24 * HOUR_MS },
  week: { word: t('Last 7 days'), ms: 7 * 24 * HOUR_MS },
} as const
type Span = keyof typeof spans
const isSpan = (text: string | null): text is Span => text !== null && text in spans

/** What is chosen: a span, `between`, or nothing. */
export const chosenTime = (params: URLSearchParams): Span | 'between' | '' => {
  const last = params.get('last')
  if (isSpan(last)) return last
  return params.has('from') || params.has('until') ? 'between' : ''
}

export function chooseTime(params: URLSearchParams, choice: string, now = new Date()): void {
  for (const name of ['last', 'from', 'until']) params.delete(name)
  if (isSpan(choice)) params.set('last', choice)
  // Begins with today, so that something is chosen and can be changed.
  if (choice === 'between') params.set('from', localText(new Date(now.getFullYear(), now.getMonth(), now.getDate())))
}

/** As the service wants it; what cannot be read is no filter. */
export function timeFilters(params: URLSearchParams, now = Date.now()) {
  const last = params.get('last')
  if (isSpan(last)) return { created_after: new Date(now - spans[last].ms).toISOString() }
  const moment = (name: string): string | undefined => {
    const at = new Date(params.get(name) ?? '')
    return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
  }
  const [created_after, created_before] = [moment('from'), moment('until')]
  return { ...(created_after ? { created_after } : {}), ...(created_before ? { created_before } : {}) }
}

/** `2026-11-15T09:30`, as a field for date and time holds it: without a zone, the viewer's. */
export function localText(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`
}
