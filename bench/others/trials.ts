// What is measured of each system: throughput, the latency of one task, what a kill -9 loses, how long a second tenant waits.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { median } from '../support/cpu.ts'
import { treeMs } from '../support/tree.ts'
import type { Receiver } from './receiver.ts'
import type { Filling, Kind, Running } from './systems.ts'

const CONNECTIONS = 24
const AT_LONGEST_MS = 180_000

async function sendAll(count: number, send: () => Promise<unknown>): Promise<void> {
  let left = count
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (left-- > 0) await send()
    }),
  )
}

export interface Throughput {
  perSecond: number
  /** Of the whole process tree, for each task. */
  cpuMs: number
}

/** From the first POST until the last callback. */
export async function throughput(running: Running, receiver: Receiver, kind: Kind, count: number): Promise<Throughput> {
  receiver.reset()
  const [cpu, begun] = [treeMs(running.roots()), performance.now()]
  await sendAll(count, () => running.send(kind))
  if (!(await receiver.until(() => receiver.came.size >= count, AT_LONGEST_MS)))
    throw new Error(`only ${receiver.came.size} of ${count} callbacks came`)
  const ms = performance.now() - begun
  return { perSecond: (count / ms) * 1000, cpuMs: (treeMs(running.roots()) - cpu) / count }
}

/** POST to callback, one at a time; the median in milliseconds. */
export async function latency(running: Running, receiver: Receiver, kind: Kind, times: number): Promise<number> {
  const took: number[] = []
  for (let i = 0; i < times; i++) {
    await sleep(100)
    receiver.reset()
    const begun = performance.now()
    await running.send(kind)
    if (!(await receiver.until(() => receiver.came.size > 0, AT_LONGEST_MS))) throw new Error('no callback came')
    took.push(performance.now() - begun)
  }
  return median(took)
}

export interface Loss {
  accepted: number
  /** Accepted, and no callback came in time. */
  lost: number
  /** Callbacks with an id of their own beyond one for each task. */
  doubled: number
  /** Callbacks that came again with the same id. */
  again: number
  /** From the kill until the last callback that came. */
  seconds: number
}

const EVERY_MS = 20
const TRY_AGAIN_MS = 200
const TRY_FOR_MS = 90_000
/** So long after the last task was accepted, or the last callback came, there may still come one. */
const PATIENCE_MS = 45_000

/**
 * Tasks come at a steady pace, each with its Idempotency-Key and again until it is accepted; half-way something is killed.
 * So some are being uploaded then, some wait, some are under way, some are being told.
 */
export async function disturbed(
  running: Running,
  receiver: Receiver,
  count: number,
  kill: 'killWorker' | 'killServer',
): Promise<Loss> {
  receiver.reset()
  const accepted = new Set<string>()
  let [killedAt, quietSince] = [0, performance.now()]
  let killing: Promise<void> | undefined
  const sendOne = async (): Promise<void> => {
    const key = randomUUID()
    const end = performance.now() + TRY_FOR_MS
    for (;;) {
      try {
        accepted.add(await running.send('flip', 'first', key))
        break
      } catch (error) {
        if (performance.now() > end) throw error
        await sleep(TRY_AGAIN_MS)
      }
    }
    if (accepted.size < count / 2 || killing) return
    killedAt = performance.now()
    killing = running[kill]()
  }
  const sent: Promise<void>[] = []
  for (let i = 0; i < count; i++) {
    sent.push(sendOne())
    await sleep(EVERY_MS)
  }
  await Promise.all(sent)
  await killing
  quietSince = performance.now()
  const lost = (): number => [...accepted].filter(id => !receiver.came.has(id)).length
  for (let before = -1; lost() > 0 && performance.now() - quietSince < PATIENCE_MS; ) {
    if (receiver.came.size !== before) quietSince = performance.now()
    before = receiver.came.size
    await receiver.until(() => lost() === 0, 1_000)
  }
  const last = Math.max(killedAt, ...receiver.came.values())
  await sleep(TRY_AGAIN_MS)
  return {
    accepted: accepted.size,
    lost: lost(),
    doubled: receiver.ids.size - (accepted.size - lost()),
    again: receiver.again(),
    seconds: (last - killedAt) / 1000,
  }
}

export interface Wait {
  seconds: number
  /** Of the first tenant, told while the second waited. */
  before: number
  /** False: it did not come, and `seconds` is how long it was waited for. */
  came: boolean
}

/** The first tenant's tasks are all there before the worker is; the second's comes when the worker is at it. */
export async function crowded(filling: Filling, receiver: Receiver, count: number, atLongestMs: number): Promise<Wait> {
  receiver.reset()
  await sendAll(count, () => filling.send('small'))
  await filling.startWorker()
  if (!(await receiver.until(() => receiver.came.size >= Math.min(20, count / 2), AT_LONGEST_MS)))
    throw new Error('the worker does not begin')
  const [begun, already] = [performance.now(), receiver.came.size]
  const id = await filling.send('flip', 'second')
  const came = await receiver.until(() => receiver.came.has(id), atLongestMs)
  const end = receiver.came.get(id) ?? performance.now()
  const before = [...receiver.came.values()].filter(at => at <= end).length - already - (came ? 1 : 0)
  return { seconds: (end - begun) / 1000, before, came }
}
