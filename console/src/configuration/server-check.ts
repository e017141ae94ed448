// What the service itself says of a configuration while it is being written: a dry run, shortly after the last change.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ApiError, at, query, send } from '../api/client.ts'
import type { Configuration, FieldError, Json } from '../api/shapes.ts'
import { isEmpty, valueAt } from '../form/field-errors.ts'

const QUIET_MS = 300

export interface ServerCheck {
  state: 'unknown' | 'checking' | 'good' | 'incomplete' | 'wrong'
  errors: FieldError[]
  /** What is wrong with no field in particular. */
  sentence: string | null
  /** Where the stored credentials are sent would change, so the service wants them once more. */
  needsSecrets: boolean
}

/** Stands for what has no name yet, so that the rest can be checked already. */
const UNNAMED = `unnamed ${Date.now()}`

const dryRun = (body: Configuration, isNew: boolean) =>
  isNew
    ? send('POST', query(at('configuration'), { dry_run: 'true' }), {
        ...body,
        configuration_name: body.configuration_name || UNNAMED,
        experience_id: body.experience_id === '' ? UNNAMED : body.experience_id,
      })
    : send('PUT', query(at('configuration', body.configuration_name), { dry_run: 'true' }), body)

const refusal = (error: unknown): ApiError => {
  if (error instanceof ApiError && error.status < 500 && error.status !== 401) return error
  throw error
}

export function useServerCheck(body: Configuration, isNew: boolean, enabled: boolean): ServerCheck {
  const text = JSON.stringify(body)
  const quiet = useQuiet(text)
  const check = useQuery({
    queryKey: ['dry-run', isNew, quiet],
    queryFn: () => dryRun(JSON.parse(quiet) as Configuration, isNew).then(() => null, refusal),
    enabled,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    // What was wrong stays marked until the next answer is there.
    placeholderData: previous => previous,
  })
  if (!enabled || check.isError) return { state: 'unknown', errors: [], sentence: null, needsSecrets: false }
  const checking = text !== quiet || check.isPending || check.isPlaceholderData
  const all = check.data ? errorsOf(check.data, body) : []
  const errors = all.filter(({ field }) => !isEmpty(valueAt(body as unknown as Json, field)))
  const sentence = check.data && all.length === 0 ? check.data.message : null
  const needsSecrets = check.data?.code === 'secret_needed'
  const unnamed = !body.configuration_name || body.experience_id === ''
  if (checking) return { state: 'checking', errors, sentence, needsSecrets }
  if (errors.length > 0 || sentence) return { state: 'wrong', errors, sentence, needsSecrets }
  return { state: unnamed || all.length > 0 ? 'incomplete' : 'good', errors, sentence, needsSecrets }
}

function errorsOf({ code, message, errors }: ApiError, { experience_id }: Configuration): FieldError[] {
  if (code === 'name_taken') return [{ field: 'configuration_name', message }]
  // Which assets there are depends on the experience.
  return code === 'unknown_asset' && experience_id === '' ? [{ field: 'experience_id', message: 'is needed' }] : errors
}

function useQuiet(text: string): string {
  const [quiet, setQuiet] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(text), QUIET_MS)
    return () => clearTimeout(timer)
  }, [text])
  return quiet
}
