// Follows tasks by their events, over broken connections, until they end or the caller stops.
import type { Entry, Task, TaskGroup } from './api-types.ts'
import type { CallOptions, Connection } from './connection.ts'
import { ConnectionError, KeepsakeError, ProblemError, TimeoutError } from './errors.ts'
import { eventsOf, type ServerEvent } from './event-stream.ts'
import { backoffMs, limit, pause } from './waiting.ts'

type Status = Task['status']

/** What is told of one task or group. */
export type TaskEvent<T extends Task | TaskGroup> =
  | { type: 'task'; task: T }
  | { type: 'entry'; entry: Entry & { chain_id: string } }
  | { type: 'end'; status: Status }

/** What is told of a list: which tasks changed, or that some changes may have been missed. */
export type ListEvent = { type: 'changed'; task_ids: string[] } | { type: 'missed' }

export interface FollowOptions extends CallOptions {
  /** Where an earlier stream stopped: then only what changed since is told. */
  lastEventId?: string | undefined
}

export interface WaitOptions extends CallOptions {
  /** How long to wait for the end; an hour unless told. The task itself goes on. */
  waitMs?: number | undefined
  /** Called at every change, also with the progress of an entry. */
  onEvent?: ((event: TaskEvent<Task | TaskGroup>) => void) | undefined
}

/** The service sends a sign of life every 15 seconds. */
const SILENCE_MS = 45_000
/** A stream that lasted this long was a good one, even where nothing happened. */
const LIVELY_MS = 10_000
const WAIT_MS = 3_600_000
const POLL_MOST_MS = 5_000

export const hasEnded = ({ status }: { status: Status }): boolean =>
  status === 'Succeeded' || status === 'Failed' || status === 'Cancelled'

/** Events of one connection, which ends when the service ends it or is silent. */
async function* oneStream(
  connection: Connection,
  path: string,
  { signal, timeoutMs, lastEventId }: FollowOptions,
  retries: number,
): AsyncGenerator<ServerEvent> {
  const silence = limit(SILENCE_MS, signal)
  try {
    const headers = { accept: 'text/event-stream', 'last-event-id': lastEventId }
    const response = await connection.open('GET', path, { signal: silence.signal, timeoutMs, retries, headers })
    silence.restart()
    if (response.body) yield* eventsOf(response.body, silence.restart)
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof KeepsakeError) throw error
    throw new ConnectionError('connection_failed', `The events of ${path} broke off.`, { cause: error })
  } finally {
    silence.end()
  }
}

const isPassing = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  error instanceof TimeoutError ||
  (error instanceof ProblemError && [408, 429, 502, 503, 504].includes(error.status))

/** Connects again and again; gives up after `retries` attempts in a row that brought nothing. */
async function* reconnecting(
  connection: Connection,
  path: string,
  options: FollowOptions,
): AsyncGenerator<ServerEvent | 'again'> {
  const retries = options.retries ?? connection.retries
  let lastEventId = options.lastEventId
  for (let failures = 0; ; ) {
    let [brought, failure] = [false, undefined as unknown]
    const begun = Date.now()
    try {
      for await (const event of oneStream(connection, path, { ...options, lastEventId }, 0)) {
        brought = true
        if (event.id !== '') lastEventId = event.id
        yield event
      }
    } catch (error) {
      if (!isPassing(error)) throw error
      failure = error
    }
    failures = brought || Date.now() - begun > LIVELY_MS ? 0 : failures + 1
    if (failures > retries)
      throw failure ?? new ConnectionError('connection_failed', `The events of ${path} end as soon as they begin.`)
    const asked = failure instanceof ProblemError ? (failure.retryAfterSeconds ?? 0) * 1000 : 0
    await pause(Math.max(backoffMs(failures), Math.min(asked, 60_000)), options.signal)
    yield 'again'
  }
}

/** The events of one task or group until its end. */
export async function* followTask<T extends Task | TaskGroup>(
  connection: Connection,
  path: string,
  options: FollowOptions = {},
): AsyncGenerator<TaskEvent<T>, void, void> {
  for await (const event of reconnecting(connection, `${path}events/`, options)) {
    const told = event === 'again' ? null : taskEvent<T>(event)
    if (!told) continue
    yield told
    if (told.type === 'end') return
  }
}

function taskEvent<T extends Task | TaskGroup>({ event, data }: ServerEvent): TaskEvent<T> | null {
  if (event === 'task') return { type: 'task', task: JSON.parse(data) as T }
  if (event === 'entry') return { type: 'entry', entry: JSON.parse(data) as Entry & { chain_id: string } }
  if (event === 'end') return { type: 'end', status: (JSON.parse(data) as { status: Status }).status }
  // Whatever a later service tells besides.
  return null
}

/** The changes of all tasks or groups, until the caller stops. After each break there is a `missed`. */
export async function* followList(
  connection: Connection,
  path: string,
  options: CallOptions = {},
): AsyncGenerator<ListEvent, void, void> {
  for await (const event of reconnecting(connection, `${path}events/`, options)) {
    if (event === 'again' || event.event === 'missed') yield { type: 'missed' }
    else if (event.event === 'changed')
      yield { type: 'changed', task_ids: (JSON.parse(event.data) as { task_ids: string[] }).task_ids }
  }
}

/**
 * Waits for the end: reads the task, follows its events, and begins anew when they stop. Where events can't be had (too many streams, a proxy
 * that swallows them) the reading alone goes on, with growing pauses. Outages of the service are sat out.
 */
export async function waitForEnd<T extends Task | TaskGroup>(
  connection: Connection,
  path: string,
  { waitMs = WAIT_MS, onEvent, signal, ...options }: WaitOptions = {},
): Promise<T> {
  const time = limit(waitMs, signal)
  let lastEventId: string | undefined
  try {
    for (let rounds = 0; ; rounds++) {
      try {
        const task = await connection.json<T>('GET', path, { ...options, signal: time.signal })
        if (hasEnded(task)) return task
        const following = { ...options, signal: time.signal, lastEventId }
        for await (const event of oneStream(connection, `${path}events/`, following, 0)) {
          if (event.id !== '') lastEventId = event.id
          const told = taskEvent<T>(event)
          if (!told) continue
          rounds = 0
          onEvent?.(told)
          if (told.type === 'end') break
        }
      } catch (error) {
        if (time.signal.aborted || !isPassing(error)) throw error
      }
      await pause(rounds === 0 ? 0 : backoffMs(rounds, 250, POLL_MOST_MS), time.signal)
    }
  } catch (error) {
    if (!time.isOver()) throw error
    throw new TimeoutError('timeout', `${path} has not ended within ${waitMs} ms. It goes on.`, { cause: error })
  } finally {
    time.end()
  }
}
