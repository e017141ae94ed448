// Runs the transformers of a configuration on a file at once, without a task: the same steps, a smaller picture.
import type { ChainFiles, SnapshotEntry, StoredFile } from '#db/tables.ts'
import { newEntry, newTask } from '#db/tasks/insert-task.ts'
import { snapshotId } from '#db/tasks/snapshots.ts'
import type { WholeTask } from '#db/tasks/task-rows.ts'
import { type Adapter, formOf, isDestination } from '#engine/adapter.ts'
import type { MediaFile } from '#engine/files.ts'
import { planChain } from '#engine/plan.ts'
import { badField, Problem } from '#kit/errors.ts'
import { newId } from '#kit/ids.ts'
import type { JsonObject } from '#kit/json.ts'
import { accept, takeSnapshot } from '../accept/accept.ts'
import { reviewUntaken } from '../accept/file-errors.ts'
import { guestsOf } from '../entry/guests.ts'
import { type Chain, delivers, type Entry, type Loaded, loadTask, type RunServices } from '../entry/loaded.ts'
import { localFile, newFolder } from '../entry/local-files.ts'
import { runMedia } from '../entry/run-media.ts'
import { experienceFor, type ForExperience, readUsable } from './for-experience.ts'
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

type PreviewServices = Omit<RunServices, 'workerId' | 'fleet'>

interface PreviewRequest extends ForExperience {
  file: StoredFile
  extras: JsonObject
  /** Files in place of assets, by parameter. */
  files?: ChainFiles
  /** Whether these may be of any kind. */
  anyFile?: boolean
  /** At the size that a task would make. */
  full: boolean
  /** The entry of the unfolded chain whose file is wanted; undefined: the last that makes one. */
  entry?: number | undefined
  experiences: readonly string[] | null
  /** Aborted when nobody waits for the preview any more. */
  signal: AbortSignal
}

/** A preview with what a task would warn of. */
export async function preview(
  services: PreviewServices,
  request: PreviewRequest,
): Promise<Rendered & { warnings: string[] }> {
  let warnings: string[] = []
  const file = await rendered({ services, signal: request.signal }, async folder => {
    const run = await newRun(services, request, folder)
    const made = await runPreviewSegments(run, request)
    warnings = made.warnings
    return made.output
  })
  return { ...file, warnings }
}

/** Builds a task that exists in memory only. */
async function newRun(
  services: PreviewServices,
  {
    configuration,
    experienceId: named,
    file,
    extras,
    files = {},
    anyFile = false,
    experiences,
    entry,
    signal,
  }: PreviewRequest,
  folder: string,
): Promise<Loaded> {
  const { db, settings } = services
  const { root, rows } = await readUsable(db, configuration, experiences)
  const isBare = root.experience_id === null && named === undefined
  const experienceId = isBare ? NO_EXPERIENCE : experienceFor(root, named, experiences)
  const taken = takeSnapshot(root, name => rows.get(name), settings.maxChain)
  const snapshot = experiences === null ? { entries: taken.entries.map(open) } : taken
  if (entry !== undefined && entry >= snapshot.entries.length)
    throw badField('entry', `must be an entry of the chain: 0 to ${snapshot.entries.length - 1}`)
  const wanted = entry === undefined ? null : upTo(snapshot.entries, entry)
  // Destinations do not run, nor does what comes after the wanted entry, so what those lack is no error here.
  const made = snapshot.entries.flatMap(({ adapter_name }, index) => {
    if (wanted && !wanted.has(index)) return []
    const adapter = services.adapters.get(adapter_name)
    return !adapter || !isDestination(adapter) ? [index] : []
  })
  const sent = new Set(Object.keys(files))
  const accepted = await accept(services, {
    files,
    sent,
    anyFile,
    snapshot,
    experienceId,
    extras,
    extrasField: 'extras',
    field: 'configuration_name',
    earlier: null,
    only: new Set(made),
  })
  reviewUntaken(sent, [accepted], false)
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
    traceparent: null,
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
      {
        ...ids,
        index: 0,
        configuration,
        status: 'Running',
        extras,
        input: { file },
        assets: accepted.assets,
        files: accepted.files,
        entries,
      },
    ],
  }
  const task = loadTask(services.adapters, row, new Map([[ids.snapshot_id, snapshot]]))
  return { services, task, guests: await guestsOf(services, task), folder, signal }
}

/** An entry, and all that its file comes from. */
function upTo(entries: readonly SnapshotEntry[], last: number): Set<number> {
  const path = new Set<number>()
  for (let at: number | null = last; at !== null; at = entries[at]?.input_idx ?? null) path.add(at)
  return path
}

/** Runs every transformer that leads to the wanted one, segment by segment. */
async function runPreviewSegments(
  run: Loaded,
  { file, full, configuration, entry: wanted }: PreviewRequest,
): Promise<{ output: MediaFile & { sha256: string }; warnings: string[] }> {
  const chain = run.task.chains[0] as Chain
  const last = wanted === undefined ? chain.entries.findLast(entry => !delivers(entry)) : chain.entries[wanted]
  const path: Entry[] = []
  for (let entry = last; entry; entry = chain.entries[entry.input_idx ?? -1]) if (!delivers(entry)) path.unshift(entry)
  if (path.length === 0)
    throw new Problem('bad_request', `"${configuration}" only delivers; there is nothing to preview.`)
  const plan = planChain(
    path.map(({ index, adapter }, at) => ({
      index,
      form: formOf(adapter as Adapter),
      input_idx: path[at - 1]?.index ?? null,
      done: false,
    })),
  )
  const warnings: string[] = []
  let input: MediaFile & { sha256: string } = { ...(await localFile(run, file)), sha256: file.sha256 }
  for (const [at, { form, entries }] of plan.entries()) {
    const isSmall = at === plan.length - 1 && !full && form === 'image' && run.services.adapters.has(smaller.adapter)
    const more = isSmall ? [{ ...smaller, index: chain.entries.length }] : []
    const folder = newFolder(run.folder, String(at))
    const { prepared, result } = await runMedia(run, chain, { form, entries, input, folder, more })
    // What making it small warns of is nothing to the caller.
    const own = result.entries.filter(({ index }) => index < chain.entries.length)
    warnings.push(...[...prepared, ...own].flatMap(entry => entry.warnings))
    input = result.output
  }
  return { output: input, warnings }
}
