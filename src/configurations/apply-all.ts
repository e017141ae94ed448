// Applies many configurations at once, as they are kept in files: all of them or none.

import type { Trx } from '#db/database.ts'
import * as rows from '#db/nouns/configuration-rows.ts'
import type { Visible } from '#db/visible.ts'
import { Problem } from '#kit/errors.ts'
import { isSame } from './same-configuration.ts'
import {
  type ConfigurationServices,
  checkMove,
  prepare,
  relate,
  type Saving,
  type Written,
  write,
} from './save-configuration.ts'

export type Change = 'made' | 'changed' | 'unchanged'

/** Creates or replaces all of them, or none. They may name each other in any order. */
export async function applyConfigurations(
  services: ConfigurationServices,
  visible: Visible,
  all: readonly Written[],
  saving: Saving = { dryRun: false },
): Promise<Map<string, Change>> {
  return write(services, saving, async trx => {
    const changes = new Map<string, Change>()
    for (const written of membersFirst(all)) {
      const name = written.configuration_name
      changes.set(name, await within(name, () => applyOne(services, trx, visible, written)))
    }
    return changes
  })
}

async function applyOne(
  services: ConfigurationServices,
  trx: Trx,
  visible: Visible,
  written: Written,
): Promise<Change> {
  const stored = (await rows.findConfiguration(trx, visible, written.configuration_name)) ?? null
  const made = await prepare(services, trx, visible, written, stored)
  if (stored && isSame(services.secretBox, stored, made.row)) return 'unchanged'
  if (stored) await checkMove(trx, stored, made.row.experience_id)
  await (stored ? rows.updateConfiguration(trx, made.row) : rows.insertConfiguration(trx, made.row))
  await relate(trx, written.configuration_name, made)
  return stored ? 'changed' : 'made'
}

/** Sorts the members of a chain before the chain. */
function membersFirst(all: readonly Written[]): Iterable<Written> {
  const named = new Map(all.map(one => [one.configuration_name, one]))
  const sorted = new Set<Written>()
  function add(one: Written, inside: readonly Written[]): void {
    if (sorted.has(one) || inside.includes(one)) return
    for (const [member] of one.call_chain ?? []) {
      const next = named.get(member)
      if (next) add(next, [...inside, one])
    }
    sorted.add(one)
  }
  for (const one of all) add(one, [])
  return sorted
}

async function within<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const errors = error.errors && { errors: error.errors }
    throw new Problem(error.code, `"${name}": ${error.message}`, { cause: error, ...errors })
  }
}
