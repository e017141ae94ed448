// Removes what unfinished deliveries left at their targets, once no attempt will continue them.
import { replaceCheckpoint } from '#db/tasks/entry-rows.ts'
import { sealCheckpoint } from '../entry/checkpoint.ts'
import type { Loaded } from '../entry/loaded.ts'
import type { TaskServices } from '../task-services.ts'
import { stepAfterDelivery } from './step-after-delivery.ts'

/** A target that does not answer must not keep the task from ending. */
const LIMIT_MS = 15_000
/** Each needs a connection and almost no processor time. */
const AT_ONCE = 32

/** Abandons every delivery of a task that was begun and did not succeed. Never throws. Returns after at most twice the limit. */
export async function abandonDeliveries(services: TaskServices, run: Pick<Loaded, 'task' | 'guests'>): Promise<void> {
  const { task_id } = run.task
  const unfinished = run.task.chains.flatMap(chain =>
    chain.entries
      .filter(({ status, checkpoint }) => status !== 'Succeeded' && checkpoint !== null)
      .map(entry => ({ chain, entry })),
  )
  const begun = performance.now()

  async function abandon({ chain, entry }: (typeof unfinished)[number]): Promise<void> {
    const left = (err: unknown): void =>
      services.log.warn({ err, task_id, index: entry.index }, 'an unfinished delivery was left behind')
    try {
      if (performance.now() - begun > LIMIT_MS) throw new Error('others took all the time there is')
      const place = { chain_id: chain.chain_id, index: entry.index }
      const after = stepAfterDelivery(services, run, chain, entry, {
        signal: AbortSignal.timeout(LIMIT_MS),
        save: checkpoint =>
          replaceCheckpoint(
            services.db,
            place,
            entry.checkpoint,
            sealCheckpoint(services.secretBox, place, checkpoint),
          ),
      })
      await after?.adapter.abandon?.(after.step).catch(error => left(after.error(error)))
    } catch (error) {
      left(error)
    }
  }
  const waiting = unfinished.values()
  const some = async (): Promise<void> => {
    for (const each of waiting) await abandon(each)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, some))
}
