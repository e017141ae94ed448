// The clients: they send, ask again when they got no clear answer, cancel, and try again what failed.
import { setTimeout as sleep } from 'node:timers/promises'
import { multipart, type TestPart } from '../multipart.ts'
import { random } from '../seed.ts'
import { soon, until } from '../until.ts'
import { type Door, isUnclear } from './door.ts'
import { type Asked, type BaitKind, isGroup, note, PAIR, pathOf, plan, planBait, type View } from './history.ts'
import type { Hooks } from './hooks.ts'
import { canMakeClips, clip, labelled } from './label.ts'

export interface Clients {
  history: Asked[]
  accepted(): number
  /** Settles when everything was accepted. */
  sent: Promise<void>
  /** Sends one of the requests that were kept for a chosen instant; its id, or undefined when there is none left. */
  bait(kind: BaitKind): Promise<string | undefined>
  /** Nobody cancels or tries again any more; settles when what was begun is over. */
  rest(): Promise<void>
}

export interface ClientsOptions {
  tasks: number
  /** These of the tasks are kept for chosen instants, and as many small ones for those that were missed. */
  baits: readonly BaitKind[]
  seed: number
  door: Door
  hooks: Hooks
  /** How many requests may have been sent by now. */
  mayHaveSent: () => number
  signal: AbortSignal
}

const SENDERS = 6
const STEWARDS = 2
const PAUSE_MS = 200
const MOST_RETRIES = 2
/** Above the patience of a single request. */
const REST_MS = 70_000
/** Longer than the longest run: what ends a client that waits for its turn is the end of the run. */
const TURN_MS = 24 * 3_600_000

