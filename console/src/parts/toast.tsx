// Short announcements at the edge of the screen, read out by screen readers; only ever of what the service confirmed.

import { CheckCircle2, X } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { sentence } from '../api/client.ts'
import { t } from '../words/t.ts'

interface Message {
  id: number
  text: string
  action: Action | null
}

/** What can be done about it while it is shown, such as taking it back. */
interface Action {
  label: string
  run(): Promise<unknown>
}

let messages: Message[] = []
let next = 1
const listeners = new Set<() => void>()
const change = (to: Message[]) => {
  messages = to
  for (const tell of listeners) tell()
}

/** What is said again while it is still shown takes the place of the first. */
export function announce(text: string, action: Action | null = null): void {
  const id = next++
  const others = messages.filter(message => message.text !== text)
  change([...others.slice(-2), { id, text, action }])
  setTimeout(() => dismiss(id), action ? 15_000 : 6000)
}
const dismiss = (id: number) => change(messages.filter(message => message.id !== id))

export function Announcements() {
  const shown = useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => messages,
  )
  return (
    <div
      aria-live="polite"
      role="status"
      className="pointer-events-none fixed inset-x-3 bottom-20 z-60 flex flex-col items-center gap-2 md:inset-x-auto md:right-6 md:bottom-6 md:items-end"
    >
      {shown.map(({ id, text, action }) => (
        <div
          key={id}
          className="rise pointer-events-auto flex max-w-md items-center gap-2.5 rounded-lg bg-ink py-2 pr-1.5 pl-3.5 text-card shadow-2xl"
        >
          <CheckCircle2 aria-hidden className="size-4.5 shrink-0" />
          <span dir="auto" className="[overflow-wrap:anywhere]">
            {text}
          </span>
          {action && (
            <button
              type="button"
              onClick={() => {
                dismiss(id)
                void action.run().catch(error => announce(sentence(error)))
              }}
              className="min-h-8 shrink-0 rounded px-2 font-semibold underline underline-offset-3 hover:bg-card/15"
            >
              {action.label}
            </button>
          )}
          <button
            type="button"
            aria-label={t('Dismiss')}
            onClick={() => dismiss(id)}
            className="grid size-8 shrink-0 place-items-center rounded hover:bg-card/15"
          >
            <X aria-hidden className="size-4" />
          </button>
        </div>
      ))}
    </div>
  )
}
