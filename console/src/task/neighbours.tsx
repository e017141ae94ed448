// Previous and next of the list that a task was opened from, by a click or by J and K.

import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import type { Kind } from '../api/tasks.ts'
import { IconButton } from '../parts/button.tsx'
import { isTyping } from '../shell/shortcuts.ts'
import { t } from '../words/t.ts'

let remembered: { kind: Kind; ids: readonly string[] } | null = null

/** The list that is on screen; a task that is opened from it knows its neighbours. */
export function rememberList(kind: Kind, ids: readonly string[]): void {
  remembered = { kind, ids }
}

export function Neighbours({ kind, id }: { kind: Kind; id: string }) {
  const navigate = useNavigate()
  const ids = remembered?.kind === kind ? remembered.ids : []
  const here = ids.indexOf(id)
  const before = here > 0 ? ids[here - 1] : undefined
  const next = here >= 0 ? ids[here + 1] : undefined
  useEffect(() => {
    const go = (to: string | undefined) => to && navigate(`/${kind === 'task' ? 'tasks' : 'groups'}/${to}`)
    const press = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event)) return
      if (event.key === 'j') go(next)
      if (event.key === 'k') go(before)
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [kind, before, next, navigate])
  if (here < 0 || ids.length < 2) return null
  const go = (to: string | undefined) => () => to && navigate(`/${kind === 'task' ? 'tasks' : 'groups'}/${to}`)
  return (
    <nav aria-label={t('In the list')} className="flex items-center gap-1">
      <IconButton icon={ChevronLeft} label={t('Task before (K)')} disabled={!before} onClick={go(before)} />
      <span className="text-[13.5px] whitespace-nowrap text-soft tabular-nums">
        {t('{at} of {count}', { at: here + 1, count: ids.length })}
      </span>
      <IconButton icon={ChevronRight} label={t('Next task (J)')} disabled={!next} onClick={go(next)} />
    </nav>
  )
}
