// What travels through the queues of the other services, and what a queue has to do for them.

export type Steps = 'flip' | 'chain'

export interface PhotoJob {
  id: string
  tenant: string
  steps: Steps
  /** The upload, on disk. */
  path: string
}

export interface CallbackJob {
  id: string
  body: string
}

export interface Work {
  /** Makes the photo and answers what is to be told; a photo that cannot be made is told as well. */
  photo(job: PhotoJob): Promise<CallbackJob>
  /** Rejects unless the receiver has answered 2xx; then it is to be tried again. */
  callback(job: CallbackJob): Promise<void>
  photosAtOnce: number
  callbacksAtOnce: number
}

export interface Queue {
  /** Resolves with how a job is added; that resolves when the queue has it. */
  producer(url: string): Promise<(job: PhotoJob) => Promise<void>>
  /** Resolves when the work goes on; `broken` is called when only a new process can help. */
  consumer(url: string, work: Work, broken: () => void): Promise<void>
}

/** What a process of such a service is started with, as JSON in its first argument. */
export interface Options {
  queue: 'bullmq' | 'graphile'
  url: string
  folder: string
  port: number
  webhookUrl: string
  /** The frame of the chain, a PNG. */
  frame: string
  photosAtOnce: number
}

export const options = (): Options => JSON.parse(process.argv[2] ?? '{}') as Options
