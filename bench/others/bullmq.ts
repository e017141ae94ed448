// The queue on BullMQ and Redis: photos and callbacks as queues of their own, so that a receiver that is away holds no photo up.
import type { CallbackJob, PhotoJob, Queue } from './job.ts'
import { load } from './packages.ts'

interface BullQueue {
  add(name: string, data: object, options: object): Promise<unknown>
  waitUntilReady(): Promise<unknown>
  on(event: 'error', listener: (error: Error) => void): void
}
interface BullWorker {
  waitUntilReady(): Promise<unknown>
  on(event: 'error', listener: (error: Error) => void): void
  on(event: 'failed', listener: (job: unknown, error: Error) => void): void
}
interface BullMq {
  Queue: new (name: string, options: object) => BullQueue
  Worker: new <Data>(name: string, handler: (job: { data: Data }) => Promise<void>, options: object) => BullWorker
}

const connection = (url: string): object => {
  const { hostname: host, port } = new URL(url)
  return { host, port: Number(port) }
}

/** What has ended is kept for a while: its id keeps a request that comes twice from running twice. */
const kept = { removeOnComplete: { count: 5_000 }, removeOnFail: { count: 5_000 } }
const photoOptions = { attempts: 5, backoff: { type: 'exponential', delay: 1_000 }, ...kept }
const callbackOptions = { attempts: 12, backoff: { type: 'exponential', delay: 1_000 }, ...kept }

/** The defaults free the jobs of a dead worker after 30 to 60 s; a photo takes a tenth of a second. */
const stalled = { lockDuration: 10_000, stalledInterval: 5_000, maxStalledCount: 3 }

const say = (error: Error): void => console.error(error.message)

export const bullmq: Queue = {
  async producer(url) {
    const { Queue } = load<BullMq>('bullmq')
    // A request is refused at once while Redis is away, as BullMQ's own guide has it.
    const photos = new Queue('photos', { connection: { ...connection(url), enableOfflineQueue: false } })
    photos.on('error', say)
    await photos.waitUntilReady()
    return async job => void (await photos.add('photo', job, { jobId: job.id, ...photoOptions }))
  },

  async consumer(url, work) {
    const { Queue, Worker } = load<BullMq>('bullmq')
    // Never gives a command up: work that is done waits until Redis is back.
    const patient = { ...connection(url), maxRetriesPerRequest: null }
    const callbacks = new Queue('callbacks', { connection: patient })
    callbacks.on('error', say)
    const photo = async ({ data }: { data: PhotoJob }): Promise<void> => {
      const job = await work.photo(data)
      await callbacks.add('callback', job, { jobId: job.id, ...callbackOptions })
    }
    const callback = ({ data }: { data: CallbackJob }): Promise<void> => work.callback(data)
    const common = { connection: patient, ...stalled }
    const workers = [
      new Worker<PhotoJob>('photos', photo, { ...common, concurrency: work.photosAtOnce }),
      new Worker<CallbackJob>('callbacks', callback, { ...common, concurrency: work.callbacksAtOnce }),
    ]
    for (const worker of workers) {
      worker.on('error', say)
      worker.on('failed', (_job, error) => say(error))
    }
    await Promise.all(workers.map(worker => worker.waitUntilReady()))
  },
}
