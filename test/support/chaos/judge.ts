// Holds what the clients were told and the receivers got against each other: nothing lost, nothing twice, nobody condemned.
import { type Asked, type EntryView, entriesOf, note, type View } from './history.ts'
import { CLIP, nameInside } from './label.ts'
import type { Taken } from './targets.ts'

export interface Evidence {
  history: readonly Asked[]
  /** Answers that no client should get. */
  strange: readonly string[]
  /** Every task and task group that the API lists, by its id. */
  views: ReadonlyMap<string, View>
  callbacks: readonly { callback_id: string; task_id: string; status: string }[]
  activities: readonly { owner_id: string; payload: { task_id: string; object_id: string } }[]
  /** Guest to profile. */
  profiles: ReadonlyMap<string, string>
  /** webhook-id to the bodies that came with it. */
  arrived: ReadonlyMap<string, ReadonlySet<string>>
  /** How often callbacks came, repeated ones too. */
  attempts: number
  taken: Record<'web' | 'mail', readonly Taken[]>
  /** Key to the bytes that lie there. */
  bucket: ReadonlyMap<string, Buffer>
}

export interface Check {
  what: string
  complaints: string[]
}

export interface Judgement {
  checks: Check[]
  facts: Record<string, number>
}

/** Ends that an entry may come to without any fault of Keepsake: the target said so, nobody can know, or a client wanted it. */
const honest = new Set(['destination_refused', 'outcome_unknown', 'cancelled'])

export async function judge(evidence: Evidence): Promise<Judgement> {
  const { history, views, strange } = evidence
  const checks = new Map<string, string[]>()
  const check = (what: string): ((complaint: string) => void) => {
    const complaints = checks.get(what) ?? []
    checks.set(what, complaints)
    return complaint => void complaints.push(complaint)
  }
  const told = check('every accepted request is there, and has ended')
  const twice = check('no request was accepted twice')
  const condemned = check('nothing failed without a fault of its own')
  const known = new Set(history.flatMap(({ ids }) => [...ids]))
  for (const id of views.keys()) if (!known.has(id)) twice(`${id} is nobody's`)
  for (const asked of history) {
    const { key, ids } = asked
    if (ids.size !== 1) twice(`${key} became ${[...ids].join(' and ') || 'nothing'}`)
    for (const id of ids) {
      const view = views.get(id)
      if (!view) told(`${key}: ${id} is not there`)
      else if (!['Succeeded', 'Failed', 'Cancelled'].includes(view.status)) told(`${key}: ${id} is ${view.status}`)
      else note(asked, view)
    }
    for (const { view } of asked.ends.values())
      for (const { configuration, error, overall } of entriesOf(view))
        if (error && !honest.has(error.code))
          condemned(
            `${view.task_id} (${asked.key}), entry ${overall} (${configuration}): ${error.code}: ${error.message}`,
          )
    for (const { view } of asked.ends.values())
      if (view.status === 'Failed' && entriesOf(view).every(({ error }) => error === null))
        condemned(`${view.task_id} (${asked.key}) failed, and no entry says why`)
  }
  const answers = check('no answer was strange')
  for (const line of strange) answers(line)
  judgeCallbacks(evidence, check)
  await judgeDeliveries(evidence, check)
  judgeActivities(evidence, check)
  return {
    checks: [...checks].map(([what, complaints]) => ({ what, complaints })),
    facts: factsOf(evidence),
  }
}

type NewCheck = (what: string) => (complaint: string) => void

function judgeCallbacks({ history, callbacks, arrived }: Evidence, check: NewCheck): void {
  const each = check('each run told its end once')
  const missing = check('every callback came, with one body and no other')
  const byTask = Map.groupBy(callbacks, ({ task_id }) => task_id)
  for (const { ids, retries, key } of history)
    for (const id of ids) {
      const runs = byTask.get(id)?.length ?? 0
      // Where the answer to a retry was lost, the client cannot know whether there was one more run.
      if (runs < 1 + retries.certain || runs > 1 + retries.asked)
        each(`${id} (${key}): ${runs} callbacks for ${1 + retries.certain} to ${1 + retries.asked} runs`)
    }
  const listed = new Set(callbacks.map(({ callback_id }) => callback_id))
  for (const { callback_id, task_id, status } of callbacks) {
    const bodies = arrived.get(callback_id)
    if (!bodies) missing(`${callback_id} of ${task_id} never came (${status})`)
    else if (status !== 'Delivered') missing(`${callback_id} of ${task_id} is ${status}`)
  }
  for (const [id, bodies] of arrived) {
    if (bodies.size > 1) missing(`${id} came with ${bodies.size} bodies: ${[...bodies].join(' | ').slice(0, 600)}`)
    if (!listed.has(id)) missing(`${id} came, but is not listed`)
  }
}

interface Found {
  asked: Asked
  overall: number
  label: string
}

