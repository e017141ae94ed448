// What needs a hand, by cause: for the first page of the console, and for its alarms on every page.
import { statfs } from 'node:fs/promises'
import type { Db } from '#db/database.ts'
import { failedCauses, givenUpCauses, listFailingSteps, retriedCauses, seenWorkers } from '#db/now/trouble-rows.ts'
import { sharedLookups } from '#db/now/twin-rows.ts'
import { countOpen, failingReceivers } from '#db/tasks/busy-now.ts'
import type { Visible } from '#db/visible.ts'
import { lanesBehind, lookedAt } from './behind.ts'
import { offOf } from './lacking.ts'

/** A disk is nearly full below both of these: a tenth of a large one is still room for an evening. */
const LOW_SHARE = 0.1
const LOW_BYTES = 10 * 1024 ** 3

export async function trouble(db: Db, dataFolder: string, visible: Visible, experienceId: string | undefined) {
  const experiences = lookedAt(visible, experienceId)
  const [failed, failing, retrying, givenUp, receivers, workers, disk, waiting, shared] = await Promise.all([
    failedCauses(db, experiences),
    listFailingSteps(db, experiences),
    retriedCauses(db, experiences),
    givenUpCauses(db, experiences),
    failingReceivers(db, experiences),
    visible === null ? seenWorkers(db) : null,
    visible === null ? statfs(dataFolder) : null,
    countOpen(db, experiences),
    sharedLookups(db, experiences),
  ])
  const lanes = await lanesBehind(db, experiences, waiting)
  const free = disk ? disk.bavail * disk.bsize : 0
  const total = disk ? disk.blocks * disk.bsize : 0
  return {
    failed: failed.map(cause => ({
      ...cause,
      first_created_at: cause.first_created_at.toISOString(),
      last_at: cause.last_at.toISOString(),
    })),
    failing: failing.map(step => ({
      ...step,
      first_at: step.first_at.toISOString(),
      last_at: step.last_at.toISOString(),
    })),
    retrying: retrying.map(cause => ({ ...cause, next_at: cause.next_at?.toISOString() ?? null })),
    given_up: givenUp.map(cause => ({
      ...cause,
      first_created_at: cause.first_created_at.toISOString(),
      last_at: cause.last_at.toISOString(),
    })),
    receivers: receivers.map(one => ({ ...one, next_at: one.next_at?.toISOString() ?? null })),
    workers: workers && {
      alive: offOf(workers.filter(({ silent }) => !silent)).map(({ worker_id, host, off }) => ({
        worker_id,
        host,
        off,
      })),
      silent: workers
        .filter(({ silent }) => silent)
        .map(({ worker_id, host, seen_at }) => ({ worker_id, host, seen_at: seen_at.toISOString() })),
    },
    disk: disk && {
      free_bytes: free,
      total_bytes: total,
      low: total > 0 && free < total * LOW_SHARE && free < LOW_BYTES,
    },
    waiting: waiting.picture + waiting.video + waiting.transfer,
    shared_lookups: shared,
    stalled: lanes.filter(({ stalled }) => stalled).map(({ lane }) => lane),
  }
}
