// Counts the room of a lane: how many jobs may still be taken, and from which shares.

export interface LaneRules {
  /** Jobs at the same time. */
  slots: number
  /** Jobs of one share at the same time. */
  perShare: number
  /** Extra slots for shares that have no other: one each. */
  onTop?: number
  /**
   * For jobs that only wait for another system. A share that keeps a job longer than `afterMs` is slow. Slow shares have these slots
   * instead of the others, so nobody else waits for them, however many there are.
   */
  slow?: { afterMs: number; slots: number }
}

interface Shares {
  /** Takes a slot; returns a function that frees it. `foundSlow` is called when this work makes the share slow. */
  take(share: string, foundSlow: () => void): () => void
  isFull(share: string): boolean
  /** All shares that are full now. */
  full(): string[]
  /** Number of jobs that may be taken: no share exceeds its limit, even if all of them belong to one share that is not full. */
  freeSlots(): number
}

interface Share {
  jobs: number
  /** How many of the jobs took too long already. */
  late: number
}

/** Most slow shares that are remembered; the one that became slow first is forgotten first. */
const MOST_SLOW = 10_000

export function newShares({
  slots,
  perShare,
  onTop = 0,
  slow: { afterMs, slots: slowSlots } = { afterMs: 0, slots: 0 },
}: LaneRules): Shares {
  const shares = new Map<string, Share>()
  /** A share stays slow until one of its jobs ends in time and none is late. */
  const slow = new Set<string>()

  const freeSlotsOf = (share: string): number => perShare - (shares.get(share)?.jobs ?? 0)
  const jobs = (): number => sum([...shares.values()])
  const slowJobs = (): number => sum([...shares].filter(([name]) => slow.has(name)).map(([, share]) => share))
  /** Shares that become slow at the same time may have more jobs than there are slow slots. */
  const quickRoom = (): number => Math.min(slots - jobs() + slowJobs(), slots + slowSlots - jobs())

  /** All slots are taken; only the extra slots are left, for shares that have no job. */
  const isOnTop = (): boolean => onTop > 0 && jobs() >= slots

  function late(name: string, share: Share, foundSlow: () => void): void {
    share.late++
    if (slow.has(name)) return
    slow.add(name)
    const [first] = slow
    if (slow.size > MOST_SLOW && first !== undefined) slow.delete(first)
    foundSlow()
  }

  return {
    take(name, foundSlow) {
      const share = shares.get(name) ?? { jobs: 0, late: 0 }
      shares.set(name, share)
      share.jobs++
      let isLate = false
      const tooLong = (): void => {
        isLate = true
        late(name, share, foundSlow)
      }
      const timer = slowSlots > 0 ? setTimeout(tooLong, afterMs) : undefined
      return () => {
        clearTimeout(timer)
        share.jobs--
        if (isLate) share.late--
        else if (share.late === 0) slow.delete(name)
        if (share.jobs === 0) shares.delete(name)
      }
    },
    isFull: name =>
      freeSlotsOf(name) <= 0 || (isOnTop() && shares.has(name)) || (slow.has(name) && slowJobs() >= slowSlots),
    full() {
      if (isOnTop()) return [...shares.keys()]
      const full = [...shares.keys()].filter(name => freeSlotsOf(name) <= 0)
      return slowJobs() >= slowSlots ? [...new Set([...full, ...slow])] : full
    },
    freeSlots() {
      if (isOnTop()) return jobs() < slots + onTop ? 1 : 0
      const free = [...shares.keys()].map(freeSlotsOf)
      if (slow.size > 0) free.push(slowSlots - slowJobs())
      return Math.min(quickRoom(), perShare, ...free.filter(left => left > 0))
    },
  }
}

const sum = (shares: readonly Share[]): number => shares.reduce((total, { jobs }) => total + jobs, 0)
