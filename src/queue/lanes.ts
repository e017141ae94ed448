// The lanes of the queue and what a job of each carries. Pictures never wait behind videos, callbacks behind neither.

export interface Jobs {
  picture: { task_id: string }
  video: { task_id: string }
  callback: { callback_id: string }
}

export type Lane = keyof Jobs
export type TaskLane = 'picture' | 'video'

export const lanes: readonly Lane[] = ['picture', 'video', 'callback']
