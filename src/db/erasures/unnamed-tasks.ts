// Takes what a person is known by out of the records of tasks that stay.
import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Unnamed } from '#kit/guest/unnamed.ts'
import { isObject, type Json, type JsonObject, stableJson } from '#kit/json.ts'
import { json, type Trx } from '../database.ts'
import type { StoredError } from '../tables.ts'
import { isSeen, type Visible } from '../visible.ts'

/** Tasks that one statement looks at: each has up to 100 failures. */
const TASKS_AT_ONCE = 20

interface Unnaming {
  unnamed: Unnamed
  /** What an adapter of this name delivered is found again by its result. */
  canTakeBack: (adapterName: string) => boolean
}

/** Deliveries that can still be taken back: what says where they lie stays as it is. */
interface Staying {
  /** The entries. */
  places: ReadonlySet<string>
  /** What they delivered. */
  results: ReadonlySet<string>
}

const nothing: Staying = { places: new Set(), results: new Set() }

/**
 * The caller holds the tasks. The result of a delivery that can still be taken back stays as it is, also in activities and in callbacks that were
 * not delivered: it says where the delivery lies. A callback that waits is sent as it was made. A long text takes a moment, so others get
 * their turn after each.
 */
export async function unnameTasks(
  trx: Trx,
  visible: Visible,
  taskIds: readonly string[],
  unnaming: Unnaming,
): Promise<void> {
  for (let at = 0; at < taskIds.length; at += TASKS_AT_ONCE) {
    const some = taskIds.slice(at, at + TASKS_AT_ONCE)
    const staying = await unnameEntries(trx, some, unnaming)
    await unnameFailures(trx, some, unnaming)
    await unnameActivities(trx, visible, some, unnaming, staying)
    await unnameWaiting(trx, some, unnaming, staying)
    await unnameCallbacks(trx, some, unnaming, staying)
  }
}

/**
 * Activities outlive the record of their task, and those of other guests name the person, too. The person's own lead to them. Nothing tells any
 * more where the deliveries lie, so none can be taken back.
 */
export async function unnameLeftActivities(
  trx: Trx,
  visible: Visible,
  profileId: string,
  unnaming: Pick<Unnaming, 'unnamed'>,
): Promise<void> {
  const { rows } = await sql<{ task_id: string }>`
    select distinct a.task_id from activities a
    where a.owner_id = ${profileId} and ${isSeen(visible, 'a.experience_id')} and not exists (select from tasks t where t.task_id = a.task_id)
    order by a.task_id`.execute(trx)
  const taskIds = rows.map(({ task_id }) => task_id)
  for (let at = 0; at < taskIds.length; at += TASKS_AT_ONCE)
    await unnameActivities(trx, visible, taskIds.slice(at, at + TASKS_AT_ONCE), unnaming, nothing)
}

const these = (ids: readonly string[]) => sql<string>`any(${[...ids]}::uuid[])`
const place = (chainId: string, entry: number): string => `${chainId}/${entry}`

async function unnameEntries(
  trx: Trx,
  taskIds: readonly string[],
  { unnamed, canTakeBack }: Unnaming,
): Promise<Staying> {
  const rows = await trx
    .selectFrom('entries')
    .innerJoin('chains', 'chains.chain_id', 'entries.chain_id')
    .select(['entries.chain_id', 'entries.index', 'adapter_name', 'entries.status', 'retracted_at'])
    .select(['result', 'error', 'warnings', 'place_values'])
    .where('task_id', '=', these(taskIds))
    .orderBy('entries.chain_id')
    .orderBy('entries.index')
    .forNoKeyUpdate('entries')
    .execute()
  const places = new Set<string>()
  const results = new Set<string>()
  for (const { chain_id, index, adapter_name, status, retracted_at, ...row } of rows) {
    await turn()
    const stays = status === 'Succeeded' && retracted_at === null && canTakeBack(adapter_name)
    if (stays) {
      places.add(place(chain_id, index))
      if (row.result) results.add(delivered(row.result))
    }
    const result = stays ? row.result : unnamed(row.result)
    const error = withoutName(row.error, unnamed)
    const warnings = unnamed(row.warnings)
    // Fixed by an attempt of this run or of an earlier one: what it left lies there, and the next one must not go elsewhere.
    const place_values = stays || status !== 'Succeeded' ? row.place_values : null
    const isSame = result === row.result && error === row.error && warnings === row.warnings
    if (isSame && place_values === row.place_values) continue
    await trx
      .updateTable('entries')
      .set({
        result: result && json(result),
        error: error && json(error),
        warnings: json(warnings),
        place_values: place_values && json(place_values),
      })
      .where('chain_id', '=', chain_id)
      .where('index', '=', index)
      .execute()
  }
  return { places, results }
}

/** Which activities it made may have changed since a callback told of it. */
const delivered = ({ activity: _ids, ...result }: JsonObject): string => stableJson(result)

