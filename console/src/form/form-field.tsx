// One option on a form: its words, its key as a hint, the control, and what is said of it.

import { type ReactNode, useId } from 'react'
import { t } from '../words/t.ts'

export type Ids = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined }

interface Props {
  label: ReactNode
  /** The key that requests and files use. */
  hint?: string | undefined
  help?: ReactNode
  error?: string | undefined
  /** What is not wrong, but worth knowing. */
  note?: string | undefined
  required?: boolean
  /** Label and control on one line, as for a switch. */
  isInline?: boolean
  children(ids: Ids): ReactNode
}

export function FormField({ label, hint, help, error, note, required = false, isInline = false, children }: Props) {
  const id = useId()
  const said = [help && `${id}-help`, note && `${id}-note`, error && `${id}-error`].filter(Boolean).join(' ')
  const ids: Ids = { id, 'aria-describedby': said || undefined, 'aria-invalid': error ? true : undefined }
  const name = (
    <label htmlFor={id} className="font-semibold">
      {label}
      {required && <span className="font-normal text-soft"> {t('required')}</span>}
    </label>
  )
  const key = hint && (
    <span aria-hidden title={t('The key in requests and files')} className="font-mono text-[12px] text-soft select-all">
      {hint}
    </span>
  )
  return (
    <div>
      {isInline ? (
        <div className="flex min-h-10 flex-wrap items-center justify-between gap-x-4">
          <span className="flex items-center gap-3">
            {children(ids)}
            {name}
          </span>
          {key}
        </div>
      ) : (
        <>
          <div className="mb-1 flex flex-wrap items-baseline justify-between gap-x-4">
            {name}
            {key}
          </div>
          {children(ids)}
        </>
      )}
      {help && (
        <p id={`${id}-help`} className="mt-1 text-[13.5px] text-soft [overflow-wrap:anywhere]">
          {help}
        </p>
      )}
      {note && !error && (
        <p id={`${id}-note`} className="mt-1 text-[13.5px] font-semibold text-warn [overflow-wrap:anywhere]">
          {note}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="mt-1 text-[13.5px] font-semibold text-fail [overflow-wrap:anywhere]">
          {error}
        </p>
      )}
    </div>
  )
}
