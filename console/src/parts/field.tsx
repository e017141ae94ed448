// Form fields: a label, a help text, the control and what was wrong with it, tied together for everyone.

import { type ComponentProps, type ReactNode, useId } from 'react'
import { t } from '../words/t.ts'
import { classes } from './classes.ts'

export const control =
  'field w-full min-h-10 rounded-lg border border-edge bg-card px-3 py-2 text-ink placeholder:text-soft aria-invalid:border-fail aria-invalid:bg-fail-bg disabled:bg-well disabled:text-soft'

interface Props {
  label: ReactNode
  help?: ReactNode
  error?: string | undefined
  required?: boolean
  children(ids: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined }): ReactNode
}

export function Field({ label, help, error, required = false, children }: Props) {
  const id = useId()
  const about = [help && `${id}-help`, error && `${id}-error`].filter(Boolean).join(' ') || undefined
  return (
    <div>
      <label htmlFor={id} className="mb-1 block font-semibold">
        {label}
        {required && <span className="font-normal text-soft"> {t('required')}</span>}
      </label>
      {children({ id, 'aria-describedby': about, 'aria-invalid': error ? true : undefined })}
      {help && (
        <p id={`${id}-help`} className="mt-1 text-[13.5px] text-soft [overflow-wrap:anywhere]">
          {help}
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

type Base = Omit<Props, 'children'>

export function TextField({ label, help, error, required, className, ...rest }: Base & ComponentProps<'input'>) {
  return (
    <Field label={label} help={help} error={error} required={required ?? false}>
      {ids => <input {...ids} required={required} className={classes(control, className)} {...rest} />}
    </Field>
  )
}

export function SelectField({
  label,
  help,
  error,
  required,
  children,
  className,
  ...rest
}: Base & ComponentProps<'select'>) {
  return (
    <Field label={label} help={help} error={error} required={required ?? false}>
      {ids => (
        <select {...ids} required={required} className={classes(control, className)} {...rest}>
          {children}
        </select>
      )}
    </Field>
  )
}

export function AreaField({ label, help, error, required, className, ...rest }: Base & ComponentProps<'textarea'>) {
  return (
    <Field label={label} help={help} error={error} required={required ?? false}>
      {ids => <textarea {...ids} required={required} className={classes(control, className)} {...rest} />}
    </Field>
  )
}

export function CheckField({ label, help, ...rest }: { label: ReactNode; help?: ReactNode } & ComponentProps<'input'>) {
  const id = useId()
  return (
    <div className="flex gap-2.5">
      <input
        id={id}
        type="checkbox"
        aria-describedby={help ? `${id}-help` : undefined}
        className="mt-1 size-4.5 shrink-0 accent-ink"
        {...rest}
      />
      <div>
        <label htmlFor={id} className="font-semibold">
          {label}
        </label>
        {help && (
          <p id={`${id}-help`} className="text-[13.5px] text-soft">
            {help}
          </p>
        )}
      </div>
    </div>
  )
}