function withoutName(error: StoredError | null, unnamed: Unnamed): StoredError | null {
  if (error === null) return null
  const message = unnamed(error.message)
  return message === error.message ? error : { ...error, message }
}

async function unnameFailures(trx: Trx, taskIds: readonly string[], { unnamed }: Unnaming): Promise<void> {
  const rows = await trx
    .selectFrom('task_failures')
    .select(['failure_id', 'message'])
    .where('task_id', '=', these(taskIds))
    .execute()
  for (const { failure_id, ...row } of rows) {
    await turn()
    const message = unnamed(row.message)
    if (message !== row.message)
      await trx.updateTable('task_failures').set({ message }).where('failure_id', '=', failure_id).execute()
  }
}

/** Of the other guests too. */
async function unnameActivities(
  trx: Trx,
  visible: Visible,
  taskIds: readonly string[],
  { unnamed }: Pick<Unnaming, 'unnamed'>,
  { places }: Staying,
): Promise<void> {
  const rows = await trx
    .selectFrom('activities')
    .select(['activity_id', 'chain_id', 'entry', 'payload'])
    .where('task_id', '=', these(taskIds))
    .where(isSeen(visible))
    // Whoever unnames several tasks goes through them in this order.
    .orderBy('task_id')
    .orderBy('activity_id')
    .forNoKeyUpdate()
    .execute()
  for (const row of rows) {
    await turn()
    const payload = places.has(place(row.chain_id, row.entry)) ? row.payload : inResponse(row.payload, unnamed)
    if (payload !== row.payload)
      await trx
        .updateTable('activities')
        .set({ payload: json(payload) })
        .where('activity_id', '=', row.activity_id)
        .execute()
  }
}

/** Activities that wait for a guest who was not found yet. */
async function unnameWaiting(
  trx: Trx,
  taskIds: readonly string[],
  { unnamed }: Unnaming,
  { places }: Staying,
): Promise<void> {
  const rows = await trx
    .selectFrom('lookups')
    .select(['chain_id', 'entry', 'kind', 'key', 'activity'])
    .where('task_id', '=', these(taskIds))
    .orderBy('chain_id')
    .orderBy('entry')
    .orderBy('kind')
    .orderBy('key')
    .forNoKeyUpdate()
    .execute()
  for (const { chain_id, entry, kind, key, activity } of rows) {
    await turn()
    if (places.has(place(chain_id, entry)) || !isObject(activity.payload)) continue
    const payload = inResponse(activity.payload, unnamed)
    if (payload !== activity.payload)
      await trx
        .updateTable('lookups')
        .set({ activity: json({ ...activity, payload }) })
        .where('chain_id', '=', chain_id)
        .where('entry', '=', entry)
        .where('kind', '=', kind)
        .where('key', '=', key)
        .execute()
  }
}

/** All else in an activity is written by the configuration. */
function inResponse(payload: JsonObject, unnamed: Unnamed): JsonObject {
  const souvenir_data = unnamed(payload.souvenir_data ?? null)
  return souvenir_data === (payload.souvenir_data ?? null) ? payload : { ...payload, souvenir_data }
}

async function unnameCallbacks(
  trx: Trx,
  taskIds: readonly string[],
  { unnamed }: Unnaming,
  { results }: Staying,
): Promise<void> {
  const rows = await trx
    .selectFrom('callbacks')
    .select(['callback_id', 'status', 'body'])
    .where('task_id', '=', these(taskIds))
    .where('status', '<>', 'Waiting')
    .orderBy('callback_id')
    .forNoKeyUpdate()
    .execute()
  for (const row of rows) {
    await turn()
    // Sent again, it must tell its receiver where the files are.
    const isNeeded = (result: Json): boolean =>
      row.status === 'GivenUp' && isObject(result) && results.has(delivered(result as JsonObject))
    const body = inBody(row.body, result => (isNeeded(result) ? result : unnamed(result)))
    if (body !== row.body)
      await trx.updateTable('callbacks').set({ body }).where('callback_id', '=', row.callback_id).execute()
  }
}

/** Only what the entries answered: names of configurations and states are no one's. For a group it is a list for each configuration. */
function inBody(body: string, inResult: (result: Json) => Json): string {
  const told = JSON.parse(body) as JsonObject
  if (!Array.isArray(told.results)) return body
  let isSame = true
  const results = told.results.map((each): Json => {
    if (!isObject(each)) return each
    const before = (each.result ?? null) as Json
    const result = Array.isArray(before) ? before.map(inResult) : inResult(before)
    const stays = Array.isArray(before) ? before.every((one, at) => one === (result as Json[])[at]) : result === before
    isSame &&= stays
    return stays ? (each as JsonObject) : { ...(each as JsonObject), result }
  })
  return isSame ? body : json({ ...told, results })
}
