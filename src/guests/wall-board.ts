// What each wall that is looked at shows now. It is read once for all who look, and told to them as it changes.
import type { Db } from '#db/database.ts'
import {
  findWallExperience,
  listWallFiles,
  listWallKeys,
  listWallsOf,
  type WallExperience,
} from '#db/nouns/wall-rows.ts'
import type { StoredFile } from '#db/tables.ts'
import { wholeGuestPage } from '#kit/guest/guest-page.ts'
import type { Log } from '#kit/log.ts'
import { shownOnWall } from './wall.ts'

/** On one wall, the newest. Some more are looked at, because not all of them may be shown. */
const MOST_ON_WALL = 200
const MOST_LOOKED_AT = 300
/** Between two looks at the same wall, and for the ids of tasks to gather. */
const PAUSE_MS = 200
const AGAIN_MS = 2_000
/** If more tasks change at once, all walls are looked at. */
const MOST_TASKS = 2_000

export interface WallItem {
  wall_id: string
  task_id: string
  accepted_at: Date
  file: StoredFile
}

interface WallReader {
  keyId: string
  /** All that is on the wall, at first and whenever the settings of the wall change. */
  state(experience: WallExperience, items: readonly WallItem[]): void
  changed(added: readonly WallItem[], removed: readonly string[]): void
  /** The key opens nothing any more. */
  end(): void
}

export interface Walls {
  join(experienceId: string, reader: WallReader): Disposable
}

interface WallServices {
  db: Db
  /** Of tasks and of walls, as they happen. */
  changes: {
    watchAll(wake: (taskId: string | null) => void): Disposable
    watchWalls(wake: (experienceId: string | null) => void): Disposable
  }
  settings: { keepFilesDays: number }
  /** When a wall is looked at for what nobody tells: keepsakes whose time is over. */
  waits: { wallMs: number }
  log: Log
}

interface Board {
  readers: Set<WallReader>
  items: Map<string, WallItem>
  look(): void
  close(): void
}

export function newWalls(services: WallServices): Walls {
  const { db, changes, log } = services
  const boards = new Map<string, Board>()
  const tasks = new Set<string>()
  let gathering: NodeJS.Timeout | undefined
  let watching: Disposable[] = []

  const lookAtAll = (): void => {
    for (const board of boards.values()) board.look()
  }

  function changed(taskId: string | null): void {
    if (taskId === null || tasks.size >= MOST_TASKS) {
      lookAtAll()
      return
    }
    tasks.add(taskId)
    gathering ??= setTimeout(() => {
      gathering = undefined
      sortOut().catch(error => {
        log.debug({ err: error }, 'the tasks that changed could not be read for the walls')
        lookAtAll()
      })
    }, PAUSE_MS)
  }

  /** One query tells for all walls whose tasks these were; most changes of tasks are not the end of one. */
  async function sortOut(): Promise<void> {
    const ids = [...tasks]
    tasks.clear()
    const own = [...boards].filter(([, { items }]) => [...items.values()].some(({ task_id }) => ids.includes(task_id)))
    for (const id of new Set([...own.map(([id]) => id), ...(await listWallsOf(db, [...boards.keys()], ids))]))
      boards.get(id)?.look()
  }

  function attend(): void {
    if (watching.length > 0) return
    watching = [
      changes.watchAll(changed),
      changes.watchWalls(id => (id === null ? lookAtAll() : boards.get(id)?.look())),
    ]
  }

  function leave(experienceId: string, board: Board): void {
    if (board.readers.size > 0 || boards.get(experienceId) !== board) return
    board.close()
    boards.delete(experienceId)
    if (boards.size > 0) return
    clearTimeout(gathering)
    gathering = undefined
    for (const each of watching) each[Symbol.dispose]()
    watching = []
  }

  return {
    join(experienceId, reader) {
      const board = boards.get(experienceId) ?? newBoard(services, experienceId)
      boards.set(experienceId, board)
      attend()
      board.readers.add(reader)
      board.look()
      return {
        [Symbol.dispose]() {
          board.readers.delete(reader)
          leave(experienceId, board)
        },
      }
    },
  }
}

/** Looks at once, and again after a pause if something happened meanwhile. */
function newBoard({ db, settings, waits, log }: WallServices, experienceId: string): Board {
  const readers = new Set<WallReader>()
  /** Those who have been told the state. */
  let told = new WeakSet<WallReader>()
  let items = new Map<string, WallItem>()
  let said = ''
  let isClosed = false
  let isBusy = false
  let isAsked = false
  let timer: NodeJS.Timeout | undefined

  function look(): void {
    isAsked = true
    if (isBusy || isClosed) return
    isBusy = true
    isAsked = false
    clearTimeout(timer)
    read()
      .then(() => PAUSE_MS)
      .catch(error => {
        // Those who look keep what they have until the database is back.
        log.debug({ err: error, experience_id: experienceId }, 'a wall could not be read')
        isAsked = true
        return AGAIN_MS
      })
      .then(pauseMs => {
        if (!isClosed) timer = setTimeout(rested, pauseMs)
      })
  }

  function rested(): void {
    isBusy = false
    if (isAsked) look()
    else timer = setTimeout(look, waits.wallMs)
  }

  async function read(): Promise<void> {
    const [experience, keys] = await Promise.all([findWallExperience(db, experienceId), listWallKeys(db, experienceId)])
    const known = new Set(keys.map(({ key_id }) => key_id))
    for (const reader of readers) if (!experience || !known.has(reader.keyId)) reader.end()
    if (!experience) return
    const page = wholeGuestPage(experience.guest_page)
    const rows = page.enabled ? await listWallFiles(db, experienceId, page.approval === 'required', MOST_LOOKED_AT) : []
    const shown = rows.flatMap(row => {
      const file = shownOnWall(experience, row, settings)
      const { wall_id, task_id, accepted_at } = row
      return file ? [{ wall_id, task_id, accepted_at, file }] : []
    })
    tell(experience, shown.slice(0, MOST_ON_WALL))
  }

  function tell(experience: WallExperience, now: readonly WallItem[]): void {
    const next = new Map(now.map(item => [item.wall_id, item]))
    const isSame = ({ wall_id, file }: WallItem): boolean => items.get(wall_id)?.file.sha256 === file.sha256
    const added = now.filter(item => !isSame(item))
    const removed = [...items.keys()].filter(id => !next.has(id))
    items = next
    const says = JSON.stringify(experience)
    if (says !== said) told = new WeakSet()
    said = says
    for (const reader of readers)
      if (!told.has(reader)) {
        told.add(reader)
        reader.state(experience, now)
      } else if (added.length + removed.length > 0) reader.changed(added, removed)
  }

  return {
    readers,
    get items() {
      return items
    },
    look,
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
