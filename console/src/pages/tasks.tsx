// The live list of tasks or task groups: filters, search by id or guest, thousands of rows.
import { Images, Layers, Search, X } from 'lucide-react'
import { useDeferredValue, useMemo, useState } from 'react'
import { NavLink, useSearchParams } from 'react-router'
import { useLiveList } from '../api/live.ts'
import { type Either, type Kind, PAGE, type TaskFilters, useTaskList } from '../api/tasks.ts'
import { Button, IconButton, LinkButton } from '../parts/button.tsx'
import { classes } from '../parts/classes.ts'
import { control } from '../parts/field.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { Card, Page } from '../parts/page.tsx'
import { VirtualList } from '../parts/virtual-list.tsx'
import { filtersOf, TaskFilterFields } from '../task/filters.tsx'
import { ROW_HEIGHT, TaskRow } from '../task/row.tsx'
import { SearchResults } from '../task/search-results.tsx'

export function Tasks({ kind }: { kind: Kind }) {
  const [params, setParams] = useSearchParams()
  const filters = useMemo<TaskFilters>(() => filtersOf(params), [params])
  const [text, setText] = useState('')
  const search = useDeferredValue(text.trim())
  const list = useTaskList<Either>(kind, filters)
  const live = useLiveList<Either>(kind, filters, list.isSuccess)
  const items = useMemo(() => list.data?.pages.flatMap(page => page.items) ?? [], [list.data])
  const searching = search.length > 2
  const filtered = Object.keys(filters).length > 0

  return (
    <Page title="Tasks" about="Every file on its way, the newest on top. The list moves by itself." actions={<Tabs />}>
      <div className="mb-3 grid grid-cols-[repeat(auto-fit,minmax(136px,1fr))] gap-2 lg:grid-cols-[minmax(0,1.6fr)_repeat(auto-fit,minmax(140px,1fr))]">
        <div className="relative max-lg:col-span-full">
          <Search aria-hidden className="pointer-events-none absolute top-3 left-3 size-4 text-soft" />
          <input
            type="search"
            aria-label="Search by id or guest"
            placeholder="Id, email, QR code or RFID"
            value={text}
            onChange={event => setText(event.target.value)}
            className={classes(control, 'pl-9')}
          />
          {text && (
            <IconButton
              icon={X}
              label="Clear the search"
              onClick={() => setText('')}
              className="absolute top-0.5 right-0.5"
            />
          )}
        </div>
        <TaskFilterFields kind={kind} params={params} onChange={next => setParams(next, { replace: true })} />
      </div>
      {searching && <SearchResults text={search} loaded={items} kind={kind} />}
      {live.held > 0 && !searching && (
        <div className="sticky top-3 z-20 mb-2 flex justify-center">
          <Button look="primary" onClick={live.release}>
            {live.held === 1 ? '1 new task' : `${live.held} new tasks`}: show
          </Button>
        </div>
      )}
      <Card className={classes('overflow-clip', searching && 'hidden')}>
        {list.isPending && <Loading what="Loading the tasks" rows={7} />}
        {list.isError && (
          <div className="p-4">
            <ErrorNote error={list.error} retry={() => void list.refetch()} />
          </div>
        )}
        {list.isSuccess && items.length === 0 && (
          <NoTasks kind={kind} filtered={filtered} clear={() => setParams({}, { replace: true })} />
        )}
        {items.length > 0 && (
          <VirtualList
            label={kind === 'task' ? 'Tasks' : 'Task groups'}
            count={items.length}
            rowHeight={ROW_HEIGHT}
            keyOf={index => items[index]?.task_id ?? String(index)}
            onNearEnd={() => list.hasNextPage && !list.isFetchingNextPage && void list.fetchNextPage()}
            row={index => {
              const task = items[index]
              return task ? (
                <TaskRow task={task} kind={kind} live={index >= PAGE || filters.status !== undefined} />
              ) : null
            }}
          />
        )}
        {list.isFetchingNextPage && (
          <p role="status" className="edgeprint p-3 text-center">
            Loading older ones
          </p>
        )}
      </Card>
    </Page>
  )
}

function Tabs() {
  const tab = ({ isActive }: { isActive: boolean }) =>
    classes(
      'flex min-h-9 items-center gap-2 px-3.5 text-[14px] font-semibold',
      isActive ? 'marked' : 'rounded-lg text-soft hover:text-ink',
    )
  return (
    <nav aria-label="Kind of task" className="flex gap-1 rounded-xl border border-line bg-card p-1">
      <NavLink to="/tasks" className={tab}>
        <Images aria-hidden className="size-4" /> Tasks
      </NavLink>
      <NavLink to="/groups" className={tab}>
        <Layers aria-hidden className="size-4" /> Groups
      </NavLink>
    </nav>
  )
}

function NoTasks({ kind, filtered, clear }: { kind: Kind; filtered: boolean; clear(): void }) {
  if (filtered)
    return (
      <Empty icon={Search} title="Nothing matches" actions={<Button onClick={clear}>Show all</Button>}>
        No task has all of the chosen properties.
      </Empty>
    )
  return kind === 'task' ? (
    <Empty
      icon={Images}
      title="No tasks yet"
      actions={
        <LinkButton look="primary" to="/start">
          Make a keepsake
        </LinkButton>
      }
    >
      Every photo and video that is sent in appears here within a second or two.
    </Empty>
  ) : (
    <Empty icon={Layers} title="No task groups yet">
      A group runs several configurations with one request and answers with one callback. Groups are made through the
      API.
    </Empty>
  )
}
