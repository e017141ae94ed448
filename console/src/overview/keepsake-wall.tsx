// The newest keepsakes as a wall of prints: each comes when its picture is there, and none moves without a reason.

import { Images, Play } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link } from 'react-router'
import { type Keepsake, useNewest } from '../api/newest.ts'
import { titleOf } from '../api/tasks.ts'
import { guestOf } from '../format/guest.ts'
import { lasted } from '../format/time.ts'
import { ErrorNote } from '../parts/notes.tsx'
import { Card, CardTitle } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { lastOutput, outputThumbnail } from '../task/outputs.ts'
import { t } from '../words/t.ts'

const MOST = 24
/** A picture that takes longer than this is shown as it is. */
const PATIENCE_MS = 4000

interface Shown extends Keepsake {
  src: string
}

const withPicture = (keepsake: Keepsake): Shown[] => {
  const src = outputThumbnail(keepsake.kind, keepsake.task)
  return src === null ? [] : [{ ...keepsake, src }]
}

/** Resolves when the browser has the picture, or can't have it. */
const fetched = (src: string): Promise<void> =>
  Promise.race([
    new Promise<void>(resolve => {
      const image = new Image()
      image.onload = () => resolve()
      image.onerror = () => resolve()
      image.src = src
    }),
    new Promise<void>(resolve => setTimeout(resolve, PATIENCE_MS)),
  ])

/** What is on the wall: news are hung up only with their pictures, so nothing flickers. */
function useHung(found: Keepsake[] | undefined): Shown[] | null {
  const [hung, setHung] = useState<Shown[] | null>(null)
  useEffect(() => {
    if (!found) return
    let over = false
    const next = found.flatMap(withPicture)
    // The first ones come as fast as they can; of later ones only the new are waited for, the others are there.
    setHung(before => before ?? next)
    void Promise.all(next.map(({ src }) => fetched(src))).then(() => {
      if (!over) setHung(next)
    })
    return () => {
      over = true
    }
  }, [found])
  return hung
}

export function KeepsakeWall({ experience }: { experience: string | null }) {
  const newest = useNewest(experience, MOST)
  const hung = useHung(newest.data)
  return (
    <Card className="overflow-clip">
      <CardTitle
        aside={
          <Link to="/tasks?status=Succeeded&view=gallery" className="text-[14px] underline underline-offset-3">
            {t('All of them')}
          </Link>
        }
      >
        {t('The newest keepsakes')}
      </CardTitle>
      {newest.isError && !hung && (
        <div className="p-4">
          <ErrorNote error={newest.error} retry={() => void newest.refetch()} />
        </div>
      )}
      {hung?.length === 0 && (
        <p className="flex items-center gap-2.5 p-4 text-soft">
          <Images aria-hidden className="size-5 shrink-0" />
          {t('Every picture and video that is made appears here by itself.')}
        </p>
      )}
      <ul
        aria-label={t('The newest keepsakes')}
        aria-busy={hung === null}
        className="grid min-h-32 grid-cols-[repeat(auto-fill,minmax(92px,1fr))] gap-2 p-3 sm:grid-cols-[repeat(auto-fill,minmax(118px,1fr))] sm:gap-3 sm:p-4"
      >
        {hung?.map(keepsake => (
          <li key={keepsake.task.task_id} className="rise min-w-0">
            <Tile keepsake={keepsake} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

export function Tile({ keepsake: { kind, task, src } }: { keepsake: Shown }) {
  const output = lastOutput(task)
  const isVideo = output?.mime.startsWith('video/') ?? false
  const name = titleOf(task)
  const guest = 'extras' in task ? guestOf(task.extras) : null
  const [gone, setGone] = useState<string | null>(null)
  return (
    <Link discover="none" to={`/${kind === 'task' ? 'tasks' : 'groups'}/${task.task_id}`} className="print block">
      <span className="relative block aspect-square overflow-hidden bg-well">
        {gone === src ? (
          <span className="grid size-full place-items-center text-soft">
            <Images aria-hidden className="size-6" />
          </span>
        ) : (
          <img
            src={src}
            alt={guest === null ? '' : name}
            decoding="async"
            onError={() => setGone(src)}
            className="size-full object-cover"
          />
        )}
        {isVideo && (
          <span className="absolute right-1 bottom-1 flex items-center gap-1 rounded bg-black/70 px-1.5 py-0.5 text-[11.5px] font-semibold text-white">
            <Play aria-hidden className="size-3 fill-current" />
            {output?.duration ? lasted(Math.round(output.duration) * 1000) : t('Video')}
          </span>
        )}
      </span>
      <span className="mt-1 block truncate text-[11.5px] font-semibold text-[#22252c]" dir="auto">
        {guest ?? name}
      </span>
      <Ago at={task.ended_at ?? task.created_at} className="block truncate text-[11px] text-[#3b404a]" />
    </Link>
  )
}
