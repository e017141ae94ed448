// Knows what this worker can run now and what other living workers can, so that work goes to one that has what it needs.
import { extrasFor, mergeOptions } from '#configurations/options.ts'
import type { Able } from '#db/tables.ts'
import { ableOthers } from '#db/tasks/workers.ts'
import { isDestination } from '#engine/adapter.ts'
import type { Lane } from '#queue/lanes.ts'
import { workFolderOff } from '#storage/work-folders.ts'
import { worksOnVideo } from '../lane.ts'
import type { TaskServices } from '../task-services.ts'
import type { Chain, Entry } from './loaded.ts'

export interface Fleet {
  /** This worker lacks something of it, and another one that lives has it all. Looks anew before it gives work to nobody. */
  isForAnother(needs: readonly string[]): Promise<boolean>
  /** A tool turned out to be missing while it was needed. */
  lost(needs: readonly string[]): void
  /** Jobs of this share are for others, for as long as `needs` are. */
  leave(share: string, needs: readonly string[]): void
  /** Shares whose jobs are for others. */
  left(): string[]
  takes(lane: Lane): boolean
  /** What this worker can run and what it lacks. */
  able(): Able
  close(): void
}

export interface MachineOff {
  /** What keeps videos from being worked on, a sentence each. */
  video(): string[]
  /** What keeps people from being looked for, a sentence each. */
  people(): string[]
}

/** Stands beside the names of adapters, and is none. */
const PEOPLE = 'models of people'

const LOOK_MS = 2_000
/** A worker that is gone may only be starting anew. */
const GONE_MS = 60_000
/** After this time a tool that was missing is tried again. */
const LOST_MS = 60_000

/** What these entries need of a worker. */
export function needsOf(chain: Chain, entries: readonly Entry[]): string[] {
  const needs = entries.flatMap(({ adapter_name, adapter, config }) => {
    if (!adapter?.looksForPeople || !config) return [adapter_name]
    const options = mergeOptions(adapter, config.defaults, extrasFor(chain.sorted, config, adapter))
    return adapter.looksForPeople(options) ? [adapter_name, PEOPLE] : [adapter_name]
  })
  return [...new Set(needs)].sort()
}

/** The share of jobs that some workers leave to others. No experience has such a name. */
export const shareWith = (experienceId: string, needs: readonly string[]): string =>
  `${experienceId}\n${needs.join('\n')}`
export const experienceOf = (share: string): string => share.split('\n', 1)[0] as string

export async function newFleet(
  { db, log, adapters, settings }: TaskServices,
  workerId: string,
  off: MachineOff,
  now = Date.now,
): Promise<Fleet> {
  const others = new Map<string, { has: ReadonlySet<string>; seenAt: number }>()
  const lostAt = new Map<string, number>()
  const leftShares = new Map<string, readonly string[]>()
  const mediaNames = [...adapters.values()].filter(adapter => !isDestination(adapter)).map(({ name }) => name)
  const videoNames = [...adapters.values()].filter(worksOnVideo).map(({ name }) => name)
  let noFolder: string | null = null
  let lacking = lacks()

  function lacks(): Map<string, string> {
    const lacking = new Map<string, string>()
    const people = off.people()[0]
    const video = off.video()[0]
    const because = (names: Iterable<string>, sentence: string | undefined): void => {
      if (sentence !== undefined) for (const name of names) lacking.set(name, sentence)
    }
    for (const [name, at] of lostAt)
      if (now() - at < LOST_MS) lacking.set(name, `${name}: a tool was missing at the last try`)
      else lostAt.delete(name)
    for (const { name, off } of adapters.values()) because([name], off?.() ?? undefined)
    because([PEOPLE], people)
    because(videoNames, video)
    because(mediaNames, noFolder ?? undefined)
    return lacking
  }

  const hasAll = (needs: readonly string[]): boolean =>
    needs.every(name => !lacking.has(name) && (adapters.has(name) || name === PEOPLE))
  const isForOthers = (needs: readonly string[]): boolean =>
    !hasAll(needs) && [...others.values()].some(({ has }) => needs.every(name => has.has(name)))

  async function look(): Promise<void> {
    noFolder = await workFolderOff(settings.data)
    lacking = lacks()
    for (const { worker_id, able } of await ableOthers(db, workerId))
      others.set(worker_id, { has: new Set(able.has), seenAt: now() })
    for (const [id, { seenAt }] of others) if (now() - seenAt > GONE_MS) others.delete(id)
  }

  let looking: Promise<void> | null = null
  function lookAgain(): Promise<void> {
    looking ??= look()
      .catch(error => log.debug({ err: error }, 'the other workers were not looked at'))
      .finally(() => {
        looking = null
      })
    return looking
  }
  await look()
  const timer = setInterval(lookAgain, LOOK_MS)

  return {
    async isForAnother(needs) {
      if (hasAll(needs)) return false
      await lookAgain()
      return isForOthers(needs)
    },
    lost(needs) {
      for (const name of needs) lostAt.set(name, now())
      lacking = lacks()
    },
    leave: (share, needs) => void leftShares.set(share, needs),
    left() {
      for (const [share, needs] of leftShares) if (!isForOthers(needs)) leftShares.delete(share)
      return [...leftShares.keys()]
    },
    takes(lane) {
      if (lane === 'callback' || lane === 'transfer') return true
      return noFolder === null && !(lane === 'video' && isForOthers(videoNames))
    },
    able() {
      const lost = [...lostAt.keys()].flatMap(name => lacking.get(name) ?? [])
      return {
        has: [...adapters.keys(), PEOPLE].filter(name => !lacking.has(name)),
        lacks: Object.fromEntries(lacking),
        off: [...new Set([...off.video(), ...off.people(), ...(noFolder === null ? [] : [noFolder]), ...lost])],
      }
    },
    close: () => clearInterval(timer),
  }
}
