// Runs the transformers of a configuration on a file at once, without a task: the same steps, a smaller picture.
import type { Db } from '#db/database.ts'
import type { SnapshotEntry, StoredFile } from '#db/tables.ts'
import { newEntry, newTask } from '#db/tasks/insert-task.ts'
import { configurationsBelow, snapshotId } from '#db/tasks/snapshots.ts'
import type { WholeTask } from '#db/tasks/task-rows.ts'
import { isUsable } from '#db/visible.ts'
import { type Adapter, formOf, isDestination } from '#engine/adapter.ts'
import type { MediaFile } from '#engine/files.ts'
import { planChain } from '#engine/plan.ts'
import { Problem } from '#kit/errors.ts'
import { newId } from '#kit/ids.ts'
import type { JsonObject } from '#kit/json.ts'
import { accept, takeSnapshot } from '../accept/accept.ts'
import { guestsOf } from '../entry/guests.ts'
import { type Chain, delivers, type Entry, type Loaded, loadTask, type RunServices } from '../entry/loaded.ts'
import { localFile, newFolder } from '../entry/local-files.ts'
import { runMedia } from '../entry/run-media.ts'
import { experienceFor, type ForExperience } from './for-experience.ts'
import { type Rendered, rendered } from './render-melted.ts'

/** The step that makes a picture preview small. */
const smaller = {
  adapter: 'photo_convert',
  options: { format: 'jpeg', quality: 85, max_side: 1_024 },
  assets: {},
  context: {},
}

/** Of a shared configuration that is tried by itself: nothing but what is shared, too, is there for it. */
const NO_EXPERIENCE = ''

/** Whoever may change a shared configuration may try every option of it. */
const open = ({ overridable: _closed, ...entry }: SnapshotEntry): SnapshotEntry => entry

type PreviewServices = Omit<RunServices, 'workerId'>

interface PreviewRequest extends ForExperience {
  file: StoredFile
  extras: JsonObject
  /** At the size that a task would make. */
  full: boolean
  experiences: readonly string[] | null
  /** Aborted when nobody waits for the preview any more. */
  signal: AbortSignal
}

export const preview = (services: PreviewServices, request: PreviewRequest): Promise<Rendered> =>
  rendered({ services, signal: request.signal }, async folder => {
    const run = await newRun(services, request, folder)
    return runTransformers(run, request)
  })

/** Finds the configuration with all that its chain names; throws `not_found` if the caller may not see it. */
export async function findPreviewable(db: Db, configuration: string, experiences: readonly string[] | null) {
  const rows = await configurationsBelow(db, [configuration])
  const root = rows.get(configuration)
  if (!root || !isUsable(experiences, root.experience_id))
    throw new Problem('not_found', `There is no configuration "${configuration}".`)
  return { root, rows }
}

/** Builds a task that exists in memory only. */
async function newRun(
  services: PreviewServices,
  { configuration, experienceId: named, file, extras, experiences, signal }: PreviewRequest,
  folder: string,
): Promise<Loaded> {
  const { db, settings } = services
  const { root, rows } = await findPreviewable(db, configuration, experiences)
  const isBare = root.experience_id === null && named === undefined
  const experienceId = isBare ? NO_EXPERIENCE : experienceFor(root, named, experiences)
  const taken = takeSnapshot(root, name => rows.get(name), settings.maxChain)
  const snapshot = experiences === null ? { entries: taken.entries.map(open) } : taken
  // Destinations do not run, so what they lack is no error here.
  const made = snapshot.entries.flatMap(({ adapter_name }, index) => {
    const adapter = services.adapters.get(adapter_name)
    return !adapter || !isDestination(adapter) ? [index] : []
  })
  const { assets } = await accept(services, {
    snapshot,
    experienceId,
    extras,
    extrasField: 'extras',
    field: 'configuration_name',
    earlier: null,
    only: new Set(made),
  })
  const ids = { chain_id: newId(), task_id: newId(), snapshot_id: snapshotId(snapshot) }
  const entries = snapshot.entries.map(({ configuration, adapter_name, input_idx }, index) => ({
    ...newEntry,
    chain_id: ids.chain_id,
    index,
    configuration,
    adapter_name,
    input_idx,
  }))
  const row: WholeTask = {
    ...newTask,
    is_group: false,
    lane: 'picture',
    job_id: null,
    webhook_url: null,
    warnings: [],
    token_id: null,
    on_failure: 'stop',
    keepsake_id: null,
    consent: null,
    ...ids,
    flow_id: newId(),
    configuration,
    experience_id: experienceId,
    limited: experiences !== null,
    created_at: new Date(),
    chains: [
      { ...ids, index: 0, configuration, status: 'Running', extras, input: { file }, assets, files: {}, entries },
    ],
  }
  const task = loadTask(services.adapters, row, new Map([[ids.snapshot_id, snapshot]]))
  return { services, task, guests: await guestsOf(services, task), folder, signal }
}

/** Runs every transformer that leads to the last one, segment by segment. */
async function runTransformers(
  run: Loaded,
  { file, full, configuration }: PreviewRequest,
): Promise<MediaFile & { sha256: string }> {
  const chain = run.task.chains[0] as Chain
  const last = chain.entries.findLast(entry => !delivers(entry))
  if (!last) throw new Problem('bad_request', `"${configuration}" only delivers; there is nothing to preview.`)
  const path: Entry[] = []
  for (let entry: Entry | undefined = last; entry; entry = chain.entries[entry.input_idx ?? -1])
    if (!delivers(entry)) path.unshift(entry)
  const plan = planChain(
    path.map(({ index, adapter }, at) => ({
      index,
      form: formOf(adapter as Adapter),
      input_idx: path[at - 1]?.index ?? null,
      done: false,
    })),
  )
  let input: MediaFile & { sha256: string } = { ...(await localFile(run, file, run.folder)), sha256: file.sha256 }
  for (const [at, { form, entries }] of plan.entries()) {
    const isSmall = at === plan.length - 1 && !full && form === 'image' && run.services.adapters.has(smaller.adapter)
    const more = isSmall ? [{ ...smaller, index: chain.entries.length }] : []
    const folder = newFolder(run.folder, String(at))
    input = (await runMedia(run, chain, { form, entries, input, folder, more })).result.output
  }
  return input
}
