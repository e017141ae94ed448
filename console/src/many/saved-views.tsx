// Views of a list under names of one's own: the filters of the address, kept in this browser for this server, as chips.

import { BookmarkPlus, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Link, useLocation, useSearchParams } from 'react-router'
import { Button } from '../parts/button.tsx'
import { classes } from '../parts/classes.ts'
import { Dialog } from '../parts/dialog.tsx'
import { TextField } from '../parts/field.tsx'
import { t } from '../words/t.ts'

interface View {
  name: string
  search: string
}

const MOST = 30
const KEPT = 'keepsake-views'

function read(place: string): View[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(`${KEPT}:${place}`) ?? '[]')
    return Array.isArray(stored) ? (stored as View[]) : []
  } catch {
    return []
  }
}

/** The event is chosen for all pages and belongs to no view. */
function viewOf(params: URLSearchParams): string {
  const own = new URLSearchParams(params)
  own.delete('experience')
  own.sort()
  return own.toString()
}

const usual: View[] = [
  { name: t('Failed today'), search: 'last=day&status=Failed' },
  { name: t('Running'), search: 'status=Running' },
]

export function SavedViews() {
  const { pathname } = useLocation()
  const [params] = useSearchParams()
  const [views, setViews] = useState(() => read(pathname))
  const [naming, setNaming] = useState(false)
  const [name, setName] = useState('')
  const here = viewOf(params)
  const write = (next: View[]) => {
    setViews(next)
    try {
      localStorage.setItem(`${KEPT}:${pathname}`, JSON.stringify(next))
    } catch {
      // Kept until the page is left.
    }
  }
  const save = (event: FormEvent) => {
    event.preventDefault()
    const called = name.trim()
    if (!called) return
    write([...views.filter(view => view.name !== called), { name: called, search: here }].slice(-MOST))
    setNaming(false)
    setName('')
  }
  const chips = [...usual, ...views]
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {chips.map(view => {
        const current = here === view.search
        const own = views.includes(view)
        return (
          <span
            key={view.name + view.search}
            className={classes(
              'inline-flex items-center border border-line text-[13.5px] font-semibold',
              current ? 'marked' : 'rounded-full bg-card',
            )}
          >
            <Link
              dir="auto"
              to={`${pathname}?${view.search}`}
              aria-current={current ? 'true' : undefined}
              className={classes('flex min-h-9 items-center rounded-full pl-3', own ? 'pr-1' : 'pr-3')}
            >
              {view.name}
            </Link>
            {own && (
              <button
                type="button"
                aria-label={t('Forget the view {name}', { name: view.name })}
                onClick={() => write(views.filter(other => other !== view))}
                className="grid size-8 place-items-center rounded-full hover:bg-ink/10"
              >
                <X aria-hidden className="size-3.5" />
              </button>
            )}
          </span>
        )
      })}
      {here !== '' && !chips.some(({ search }) => search === here) && (
        <Button look="quiet" icon={BookmarkPlus} onClick={() => setNaming(true)}>
          {t('Save this view')}
        </Button>
      )}
      <Dialog
        title={t('Save this view')}
        about={t('Its filters stand above the list from now on, in this browser.')}
        open={naming}
        onClose={() => setNaming(false)}
      >
        <form onSubmit={save}>
          <TextField label={t('Name')} value={name} onChange={event => setName(event.target.value)} maxLength={60} />
          <div className="mt-4 flex justify-end gap-2">
            <Button onClick={() => setNaming(false)}>{t('Cancel')}</Button>
            <Button look="primary" type="submit" disabled={name.trim() === ''}>
              {t('Save')}
            </Button>
          </div>
        </form>
      </Dialog>
    </div>
  )
}
