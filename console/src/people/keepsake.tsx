// One activity in a guest's timeline: the picture itself where it is still kept, and where it was delivered.
import { useQuery } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import { Link } from 'react-router'
import { ApiError, at, get } from '../api/client.ts'
import type { Activity, Json, Task, TaskGroup } from '../api/shapes.ts'
import { type Kind, outputUrl } from '../api/tasks.ts'
import { isObject } from '../form/json-text.ts'
import { clockTime, exactly } from '../format/time.ts'
import { Media, Print } from '../parts/media.tsx'
import { lastOutput, outputThumbnail } from '../task/outputs.ts'
import { Retracted } from './retracted.tsx'

const text = (value: Json | undefined): string | null => (typeof value === 'string' && value ? value : null)

/** A task or a group: only the lookup tells. Null when its record is past its retention. */
async function whichever(id: string, signal: AbortSignal): Promise<{ kind: Kind; task: Task | TaskGroup } | null> {
  for (const kind of ['task', 'taskgroup'] as const) {
    try {
      return { kind, task: await get<Task | TaskGroup>(at(kind, id), signal) }
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error
    }
  }
  return null
}

export function Keepsake({ activity }: { activity: Activity }) {
  const taskId = text(activity.payload.task_id)
  const made = useQuery({
    queryKey: ['whichever', taskId],
    queryFn: ({ signal }) => whichever(taskId ?? '', signal),
    enabled: taskId !== null,
    staleTime: 60_000,
  })
  const output = made.data ? lastOutput(made.data.task) : null
  const still = made.data && outputThumbnail(made.data.kind, made.data.task)
  const souvenir = isObject(activity.payload.souvenir_data) ? activity.payload.souvenir_data : {}
  const response = isObject(souvenir.adapter_response) ? souvenir.adapter_response : {}
  const url = text(response.url)
  return (
    <article className="w-64 max-w-full">
      {made.data && output ? (
        <Print caption={text(activity.payload.vcc_config_name) ?? activity.activity_type}>
          <Media
            src={outputUrl(made.data.kind, made.data.task.task_id, ...output.at)}
            mime={output.mime}
            {...(still ? { poster: still } : {})}
            label={`Keepsake: ${activity.activity_type}`}
            className="h-44 w-full object-cover"
          />
        </Print>
      ) : (
        <Print caption={text(activity.payload.vcc_config_name) ?? activity.activity_type}>
          <div className="grid h-44 w-60 max-w-full place-items-center bg-well px-4 text-center text-[14px] text-soft">
            {made.isPending ? 'Loading' : 'The file is no longer kept here'}
          </div>
        </Print>
      )}
      <div className="mt-2 space-y-0.5 text-[14px]">
        <p className="text-soft">
          <time dateTime={activity.created_at} title={exactly(activity.created_at)}>
            {clockTime(activity.created_at)}
          </time>{' '}
          · {activity.activity_type}
        </p>
        {activity.retracted_at !== null && <Retracted at={activity.retracted_at} />}
        <p className="flex flex-wrap gap-x-4">
          {made.data && (
            <Link
              to={`/${made.data.kind === 'task' ? 'tasks' : 'groups'}/${made.data.task.task_id}`}
              className="underline underline-offset-3"
            >
              How it was made
            </Link>
          )}
          {activity.retracted_at === null && url && /^https?:\/\//.test(url) && (
            <a
              href={url}
              target="_blank"
              rel="noopener noreferrer"
              className="inline-flex items-center gap-1 underline underline-offset-3"
            >
              <ExternalLink aria-hidden className="size-3.5" /> Delivered
            </a>
          )}
        </p>
      </div>
    </article>
  )
}
