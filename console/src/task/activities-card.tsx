// The activities a task made: who has received what.

import { UserRound } from 'lucide-react'
import { Link } from 'react-router'
import { useActivities } from '../api/people.ts'
import { CopyId } from '../parts/copy.tsx'
import { Card, CardTitle } from '../parts/page.tsx'
import { Retracted } from '../people/retracted.tsx'
import { t } from '../words/t.ts'

export function ActivitiesCard({ taskId, over }: { taskId: string; over: boolean }) {
  const activities = useActivities({ task_id: taskId }, !over)
  const items = activities.data?.pages.flatMap(page => page.items) ?? []
  return (
    <Card>
      <CardTitle>{t('Activities')}</CardTitle>
      {activities.isSuccess && items.length === 0 && (
        <p className="p-4 text-soft">
          {t('None: no guest was named, none was found, or the configuration records no activity.')}
        </p>
      )}
      <ul>
        {items.map(activity => (
          <li key={activity.activity_id} className="flex items-start gap-3 border-b border-line p-4 last:border-0">
            <UserRound aria-hidden className="mt-0.5 size-5 shrink-0 text-soft" />
            <div className="min-w-0">
              <Link to={`/profiles/${activity.owner_id}`} className="font-semibold underline underline-offset-3">
                {activity.activity_type}
              </Link>
              <div>
                <CopyId id={activity.activity_id} />
              </div>
              {activity.retracted_at !== null && <Retracted at={activity.retracted_at} />}
            </div>
          </li>
        ))}
      </ul>
    </Card>
  )
}
