// The overview: rates, latencies and plots over a window, from per-minute counts.
import { statfs } from 'node:fs/promises'
import type { Db } from '#db/database.ts'
import { readNow } from '#db/tasks/busy-now.ts'
import { type MinuteRow, minutesSince, STEP } from '#db/tasks/minutes.ts'
import type { Visible } from '#db/visible.ts'
import { lanesBehind, lookedAt } from './behind.ts'

const MINUTE = 60_000

/** Length of the window and of one point of its plot, in minutes. */
const windows = { hour: [60, 1], day: [24 * 60, 15], week: [7 * 24 * 60, 120] } as const

type Window = keyof typeof windows

interface Asked {
  window: Window
  /** The experiences that the caller may see; null: all, and the machines. */
  visible: Visible
  experienceId?: string | undefined
}

export async function overview(db: Db, dataFolder: string, { window, visible, experienceId }: Asked) {
  const experiences = lookedAt(visible, experienceId)
  const [minutes, width] = windows[window]
  const stride = width * MINUTE
  const from = new Date(Math.floor((Date.now() - minutes * MINUTE) / stride) * stride)
  const lastMinute = new Date(Math.floor(Date.now() / MINUTE) * MINUTE - MINUTE)
  const [rows, recent, now, disk] = await Promise.all([
    minutesSince(db, from, width, experiences),
    minutesSince(db, lastMinute, 1, experiences),
    readNow(db, experiences, visible === null),
    visible === null ? statfs(dataFolder) : null,
  ])
  const behind = await lanesBehind(db, experiences, now.waiting)
  const full = total(recent.filter(({ minute }) => minute.getTime() === lastMinute.getTime()))
  const all = total(rows)
  const buckets = Map.groupBy(rows, row => Math.floor(row.minute.getTime() / stride) * stride)
  const points = Array.from({ length: Math.floor((Date.now() - from.getTime()) / stride) + 1 }, (_each, index) => {
    const at = from.getTime() + index * stride
    const { succeeded, failed, latency } = total(buckets.get(at) ?? [])
    return {
      at: new Date(at).toISOString(),
      succeeded,
      failed,
      p50_ms: percentile(latency, 0.5),
      p95_ms: percentile(latency, 0.95),
    }
  })
  const ended = all.succeeded + all.failed
  return {
    window,
    tasks_per_minute: Math.round((ended / minutes) * 100) / 100,
    last_minute: { succeeded: full.succeeded, failed: full.failed },
    success_rate: ended === 0 ? null : all.succeeded / ended,
    latency_ms: { p50: percentile(all.latency, 0.5), p95: percentile(all.latency, 0.95) },
    waiting: now.waiting,
    running: now.running,
    behind,
    workers: now.workers?.map(worker => ({ ...worker, started_at: worker.started_at.toISOString() })) ?? null,
    disk: disk && { free_bytes: disk.bavail * disk.bsize, total_bytes: disk.blocks * disk.bsize },
    failing: {
      destinations: now.destinations,
      receivers: now.receivers.map(({ receiver, waiting, last_error }) => ({ receiver, waiting, last_error })),
    },
    points,
  }
}

interface Total {
  succeeded: number
  failed: number
  latency: Map<number, number>
}

function total(rows: readonly MinuteRow[]): Total {
  const sum: Total = { succeeded: 0, failed: 0, latency: new Map() }
  for (const { succeeded, failed, latency } of rows) {
    sum.succeeded += succeeded
    sum.failed += failed
    for (const [step, count] of Object.entries(latency))
      sum.latency.set(Number(step), (sum.latency.get(Number(step)) ?? 0) + count)
  }
  return sum
}

/** Exact to within one step of the scale; null if nothing was counted. */
export function percentile(latency: ReadonlyMap<number, number>, share: number): number | null {
  const steps = [...latency].sort(([a], [b]) => a - b)
  const all = steps.reduce((sum, [, count]) => sum + count, 0)
  let below = 0
  for (const [step, count] of steps) {
    below += count
    if (below >= share * all) return Math.round(STEP ** (step + 0.5))
  }
  return null
}
