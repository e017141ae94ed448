// Accepts a task or task group: everything is checked and pinned here, so later changes do not reach a task under way.
// The steps of a request in order, and where each one is (the worker's half is in run/run-task.ts):
//   route     http/tasks/task-routes.ts, for groups taskgroup-routes.ts: go through the steps and answer 202
//   admit     http/hooks/guard.ts: checks the credential, the rate and the scope; then the route takes the idempotency key
//             (idempotency.ts), and refuseEarly, below, refuses while too many tasks wait
//   receive   http/wire/multipart.ts: reads the parts, cut out of the body by multipart-parser.ts
//   store     uploads/uploads.ts: each file goes straight into the blob store (storage/disk-blobs.ts or s3-blobs.ts), and is
//             noted as an upload before it is there
//   sniff     entry/input-file.ts, called by http/tasks/task-parts.ts and task-files.ts: tells the kind of a file by its first bytes
//   snapshot  takeSnapshot in accept.ts: unfolds each configuration into a flat chain, as it is now
//   check     accept in accept.ts: checks the extras and the options, and pins the current versions of the assets
//   queue     tasks/lane.ts chooses the lane, takeTicket in queue/queue.ts gives the turn
//   insert    insertWithMore, below: writes the task, its job and the idempotency key and takes over the files, in one transaction;
//             db/tasks/insert-task.ts has the statement
//   wake      that statement notifies the lane, which wakes the workers on commit (worker/worker.ts): queue/consume.ts takes the job
// A file that came before, in a resumable upload, is stored already. One that is named by its URL is downloaded by the worker.
import type { TaskOwner } from '#access/limits.ts'
import { lookupKinds, sortExtras } from '#configurations/options.ts'
import type { Trx } from '#db/database.ts'
import { ensureExperience, readGuestPage } from '#db/nouns/experience-rows.ts'
import { insertKeepsake, type KeepsakeRow, numberFiles } from '#db/nouns/keepsake-rows.ts'
import type { ChainFiles, ChainInput, OnFailure } from '#db/tables.ts'
import { insertTask, type NewTask } from '#db/tasks/insert-task.ts'
import {
  type ConfigurationRow,
  configurationsBelow,
  insertSnapshots,
  rememberSnapshots,
  snapshotId,
  unwrittenSnapshots,
} from '#db/tasks/snapshots.ts'
import type { WholeTask } from '#db/tasks/task-rows.ts'
import { transact } from '#db/transact.ts'
import { isUsable, requireVisible } from '#db/visible.ts'
import { namedKeepsake, newKeepsake } from '#guests/keepsakes.ts'
import { badField, Problem } from '#kit/errors.ts'
import { failpoint } from '#kit/failpoint.ts'
import type { Consent } from '#kit/guest/consent.ts'
import { newId } from '#kit/ids.ts'
import type { JsonObject } from '#kit/json.ts'
import type { Span } from '#kit/telemetry/trace.ts'
import { type UsedUploads, useUploads } from '#uploads/use-uploads.ts'
import { blobsOf } from '../entry/given-files.ts'
import { firstLane } from '../lane.ts'
import { taskAttributes } from '../task-attributes.ts'
import type { TaskServices } from '../task-services.ts'
import { type AcceptedChain, accept, takeSnapshot } from './accept.ts'
import { refuseOverWaitingLimit, refuseWhenFull, requireWaitingRoom } from './capacity.ts'
import { refuseUnknown, reviewUntaken } from './file-errors.ts'

/** One configuration to run, as requested. */
export interface ChainRequest {
  configuration: string
  /** The field that named the configuration, for errors. */
  field: string
  input: ChainInput
  extras: JsonObject
  /** The request's field for the extras, for errors. */
  extrasField: string
  /** What the task says of the request, besides what is found here. */
  warnings?: readonly string[]
}

interface TaskRequest {
  isGroup: boolean
  chains: ChainRequest[]
  /** Set for groups only; a task uses its configuration's webhook. */
  webhookUrl?: string | null
  /** Files in place of assets, by parameter: for every entry that has it. */
  files?: ChainFiles
  /** For groups: whether those that take nothing from a failed configuration still run. */
  onFailure?: OnFailure
  /** What came with the request. */
  consent?: Consent | undefined
  /** The experience that the request names. It must where all of its configurations are shared. */
  experienceId?: string | undefined
  /** The code of a keepsake that the guest has already. */
  keepsake?: string | undefined
  /** Experiences the caller may use; null means all. */
  experiences: readonly string[] | null
  owner: TaskOwner
  /** The span that the request is. */
  span?: Span | undefined
  /** Resumable uploads among the inputs. They are used up with the commit. */
  uploads?: UsedUploads | undefined
  /** Runs in the task's transaction, so that its rows commit together with the task. */
  also?: ((trx: Trx, taskId: string) => Promise<void>) | undefined
}

