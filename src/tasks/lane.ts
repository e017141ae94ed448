// Which lane a task waits in: whatever touches video or sound goes with the videos, all else with the pictures.
import type { SnapshotEntry } from '#db/tables.ts'
import { type Adapters, isDestination } from '#engine/adapter.ts'
import type { TaskLane } from '#queue/lanes.ts'

export function laneFor(adapters: Adapters, entries: readonly SnapshotEntry[]): TaskLane {
  const slow = entries.some(({ adapter_name }) => {
    const adapter = adapters.get(adapter_name)
    if (!adapter || isDestination(adapter)) return false
    return [...adapter.accepts, adapter.makes].some(medium => medium === 'video' || medium === 'audio')
  })
  return slow ? 'video' : 'picture'
}
