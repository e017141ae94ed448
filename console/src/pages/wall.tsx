// Somebody decides what is on the wall of an event: with the thumb on a phone, with keys on a desk.

import { useQueryClient } from '@tanstack/react-query'
import { GalleryHorizontalEnd, Undo2 } from 'lucide-react'
import { useCallback, useLayoutEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { put, useChangeAddress } from '../address.ts'
import { sentence } from '../api/client.ts'
import { useExperiences } from '../api/configurations.ts'
import { useMay } from '../api/session.ts'
import { type Decision, decide, lookedAt, type Standing, useStanding, type Waiting } from '../api/walls.ts'
import { Button } from '../parts/button.tsx'
import { classes } from '../parts/classes.ts'
import { control } from '../parts/field.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { Card, Page } from '../parts/page.tsx'
import { announce } from '../parts/toast.tsx'
import { WallCard } from '../wall/card.tsx'
import { Screens } from '../wall/screens.tsx'
import { t } from '../words/t.ts'

const standings: [Standing, string][] = [
  ['waiting', t('Waiting')],
  ['approved', t('Approved')],
  ['hidden', t('Hidden')],
]
const MOST_UNDONE = 50

const told: Record<Decision, string> = { approve: t('Approved.'), hide: t('Hidden.'), wait: t('It waits again.') }

/** What takes a decision back: it goes to where the list has it. */
const backTo: Record<Standing, Decision> = { waiting: 'wait', approved: 'approve', hidden: 'hide' }

const nameOf = ({ keepsake, files }: Waiting) => `${keepsake.keepsake_id} ${files.map(({ number }) => number).join()}`

export function Wall() {
  const [search] = useSearchParams()
  const change = useChangeAddress()
  const experiences = useExperiences()
  const withPages = experiences.data?.filter(({ guest_page }) => guest_page.enabled) ?? []
  const experience = search.get('experience') ?? withPages[0]?.experience_id ?? null
  const standing = standings.find(([name]) => name === search.get('state'))?.[0] ?? 'waiting'
  const go = (to: { experience?: string; state?: Standing }) =>
    change(params => {
      put(params, 'experience', to.experience ?? params.get('experience') ?? experience)
      put(params, 'state', to.state ?? params.get('state') ?? standing)
    })
  const mayWrite = useMay('write')
  if (experiences.isPending || experiences.isError || experience === null)
    return (
      <Page title={t('Wall')}>
        <Card>
          {experiences.isPending && <Loading />}
          {experiences.isError && <ErrorNote error={experiences.error} retry={() => void experiences.refetch()} />}
          {experiences.data && (
            <Empty icon={GalleryHorizontalEnd} title={t('No experience has pages for guests')}>
              {t('Set {code} of an experience: what is then made for its guests can be on its wall.', {
                code: <code>guest_page.enabled</code>,
              })}
            </Empty>
          )}
        </Card>
      </Page>
    )
  return (
    <Page
      title={t('Wall')}
      about={t('What guests made, for the screens of the event. What you hide leaves every screen at once.')}
      actions={mayWrite && <Screens experience={experience} />}
    >
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <select
          aria-label={t('Experience')}
          value={experience}
          onChange={event => go({ experience: event.target.value })}
          className={classes(control, 'w-auto! max-w-full')}
        >
          {[...new Set([...withPages.map(({ experience_id }) => experience_id), experience])].map(id => (
            <option key={id} value={id}>
              {withPages.find(({ experience_id }) => experience_id === id)?.name ?? id}
            </option>
          ))}
        </select>
        <fieldset aria-label={t('State')} className="flex gap-1 rounded-lg border border-line bg-card p-1">
          {standings.map(([name, label]) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === standing}
              onClick={() => go({ state: name })}
              className={classes(
                'min-h-9 px-3 text-[14px] font-semibold',
                name === standing ? 'marked' : 'rounded-md text-soft hover:text-ink',
              )}
            >
              {label}
            </button>
          ))}
        </fieldset>
      </div>
      <Deck key={`${experience} ${standing}`} experience={experience} standing={standing} />
    </Page>
  )
}