/** Refuses before a file is received, because receiving it may take long. */
export async function refuseEarly(services: TaskServices, owner: TaskOwner): Promise<void> {
  await refuseWhenFull(services)
  await refuseOverWaitingLimit(services.db, owner)
}

interface Required {
  isGroup: boolean
  named: readonly Pick<ChainRequest, 'configuration' | 'field'>[]
  /** Asset parameters that files come for. */
  parameters: readonly string[]
}

/** Throws unless the caller may use these configurations, and each parameter can be one of an entry. */
export async function requireConfigurations(
  { db, adapters }: TaskServices,
  experiences: readonly string[] | null,
  { isGroup, named, parameters }: Required,
): Promise<void> {
  const rows = await configurationsBelow(
    db,
    named.map(({ configuration }) => configuration),
  )
  for (const each of named) requireConfiguration(rows.get(each.configuration), each, experiences)
  const used = [...rows.values()].flatMap(({ adapter_name }) => adapters.get(adapter_name ?? '') ?? [])
  refuseUnknown(parameters, used, isGroup)
}

export async function createTask(services: TaskServices, given: TaskRequest): Promise<WholeTask> {
  const { db, queue } = services
  await refuseWhenFull(services)
  const configurations = await configurationsBelow(
    db,
    given.chains.map(chain => chain.configuration),
  )
  const request = byStoredNames(given, configurations)
  const roots = request.chains.map(chain =>
    requireConfiguration(configurations.get(chain.configuration), chain, request.experiences),
  )
  const experienceId = oneExperience(roots, request)
  const isNamed = roots.every(root => root.experience_id === null)
  const keepsake = await keepsakeFor(services, request.keepsake, experienceId, roots)
  const { files = {}, owner } = request
  const { anyFile } = owner
  const sent = new Set(Object.keys(files))
  const accepted: AcceptedChain[] = []
  for (const [
    index,
    { configuration: _name, input: _input, warnings: _warnings, ...chain },
  ] of request.chains.entries()) {
    const root = roots[index] as ConfigurationRow
    const earlier = request.isGroup ? request.chains.slice(0, index).map(each => each.configuration) : null
    const snapshot = takeSnapshot(root, name => configurations.get(name), services.settings.maxChain)
    accepted.push(await accept(services, { ...chain, snapshot, experienceId, earlier, files, sent, anyFile }))
  }
  const unused = reviewUntaken(sent, accepted, request.isGroup)
  const lane = firstLane(
    services.adapters,
    { input: (request.chains[0] as ChainRequest).input, entries: accepted[0]?.snapshot.entries ?? [] },
    accepted.flatMap(({ snapshot }) => snapshot.entries),
  )
  const ticket = await queue.takeTicket(lane, experienceId)
  const snapshots = new Map(accepted.map(({ snapshot }) => [snapshotId(snapshot), snapshot]))
  const blobs = [
    ...request.chains.flatMap(({ input }) => ('file' in input ? [input.file.blob] : [])),
    ...new Set(accepted.flatMap(chain => blobsOf(chain.files))),
  ]
  const task: NewTask['task'] = {
    task_id: newId(),
    flow_id: newId(),
    is_group: request.isGroup,
    configuration: request.isGroup ? '' : (roots[0] as ConfigurationRow).configuration_name,
    experience_id: experienceId,
    limited: owner.limited,
    lane,
    job_id: ticket.id,
    webhook_url: request.isGroup ? (request.webhookUrl ?? null) : (roots[0] as ConfigurationRow).webhook_url,
    warnings: [
      ...request.chains.flatMap(({ warnings = [] }) => warnings),
      ...accepted.flatMap(({ warnings }) => warnings),
      ...unused,
      ...(request.keepsake === undefined ? withoutGuest(request.chains, accepted) : []),
    ],
    token_id: owner.tokenId,
    on_failure: request.onFailure ?? 'stop',
    keepsake_id: keepsake?.row.keepsake_id ?? null,
    consent: request.consent ?? null,
    traceparent: request.span?.traceparent ?? null,
  }
  const chains = accepted.map((chain, index) => newChain(request.chains[index] as ChainRequest, chain))
  const unkept = unwrittenSnapshots(db, snapshots)
  const { also, uploads } = request
  const insertWithMore = async (trx: Trx): Promise<WholeTask> => {
    await requireWaitingRoom(trx, owner)
    if (isNamed) await ensureExperience(trx, services.secretBox, experienceId)
    if (keepsake?.isNew) await insertKeepsake(trx, keepsake.row)
    await insertSnapshots(trx, unkept)
    await useUploads(trx, uploads)
    const whole = await insertTask(trx, { task, chains, snapshots }, blobs)
    await queue.send(trx, ticket, { task_id: task.task_id }, { quietly: true })
    if (keepsake)
      await numberFiles(
        trx,
        keepsake.row.keepsake_id,
        chains.map(({ chain_id }) => chain_id),
      )
    await also?.(trx, task.task_id)
    failpoint('create.before')
    return whole
  }
  const created = await transact(db, insertWithMore)
  rememberSnapshots(db, snapshots.keys())
  services.meters.count('accepted', { lane })
  request.span?.set({ ...taskAttributes(created), 'keepsake.lane': lane })
  failpoint('create.after')
  return created
}

