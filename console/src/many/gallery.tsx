// The task list as pictures: what came out of each, with its state where it is not the usual one.

import { useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { type Either, type Kind, titleOf } from '../api/tasks.ts'
import { guestOf } from '../format/guest.ts'
import { classes } from '../parts/classes.ts'
import { Status } from '../parts/status.tsx'
import { Ago } from '../parts/time.tsx'
import { lastOutput, outputThumbnail } from '../task/outputs.ts'
import { t } from '../words/t.ts'

interface Props {
  items: Either[]
  kind: Kind
  selected: ReadonlySet<string>
  onSelect(id: string, range: boolean): void
  onNearEnd(): void
}

export function Gallery({ items, kind, selected, onSelect, onNearEnd }: Props) {
  const end = useRef<HTMLDivElement>(null)
  const near = useRef(onNearEnd)
  near.current = onNearEnd
  useEffect(() => {
    const observer = new IntersectionObserver(
      seen => seen.some(({ isIntersecting }) => isIntersecting) && near.current(),
      {
        rootMargin: '600px',
      },
    )
    if (end.current) observer.observe(end.current)
    return () => observer.disconnect()
  }, [])
  return (
    <>
      <ul
        aria-label={kind === 'task' ? t('Tasks') : t('Task groups')}
        className="grid grid-cols-[repeat(auto-fill,minmax(104px,1fr))] gap-2.5 p-3 sm:grid-cols-[repeat(auto-fill,minmax(150px,1fr))] sm:gap-4 sm:p-4"
      >
        {items.map(task => (
          <li
            key={task.task_id}
            className={classes(
              'relative min-w-0 [contain-intrinsic-size:auto_200px] [content-visibility:auto]',
              selected.has(task.task_id) && 'rounded-lg outline-3 outline-offset-2 outline-run',
            )}
          >
            <Picture task={task} kind={kind} />
            <label className="absolute top-0 left-0 grid size-11 cursor-pointer place-items-center">
              <input
                type="checkbox"
                aria-label={t('Select {title}', { title: titleOf(task) })}
                checked={selected.has(task.task_id)}
                onClick={event => onSelect(task.task_id, event.shiftKey)}
                onChange={() => {}}
                className="size-5 accent-[var(--ink)]"
              />
            </label>
          </li>
        ))}
      </ul>
      <div ref={end} aria-hidden />
    </>
  )
}

function Picture({ task, kind }: { task: Either; kind: Kind }) {
  const src = outputThumbnail(kind, task)
  const isVideo = lastOutput(task)?.mime.startsWith('video/') ?? false
  const guest = 'extras' in task ? guestOf(task.extras) : null
  return (
    <Link discover="none" to={`/${kind === 'task' ? 'tasks' : 'groups'}/${task.task_id}`} className="print block">
      <span className="relative block aspect-square overflow-hidden bg-well">
        {src && <img src={src} alt="" loading="lazy" decoding="async" className="size-full object-cover" />}
        {(task.status !== 'Succeeded' || isVideo) && (
          <span className="absolute right-1 bottom-1">
            <Status status={task.status} {...(task.status === 'Succeeded' ? { word: t('Video') } : {})} small />
          </span>
        )}
      </span>
      <span dir="auto" className="mt-1 block truncate text-[12px] font-semibold text-[#22252c]">
        {guest === null ? titleOf(task) : `${guest}, ${titleOf(task)}`}
      </span>
      <Ago at={task.created_at} className="block truncate text-[11.5px] text-[#3b404a]" />
    </Link>
  )
}
