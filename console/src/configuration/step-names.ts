// Names of steps that are made inside a chain: what somebody typed, or the chain's name with what the step does.
import type { Configuration } from '../api/shapes.ts'
import { adapterTitle } from '../form/words.ts'
import type { Work } from './kept-work.ts'

/** Begins the key of a step that has no name of its own yet. No configuration can have it: names hold no slash. */
const NEW = 'new/'

let last = 0
export const newStepKey = (): string => `${NEW}${++last}`
export const isNewStep = (key: string): boolean => key.startsWith(NEW)

const LONGEST = 128

/** A second one gets a number. */
export function freeName(wanted: string, taken: ReadonlySet<string>): string {
  const base = wanted
    .replaceAll('/', '-')
    .trim()
    .slice(0, LONGEST - 5)
  if (!taken.has(base)) return base
  for (let number = 2; ; number++) if (!taken.has(`${base} ${number}`)) return `${base} ${number}`
}

/** From the key of each new step to the name it will have. */
export function finalNames({ configuration, steps }: Work, taken: ReadonlySet<string>): Map<string, string> {
  const names = new Map<string, string>()
  const used = new Set([...taken, configuration.configuration_name])
  for (const [key, { configuration: step, read }] of Object.entries(steps)) {
    if (read) continue
    const wanted = step.configuration_name.trim() || generatedName(configuration.configuration_name, step)
    // A name that was typed is taken as it is: if it is taken, the service says so.
    const name = step.configuration_name.trim() ? wanted : freeName(wanted, used)
    used.add(name)
    names.set(key, name)
  }
  return names
}

const generatedName = (chain: string, { adapter_name }: Configuration): string =>
  [chain.slice(0, 60), adapterTitle(adapter_name ?? '')].filter(Boolean).join(': ')

/** What a step is called on screen. */
export const shownName = (key: string, step: Configuration | undefined): string =>
  !isNewStep(key) ? key : step?.configuration_name.trim() || adapterTitle(step?.adapter_name ?? '')
