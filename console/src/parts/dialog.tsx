// Dialogs: one for forms, one that asks before something cannot be undone.

import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { t } from '../words/t.ts'
import { Button, IconButton } from './button.tsx'
import { ErrorNote } from './notes.tsx'

interface Props {
  title: string
  about?: ReactNode
  open: boolean
  wide?: boolean
  /** Only its own buttons close it: not Esc, not a press beside it. */
  stays?: boolean
  onClose(): void
  children: ReactNode
}

const prevent = (event: Event) => event.preventDefault()

export function Dialog({ title, about, open, wide = false, stays = false, onClose, children }: Props) {
  return (
    <Radix.Root open={open} onOpenChange={next => !next && onClose()}>
      <Radix.Portal>
        {/* Without a graphics card the blur is painted anew with every blink of a caret: who wants it calm has a plain veil. */}
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/45 motion-safe:backdrop-blur-[2px]" />
        <Radix.Content
          {...(about ? {} : { 'aria-describedby': undefined })}
          {...(stays ? { onEscapeKeyDown: prevent, onInteractOutside: prevent } : {})}
          className={`rise fixed inset-x-0 bottom-0 z-50 mx-auto max-h-[92dvh] w-full overflow-y-auto rounded-t-2xl border border-line bg-card p-5 shadow-2xl sm:inset-y-0 sm:my-auto sm:h-fit sm:rounded-2xl sm:p-6 ${wide ? 'sm:max-w-3xl' : 'sm:max-w-lg'}`}
        >
          <div className="mb-4 flex items-start justify-between gap-4">
            <div>
              <Radix.Title className="text-[21px]">{title}</Radix.Title>
              {about && <Radix.Description className="mt-1 text-soft">{about}</Radix.Description>}
            </div>
            {!stays && (
              <Radix.Close asChild>
                <IconButton icon={X} label={t('Close')} />
              </Radix.Close>
            )}
          </div>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

interface ConfirmProps {
  title: string
  about: ReactNode
  action: string
  /** How the action looks, and what is said instead of it: as something that can't be undone, unless told. */
  look?: 'danger' | 'primary'
  cancel?: string
  open: boolean
  onClose(): void
  onConfirm(): Promise<unknown>
}

/** Stays open until the service has said yes; a refusal is shown inside. */
export function Confirm({
  title,
  about,
  action,
  look = 'danger',
  cancel = t('Keep it'),
  open,
  onClose,
  onConfirm,
}: ConfirmProps) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const close = () => {
    setError(null)
    onClose()
  }
  const confirm = async () => {
    setBusy(true)
    setError(null)
    try {
      await onConfirm()
      close()
    } catch (refusal) {
      setError(refusal)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog title={title} about={about} open={open} onClose={close}>
      {error !== null && <ErrorNote error={error} />}
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={close}>{cancel}</Button>
        <Button look={look} busy={busy} onClick={() => void confirm()}>
          {action}
        </Button>
      </div>
    </Dialog>
  )
}
