// The rolls of a configuration's printers: what is used of them, and that one was changed.
import type { Db } from '#db/database.ts'
import { recordChange } from '#db/nouns/audit-rows.ts'
import { readConfiguration } from '#db/nouns/configuration-rows.ts'
import { changeRollsIn, listRolls, type RollRow } from '#db/nouns/printer-rows.ts'
import { transact } from '#db/transact.ts'
import type { Visible } from '#db/visible.ts'
import type { Actor } from '#kit/actor.ts'
import { badField, Problem } from '#kit/errors.ts'

export interface Roll extends RollRow {
  prints_per_roll: number | null
}

/** In the order of the option `printers`. */
export async function readRolls(db: Db, visible: Visible, name: string): Promise<Roll[]> {
  const { printers, prints_per_roll } = await printersOf(db, visible, name)
  return inOrder(printers, await listRolls(db, printers), prints_per_roll)
}

/** One printer of the configuration, or all of them, have a new roll. */
export async function changeRoll(
  db: Db,
  visible: Visible,
  name: string,
  printer: string | undefined,
  actor: Actor,
): Promise<Roll[]> {
  return await transact(db, async trx => {
    const { printers, prints_per_roll, experience_id } = await printersOf(trx, visible, name)
    if (printer !== undefined && !printers.includes(printer))
      throw badField('printer', `must be one of the printers of "${name}": ${printers.join(', ')}`)
    const changed = printer === undefined ? printers : [printer]
    const before = await listRolls(trx, printers)
    await changeRollsIn(trx, changed)
    const after = await listRolls(trx, printers)
    const change = { action: 'update', object: 'configuration', object_id: name, experience_id } as const
    await recordChange(trx, actor, { ...change, before: { rolls: usedOf(before) }, after: { rolls: usedOf(after) } })
    return inOrder(printers, after, prints_per_roll)
  })
}

const usedOf = (rolls: readonly RollRow[]): Record<string, number> =>
  Object.fromEntries(rolls.map(({ printer, used }) => [printer, used]))

const inOrder = (printers: readonly string[], rolls: readonly RollRow[], prints_per_roll: number | null): Roll[] =>
  printers.flatMap(printer =>
    rolls.filter(roll => roll.printer === printer).map(roll => ({ ...roll, prints_per_roll })),
  )

async function printersOf(db: Parameters<typeof readConfiguration>[0], visible: Visible, name: string) {
  const { adapter_name, defaults, experience_id } = await readConfiguration(db, visible, name)
  const { printers, prints_per_roll } = (defaults ?? {}) as { printers?: unknown; prints_per_roll?: unknown }
  if (adapter_name !== 'print_ipp' || !Array.isArray(printers))
    throw new Problem('wrong_state', `"${name}" has no printers, so it has no rolls either.`)
  return {
    printers: printers.filter(each => typeof each === 'string'),
    prints_per_roll: typeof prints_per_roll === 'number' ? prints_per_roll : null,
    experience_id,
  }
}