async function judgeDeliveries({ history, views, taken, bucket }: Evidence, check: NewCheck): Promise<void> {
  const twice = check('no delivery was made twice, unless it was told that its outcome is unknown')
  const markers = check('a marker stands for one file')
  const right = check('what succeeded has arrived, and every pixel is right')
  const byId = new Map(history.flatMap(asked => [...asked.ids].map(id => [id, asked] as const)))
  const found = new Map<string, number>()
  const labels = new Map<string, string>()
  for (const [target, list] of Object.entries(taken))
    for (const { marker, bytes } of list) {
      const label = await nameInside(bytes)
      const place = placeOf(marker, label, byId)
      if (!place) {
        right(`${target} was given ${label} as ${marker}`)
        continue
      }
      const before = labels.get(marker)
      if (before !== undefined && before !== label) markers(`${marker} was ${before}, then ${label}`)
      labels.set(marker, label)
      const spot = `${marker.slice(0, 36)} ${place.overall} ${label}`
      found.set(spot, (found.get(spot) ?? 0) + 1)
    }
  for (const [spot, count] of found) {
    const [id = '', overall, label = ''] = spot.split(' ')
    const asked = byId.get(id) as Asked
    const excused = unknownEnds(asked, Number(overall), label)
    if (count > 1 + excused) twice(`${id} (${asked.key}), entry ${overall}: ${count} times, ${excused} told as unknown`)
  }
  for (const [id, asked] of byId)
    for (const { configuration, status, result, overall, part } of entriesOf(views.get(id) ?? noView)) {
      if (status !== 'Succeeded' || isTurn(configuration)) continue
      const wanted = possibleLabels(asked, part)
      if (configuration === 'to-bucket') {
        const bytes = bucket.get(result?.file_key ?? '')
        const label = bytes ? await nameInside(bytes) : 'nothing'
        if (!wanted.includes(label)) right(`${id} (${asked.key}): ${result?.file_key} holds ${label}, not ${wanted}`)
      } else if (!wanted.some(label => found.has(`${id} ${overall} ${label}`)))
        right(`${id} (${asked.key}), entry ${overall} (${configuration}) succeeded, but ${wanted} never came`)
    }
}

/** It delivers nothing. */
const isTurn = (configuration: string): boolean => configuration.startsWith('turn')

const noView: View = { task_id: '', status: '', ended_at: null }

/** Whose delivery it is; null when it is nobody's. Whatever follows the number in a marker is Keepsake's own affair. */
function placeOf(marker: string, label: string, byId: ReadonlyMap<string, Asked>): Found | null {
  const [, id = '', overall = ''] = /^([0-9a-f-]{36})-(\d+)(?:\D.*)?$/.exec(marker) ?? []
  const asked = byId.get(id)
  return asked && label.startsWith(`${asked.serial}/`) ? { asked, overall: Number(overall), label } : null
}

/** A cancel in the middle of a delivery tells it in its sentence. */
const isUnknown = ({ error }: EntryView): boolean =>
  error?.code === 'outcome_unknown' ||
  (error?.code === 'cancelled' && /may or may not have arrived/.test(error.message))

/** How often the clients were told that nobody knows what became of this file. */
function unknownEnds(asked: Asked, overall: number, label: string): number {
  const version = Number(label.split('/')[2])
  return [...asked.ends.values()].filter(({ view, versions }) =>
    entriesOf(view).some(
      entry => entry.overall === overall && isUnknown(entry) && (versions[entry.part] ?? 0) >= version,
    ),
  ).length
}

/** The versions of a file that may be the one in force. */
function possibleLabels({ serial, kind, surely, versions }: Asked, part: number): string[] {
  if (kind === 'video') return [CLIP]
  const [from = 0, to = 0] = [surely[part], versions[part]]
  return Array.from({ length: to - from + 1 }, (_, more) => `${serial}/${part}/${from + more}`)
}

function judgeActivities({ history, views, activities, profiles }: Evidence, check: NewCheck): void {
  const once = check('each guest has each activity once')
  const spotOf = (taskId: string, what: string, owner: string | undefined) => `${taskId} ${what} ${owner}`
  const counts = new Map<string, number>()
  for (const { owner_id, payload } of activities) {
    const spot = spotOf(payload.task_id, payload.object_id, owner_id)
    counts.set(spot, (counts.get(spot) ?? 0) + 1)
  }
  for (const [spot, count] of counts) if (count > 1) once(`${spot}: ${count} times`)
  for (const { ids, guests, key } of history)
    for (const id of ids)
      for (const { status, configuration, part } of entriesOf(views.get(id) ?? noView)) {
        if (status !== 'Succeeded' || isTurn(configuration)) continue
        for (const guest of guests[part] ?? [])
          if (!counts.has(spotOf(id, configuration, profiles.get(guest))))
            once(`${id} (${key}): ${guest} has none of ${configuration}`)
      }
}

function factsOf({ history, views, callbacks, attempts, taken, bucket, activities }: Evidence): Record<string, number> {
  const ends = history.flatMap(({ ends }) => [...ends.values()].map(({ view }) => view))
  const entries = ends.flatMap(entriesOf)
  const withCode = (code: string) => entries.filter(({ error }) => error?.code === code).length
  const withStatus = (status: string) => [...views.values()].filter(view => view.status === status).length
  return {
    'requests accepted': views.size,
    'of them videos': history.filter(({ kind }) => kind === 'video').length,
    'of them for two guests at once': history.filter(({ kind }) => kind === 'pair').length,
    'runs, with those that clients asked for again': callbacks.length,
    'retries with a new file': history.reduce((sum, { versions }) => sum + versions.reduce((a, b) => a + b), 0),
    succeeded: withStatus('Succeeded'),
    'failed, as their target wanted it': withStatus('Failed'),
    'cancelled by a client': withStatus('Cancelled'),
    'entries that a target refused': withCode('destination_refused'),
    'entries whose outcome is told as unknown': withCode('outcome_unknown'),
    'posts taken by the web address': taken.web.length,
    'messages taken by the mail server': taken.mail.length,
    'objects in the bucket': bucket.size,
    activities: activities.length,
    'callbacks that came, with every repetition': attempts,
  }
}
