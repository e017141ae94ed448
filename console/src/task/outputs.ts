// Where the pictures of a task are found.
import type { Entry } from '../api/shapes.ts'
import { type Either, isGroup, type Kind, thumbnailUrl } from '../api/tasks.ts'

interface Found {
  at: number[]
  mime: string
  sha256: string | null
  duration: number | null
}

const last = (entries: Entry[]): Entry | undefined => entries.findLast(({ output }) => output?.sha256)

/** The newest file that came out: of the last entry that made one. */
export function lastOutput(task: Either): Found | null {
  const members = isGroup(task) ? task.tasks : [{ index: 0, entries: task.entries }]
  const member = members.findLast(({ entries }) => last(entries))
  const entry = member && last(member.entries)
  if (!member || !entry?.output) return null
  const { mime, sha256, duration } = entry.output
  return { at: isGroup(task) ? [member.index, entry.index] : [entry.index], mime, sha256, duration: duration ?? null }
}

/** Retries may bring another file; they also start anew. */
export const inputThumbnail = (kind: Kind, task: Either): string =>
  thumbnailUrl(kind, task.task_id, kind === 'task' ? ['input'] : [0, 'input'], task.started_at)

export function outputThumbnail(kind: Kind, task: Either): string | null {
  const output = lastOutput(task)
  return output && thumbnailUrl(kind, task.task_id, output.at, output.sha256?.slice(0, 12) ?? null)
}