/** The request with names as they are stored. In a group two spellings of one name are the same configuration. */
function byStoredNames(request: TaskRequest, stored: ReadonlyMap<string, ConfigurationRow>): TaskRequest {
  const nameOf = (name: string): string => stored.get(name)?.configuration_name ?? name
  const chains = request.chains.map(({ configuration, input, ...chain }) => ({
    ...chain,
    configuration: nameOf(configuration),
    input: 'from' in input ? { from: nameOf(input.from) } : input,
  }))
  const names = chains.map(({ configuration }) => configuration)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw badField('configuration_names', `names "${twice}" twice`, 'bad_group')
  return { ...request, chains }
}

function requireConfiguration(
  row: ConfigurationRow | undefined,
  { configuration, field }: Pick<ChainRequest, 'configuration' | 'field'>,
  experiences: readonly string[] | null,
): ConfigurationRow {
  if (row && isUsable(experiences, row.experience_id)) return row
  const message = `There is no configuration "${configuration}".`
  throw new Problem('unknown_configuration', message, { errors: [{ field, message }] })
}

/** That of the configurations, or the one that the request names if all of them are shared. */
function oneExperience(
  roots: readonly ConfigurationRow[],
  { experienceId: named, experiences: visible }: Pick<TaskRequest, 'experienceId' | 'experiences'>,
): string {
  if (named !== undefined) requireVisible(visible, named)
  const experiences = new Set(roots.flatMap(root => root.experience_id ?? []))
  const [theirs] = experiences
  if (experiences.size === 0) {
    if (named !== undefined) return named
    const names = roots.map(root => `"${root.configuration_name}"`).join(', ')
    throw badField('experience_id', `is required, because no experience owns ${names}: say which one the task is for`)
  }
  if (experiences.size === 1 && theirs !== undefined) {
    if (named === undefined || named === theirs) return theirs
    throw badField('experience_id', `is "${named}", but the configuration belongs to "${theirs}"; leave it out`)
  }
  const message = `The configurations belong to different experiences: ${[...experiences].join(', ')}.`
  throw new Problem('bad_group', message, { errors: [{ field: 'configuration_names', message }] })
}

/** Of configurations that ask for activities, and whose extras bring nobody to have them. */
const withoutGuest = (chains: readonly ChainRequest[], accepted: readonly AcceptedChain[]): string[] =>
  chains.flatMap(({ configuration, extras, extrasField }, at) =>
    accepted[at]?.snapshot.entries.some(entry => entry.activity_config) &&
    sortExtras(extras, extrasField).sorted.lookups.length === 0
      ? [`${extrasField} bring no ${lookupKinds.join(', ')}: "${configuration}" makes no activity.`]
      : [],
  )

/** The one that the request names, or a new one where the experience has pages for its guests. */
async function keepsakeFor(
  services: TaskServices,
  code: string | undefined,
  experienceId: string,
  roots: readonly ConfigurationRow[],
): Promise<{ row: KeepsakeRow; isNew: boolean } | null> {
  if (code !== undefined) return { row: await namedKeepsake(services, code, experienceId), isNew: false }
  const owner = roots.find(root => root.experience_id !== null)
  const page = owner ? owner.guest_page : await readGuestPage(services.db, experienceId)
  return page?.enabled ? { row: newKeepsake(services, experienceId).row, isNew: true } : null
}

function newChain(request: ChainRequest, { snapshot, assets, files }: AcceptedChain): NewTask['chains'][number] {
  return {
    chain_id: newId(),
    configuration: request.configuration,
    snapshot_id: snapshotId(snapshot),
    extras: request.extras,
    input: request.input,
    assets,
    files,
    entries: snapshot.entries.map(({ configuration, adapter_name, input_idx }) => ({
      configuration,
      adapter_name,
      input_idx,
    })),
  }
}
