// The live list of tasks or task groups: filters, search, selection and work on many, thousands of rows or a gallery.

import { AlignJustify, Images, Layers, LayoutGrid, List, ListTree, type LucideIcon, Search, X } from 'lucide-react'
import { ToggleGroup } from 'radix-ui'
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { NavLink, useNavigate, useSearchParams } from 'react-router'
import { emptied, put, useChangeAddress } from '../address.ts'
import { useLostCallbacks } from '../api/callbacks.ts'
import { useEvent } from '../api/event.ts'
import { useLiveList } from '../api/live.ts'
import type { Deed } from '../api/many.ts'
import { type Either, type Kind, PAGE, type TaskFilters, useTaskList } from '../api/tasks.ts'
import { BulkBar } from '../many/bulk-bar.tsx'
import { ByError } from '../many/by-error.tsx'
import { Gallery } from '../many/gallery.tsx'
import { useListKeys } from '../many/list-keys.ts'
import { SavedViews } from '../many/saved-views.tsx'
import { useSelection } from '../many/selection.ts'
import { Button, IconButton, LinkButton } from '../parts/button.tsx'
import { classes } from '../parts/classes.ts'
import { control } from '../parts/field.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { Card, Page } from '../parts/page.tsx'
import { VirtualList } from '../parts/virtual-list.tsx'
import { filterParams, filtersOf, TaskFilterFields } from '../task/filters.tsx'
import { rememberList } from '../task/neighbours.tsx'
import { DENSE_HEIGHT, ROW_HEIGHT, TaskRow } from '../task/row.tsx'
import { SearchResults } from '../task/search-results.tsx'
import { t, tn } from '../words/t.ts'

const views: [string, string, LucideIcon][] = [
  ['list', t('List'), List],
  ['dense', t('Dense list'), AlignJustify],
  ['gallery', t('Gallery'), LayoutGrid],
]

export function Tasks({ kind }: { kind: Kind }) {
  const [params] = useSearchParams()
  const change = useChangeAddress()
  const own = filterParams(params)
  // Only of what is a filter: a search or another look must not ask for the list anew.
  const filters = useMemo<TaskFilters>(() => filtersOf(new URLSearchParams(own)), [own])
  const text = params.get('q') ?? ''
  const search = useDeferredValue(text.trim())
  const view = views.find(([name]) => name === params.get('view'))?.[0] ?? 'list'
  const byError = params.get('group') === 'error'
  const list = useTaskList<Either>(kind, filters)
  const live = useLiveList<Either>(kind, filters, list.isSuccess)
  const items = useMemo(() => list.data?.pages.flatMap(page => page.items) ?? [], [list.data])
  const ids = useMemo(() => items.map(({ task_id }) => task_id), [items])
  const lost = useLostCallbacks(useEvent())
  const selection = useSelection(ids)
  const [asked, ask] = useState<Deed | null>(null)
  const field = useRef<HTMLInputElement>(null)
  const navigate = useNavigate()
  const searching = search.length > 1
  const filtered = Object.keys(filters).some(name => name !== 'experience_id') || params.has('experience_id')
  const rowHeight = view === 'gallery' ? 0 : view === 'dense' ? DENSE_HEIGHT : ROW_HEIGHT
  const place = kind === 'task' ? '/tasks' : '/groups'
  const keep = (name: string, value: string | null) => change(params => put(params, name, value))

  const { toggle, clear } = selection
  // What was selected in another list is not in this one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is what it depends on.
  useEffect(clear, [own, kind])
  useEffect(() => rememberList(kind, ids), [kind, ids])
  const keys = useMemo(
    () => ({
      ids,
      enabled: !searching,
      rowHeight,
      open: (id: string) => navigate(`${place}/${id}`),
      select: toggle,
      retry: () => selection.ids.size > 0 && ask('retry'),
      search: () => field.current?.focus(),
    }),
    [ids, searching, rowHeight, navigate, place, toggle, selection.ids],
  )
  const current = useListKeys(keys)
  const older = () => list.hasNextPage && !list.isFetchingNextPage && void list.fetchNextPage()

  return (
    <Page
      title={t('Tasks')}
      about={t('Every file on its way, the newest on top. The list moves by itself.')}
      actions={<Tabs />}
    >
      <div className="mb-2 grid grid-cols-2 gap-2 sm:grid-cols-3 lg:grid-cols-[minmax(0,1.8fr)_repeat(3,minmax(0,1fr))]">
        <div className="relative max-lg:col-span-full">
          <Search aria-hidden className="pointer-events-none absolute top-3 left-3 size-4 text-soft" />
          <input
            ref={field}
            type="search"
            aria-label={t('Search by guest, file or id')}
            placeholder={t('Any part of a guest’s name, a file or an id')}
            value={text}
            maxLength={200}
            onChange={event => keep('q', event.target.value)}
            className={classes(control, 'pl-9')}
          />
          {text && (
            <IconButton
              icon={X}
              label={t('Clear the search')}
              onClick={() => keep('q', null)}
              className="absolute top-0.5 right-0.5"
            />
          )}
        </div>
        <TaskFilterFields kind={kind} params={params} onChange={change} />
      </div>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <SavedViews key={place} />
        <div className="flex flex-wrap items-center gap-2">
          <Button
            look={byError ? 'primary' : 'plain'}
            icon={ListTree}
            aria-pressed={byError}
            onClick={() => keep('group', byError ? null : 'error')}
          >
            {t('By cause')}
          </Button>
          <ViewSwitch view={view} onChange={next => keep('view', next === 'list' ? null : next)} />
        </div>
      </div>
      {byError && !searching && <ByError kind={kind} />}
      {searching && <SearchResults text={search} loaded={items} kind={kind} />}
      {live.held > 0 && !searching && (
        <div className="sticky top-3 z-20 mb-2 flex justify-center">
          <Button look="primary" onClick={live.release}>
            {tn(live.held, '1 new task: show', '{count} new tasks: show', { count: live.held })}
          </Button>
        </div>
      )}
      <Card className={classes('overflow-clip', searching && 'hidden')}>
        {list.isPending && <Loading what={t('Loading the tasks')} rows={7} />}
        {list.isError && (
          <div className="p-4">
            <ErrorNote error={list.error} retry={() => void list.refetch()} />
          </div>
        )}
        {list.isSuccess && items.length === 0 && (
          <NoTasks kind={kind} filtered={filtered} clear={() => change(emptied)} />
        )}
        {items.length > 0 && view === 'gallery' && (
          <Gallery items={items} kind={kind} selected={selection.ids} onSelect={toggle} onNearEnd={older} />
        )}
        {items.length > 0 && view !== 'gallery' && (
          <VirtualList
            label={kind === 'task' ? t('Tasks') : t('Task groups')}
            count={items.length}
            rowHeight={rowHeight}
            keyOf={index => items[index]?.task_id ?? String(index)}
            onNearEnd={older}
            row={index => {
              const task = items[index]
              return task ? (
                <TaskRow
                  task={task}
                  kind={kind}
                  live={index >= PAGE || filters.status !== undefined}
                  dense={view === 'dense'}
                  selected={selection.ids.has(task.task_id)}
                  current={task.task_id === current}
                  lost={lost.data?.has(task.task_id) ?? false}
                  onSelect={toggle}
                />
              ) : null
            }}
          />
        )}
        {list.isFetchingNextPage && (
          <p role="status" className="edgeprint p-3 text-center">
            {t('Loading older ones')}
          </p>
        )}
      </Card>
      {!searching && (
        <BulkBar
          kind={kind}
          selection={selection}
          filters={filters}
          loaded={ids}
          more={list.hasNextPage}
          asked={asked}
          ask={ask}
        />
      )}
    </Page>
  )
}

