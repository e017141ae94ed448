// The track beside the entries: where each takes its file from.

import { statusLook } from '../parts/status.tsx'
import { t } from '../words/t.ts'
import type { Lane } from './lanes.ts'

const STEP = 22
const NODE = 26
const BEND = 30

const x = (lane: number) => 13 + lane * STEP

/** One row of the track; it stretches with the height of the entry beside it. */
export function Rail({
  lane,
  count,
  status,
  first,
}: {
  lane: Lane
  count: number
  status: string | null
  first: boolean
}) {
  const look = status ? statusLook(status) : null
  const Icon = look?.icon
  const width = x(count - 1) + 15
  return (
    <div aria-hidden className="relative shrink-0 text-edge" style={{ width }}>
      {lane.passing.map(other => (
        <span key={other} className="absolute inset-y-0 w-0.5 -translate-x-1/2 bg-current" style={{ left: x(other) }} />
      ))}
      {!first && (
        <span
          className="absolute top-0 w-0.5 -translate-x-1/2 bg-current"
          style={{ left: x(lane.own), height: NODE }}
        />
      )}
      {lane.next.map(to => (
        <span key={to}>
          <svg
            className="absolute left-0 overflow-visible"
            style={{ top: NODE }}
            width={width}
            height={BEND}
            fill="none"
            stroke="currentColor"
            strokeWidth={2}
          >
            <title>{t('Track')}</title>
            <path d={`M${x(lane.own)} 0C${x(lane.own)} ${BEND * 0.6} ${x(to)} ${BEND * 0.4} ${x(to)} ${BEND}`} />
          </svg>
          <span
            className="absolute bottom-0 w-0.5 -translate-x-1/2 bg-current"
            style={{ left: x(to), top: NODE + BEND }}
          />
        </span>
      ))}
      <span
        className={`absolute grid size-6 -translate-x-1/2 -translate-y-1/2 place-items-center rounded-full border-2 border-card ${look?.tone ?? 'bg-ink text-card'}`}
        style={{ left: x(lane.own), top: NODE }}
      >
        {Icon && <Icon className={`size-3.5 ${look.spin ? 'animate-[spin_1.6s_linear_infinite]' : ''}`} />}
      </span>
    </div>
  )
}
