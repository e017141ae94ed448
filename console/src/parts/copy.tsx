// Ids and texts that are copied with one press; the press answers where it happened.

import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { t } from '../words/t.ts'
import { Button } from './button.tsx'
import { classes } from './classes.ts'

/** Plain-HTTP pages on another host have no clipboard API; a selected text area still copies there. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  if (!done) throw new Error(t('The browser refused to copy.'))
}

function useCopy(text: string) {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle')
  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), 1600)
    return () => clearTimeout(timer)
  }, [state])
  const copy = () =>
    copyText(text).then(
      () => setState('copied'),
      () => setState('refused'),
    )
  return { state, copy }
}

export function CopyId({ id, short = false, className }: { id: string; short?: boolean; className?: string }) {
  const { state, copy } = useCopy(id)
  return (
    <button
      type="button"
      onClick={event => {
        event.preventDefault()
        event.stopPropagation()
        void copy()
      }}
      title={t('Copy {id}', { id })}
      className={classes(
        'group inline-flex max-w-full items-center gap-1.5 rounded font-mono text-[12.5px] text-soft hover:text-ink',
        className,
      )}
    >
      <span dir="auto" className="truncate">
        {short && id.length > 14 ? `${id.slice(0, 4)}…${id.slice(-6)}` : id}
      </span>
      {state === 'copied' ? (
        <Check aria-hidden className="size-3.5 shrink-0 text-ok" />
      ) : (
        <Copy aria-hidden className="size-3.5 shrink-0 opacity-60 group-hover:opacity-100" />
      )}
      <span aria-live="polite" className="sr-only">
        {state === 'copied' ? t('Copied') : state === 'refused' ? t('Could not copy') : t('Copy')}
      </span>
    </button>
  )
}

/** An icon alone; what is copied is named, not read out. */
export function CopyIcon({ text, what }: { text: string; what: string }) {
  const { state, copy } = useCopy(text)
  const label =
    state === 'copied' ? t('Copied') : state === 'refused' ? t('Could not copy') : t('Copy: {what}', { what })
  const Icon = state === 'copied' ? Check : Copy
  return (
    <button
      type="button"
      onClick={() => void copy()}
      aria-label={label}
      title={label}
      className="grid size-8 place-items-center rounded text-soft hover:bg-ink/7 hover:text-ink"
    >
      <Icon aria-hidden className={classes('size-3.5', state === 'copied' && 'text-ok')} />
      <span aria-live="polite" className="sr-only">
        {state === 'idle' ? '' : label}
      </span>
    </button>
  )
}

export function CopyButton({ text, children }: { text: string; children: string }) {
  const { state, copy } = useCopy(text)
  return (
    <Button icon={state === 'copied' ? Check : Copy} onClick={() => void copy()}>
      {state === 'copied' ? t('Copied') : state === 'refused' ? t('Could not copy') : children}
    </Button>
  )
}
