// What a fixture of an upgrade says about itself: everything that a later version must have kept.

export interface Facts {
  version: string
  /** When its processes were stopped. */
  made_at: string
  /** By scope; and one that has expired. */
  tokens: Record<'read' | 'tasks' | 'write' | 'admin' | 'expired', string>
  /** Of a console that was signed in. */
  cookie: string
  /** What a delivery to this path of the receiver must carry. */
  authorization: Record<string, string>
  /** By experience: each of them signs. */
  webhook_secrets: Record<string, string[]>
  /** Answers to GET of what was finished, by path. */
  views: Record<string, object>
  /** SHA-256 of files, by path. */
  files: Record<string, string>
  /** Paths of tasks and groups that had not ended. */
  unfinished: string[]
  /** Callbacks with the experience they belong to and the bytes that were frozen. */
  waiting: { callback_id: string; experience_id: string; body: string }[]
  givenUp: { callback_id: string; experience_id: string; body: string }[]
  /** Keys of requests that may be sent again with the same file, and the task that they made. Both ran `flip`. */
  idempotent: { key: string; task_id: string }[]
  /** A value that no profile had yet, and the task that waits for its guest. */
  pending: { rfid: string; task_id: string }
}

/** Stands for the port of the receiver, which is another one each time. */
export const PORT = '{{receiver_port}}'
