// What the service itself says of what is being written: a dry run, shortly after the last change.

import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ApiError, at, query, send } from '../api/client.ts'
import type { Configuration, FieldError, Json } from '../api/shapes.ts'
import { isEmpty, valueAt } from '../form/field-errors.ts'
import { t } from '../words/t.ts'
import { dryRunAll, type Written } from './save-work.ts'

const QUIET_MS = 300

export interface ServerCheck {
  state: 'unknown' | 'checking' | 'good' | 'incomplete' | 'wrong'
  errors: FieldError[]
  /** What is wrong with the steps that are written along with it, by their key. */
  stepErrors: Readonly<Record<string, FieldError[]>>
  /** What is wrong with no field in particular. */
  sentence: string | null
  /** Where the stored credentials are sent would change, so the service wants them once more. */
  needsSecrets: boolean
}

const nothing = { errors: [], stepErrors: {}, sentence: null, needsSecrets: false }

/** Stands for what has no name yet, so that the rest can be checked already. */
const UNNAMED = `unnamed ${Date.now()}`

export const named = (body: Configuration): Configuration => ({
  ...body,
  configuration_name: body.configuration_name || UNNAMED,
  experience_id: body.experience_id === '' ? UNNAMED : body.experience_id,
})

function dryRun(all: readonly Written[]): Promise<unknown> {
  const main = all.at(-1) as Written
  if (all.length > 1) return dryRunAll(all.map(one => ({ ...one, body: named(one.body) })))
  return main.read
    ? send('PUT', query(at('configuration', main.body.configuration_name), { dry_run: 'true' }), main.body)
    : send('POST', query(at('configuration'), { dry_run: 'true' }), named(main.body))
}

const refusal = (error: unknown): ApiError => {
  // Whether it changed meanwhile is looked at when it is saved.
  if (error instanceof ApiError && error.status < 500 && error.status !== 401 && error.status !== 412) return error
  throw error
}

export function useServerCheck(all: readonly Written[], enabled: boolean): ServerCheck {
  const text = JSON.stringify(all)
  const quiet = useQuiet(text)
  const check = useQuery({
    queryKey: ['dry-run', quiet],
    queryFn: () => dryRun(JSON.parse(quiet) as Written[]).then(() => null, refusal),
    enabled,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    // What was wrong stays marked until the next answer is there.
    placeholderData: previous => previous,
  })
  if (!enabled || check.isError) return { state: 'unknown', ...nothing }
  const { body } = all.at(-1) as Written
  const checking = text !== quiet || check.isPending || check.isPlaceholderData
  const told = check.data ? errorsOf(check.data, all) : []
  const isWrong = ({ field, index }: Told) => !isEmpty(valueAt((all[index]?.body ?? body) as unknown as Json, field))
  const wrong = told.filter(isWrong)
  const last = all.length - 1
  const errors = wrong.filter(({ index }) => index === last)
  const stepErrors: Record<string, FieldError[]> = {}
  for (const one of wrong) {
    const key = all[one.index]?.key
    if (typeof key === 'string') stepErrors[key] = [...(stepErrors[key] ?? []), one]
  }
  const sentence = check.data && told.length === 0 ? check.data.message : null
  const needsSecrets = check.data?.code === 'secret_needed'
  const found = { errors, stepErrors, sentence, needsSecrets }
  const unnamed = !body.configuration_name || body.experience_id === ''
  if (checking) return { state: 'checking', ...found }
  if (wrong.length > 0 || sentence) return { state: 'wrong', ...found }
  return { state: unnamed || told.length > 0 ? 'incomplete' : 'good', ...found }
}

interface Told extends FieldError {
  /** Which of what is written it is said of. */
  index: number
}

const IN_EVENT = /^event\.configurations\[(\d{1,4})\]\.?(.*)$/

export function errorsOf({ code, message, errors }: ApiError, all: readonly Written[]): Told[] {
  const index = all.length - 1
  if (all.length > 1) {
    const told = errors.map(error => {
      const [, which, field = ''] = IN_EVENT.exec(error.field) ?? []
      return which === undefined
        ? { ...error, index }
        : { ...error, field: field || 'configuration_name', index: Number(which) }
    })
    return told
  }
  if (code === 'name_taken') return [{ field: 'configuration_name', message, index }]
  // Which assets there are depends on the experience.
  return code === 'unknown_asset' && all[0]?.body.experience_id === ''
    ? [{ field: 'experience_id', message: t('is needed'), index }]
    : errors.map(error => ({ ...error, index }))
}

function useQuiet(text: string): string {
  const [quiet, setQuiet] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(text), QUIET_MS)
    return () => clearTimeout(timer)
  }, [text])
  return quiet
}
