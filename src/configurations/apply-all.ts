// Applies many configurations at once, as they are kept in files: all of them or none.

import type { Trx } from '#db/database.ts'
import * as rows from '#db/nouns/configuration-rows.ts'
import type { Visible } from '#db/visible.ts'
import type { Actor } from '#kit/actor.ts'
import { about } from '#kit/errors.ts'
import { nameForm } from '#kit/text.ts'
import { type ConfigurationServices, insert, replace, type Written } from './save-configuration.ts'

type Change = 'made' | 'changed' | 'unchanged'

/** Throws where the stored configuration is not what the sender read. */
export type ExpectNamed = (name: string, stored: rows.ConfigurationRow | null) => void

/** Creates or replaces all of them inside of a transaction. They may name each other in any order. */
export async function applyConfigurations(
  services: ConfigurationServices,
  trx: Trx,
  visible: Visible,
  all: readonly Written[],
  actor: Actor,
  expect: ExpectNamed = () => {},
): Promise<Map<string, Change>> {
  const changes = new Map<string, Change>()
  for (const written of membersFirst(all)) {
    const name = written.configuration_name
    const change = await about(`configuration "${name}"`, `event.configurations[${all.indexOf(written)}]`, () =>
      applyOne(services, trx, visible, written, actor, expect),
    )
    changes.set(name, change)
  }
  return changes
}

async function applyOne(
  services: ConfigurationServices,
  trx: Trx,
  visible: Visible,
  written: Written,
  actor: Actor,
  expect: ExpectNamed,
): Promise<Change> {
  const stored = await rows.findConfiguration(trx, visible, written.configuration_name)
  expect(written.configuration_name, stored ?? null)
  if (!stored) {
    await insert(services, trx, visible, written, actor)
    return 'made'
  }
  const row = await replace(services, trx, visible, stored, written, { change: 'changed', actor })
  return row.revision === stored.revision ? 'unchanged' : 'changed'
}

/** Sorts the members of a chain before the chain. */
function membersFirst(all: readonly Written[]): Iterable<Written> {
  const named = new Map(all.map(one => [nameForm(one.configuration_name), one]))
  const sorted = new Set<Written>()
  function add(one: Written, inside: readonly Written[]): void {
    if (sorted.has(one) || inside.includes(one)) return
    for (const [member] of one.call_chain ?? []) {
      const next = named.get(nameForm(member))
      if (next) add(next, [...inside, one])
    }
    sorted.add(one)
  }
  for (const one of all) add(one, [])
  return sorted
}
