// Walls: the keys that open them, and which keepsakes may be on them.
import type { Db, Queries, Trx } from '#db/database.ts'
import { recordChange } from '#db/nouns/audit-rows.ts'
import { lockExperience } from '#db/nouns/experience-rows.ts'
import { type KeepsakeRow, readKeepsake, requireThere } from '#db/nouns/keepsake-rows.ts'
import {
  approveFiles,
  deleteWallKeys,
  findWallByKey,
  findWallFile,
  hideFiles,
  insertWallKey,
  listSaidOfMany,
  listWallKeys,
  lockKeepsake,
  type OpenedWall,
  returnFiles,
  type WallExperience,
  type WallFile,
  type WallKey,
} from '#db/nouns/wall-rows.ts'
import type { StoredFile } from '#db/tables.ts'
import { transact } from '#db/transact.ts'
import type { Visible } from '#db/visible.ts'
import type { Actor } from '#kit/actor.ts'
import { badField, Problem } from '#kit/errors.ts'
import { wholeGuestPage } from '#kit/guest/guest-page.ts'
import { isRefusedOnWall, mayBeOnWall, type WallState } from '#kit/guest/wall-state.ts'
import { isId, newId } from '#kit/ids.ts'
import { isLinkCode, newLinkCode, tokenHash } from '#kit/secret/secrets.ts'
import { publicUrlOf, type Settings } from '#kit/settings.ts'
import { endsAt } from './keepsakes.ts'
import { pageState } from './page-state.ts'

const MOST_KEYS = 20

interface Changing {
  db: Db
  actor: Actor
}

/** A key is looked for as its digest, so that the time it takes tells nothing of it. */
const hashOf = (key: string): Buffer => tokenHash(`wall ${key}`)

export async function makeWallKey(
  { db, actor }: Changing,
  visible: Visible,
  experience_id: string,
  name: string | null,
): Promise<{ row: WallKey; key: string }> {
  const key = newLinkCode()
  const row = { key_id: newId(), experience_id, key_hash: hashOf(key), name, created_at: new Date() }
  await transact(db, async trx => {
    await lockExperience(trx, visible, experience_id)
    const { length } = await listWallKeys(trx, experience_id)
    if (length >= MOST_KEYS)
      throw new Problem('over_limit', `A wall has at most ${MOST_KEYS} keys. Revoke those that are not used.`)
    await insertWallKey(trx, row)
    await recordKey(trx, actor, 'create', row)
  })
  return { row, key }
}

/** Revokes all keys of a wall, or the one with the id. Streams that are open end at once. */
export async function revokeWallKeys(
  { db, actor }: Changing,
  visible: Visible,
  experienceId: string,
  keyId: string | null,
): Promise<void> {
  await transact(db, async trx => {
    await lockExperience(trx, visible, experienceId)
    const missing = new Problem('not_found', `The wall has no key "${keyId}".`)
    if (keyId !== null && !isId(keyId)) throw missing
    const revoked = await deleteWallKeys(trx, experienceId, keyId)
    if (keyId !== null && revoked.length === 0) throw missing
    for (const row of revoked) await recordKey(trx, actor, 'delete', row)
  })
}

function recordKey(trx: Trx, actor: Actor, action: 'create' | 'delete', row: WallKey): Promise<void> {
  const { key_id: object_id, experience_id, name } = row
  const [before, after] = action === 'create' ? [null, { name }] : [{ name }, null]
  return recordChange(trx, actor, { action, object: 'wall_key', object_id, experience_id, before, after })
}

/** The wall that a key opens; undefined if it opens another one, or none. */
export async function openWall(db: Queries, experienceId: string, key: string): Promise<OpenedWall | undefined> {
  const wall = await findWallByKey(db, hashOf(key))
  return isLinkCode(key) && wall?.experience_id === experienceId ? wall : undefined
}

export const linkToWall = (
  settings: Pick<Settings, 'publicUrl' | 'host' | 'port'>,
  experienceId: string,
  key: string,
): string => `${publicUrlOf(settings)}/wall/${encodeURIComponent(experienceId)}?key=${key}`

/** The picture or video that a wall shows of a file; undefined where it must not, or there is none. */
export function shownOnWall(
  experience: WallExperience,
  { output, state, said, used_at }: WallFile,
  settings: { keepFilesDays: number },
): StoredFile | undefined {
  const { guest_page, retention_days } = experience
  if (!output?.blob || (output.medium !== 'image' && output.medium !== 'video')) return undefined
  if (endsAt({ used_at, guest_page, retention_days }, settings) < new Date()) return undefined
  return mayBeOnWall(wholeGuestPage(guest_page), { state, said }) ? output : undefined
}

