// One line of the task list: what came out, what it was, how it stands, for whom and when.
import { memo } from 'react'
import { Link } from 'react-router'
import type { Entry } from '../api/shapes.ts'
import { type Either, isGroup, isOver, type Kind, titleOf, useTask } from '../api/tasks.ts'
import { guestOf } from '../format/guest.ts'
import { classes } from '../parts/classes.ts'
import { Thumb } from '../parts/media.tsx'
import { Progress } from '../parts/progress.tsx'
import { Status } from '../parts/status.tsx'
import { Ago, Lasted } from '../parts/time.tsx'
import { inputThumbnail, outputThumbnail } from './outputs.ts'

export const ROW_HEIGHT = 76

/** `live`: this row looks after itself, because the part of the list that is watched does not tell of it. */
export const TaskRow = memo(function TaskRow({ task, kind, live }: { task: Either; kind: Kind; live: boolean }) {
  return live && !isOver(task) ? <OwnRow task={task} kind={kind} /> : <Row task={task} kind={kind} />
})

function OwnRow({ task, kind }: { task: Either; kind: Kind }) {
  const own = useTask<Either>(kind, task.task_id)
  return <Row task={own.data ?? task} kind={kind} />
}

function Row({ task, kind }: { task: Either; kind: Kind }) {
  const entries = isGroup(task) ? task.tasks.flatMap(member => member.entries) : task.entries
  const failed = entries.find(({ status }) => status === 'Failed')
  const guest = isGroup(task) ? null : guestOf(task.extras)
  const isId = !failed?.error && guest === null
  return (
    <Link
      discover="none"
      to={`/${kind === 'task' ? 'tasks' : 'groups'}/${task.task_id}`}
      className="flex h-full items-center gap-3 border-b border-line px-3 hover:bg-well focus-visible:relative focus-visible:z-10 focus-visible:-outline-offset-2 sm:gap-4 sm:px-4"
    >
      <span className="flex shrink-0 items-center gap-1.5">
        <span className="hidden sm:block">
          <Thumb src={inputThumbnail(kind, task)} />
        </span>
        <span aria-hidden className="hidden text-soft before:content-['→'] sm:block" />
        <Thumb src={outputThumbnail(kind, task)} size={48} />
      </span>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-semibold">{titleOf(task)}</span>
        <span className={classes('block truncate text-soft', isId ? 'font-mono text-[12px]' : 'text-[13px]')}>
          {failed?.error ? failed.error.message : (guest ?? task.task_id)}
        </span>
      </span>
      <span className="hidden w-36 truncate text-[13.5px] text-soft xl:block">{task.experience_id}</span>
      <span className="hidden w-20 text-right text-[13.5px] text-soft tabular-nums md:block">
        <Lasted from={task.started_at} to={task.ended_at} />
      </span>
      <span className="flex w-[106px] shrink-0 flex-col items-end gap-1 sm:w-32">
        <Status status={task.status} small />
        {task.status === 'Running' ? (
          <span className="w-full max-w-24">
            <Progress value={overall(entries)} label={`Progress of ${titleOf(task)}`} />
          </span>
        ) : (
          <Ago at={task.created_at} className="text-[12.5px] text-soft" />
        )}
      </span>
    </Link>
  )
}

const overall = (entries: Entry[]): number =>
  entries.length === 0
    ? 0
    : entries.reduce((sum, entry) => sum + (entry.ended_at ? 1 : entry.progress), 0) / entries.length
