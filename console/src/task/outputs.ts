// Where the pictures of a task are found.
import type { Entry } from '../api/shapes.ts'
import { type Either, isGroup, type Kind } from '../api/tasks.ts'

interface Found {
  at: number[]
  mime: string
}

const last = (entries: Entry[]): Entry | undefined =>
  entries.findLast(entry => entry.output !== null && entry.output.sha256 !== null)

/** The newest file that came out: of the last entry that made one. */
export function lastOutput(kind: Kind, task: Either): Found | null {
  if (kind === 'taskgroup' && isGroup(task)) {
    const member = task.tasks.findLast(({ entries }) => last(entries))
    const entry = member && last(member.entries)
    return member && entry?.output ? { at: [member.index, entry.index], mime: entry.output.mime } : null
  }
  if (isGroup(task)) return null
  const entry = last(task.entries)
  return entry?.output ? { at: [entry.index], mime: entry.output.mime } : null
}

/** The file that was sent in. */
export function inputThumb(_kind: Kind, _task: Either): { src: string | null; mime: string | null } {
  return { src: null, mime: null }
}

/** The file that was sent in, to be shown above the graph; null where it is not kept. */
export function inputOf(_kind: Kind, _task: Either, _member?: number): { src: string; mime: string } | null {
  return null
}