/** Looked up anew for each request: what was hidden a moment ago is not sent. */
export async function wallFile(
  db: Queries,
  wall: WallExperience,
  wallId: string,
  settings: { keepFilesDays: number },
): Promise<{ task_id: string; file: StoredFile }> {
  const row = await findWallFile(db, wall.experience_id, wallId)
  const file = row && shownOnWall(wall, row, settings)
  if (!file) throw new Problem('not_found', 'There is no such picture on the wall.')
  return { task_id: row.task_id, file }
}

/** Approves what is ready, or the files with these numbers. What is made later waits on its own. */
export async function approveKeepsake(
  { db, actor }: Changing,
  visible: Visible,
  id: string,
  wanted: readonly number[] | null,
): Promise<KeepsakeRow> {
  return transact(db, async trx => {
    const row = await lockedKeepsake(trx, visible, id)
    const { files } = await pageState(trx, id)
    const ready = files.filter(({ state }) => state === 'ready').map(({ number }) => number)
    const wrong = wanted?.find(number => !ready.includes(number))
    if (wrong !== undefined) throw badField('numbers', `the keepsake has no file ${wrong} that is ready`)
    const numbers = wanted ?? ready
    if (numbers.length === 0)
      throw new Problem('wrong_state', 'There is no picture to approve yet: none of its files is ready.')
    const isDone = files.every(
      ({ number, state, wall }) => state === 'failed' || wall === 'approved' || numbers.includes(number),
    )
    const state = isDone ? 'approved' : 'waiting'
    await approveFiles(trx, id, numbers, state)
    await recordWall(trx, actor, 'approve', row, { state, numbers })
    return { ...row, wall_state: state }
  })
}

/** Takes a keepsake off the wall, with what comes later. */
export async function hideKeepsake({ db, actor }: Changing, visible: Visible, id: string): Promise<KeepsakeRow> {
  return transact(db, async trx => {
    const row = await lockedKeepsake(trx, visible, id)
    await hideFiles(trx, id)
    await recordWall(trx, actor, 'hide', row, { state: 'hidden' })
    return { ...row, wall_state: 'hidden' }
  })
}

/** Takes a decision back: it waits as if nobody had looked at it. Of one that is hidden, all files do. */
export async function returnKeepsake(
  { db, actor }: Changing,
  visible: Visible,
  id: string,
  numbers: readonly number[] | null,
): Promise<KeepsakeRow> {
  return transact(db, async trx => {
    const row = await lockedKeepsake(trx, visible, id)
    await returnFiles(trx, id, row.wall_state === 'hidden' ? null : numbers)
    await recordWall(trx, actor, 'update', row, { state: 'waiting', ...(numbers ? { numbers } : {}) })
    return { ...row, wall_state: 'waiting' }
  })
}

/** The row as it is once nobody else changes it, if it was not taken back. */
async function lockedKeepsake(trx: Trx, visible: Visible, id: string): Promise<KeepsakeRow> {
  await readKeepsake(trx, visible, id)
  await lockKeepsake(trx, id)
  const row = await readKeepsake(trx, visible, id)
  requireThere(row)
  return row
}

const recordWall = (
  trx: Trx,
  actor: Actor,
  action: 'approve' | 'hide' | 'update',
  { keepsake_id, experience_id, wall_state }: KeepsakeRow,
  after: { state: WallState; numbers?: readonly number[] },
): Promise<void> =>
  recordChange(trx, actor, {
    action,
    object: 'keepsake',
    object_id: keepsake_id,
    experience_id,
    before: { state: wall_state },
    after,
  })

interface OnWall {
  state: WallState
  refused: boolean
}

/** As the API tells it, of several at once. */
export async function onWallOfMany(db: Queries, rows: readonly KeepsakeRow[]): Promise<Map<string, OnWall>> {
  const ids = rows.map(({ keepsake_id }) => keepsake_id)
  const said = await listSaidOfMany(db, ids)
  return new Map(
    rows.map(({ keepsake_id, wall_state }) => [
      keepsake_id,
      { state: wall_state, refused: (said.get(keepsake_id) ?? []).some(isRefusedOnWall) },
    ]),
  )
}

export async function onWall(db: Queries, row: KeepsakeRow): Promise<OnWall> {
  const told = await onWallOfMany(db, [row])
  return told.get(row.keepsake_id) ?? { state: row.wall_state, refused: false }
}
