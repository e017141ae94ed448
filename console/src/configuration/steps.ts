// The single steps that a configuration runs: itself, or those of its chain, chains inside of it unfolded.
import type { Adapter, Configuration, JsonObject } from '../api/shapes.ts'
import { type Need, needsOf, placeholdersIn } from '../form/needs.ts'
import { defaultsOf, unsavedOptions } from './draft.ts'
import type { Work } from './kept-work.ts'

export interface SingleStep {
  name: string
  configuration: Configuration
  adapter: Adapter | undefined
}

/** `known` are those that are stored; what is being written comes before them. */
export function singleSteps(work: Work, known: readonly Configuration[], adapters: readonly Adapter[]): SingleStep[] {
  const stored = new Map(known.map(one => [one.configuration_name, one]))
  const steps: SingleStep[] = []
  const add = (configuration: Configuration, name: string, inside: readonly string[]): void => {
    if (inside.includes(name) || steps.length >= 64) return
    if (!configuration.call_chain) {
      const adapter = adapters.find(({ adapter_name }) => adapter_name === configuration.adapter_name)
      steps.push({ name, configuration, adapter })
      return
    }
    for (const [member] of configuration.call_chain) {
      const found = work.steps[member]?.configuration ?? stored.get(member)
      if (found) add(found, member, [...inside, name])
    }
  }
  add(work.configuration, work.configuration.configuration_name, [])
  return steps
}

export interface StepNeed extends Need {
  step: SingleStep
}

export const needsOfAll = (steps: readonly SingleStep[]): StepNeed[] =>
  steps.flatMap(step =>
    step.adapter ? needsOf(step.adapter, step.configuration).map(need => ({ ...need, step })) : [],
  )

/** Placeholders of all steps, with the values that stand for them unless a task says otherwise. */
export function placeholdersOf(steps: readonly SingleStep[]): { words: Map<string, string>; isGuestNamed: boolean } {
  const words = new Map<string, string>()
  let isGuestNamed = false
  for (const { configuration } of steps) {
    const { context = {}, ...options } = defaultsOf(configuration)
    for (const name of placeholdersIn(options)) {
      if (name.startsWith('profile.')) isGuestNamed = true
      else {
        const value = (context as Record<string, unknown>)[name]
        words.set(
          name,
          typeof value === 'string' || typeof value === 'number' ? String(value) : (words.get(name) ?? ''),
        )
      }
    }
    if (configuration.activity_config) isGuestNamed = true
  }
  return { words, isGuestNamed }
}

/** For each entry of the chain that is being written, the entry of the unfolded one that ends it; null: it only delivers. */
export function endsOf(work: Work, known: readonly Configuration[], adapters: readonly Adapter[]): (number | null)[] {
  const chain = work.configuration.call_chain
  if (!chain) return []
  let count = 0
  return chain.map(([key]) => {
    const found = work.steps[key]?.configuration ?? known.find(one => one.configuration_name === key)
    const inside = found ? singleSteps({ configuration: found, steps: work.steps }, known, adapters) : []
    count += Math.max(1, inside.length)
    return inside.length > 0 && inside.every(({ adapter }) => adapter?.kind === 'destination') ? null : count - 1
  })
}

/** Options of steps that are stored and changed here, as the extras of a preview. */
export function unsavedOf({ configuration, steps }: Work, stored: Configuration | undefined): JsonObject {
  if (!configuration.call_chain) return unsavedOptions(configuration, stored)
  const each = Object.entries(steps).flatMap(([name, step]) => {
    const options = step.read ? unsavedOptions(step.configuration, step.read.value) : {}
    return Object.keys(options).length > 0 ? [[name, options] as const] : []
  })
  return each.length > 0 ? { per_configuration: Object.fromEntries(each) } : {}
}
