// Buttons: one look for the main thing to do, quiet ones for the rest; busy ones say so and cannot be pressed twice.
import { LoaderCircle, type LucideIcon } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { Link } from 'react-router'
import { classes } from './classes.ts'

type Look = 'primary' | 'plain' | 'quiet' | 'danger'

const looks: Record<Look, string> = {
  primary: 'bg-ink text-card hover:bg-ink/85 disabled:bg-edge',
  plain: 'bg-card text-ink border border-line hover:border-edge hover:bg-well disabled:text-soft',
  quiet: 'text-ink hover:bg-ink/7 disabled:text-soft',
  danger: 'bg-card text-fail border border-fail/40 hover:bg-fail-bg disabled:text-soft',
}

const shape =
  'inline-flex items-center justify-center gap-2 min-h-10 px-3.5 rounded-lg font-semibold text-[14px] leading-tight transition-colors select-none whitespace-nowrap'

/** The look of a button for a link that is no page of the console. */
export const buttonLook = (look: Look = 'plain'): string => classes(shape, looks[look])

interface Extra {
  look?: Look
  icon?: LucideIcon
  busy?: boolean
  children?: ReactNode
}

export function Button({
  look = 'plain',
  icon: Icon,
  busy = false,
  children,
  className,
  disabled,
  ...rest
}: Extra & ComponentProps<'button'>) {
  return (
    <button
      type="button"
      className={classes(shape, looks[look], className)}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      {...rest}
    >
      {busy ? (
        <LoaderCircle aria-hidden className="size-4 animate-spin" />
      ) : (
        Icon && <Icon aria-hidden className="size-4 shrink-0" />
      )}
      {children}
    </button>
  )
}

export function LinkButton({
  look = 'plain',
  icon: Icon,
  children,
  className,
  ...rest
}: Extra & ComponentProps<typeof Link>) {
  return (
    <Link className={classes(shape, looks[look], className)} {...rest}>
      {Icon && <Icon aria-hidden className="size-4 shrink-0" />}
      {children}
    </Link>
  )
}

/** An icon alone; its label is read out and shown on hover. */
export function IconButton({
  icon: Icon,
  label,
  className,
  ...rest
}: { icon: LucideIcon; label: string } & ComponentProps<'button'>) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={classes(
        'inline-grid place-items-center size-9 rounded-lg text-soft hover:text-ink hover:bg-ink/7 transition-colors',
        className,
      )}
      {...rest}
    >
      <Icon aria-hidden className="size-[18px]" />
    </button>
  )
}
