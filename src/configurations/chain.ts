// Checks a chain: its members exist in the same experience or are shared, it has no circle, and neither it nor a chain above is too long.

import type { Trx } from '#db/database.ts'
import * as rows from '#db/nouns/configuration-rows.ts'
import { configurationsBelow } from '#db/tasks/snapshots.ts'
import { isVisible, type Visible } from '#db/visible.ts'
import { isProblem, Problem } from '#kit/errors.ts'
import { type ChainEntry, type Foldable, unfold } from './unfold.ts'

interface Chain extends Foldable {
  experience_id: string
  call_chain: readonly ChainEntry[]
}

export async function checkChain(
  trx: Trx,
  visible: Visible,
  chain: Chain,
  stored: rows.ConfigurationRow | null,
  maxChain: number,
): Promise<void> {
  const below = await configurationsBelow(
    trx,
    chain.call_chain.map(([member]) => member),
  )
  const find = (name: string): Foldable | undefined => {
    if (name === chain.configuration_name) return chain
    const found = below.get(name)
    return found && (found.experience_id ?? chain.experience_id) === chain.experience_id ? found : undefined
  }
  chain.call_chain.forEach(([member], position) => {
    const found = below.get(member)
    if (found && found.experience_id !== null && !find(member) && isVisible(visible, found.experience_id))
      throw foreign(member, found.experience_id, chain.experience_id, position)
  })
  unfold<Foldable>(chain, find, maxChain)
  if (stored) await checkAbove(trx, chain, maxChain)
}

/** A chain that grows makes the chains that name it grow, too. */
async function checkAbove(trx: Trx, chain: Chain, maxChain: number): Promise<void> {
  for (const name of await rows.chainsAbove(trx, chain.configuration_name)) {
    const members = chain.call_chain.map(([member]) => member)
    const below = new Map<string, Foldable>(await configurationsBelow(trx, [name, ...members]))
    below.set(chain.configuration_name, chain)
    try {
      unfold<Foldable>(below.get(name) as Foldable, member => below.get(member), maxChain)
    } catch (error) {
      if (!isProblem(error)) throw error
      const message = `In the chain "${name}", which names this one: ${error.message}`
      throw new Problem(error.code, message, { errors: [{ field: 'call_chain', message }] })
    }
  }
}

function foreign(member: string, theirs: string, ours: string, position: number): Problem {
  const message = `"${member}" belongs to the experience "${theirs}", the chain to "${ours}".`
  return new Problem('bad_chain', message, { errors: [{ field: `call_chain[${position}]`, message }] })
}
