// Names to addresses. The system's own way takes a thread of a few for as long as a name server is silent, so names that hang would take
// them from all others: name servers are asked directly, and the system only for what they do not know.
import { Resolver as Asker, lookup } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

export interface Resolved {
  address: string
  family: number
}

/** Turns a host name into addresses; a test brings its own. */
export type Resolver = (host: string) => Promise<Resolved[]>

interface ResolverOptions {
  /** Addresses of name servers; those of the system unless told. */
  servers?: readonly string[]
  /** For each of two tries; the second takes twice as long. */
  timeoutMs?: number
  hostsFile?: string
  /** The system's way: names of its own, search lists. */
  system?: Resolver
  /** So long a name waits for another that the system looks for. */
  systemWaitMs?: number
}

/** How much longer the other family of addresses is waited for. */
const OTHER_FAMILY_MS = 500

const bySystem: Resolver = host => lookup(host, { all: true })

export function newResolver(options: ResolverOptions = {}): Resolver {
  const { servers, timeoutMs = 2_000, hostsFile = '/etc/hosts', system = bySystem, systemWaitMs = 5_000 } = options
  const asker = new Asker({ timeout: timeoutMs, tries: 2 })
  if (servers) asker.setServers(servers)
  // One thread at most is ours; the others are for whoever else needs a name, the database for one.
  const inTurn = oneByOne(systemWaitMs)

  return async host => {
    if (await isIn(hostsFile, host)) return system(host)
    try {
      return await ask(asker, host)
    } catch (error) {
      if (isSilence(error)) throw Object.assign(new Error('no name server answered'), { code: 'EAI_AGAIN' })
      return inTurn(() => system(host))
    }
  }
}

async function ask(asker: Asker, host: string): Promise<Resolved[]> {
  const families = [
    asker.resolve4(host).then(found => found.map(address => ({ address, family: 4 }))),
    asker.resolve6(host).then(found => found.map(address => ({ address, family: 6 }))),
  ]
  const none = families.map(family => family.catch((): Resolved[] => []))
  const first = await Promise.any(families).catch(error => Promise.reject((error as AggregateError).errors[0]))
  const late = new AbortController()
  const waited = pause(OTHER_FAMILY_MS, first, { signal: late.signal }).catch(() => first)
  const all = await Promise.race([Promise.all(none).then(found => found.flat()), waited])
  late.abort()
  return all
}

/** They were asked and said nothing; the system would wait for them once more. */
const isSilence = (error: unknown): boolean => (error as { code?: string }).code === 'ETIMEOUT'

/** What the machine's own list says goes before what name servers say. */
async function isIn(hostsFile: string, host: string): Promise<boolean> {
  const text = await readFile(hostsFile, 'utf8').catch(() => '')
  const name = host.toLowerCase()
  return text.split('\n').some(line => {
    const [, ...names] = (line.split('#')[0] ?? '').trim().toLowerCase().split(/\s+/)
    return names.includes(name)
  })
}

/** Whoever waits too long for the one before gives up, so that those who wait are never many. */
function oneByOne(waitMs: number): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return async work => {
    const before = last
    let gaveUp = false
    const mine = before.then(() => (gaveUp ? null : work()))
    last = mine.catch(() => {})
    const over = new AbortController()
    const tooLong = pause(waitMs, true, { signal: over.signal }).catch(() => false)
    const isLate = await Promise.race([before.then(() => false), tooLong])
    over.abort()
    if (isLate) {
      gaveUp = true
      throw Object.assign(new Error('too many names are looked for'), { code: 'EAI_AGAIN' })
    }
    return mine as ReturnType<typeof work>
  }
}
