// The lanes of the queue and the data of their jobs. Pictures never wait behind videos, transfers behind neither, callbacks behind none.

export interface Jobs {
  picture: { task_id: string }
  video: { task_id: string }
  /** Tasks that have a file to fetch or to deliver, and no media work before that. */
  transfer: { task_id: string }
  callback: { callback_id: string }
}

export type Lane = keyof Jobs

export const lanes: readonly Lane[] = ['picture', 'video', 'transfer', 'callback']