function ViewSwitch({ view, onChange }: { view: string; onChange(view: string): void }) {
  return (
    <ToggleGroup.Root
      type="single"
      aria-label={t('How the list looks')}
      value={view}
      onValueChange={value => value && onChange(value)}
      className="flex gap-1 rounded-xl border border-line bg-card p-1"
    >
      {views.map(([name, word, Icon]) => (
        <ToggleGroup.Item
          key={name}
          value={name}
          aria-label={word}
          title={word}
          className="grid size-9 place-items-center rounded-lg text-soft hover:text-ink data-[state=on]:rounded-[4px_7px_5px_8px] data-[state=on]:bg-marker data-[state=on]:text-marker-ink"
        >
          <Icon aria-hidden className="size-4.5" />
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}

function Tabs() {
  const tab = ({ isActive }: { isActive: boolean }) =>
    classes(
      'flex min-h-9 items-center gap-2 px-3.5 text-[14px] font-semibold',
      isActive ? 'marked' : 'rounded-lg text-soft hover:text-ink',
    )
  return (
    <nav aria-label={t('Kind of task')} className="flex gap-1 rounded-xl border border-line bg-card p-1">
      <NavLink to="/tasks" className={tab}>
        <Images aria-hidden className="size-4" /> {t('Tasks')}
      </NavLink>
      <NavLink to="/groups" className={tab}>
        <Layers aria-hidden className="size-4" /> {t('Groups')}
      </NavLink>
    </nav>
  )
}

function NoTasks({ kind, filtered, clear }: { kind: Kind; filtered: boolean; clear(): void }) {
  if (filtered)
    return (
      <Empty icon={Search} title={t('Nothing matches')} actions={<Button onClick={clear}>{t('Show all')}</Button>}>
        {t('No task has all of the chosen properties.')}
      </Empty>
    )
  return kind === 'task' ? (
    <Empty
      icon={Images}
      title={t('No tasks yet')}
      actions={
        <LinkButton look="primary" to="/start">
          {t('Make a keepsake')}
        </LinkButton>
      }
    >
      {t('Every photo and video that is sent in appears here within a second or two.')}
    </Empty>
  ) : (
    <Empty icon={Layers} title={t('No task groups yet')}>
      {t(
        'A group runs several configurations with one request and answers with one callback. Groups are made through the API.',
      )}
    </Empty>
  )
}
