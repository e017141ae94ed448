// Unfolds a chain into the list of its single configurations; chains inside chains are unfolded in place.
import { Problem } from '#kit/errors.ts'

export type ChainEntry = readonly [configurationName: string, inputIndex: number | null]

/** The part of a configuration that is needed to unfold it. */
export interface Foldable {
  configuration_name: string
  call_chain: readonly ChainEntry[] | null
}

interface UnfoldedEntry<C extends Foldable> {
  configuration: C
  input_idx: number | null
  /** The chains it stands in, from the outermost. */
  inside: readonly C[]
}

/** `find` gives a configuration by name; `maxEntries` is KEEPSAKE_MAX_CHAIN. */
export function unfold<C extends Foldable>(
  root: C,
  find: (name: string) => C | undefined,
  maxEntries: number,
): UnfoldedEntry<C>[] {
  const entries: UnfoldedEntry<C>[] = []

  /** Appends the entries of `configuration`, with `source` as their input; returns the index of the last one. */
  function append(configuration: C, source: number | null, inside: readonly C[]): number {
    const { configuration_name: name, call_chain: chain } = configuration
    if (chain === null) {
      entries.push({ configuration, input_idx: source, inside })
      if (entries.length > maxEntries)
        throw badChain(`The chain has more than ${maxEntries} entries once unfolded (KEEPSAKE_MAX_CHAIN).`)
      return entries.length - 1
    }
    const around = [...inside, configuration]
    if (inside.some(outer => outer.configuration_name === name))
      throw badChain(`The chain goes in a circle: ${around.map(outer => outer.configuration_name).join(' > ')}.`)
    const outputs: number[] = []
    chain.forEach(([member, inputIndex], position) => {
      const next = find(member)
      if (!next) throw unknownMember(member, name, position)
      outputs.push(append(next, inputIndex === null ? source : outputOf(outputs, inputIndex, position), around))
    })
    return outputs.at(-1) as number
  }

  append(root, null, [])
  return entries
}

function outputOf(outputs: readonly number[], inputIndex: number, position: number): number {
  const output = outputs[inputIndex]
  if (output !== undefined) return output
  throw badChain(
    `Entry ${position} takes its input from entry ${inputIndex}; it must be null (the uploaded file) or the index of an earlier entry${position > 0 ? ` (0 to ${position - 1})` : ''}.`,
    position,
  )
}

function badChain(message: string, position?: number): Problem {
  const field = position === undefined ? 'call_chain' : `call_chain[${position}]`
  return new Problem('bad_chain', message, { errors: [{ field, message }] })
}

function unknownMember(member: string, chain: string, position: number): Problem {
  const message = `There is no configuration "${member}" (entry ${position} of "${chain}").`
  return new Problem('unknown_configuration', message, { errors: [{ field: `call_chain[${position}]`, message }] })
}
