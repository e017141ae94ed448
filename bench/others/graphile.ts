// The queue on graphile-worker: a runner for photos and one for callbacks, with the batching that its page on performance recommends.
import pg from 'pg'
import type { CallbackJob, PhotoJob, Queue } from './job.ts'
import { load } from './packages.ts'

interface Utils {
  migrate(): Promise<void>
  addJob(task: string, payload: object, spec: object): Promise<unknown>
  forceUnlockWorkers(ids: string[]): Promise<void>
}
type Task = (payload: unknown, helpers: { addJob: Utils['addJob'] }) => Promise<void>
interface Graphile {
  WorkerPreset: object
  makeWorkerUtils(options: { connectionString: string }): Promise<Utils>
  run(options: { preset: object; taskList: Record<string, Task> }): Promise<{ promise: Promise<void> }>
}

const photoSpec = (job: PhotoJob): object => ({ jobKey: `photo ${job.id}`, maxAttempts: 5 })
const callbackSpec = (job: CallbackJob): object => ({ jobKey: `callback ${job.id}`, maxAttempts: 12 })

/**
 * A worker that was killed leaves its jobs locked, for four hours. There is one worker here, so whatever is locked when it starts is its
 * predecessor's; with several this is not known.
 */
async function unlock(url: string, utils: Utils): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await using _end = { [Symbol.asyncDispose]: () => client.end() }
  const { rows } = await client.query<{ locked_by: string }>(
    'select distinct locked_by from graphile_worker.jobs where locked_by is not null',
  )
  if (rows.length > 0) await utils.forceUnlockWorkers(rows.map(row => row.locked_by))
}

export const graphile: Queue = {
  async producer(url) {
    const utils = await load<Graphile>('graphile-worker').makeWorkerUtils({ connectionString: url })
    await utils.migrate()
    return async job => void (await utils.addJob('photo', job, photoSpec(job)))
  },

  async consumer(url, work, broken) {
    const { WorkerPreset, makeWorkerUtils, run } = load<Graphile>('graphile-worker')
    const utils = await makeWorkerUtils({ connectionString: url })
    await utils.migrate()
    await unlock(url, utils)
    const photo: Task = async (payload, helpers) => {
      const job = await work.photo(payload as PhotoJob)
      await helpers.addJob('callback', job, callbackSpec(job))
    }
    const callback: Task = payload => work.callback(payload as CallbackJob)
    const runners: [Record<string, Task>, number][] = [
      [{ photo }, work.photosAtOnce],
      [{ callback }, work.callbacksAtOnce],
    ]
    for (const [taskList, concurrentJobs] of runners) {
      const worker = {
        connectionString: url,
        concurrentJobs,
        maxPoolSize: Math.max(10, concurrentJobs + 2),
        localQueue: { size: concurrentJobs + 1 },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      }
      const { promise } = await run({ preset: { extends: [WorkerPreset], worker }, taskList })
      // It ends itself when it could not write down how a job went.
      promise.then(broken, broken)
    }
  },
}
