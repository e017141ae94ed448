// The lanes of the queue and what a job of each carries. Pictures never wait behind videos, files on their way behind neither, callbacks behind none.

export interface Jobs {
  picture: { task_id: string }
  video: { task_id: string }
  /** Tasks that have a file to bring or to deliver, and no media work before that. */
  transfer: { task_id: string }
  callback: { callback_id: string }
}

export type Lane = keyof Jobs

export const lanes: readonly Lane[] = ['picture', 'video', 'transfer', 'callback']
