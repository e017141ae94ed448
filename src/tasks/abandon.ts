// Takes away what unfinished deliveries left at their targets, once it is sure that nobody goes on with them.
import type { Snapshot } from '#db/tables.ts'
import { afterwards } from './afterwards.ts'
import type { Run } from './run.ts'
import type { TaskServices } from './services.ts'

/** A target that is away must not keep the task from ending. */
const LIMIT_MS = 15_000

/** For every entry of a task whose delivery was begun and did not succeed. Never throws. */
export async function abandonDeliveries(
  services: TaskServices,
  run: Pick<Run, 'task' | 'guests'>,
  snapshots: ReadonlyMap<string, Snapshot>,
): Promise<void> {
  for (const chain of run.task.chains) {
    for (const { index, status, checkpoint } of chain.entries) {
      if (status === 'Succeeded' || checkpoint === null) continue
      const { task_id } = run.task
      const left = (err: unknown): void =>
        services.log.warn({ err, task_id, index }, 'an unfinished delivery was left behind')
      try {
        const after = afterwards(services, run, chain, index, snapshots, LIMIT_MS)
        await after?.adapter.abandon?.(after.step).catch(error => left(after.error(error)))
      } catch (error) {
        left(error)
      }
    }
  }
}