export function startClients({ tasks, baits, seed, door, hooks, mayHaveSent, signal }: ClientsOptions): Clients {
  const next = random(seed + 1)
  const firstKept = tasks - 2 * baits.length
  const history = [
    ...Array.from({ length: firstKept }, (_, serial) => plan(serial, seed, canMakeClips)),
    ...baits.map((kind, at) => planBait(firstKept + at, seed, kind, 'huge')),
    ...baits.map((kind, at) => planBait(firstKept + baits.length + at, seed, kind, 'small')),
  ]
  const byId = new Map<string, Asked>()
  const toRetry: Asked[] = []
  let resting = false
  const isOver = (): boolean => resting || signal.aborted

  async function fileOf({ serial, size, kind }: Asked, name: string, part: number, version: number): Promise<TestPart> {
    if (kind === 'video') return { name, body: clip(), fileName: 'clip.mp4' }
    return { name, body: await labelled({ serial, part, version }, size), fileName: 'picture.png' }
  }

  async function formOf(asked: Asked): Promise<Buffer> {
    if (!isGroup(asked))
      return multipart([
        { name: 'configuration_name', body: `${asked.kind}-${asked.hook}` },
        { name: 'extras', body: JSON.stringify({ rfid: asked.guests[0] }) },
        await fileOf(asked, 'data', 0, 0),
      ])
    const parts = await Promise.all(
      PAIR.map(async (name, part) => [
        { name: `${name}_extras`, body: JSON.stringify({ rfid: asked.guests[part] }) },
        await fileOf(asked, `${name}_data`, part, 0),
      ]),
    )
    return multipart([
      { name: 'configuration_names', body: JSON.stringify(PAIR) },
      { name: 'webhook_url', body: hooks.urls.get(asked.hook) ?? '' },
      ...parts.flat(),
    ])
  }

  /** Until there is a 202, always with the same key. */
  async function send(asked: Asked): Promise<void> {
    const headers = { 'idempotency-key': asked.key }
    const form = await formOf(asked)
    const isAccepted = async (): Promise<boolean> => {
      if (signal.aborted) return true
      const reply = await door.ask('POST', pathOf(asked), form, headers)
      if (reply?.status === 202) {
        asked.ids.add(reply.body.task_id)
        byId.set(reply.body.task_id, asked)
        return true
      }
      const isHeld = reply?.status === 409 && reply.body?.code === 'idempotency_in_progress'
      if (!isUnclear(reply) && !isHeld)
        door.strange.push(`POST ${asked.key}: ${reply?.status} ${JSON.stringify(reply?.body)}`)
      return false
    }
    await until(`${asked.key} is accepted`, isAccepted, TURN_MS, PAUSE_MS)
    if (asked.cancelAfterMs !== null) void cancelLater(asked, asked.cancelAfterMs)
  }

  const own = (asked: Asked): string => `${pathOf(asked)}${[...asked.ids][0]}/`

  async function cancelLater(asked: Asked, ms: number): Promise<void> {
    await sleep(ms)
    if (isOver()) return
    const reply = await door.ask('POST', `${own(asked)}cancel/`)
    if (reply && ![202, 409, 429, 503].includes(reply.status))
      door.strange.push(`cancel: ${reply.status} ${JSON.stringify(reply.body)}`)
  }

  /** Looks first, so that what a run ended with is known before the next one begins. */
  async function retry(asked: Asked): Promise<void> {
    const seen = await door.ask('GET', own(asked))
    const view = seen?.status === 200 ? (seen.body as View) : null
    if (!view || !['Failed', 'Cancelled'].includes(view.status) || asked.retries.asked >= MOST_RETRIES) return
    note(asked, view)
    const part = Math.floor(next() * asked.versions.length)
    const isFresh = next() < 0.4
    const version = (asked.versions[part] as number) + 1
    let form: Buffer | undefined
    if (isFresh) {
      asked.versions[part] = version
      form = multipart([await fileOf(asked, isGroup(asked) ? `${PAIR[part]}_data` : 'data', part, version)])
    }
    asked.retries.asked++
    const reply = await door.ask('POST', `${own(asked)}retry/`, form)
    if (reply?.status === 202) {
      asked.retries.certain++
      if (isFresh) asked.surely[part] = version
    } else if (!isUnclear(reply) && reply?.status !== 409)
      door.strange.push(`retry: ${reply?.status} ${JSON.stringify(reply?.body)}`)
  }

  hooks.onArrival(({ task_id, status }) => {
    const asked = byId.get(task_id)
    if (asked && status === 'Failed' && !isOver() && next() < 0.75) toRetry.push(asked)
  })

  const waiting = history.slice(0, firstKept)
  const kept = history.slice(firstKept)
  async function sender(): Promise<void> {
    for (let asked = waiting.shift(); asked && !signal.aborted; asked = waiting.shift()) {
      const { serial } = asked
      await until('its turn has come', () => signal.aborted || serial <= mayHaveSent(), TURN_MS)
      await send(asked)
    }
    // The rest of those that were kept go last.
    await until(
      'the disturbances are over',
      () => signal.aborted || mayHaveSent() === Number.POSITIVE_INFINITY,
      TURN_MS,
    )
    for (let asked = kept.shift(); asked && !signal.aborted; asked = kept.shift()) await send(asked)
  }
  async function steward(): Promise<void> {
    while (!isOver()) {
      const asked = await until('something failed', () => isOver() || toRetry.shift(), TURN_MS)
      if (asked !== true) await retry(asked)
    }
  }
  const stewards = Promise.all(Array.from({ length: STEWARDS }, steward))
  const sent = Promise.all(Array.from({ length: SENDERS }, sender)).then(() => {})
  sent.catch(() => {})
  stewards.catch(() => {})
  return {
    history,
    accepted: () => byId.size,
    sent,
    async bait(kind) {
      const at = kept.findIndex(asked => asked.kind === kind)
      const [asked] = at < 0 ? [] : kept.splice(at, 1)
      if (!asked) return undefined
      await send(asked)
      return [...asked.ids][0]
    },
    async rest() {
      resting = true
      await soon('the clients rest', stewards, REST_MS)
    },
  }
}
