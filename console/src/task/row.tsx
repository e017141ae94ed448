// One line of the task list: what came out, what it was, how it stands, for whom and when; and whether it is selected.

import { BellOff } from 'lucide-react'
import { type MouseEvent, memo } from 'react'
import { Link } from 'react-router'
import type { Entry } from '../api/shapes.ts'
import { type Either, isGroup, isOver, type Kind, titleOf, useTask } from '../api/tasks.ts'
import { guestOf } from '../format/guest.ts'
import { classes } from '../parts/classes.ts'
import { Thumb } from '../parts/media.tsx'
import { Progress } from '../parts/progress.tsx'
import { Status } from '../parts/status.tsx'
import { Ago, Lasted } from '../parts/time.tsx'
import { t } from '../words/t.ts'
import { inputThumbnail, outputThumbnail } from './outputs.ts'

export const ROW_HEIGHT = 76
export const DENSE_HEIGHT = 44

export interface RowProps {
  task: Either
  kind: Kind
  /** This row looks after itself, because the part of the list that is watched does not tell of it. */
  live: boolean
  dense?: boolean
  selected?: boolean
  /** The keys are at this row. */
  current?: boolean
  /** Its callback was given up. */
  lost?: boolean
  onSelect?: (id: string, range: boolean) => void
}

export const TaskRow = memo(function TaskRow({ live, ...row }: RowProps) {
  return live && !isOver(row.task) ? <OwnRow {...row} /> : <Row {...row} />
})

function OwnRow({ task, ...row }: Omit<RowProps, 'live'>) {
  const own = useTask<Either>(row.kind, task.task_id)
  return <Row task={own.data ?? task} {...row} />
}

function Row({
  task,
  kind,
  dense = false,
  selected = false,
  current = false,
  lost = false,
  onSelect,
}: Omit<RowProps, 'live'>) {
  const select = (event: MouseEvent) => {
    // The box shows what is true once it was asked for; the click itself must not change it a second time.
    onSelect?.(task.task_id, event.shiftKey)
  }
  return (
    <div
      className={classes(
        'flex h-full items-stretch border-b border-line',
        selected ? 'bg-run-bg' : 'hover:bg-well',
        current && 'outline-2 -outline-offset-2 outline-ink',
      )}
    >
      {onSelect && (
        <label className="grid w-11 shrink-0 cursor-pointer place-items-center">
          <input
            type="checkbox"
            aria-label={t('Select {title}', { title: titleOf(task) })}
            checked={selected}
            onClick={select}
            onChange={() => {}}
            className="size-4.5 accent-[var(--ink)]"
          />
        </label>
      )}
      <Link
        discover="none"
        to={`/${kind === 'task' ? 'tasks' : 'groups'}/${task.task_id}`}
        className={classes(
          'flex min-w-0 flex-1 items-center gap-3 pr-3 focus-visible:relative focus-visible:z-10 focus-visible:-outline-offset-2 sm:gap-4 sm:pr-4',
          !onSelect && 'pl-3 sm:pl-4',
        )}
      >
        {dense ? <DenseCells task={task} kind={kind} lost={lost} /> : <Cells task={task} kind={kind} lost={lost} />}
      </Link>
    </div>
  )
}

interface CellsProps {
  task: Either
  kind: Kind
  lost: boolean
}

const entriesOf = (task: Either): Entry[] =>
  isGroup(task) ? task.tasks.flatMap(member => member.entries) : task.entries

/** An entry that went wrong and is tried again. */
const retriedOf = (task: Either): Entry | undefined =>
  isOver(task) ? undefined : entriesOf(task).find(({ error, ended_at }) => error !== null && ended_at === null)

function aboutOf(task: Either): { words: string; isId: boolean } {
  const wrong = entriesOf(task).find(({ status }) => status === 'Failed') ?? retriedOf(task)
  const guest = isGroup(task) ? null : guestOf(task.extras)
  return { words: wrong?.error ? wrong.error.message : (guest ?? task.task_id), isId: !wrong?.error && guest === null }
}

/** A task between two attempts is not simply running. */
function State({ task }: { task: Either }) {
  return retriedOf(task) ? (
    <Status status="Warning" word={t('Retrying')} small />
  ) : (
    <Status status={task.status} small />
  )
}

function Lost() {
  return (
    <span
      className="flex shrink-0 items-center gap-1 text-[12.5px] font-semibold text-fail"
      title={t('Its callback was given up')}
    >
      <BellOff aria-hidden className="size-4" />
      <span className="max-sm:sr-only">{t('Callback lost')}</span>
    </span>
  )
}

function Cells({ task, kind, lost }: CellsProps) {
  const { words, isId } = aboutOf(task)
  return (
    <>
      <span className="flex shrink-0 items-center gap-1.5">
        <span className="hidden sm:block">
          <Thumb src={inputThumbnail(kind, task)} />
        </span>
        <span aria-hidden className="hidden text-soft before:content-['→'] sm:block" />
        <Thumb src={outputThumbnail(kind, task)} size={48} />
      </span>
      <span className="min-w-0 flex-1">
        <span dir="auto" className="block truncate font-semibold">
          {titleOf(task)}
        </span>
        <span
          dir="auto"
          className={classes('block truncate text-soft', isId ? 'font-mono text-[12px]' : 'text-[13px]')}
        >
          {words}
        </span>
      </span>
      {lost && <Lost />}
      <span dir="auto" className="hidden w-36 truncate text-[13.5px] text-soft xl:block">
        {task.experience_id}
      </span>
      <span className="hidden w-20 text-right text-[13.5px] text-soft tabular-nums md:block">
        <Lasted from={task.started_at} to={task.ended_at} />
      </span>
      <span className="flex w-[106px] shrink-0 flex-col items-end gap-1 sm:w-32">
        <State task={task} />
        {task.status === 'Running' ? (
          <span className="w-full max-w-24">
            <Progress value={overall(entriesOf(task))} label={t('Progress of {title}', { title: titleOf(task) })} />
          </span>
        ) : (
          <Ago at={task.created_at} className="text-[12.5px] text-soft" />
        )}
      </span>
    </>
  )
}

function DenseCells({ task, kind, lost }: CellsProps) {
  const { words } = aboutOf(task)
  return (
    <>
      <Thumb src={outputThumbnail(kind, task)} size={30} />
      <span dir="auto" className="w-40 shrink-0 truncate font-semibold max-sm:w-24">
        {titleOf(task)}
      </span>
      <span dir="auto" className="min-w-0 flex-1 truncate text-[13px] text-soft">
        {words}
      </span>
      {lost && <Lost />}
      <Ago at={task.created_at} className="hidden text-[12.5px] whitespace-nowrap text-soft sm:block" />
      <State task={task} />
    </>
  )
}

const overall = (entries: Entry[]): number =>
  entries.length === 0
    ? 0
    : entries.reduce((sum, entry) => sum + (entry.ended_at ? 1 : entry.progress), 0) / entries.length
