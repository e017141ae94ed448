// How far behind each lane is: in words, with a colour and a sign.

import { CheckCircle2, Clock3, type LucideIcon, TriangleAlert } from 'lucide-react'
import type { Stats } from '../api/shapes.ts'
import { count } from '../format/size.ts'
import { Card } from '../parts/page.tsx'
import { t, tn } from '../words/t.ts'

type Lane = Stats['behind'][number]

export const laneNames: Record<string, string> = {
  picture: t('Pictures'),
  video: t('Videos'),
  transfer: t('Deliveries'),
  callback: t('Callbacks'),
}

const order: Lane['lane'][] = ['picture', 'video', 'transfer']

/** Guests wait this long without asking. */
const LATE_SECONDS = 60
const VERY_LATE_SECONDS = 5 * 60

interface Look {
  icon: LucideIcon
  tone: string
  words: string
}

export function lookOf({ seconds, stalled, waiting }: Lane): Look {
  if (stalled) return { icon: TriangleAlert, tone: 'bg-fail-bg text-fail', words: t('standing still') }
  if (waiting === 0 || seconds < 10) return { icon: CheckCircle2, tone: 'bg-ok-bg text-ok', words: t('up to date') }
  if (seconds < LATE_SECONDS)
    return { icon: Clock3, tone: 'bg-ok-bg text-ok', words: t('{seconds} seconds behind', { seconds }) }
  const minutes = Math.round(seconds / 60)
  const words =
    minutes >= 120
      ? t('{hours} hours behind', { hours: count(Math.round(minutes / 60)) })
      : tn(minutes, '1 minute behind', '{minutes} minutes behind', { minutes: count(minutes) })
  return seconds < VERY_LATE_SECONDS
    ? { icon: Clock3, tone: 'bg-warn-bg text-warn', words }
    : { icon: TriangleAlert, tone: 'bg-fail-bg text-fail', words }
}

export function Behind({ lanes }: { lanes: Lane[] }) {
  return (
    <Card>
      <ul aria-label={t('How far behind')} className="grid sm:grid-cols-3">
        {order
          .flatMap(name => lanes.filter(({ lane }) => lane === name))
          .map(lane => {
            const { icon: Icon, tone, words } = lookOf(lane)
            return (
              <li
                key={lane.lane}
                className="flex items-center gap-3 border-line px-4 py-3 not-last:max-sm:border-b sm:not-last:border-r"
              >
                <span className={`grid size-9 shrink-0 place-items-center rounded-full ${tone}`}>
                  <Icon aria-hidden className="size-5" />
                </span>
                <span className="min-w-0">
                  <span className="edgeprint block">{laneNames[lane.lane]}</span>
                  <span className="block font-display text-[18px] leading-tight font-semibold">{words}</span>
                </span>
                <span className="ml-auto text-[13.5px] whitespace-nowrap text-soft tabular-nums">
                  {lane.waiting === 0 ? t('none waits') : t('{count} waiting', { count: count(lane.waiting) })}
                </span>
              </li>
            )
          })}
      </ul>
    </Card>
  )
}
