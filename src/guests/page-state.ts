// What the page of a keepsake tells at one moment: what is there, what is being made, and how long that takes.

import type { Queries } from '#db/database.ts'
import { isLeftOut, type KeepsakeFile, listKeepsakeFiles } from '#db/nouns/keepsake-rows.ts'
import type { StoredFile } from '#db/tables.ts'
import type { WallState } from '#kit/guest/wall-state.ts'

export interface ShownFile {
  number: number
  /** Null: the record of the task is gone. */
  task_id: string | null
  state: 'being made' | 'ready' | 'failed'
  /** Of one that is ready. */
  file: StoredFile | null
  /** From 0 to 1, of one that is being made. */
  progress: number
  secondsLeft: number | null
  wall: WallState
}

export interface PageState {
  files: ShownFile[]
  /** Something was to be made, and nothing of it is there. */
  isEmpty: boolean
  /** Of those that are being made. */
  taskIds: string[]
  /** The same for two states that look the same. */
  mark: string
}

/** The newest first. Files that are gone are left out. */
export async function pageState(db: Queries, keepsakeId: string): Promise<PageState> {
  const rows = await listKeepsakeFiles(db, keepsakeId)
  const there = rows.filter(row => row.task_id !== null && row.files_deleted_at === null && !isLeftOut(row))
  const files = there.map(row => ({ ...shown(row), wall: row.wall_state }))
  const taskIds = there.flatMap(row => (isOpen(row) && row.task_id !== null ? [row.task_id] : []))
  const isEmpty = files.length === 0 && rows.length > 0
  return {
    files,
    isEmpty,
    taskIds: [...new Set(taskIds)],
    mark: isEmpty ? 'empty' : files.map(({ number, state, file }) => `${number} ${state} ${file?.sha256 ?? ''}`).join(),
  }
}

const isOpen = ({ status }: KeepsakeFile): boolean => status === 'Waiting' || status === 'Running'

function shown(row: KeepsakeFile): Omit<ShownFile, 'wall'> {
  const { number, task_id, output } = row
  if (output?.blob) return { number, task_id, state: 'ready', file: output, progress: 1, secondsLeft: null }
  if (!isOpen(row)) return { number, task_id, state: 'failed', file: null, progress: 0, secondsLeft: null }
  const done = (row.ended + (row.progress ?? 0)) / Math.max(1, row.entries)
  return { number, task_id, state: 'being made', file: null, progress: done, secondsLeft: secondsLeft(row) }
}

/** Below this progress the pace is a guess. */
const FIRST_GUESS = 0.03

/** From the pace of the entry that runs; those after it are taken to last as long. */
function secondsLeft({ started_at, progress, entries, ended }: KeepsakeFile): number | null {
  if (!started_at || progress === null || progress < FIRST_GUESS) return null
  const seconds = (Date.now() - started_at.getTime()) / 1000
  return Math.ceil(seconds * (1 / progress - 1) + (seconds / progress) * Math.max(0, entries - ended - 1))
}
