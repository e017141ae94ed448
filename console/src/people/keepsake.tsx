// One activity in a guest's timeline: a picture of what was made where it is still kept, and where it was delivered.

import { ExternalLink, FileQuestion } from 'lucide-react'
import { Link } from 'react-router'
import { useExperiences } from '../api/configurations.ts'
import type { Activity, Json } from '../api/shapes.ts'
import { isObject } from '../form/json-text.ts'
import { kindName } from '../format/size.ts'
import { clockTime, exactly, ownZone, stampedIn } from '../format/time.ts'
import { Media, Print } from '../parts/media.tsx'
import { t } from '../words/t.ts'
import type { Made } from './made.ts'
import { lastSight } from './made.ts'
import { Retracted } from './retracted.tsx'

const text = (value: Json | undefined): string | null => (typeof value === 'string' && value ? value : null)

interface Props {
  activity: Activity
  /** What it is of: undefined while that is being read, null if its record is gone. */
  made: Made | null | undefined
  /** What was made could not be read. */
  trouble: string | null
}

export function Keepsake({ activity, made, trouble }: Props) {
  const souvenir = isObject(activity.payload.souvenir_data) ? activity.payload.souvenir_data : {}
  const response = isObject(souvenir.adapter_response) ? souvenir.adapter_response : {}
  const url = text(response.url)
  const zone = useExperiences().data?.find(one => one.experience_id === activity.experience_id)?.time_zone ?? null
  return (
    <article className="w-64 max-w-full">
      <Print caption={<bdi>{text(activity.payload.vcc_config_name) ?? activity.activity_type}</bdi>}>
        <Shown
          made={made}
          trouble={trouble}
          label={t('Keepsake: {activityType}', { activityType: activity.activity_type })}
        />
      </Print>
      <div className="mt-2 space-y-0.5 text-[14px]">
        <p className="text-soft">
          <time dateTime={activity.created_at} title={exactly(activity.created_at)}>
            {clockTime(activity.created_at)}
          </time>{' '}
          · <bdi>{activity.activity_type}</bdi>
        </p>
        {zone && zone !== ownZone() && (
          <p className="text-soft">{t('At the event: {when}', { when: stampedIn(activity.created_at, zone) })}</p>
        )}
        {activity.retracted_at !== null && <Retracted at={activity.retracted_at} />}
        <p className="flex flex-wrap gap-x-4">
          {made && (
            <Link
              to={`/${made.kind === 'task' ? 'tasks' : 'groups'}/${made.task.task_id}`}
              className="underline underline-offset-3"
            >
              {t('How it was made')}
            </Link>
          )}
          {activity.retracted_at === null && url && /^https?:\/\//.test(url) && (
            <a
              href={url}
              target="_blank"
              rel="noopener noreferrer"
              className="inline-flex items-center gap-1 underline underline-offset-3"
            >
              <ExternalLink aria-hidden className="size-3.5" /> {t('Delivered')}
            </a>
          )}
        </p>
      </div>
    </article>
  )
}

function Shown({ made, trouble, label }: Omit<Props, 'activity'> & { label: string }) {
  if (made === undefined) return <Words>{trouble ?? t('Loading')}</Words>
  const sight = made && lastSight(made)
  if (!sight) return <Words>{t('The file is no longer kept here')}</Words>
  if (!/^(image|video)\//.test(sight.mime))
    return (
      <Words>
        <FileQuestion aria-hidden className="size-5" /> {kindName(sight.mime)}
      </Words>
    )
  // A small picture in place of the file itself: a guest may have dozens.
  return (
    <Media
      src={sight.poster}
      mime="image/jpeg"
      label={label}
      enlarges={sight.src}
      className="h-44 w-60 max-w-full object-cover"
    />
  )
}

const Words = ({ children }: { children: React.ReactNode }) => (
  <div className="flex h-44 w-60 max-w-full items-center justify-center gap-2 bg-well px-4 text-center text-[14px] text-soft">
    {children}
  </div>
)