function Deck({ experience, standing }: { experience: string; standing: Standing }) {
  const client = useQueryClient()
  const list = useStanding(experience, standing)
  const mayDecide = useMay('tasks')
  const [chosen, setChosen] = useState(0)
  const [done, setDone] = useState<Waiting[]>([])
  /** Decided here, and not yet gone from the list that the service told last. */
  const [away, setAway] = useState<ReadonlySet<string>>(new Set())
  const all = lookedAt(list.data?.pages.flatMap(page => page.items) ?? [], standing)
  const cards = all.filter(each => !away.has(nameOf(each)))
  const at = Math.min(chosen, Math.max(0, cards.length - 1))

  const mark = useCallback((waiting: Waiting, isAway: boolean) => {
    setAway(before => {
      const next = new Set(before)
      if (isAway) next.add(nameOf(waiting))
      else next.delete(nameOf(waiting))
      return next
    })
  }, [])
  /** Decisions reach the service in the order in which they were made, however quick the hand is. */
  const turn = useRef<Promise<unknown>>(Promise.resolve())
  const tell = useCallback(
    async (decision: Decision, waiting: Waiting) => {
      const answer = turn.current.then(() => decide(decision, waiting))
      turn.current = answer.catch(() => {})
      try {
        await answer
        announce(told[decision])
      } catch (refusal) {
        setDone(before => before.filter(each => each !== waiting))
        announce(sentence(refusal))
      }
      await client.invalidateQueries({ queryKey: ['keepsake', 'list'] })
      // From here on the list says where it stands.
      mark(waiting, false)
    },
    [client, mark],
  )

  const put = (decision: Decision, waiting: Waiting) => {
    mark(waiting, true)
    setDone(before => [...before, waiting].slice(-MOST_UNDONE))
    void tell(decision, waiting)
  }
  const undo = () => {
    const last = done.at(-1)
    if (!last) return
    setDone(done.slice(0, -1))
    void tell(backTo[standing], last)
  }

  // Before the next key can come: it must not meet what was shown before.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if ((event.target as Element).closest('input, select, textarea, video, [role=dialog]')) return
      const steps: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, j: 1, ArrowLeft: -1, ArrowUp: -1, k: -1 }
      const step = steps[event.key]
      const card = cards[at]
      if (step !== undefined) setChosen(Math.max(0, Math.min(cards.length - 1, at + step)))
      else if (event.key === 'u') undo()
      else if (event.key === 'a' && card && mayDecide && standing !== 'approved') put('approve', card)
      else if (event.key === 'h' && card && mayDecide && standing !== 'hidden') put('hide', card)
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  })

  return (
    <>
      {list.isPending && (
        <Card>
          <Loading />
        </Card>
      )}
      {list.isError && <ErrorNote error={list.error} retry={() => void list.refetch()} />}
      {mayDecide && (
        <div className="mb-3 flex min-h-10 flex-wrap items-center gap-x-4 gap-y-2 text-[14px] text-soft">
          <span className="lg:hidden">{t('Swipe right to approve, left to hide.')}</span>
          <span className="hidden lg:inline">
            {t('Arrows or {down} {up} move, {approve} approves, {hide} hides, {undo} takes back.', {
              down: <kbd>j</kbd>,
              up: <kbd>k</kbd>,
              approve: <kbd>a</kbd>,
              hide: <kbd>h</kbd>,
              undo: <kbd>u</kbd>,
            })}
          </span>
          {done.length > 0 && (
            <Button look="quiet" icon={Undo2} onClick={undo}>
              {t('Undo')}
            </Button>
          )}
        </div>
      )}
      {list.data && cards.length === 0 && (
        <Card>
          <Empty icon={GalleryHorizontalEnd} title={standing === 'waiting' ? t('Nothing waits') : t('Nothing here')}>
            {standing === 'waiting'
              ? t('New pictures appear here by themselves.')
              : t('What you decide is listed here.')}
          </Empty>
        </Card>
      )}
      <ul className="grid gap-4 md:grid-cols-2 2xl:grid-cols-3">
        {cards.map((waiting, index) => (
          <WallCard
            key={nameOf(waiting)}
            waiting={waiting}
            standing={standing}
            isChosen={index === at}
            mayDecide={mayDecide}
            onChoose={() => setChosen(index)}
            onDecide={decision => put(decision, waiting)}
          />
        ))}
      </ul>
      {list.hasNextPage && (
        <div className="mt-4 flex justify-center">
          <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {t('Show more')}
          </Button>
        </div>
      )}
    </>
  )
}
