// Saves a configuration together with the steps that were made or changed with it: all of it or nothing.
import { ApiError, at, query, send } from '../api/client.ts'
import { ChangedMeanwhile, isSame, type Read, readConfiguration, saveConfiguration } from '../api/configurations.ts'
import type { Configuration } from '../api/shapes.ts'
import { writable } from '../api/writable.ts'
import type { Work } from './kept-work.ts'
import { finalNames } from './step-names.ts'

export interface Written {
  /** The name of a step in the chain that is being written; of the configuration itself: null. */
  key: string | null
  body: Configuration
  read: Read | undefined
}

/** What is to be written: steps that are new or changed and used, then the configuration itself. */
export function toWrite(work: Work, read: Read | undefined, taken: ReadonlySet<string>): Written[] {
  const chain = work.configuration.call_chain
  const main: Written = { key: null, body: writable(work.configuration), read }
  if (!chain) return [main]
  const names = finalNames(work, taken)
  const nameOf = (key: string) => names.get(key) ?? key
  const used = new Set(chain.map(([key]) => key))
  const steps = Object.entries(work.steps)
    .filter(([key, { configuration, read }]) => used.has(key) && (!read || !isSame(read.value, configuration)))
    .map(([key, { configuration, read }]) => ({
      key,
      body: writable({
        ...configuration,
        configuration_name: nameOf(key),
        ...(read ? {} : { experience_id: work.configuration.experience_id }),
      }),
      read,
    }))
  return [...steps, { ...main, body: { ...main.body, call_chain: chain.map(([key, input]) => [nameOf(key), input]) } }]
}

const eventOf = (all: readonly Written[]): FormData => {
  const form = new FormData()
  form.set(
    'event',
    JSON.stringify({
      configurations: all.map(({ body }) => body),
      expect: Object.fromEntries(all.map(({ body, read }) => [body.configuration_name, read?.tag ?? null])),
    }),
  )
  return form
}

/** Checks all of it and stores nothing. */
export const dryRunAll = (all: readonly Written[]): Promise<unknown> =>
  send('POST', query(at('apply'), { dry_run: 'true' }), eventOf(all))

export async function saveAll(all: readonly Written[]): Promise<Read> {
  const main = all.at(-1) as Written
  if (all.length === 1) return saveConfiguration(main.body, main.read)
  try {
    await send('POST', at('apply'), eventOf(all))
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'changed_meanwhile') throw error
    const now = await Promise.all(all.map(({ body }) => readConfiguration(body.configuration_name).catch(() => null)))
    // The answer to an earlier try was lost: the service has exactly this.
    if (all.every(({ body }, index) => now[index] && isSame((now[index] as Read).value, body)))
      return now.at(-1) as Read
    const changed = all.findIndex(({ read, body }, index) => {
      const current = now[index]
      return read && current && current.tag !== read.tag && !isSame(current.value, body)
    })
    if (changed >= 0) throw new ChangedMeanwhile(now[changed] as Read)
    throw error
  }
  return readConfiguration(main.body.configuration_name)
}
