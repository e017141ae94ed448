// What children prepared of assets, kept for the next task of the same experience: they ask for it, we hold the files.
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject } from '#kit/json.ts'
import { preparedName, trim } from '#media/make/prepared-clips.ts'
import { type ChildRoom, show, takeOut } from '#media/process/child-room.ts'

/** Answers what a child asks: where a prepared file is, or null. A child reaches only what its own experience has made. */
type Answer = (question: unknown, room: ChildRoom) => Promise<unknown>

export function preparedAssets(folder: string): (experienceId: string) => Answer {
  return experienceId => {
    const scope = createHash('sha256').update(experienceId).digest('hex').slice(0, 16)
    return async (question, room) => {
      if (!isObject(question)) return null
      const { take, keep, forget } = question
      if (isKey(take)) return find(join(folder, `${scope}-${take}`), room, preparedName(take))
      if (isKey(keep)) await put(folder, `${scope}-${keep}`, room, preparedName(keep))
      if (isKey(forget)) rmSync(join(folder, `${scope}-${forget}`), { force: true })
      return null
    }
  }
}

const isKey = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)

async function find(kept: string, room: ChildRoom, name: string): Promise<string | null> {
  try {
    const now = new Date()
    await utimes(kept, now, now)
    return await show(room, kept, name)
  } catch {
    return null
  }
}

/** Under another name first, so that nobody sees half of it. */
async function put(folder: string, name: string, room: ChildRoom, made: string): Promise<void> {
  const half = join(folder, `.${name}.${randomUUID()}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  takeOut(room, join(room.out, made), half)
  renameSync(half, join(folder, name))
  await trim(folder)
}
