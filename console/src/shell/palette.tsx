// The palette: one field that finds guests, tasks, configurations, assets and pages, by any part of a name.

import { useQuery } from '@tanstack/react-query'
import { Images, Layers, type LucideIcon, Search, Shapes, UserRound, Workflow } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type KeyboardEvent, useDeferredValue, useId, useState } from 'react'
import { useNavigate } from 'react-router'
import { searchEverything } from '../api/search.ts'
import { titleOf } from '../api/tasks.ts'
import { ErrorNote } from '../parts/notes.tsx'
import { statusLook } from '../parts/status.tsx'
import { nameOf } from '../people/name.ts'
import { configurationPage } from '../places.ts'
import { t } from '../words/t.ts'
import { places } from './pages.ts'

interface Hit {
  key: string
  to: string
  name: string
  about: string
  icon: LucideIcon
}

const SHORTEST = 2
const OF_EACH = 6

function some<T>(list: { items: T[] }, hit: (item: T) => Hit): Hit[] {
  return list.items.slice(0, OF_EACH).map(hit)
}

function usePaletteHits(text: string) {
  const enough = text.length >= SHORTEST
  const found = useQuery({
    queryKey: ['search', 'palette', text],
    queryFn: ({ signal }) => searchEverything(text, signal),
    enabled: enough,
    placeholderData: before => before,
  })
  const low = text.toLowerCase()
  const pages: Hit[] = places
    .filter(({ name }) => name.toLowerCase().includes(low))
    .map(({ to, name, icon }) => ({ key: to, to, name, about: t('Page'), icon }))
  if (!enough || !found.data) return { hits: pages, found }
  const { profiles, tasks, taskgroups, configurations, assets } = found.data
  const hits = [
    ...some(profiles, one => ({
      key: one.profile_id,
      to: `/profiles/${one.profile_id}`,
      name: nameOf(one),
      about: t('Guest'),
      icon: UserRound,
    })),
    ...some(tasks, one => ({
      key: one.task_id,
      to: `/tasks/${one.task_id}`,
      name: one.input?.file_name ? `${one.input.file_name}: ${titleOf(one)}` : titleOf(one),
      about: t('Task, {status}', { status: statusLook(one.status).word }),
      icon: Images,
    })),
    ...some(taskgroups, one => ({
      key: one.task_id,
      to: `/groups/${one.task_id}`,
      name: titleOf(one),
      about: t('Task group, {status}', { status: statusLook(one.status).word }),
      icon: Layers,
    })),
    ...some(configurations, one => ({
      key: `configuration ${one.configuration_name}`,
      to: configurationPage(one.configuration_name),
      name: one.configuration_name,
      about: t('Configuration'),
      icon: Workflow,
    })),
    ...pages,
    ...some(assets, one => ({
      key: `asset ${one.name}`,
      to: `/assets?name=${encodeURIComponent(one.name)}`,
      name: one.name,
      about: t('Asset'),
      icon: Shapes,
    })),
  ]
  return { hits, found }
}

export function Palette({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('')
  const asked = useDeferredValue(text.trim())
  const { hits, found } = usePaletteHits(asked)
  const [place, setPlace] = useState(0)
  const navigate = useNavigate()
  const id = useId()
  const at = Math.min(place, hits.length - 1)
  const open = (hit: Hit | undefined) => {
    if (!hit) return
    onClose()
    navigate(hit.to)
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      setPlace((at + step + hits.length) % Math.max(1, hits.length))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      open(hits[at])
    }
  }
  return (
    <Radix.Root open onOpenChange={next => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/45" />
        <Radix.Content
          aria-describedby={undefined}
          className="rise fixed inset-x-2 top-2 z-50 mx-auto flex max-h-[80dvh] max-w-xl flex-col overflow-hidden rounded-2xl border border-line bg-card shadow-2xl sm:top-[12dvh]"
        >
          <Radix.Title className="sr-only">{t('Find anything')}</Radix.Title>
          <div className="relative border-b border-line">
            <Search aria-hidden className="pointer-events-none absolute top-4 left-4 size-5 text-soft" />
            <input
              role="combobox"
              aria-expanded
              aria-controls={id}
              aria-activedescendant={hits[at] ? `${id}-${at}` : undefined}
              aria-label={t('Find guests, tasks, configurations and pages')}
              placeholder={t('Guest, task, configuration or page')}
              value={text}
              maxLength={200}
              autoComplete="off"
              spellCheck={false}
              onChange={event => {
                setText(event.target.value)
                setPlace(0)
              }}
              onKeyDown={press}
              className="w-full bg-transparent py-3.5 pr-4 pl-12 text-[17px] outline-none placeholder:text-soft focus-visible:shadow-none focus-visible:outline-none"
            />
          </div>
          {found.isError && (
            <div className="p-3">
              <ErrorNote error={found.error} />
            </div>
          )}
          <div
            id={id}
            role="listbox"
            aria-label={t('Found')}
            aria-busy={found.isFetching}
            className="overflow-y-auto p-2"
          >
            {hits.map((hit, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus, and its arrows and Enter choose.
              <div
                key={hit.key}
                id={`${id}-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === at}
                onClick={() => open(hit)}
                onMouseMove={() => setPlace(index)}
                className={`flex min-h-11 cursor-pointer items-center gap-3 rounded-lg px-3 ${index === at ? 'marked' : ''}`}
              >
                <hit.icon aria-hidden className="size-4.5 shrink-0" />
                <span dir="auto" className="min-w-0 flex-1 truncate font-semibold">
                  {hit.name}
                </span>
                <span className={`text-[13px] whitespace-nowrap ${index === at ? '' : 'text-soft'}`}>{hit.about}</span>
              </div>
            ))}
          </div>
          <p role="status" className="border-t border-line px-4 py-2 text-[13px] text-soft">
            {hits.length > 0
              ? t('Arrows choose, Enter opens, Esc closes.')
              : found.isFetching
                ? t('Searching')
                : t('Nobody and nothing goes by that.')}
          </p>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
