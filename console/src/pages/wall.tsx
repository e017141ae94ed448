// Somebody decides what is on the wall of an event: with the thumb on a phone, with keys on a desk.
import { useQueryClient } from '@tanstack/react-query'
import { GalleryHorizontalEnd, Undo2 } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
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

const standings: [Standing, string][] = [
  ['waiting', 'Waiting'],
  ['approved', 'Approved'],
  ['hidden', 'Hidden'],
]
const MOST_UNDONE = 50

const told: Record<Decision, string> = { approve: 'Approved.', hide: 'Hidden.', wait: 'It waits again.' }

export function Wall() {
  const [search, setSearch] = useSearchParams()
  const experiences = useExperiences()
  const withPages = experiences.data?.filter(({ guest_page }) => guest_page.enabled) ?? []
  const experience = search.get('experience') ?? withPages[0]?.experience_id ?? null
  const standing = standings.find(([name]) => name === search.get('state'))?.[0] ?? 'waiting'
  const go = (to: { experience?: string; state?: Standing }) =>
    setSearch({ experience: to.experience ?? experience ?? '', state: to.state ?? standing }, { replace: true })
  const mayWrite = useMay('write')
  if (experiences.isPending || experiences.isError || experience === null)
    return (
      <Page title="Wall">
        <Card>
          {experiences.isPending && <Loading />}
          {experiences.isError && <ErrorNote error={experiences.error} retry={() => void experiences.refetch()} />}
          {experiences.data && (
            <Empty icon={GalleryHorizontalEnd} title="No experience has pages for guests">
              Set <code>guest_page.enabled</code> of an experience: what is then made for its guests can be on its wall.
            </Empty>
          )}
        </Card>
      </Page>
    )
  return (
    <Page
      title="Wall"
      about="What guests made, for the screens of the event. What you hide leaves every screen at once."
      actions={mayWrite && <Screens experience={experience} />}
    >
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <select
          aria-label="Experience"
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
        <fieldset aria-label="State" className="flex gap-1 rounded-lg border border-line bg-card p-1">
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
  const nameOf = ({ keepsake, files }: Waiting) => `${keepsake.keepsake_id} ${files.map(({ number }) => number).join()}`
  const all = lookedAt(list.data?.pages.flatMap(page => page.items) ?? [], standing)
  const cards = all.filter(each => !away.has(nameOf(each)))
  const at = Math.min(chosen, Math.max(0, cards.length - 1))

  const put = useCallback(
    async (decision: Decision, waiting: Waiting) => {
      const name = `${waiting.keepsake.keepsake_id} ${waiting.files.map(({ number }) => number).join()}`
      const leave = (isAway: boolean) =>
        setAway(before => {
          const next = new Set(before)
          if (isAway) next.add(name)
          else next.delete(name)
          return next
        })
      if (decision !== 'wait') leave(true)
      try {
        await decide(decision, waiting)
        if (decision === 'wait') leave(false)
        else setDone(before => [...before, waiting].slice(-MOST_UNDONE))
        announce(told[decision])
      } catch (refusal) {
        leave(false)
        announce(sentence(refusal))
      }
      await client.invalidateQueries({ queryKey: ['keepsake', 'list'] })
    },
    [client],
  )

  const undo = useCallback(() => {
    const last = done.at(-1)
    if (!last) return
    setDone(done.slice(0, -1))
    // Back to where it came from: into the queue, or as it was decided before.
    void put(standing === 'waiting' ? 'wait' : standing === 'approved' ? 'approve' : 'hide', last)
  }, [done, put, standing])

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if ((event.target as Element).closest('input, select, textarea, video, [role=dialog]')) return
      const steps: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, j: 1, ArrowLeft: -1, ArrowUp: -1, k: -1 }
      const step = steps[event.key]
      const card = cards[at]
      if (step !== undefined) setChosen(Math.max(0, Math.min(cards.length - 1, at + step)))
      else if (event.key === 'u') undo()
      else if (event.key === 'a' && card && mayDecide && standing !== 'approved') void put('approve', card)
      else if (event.key === 'h' && card && mayDecide && standing !== 'hidden') void put('hide', card)
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
          <span className="lg:hidden">Swipe right to approve, left to hide.</span>
          <span className="hidden lg:inline">
            Arrows or <kbd>j</kbd> <kbd>k</kbd> move, <kbd>a</kbd> approves, <kbd>h</kbd> hides, <kbd>u</kbd> takes
            back.
          </span>
          {done.length > 0 && (
            <Button look="quiet" icon={Undo2} onClick={undo}>
              Undo
            </Button>
          )}
        </div>
      )}
      {list.data && cards.length === 0 && (
        <Card>
          <Empty icon={GalleryHorizontalEnd} title={standing === 'waiting' ? 'Nothing waits' : 'Nothing here'}>
            {standing === 'waiting' ? 'New pictures appear here by themselves.' : 'What you decide is listed here.'}
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
            onDecide={decision => void put(decision, waiting)}
          />
        ))}
      </ul>
      {list.hasNextPage && (
        <div className="mt-4 flex justify-center">
          <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </>
  )
}
