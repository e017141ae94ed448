// What the package offers everywhere.
export type * from './added-types.ts'
export type * from './api-types.ts'
export {
  type CallbackResult,
  type TaskCallback,
  type TaskGroupCallback,
  type VerifiedCallback,
  type VerifyOptions,
  verifyCallback,
} from './callbacks.ts'
export { type CallOptions, etagOf, type KeepsakeOptions, type Request } from './connection.ts'
export {
  BadCallback,
  ConnectionError,
  type FieldError,
  KeepsakeError,
  ProblemError,
  TaskFailed,
  TimeoutError,
  UploadInterrupted,
} from './errors.ts'
export { Download, type DownloadOptions, type FileInput } from './files.ts'
export type { FollowOptions, ListEvent, TaskEvent, WaitOptions } from './following.ts'
export { type GroupResult, Keepsake, type RunOptions, type TaskResult, type TaskRun } from './keepsake.ts'
export { List, type Page, type PageOptions } from './pages.ts'
export type { Extras, FileSource, SendOptions } from './parts.ts'
export { ownAdapter, type SaveOptions, type WriteOptions } from './resources.ts'
export type { Counted, GroupInput, GroupMemberInput, TaskChange, TaskInput, TaskRef, TaskSelection } from './tasks.ts'
export type { Upload, UploadOptions } from './uploads.ts'
