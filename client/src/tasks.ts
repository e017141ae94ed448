// Tasks and task groups: made, followed, steered, and their files fetched.
import type { Receipt, Task, TaskFilters, TaskGroup, TaskGroupFilters } from './api-types.ts'
import type { CallOptions, Connection } from './connection.ts'
import { inPath } from './connection.ts'
import { KeepsakeError } from './errors.ts'
import { Download, type DownloadOptions } from './files.ts'
import {
  type FollowOptions,
  followList,
  followTask,
  type ListEvent,
  type TaskEvent,
  type WaitOptions,
  waitForEnd,
} from './following.ts'
import { type List, listOf, type PageOptions } from './pages.ts'
import { type Extras, type FileSource, Parts, type Sender, type SendOptions } from './parts.ts'

export interface TaskInput<F> extends FileSource<F> {
  /** The name of a configuration, single or chained. */
  configuration: string
  extras?: Extras | undefined
  /** Files for asset parameters, for this task alone: `{ photo_file_names: [second, third] }`. */
  files?: Record<string, F | F[]> | undefined
  /** Where the configuration belongs to no experience. */
  experienceId?: string | undefined
  /** Other parts of the request, by their names. */
  parts?: Record<string, string> | undefined
}

/** What a retry may bring anew. */
export type TaskChange<F> = Pick<TaskInput<F>, 'file' | 'url' | 'upload' | 'extras' | 'files'>

export interface GroupMemberInput<F> extends FileSource<F> {
  configuration: string
  /** The name of an earlier configuration of the group, whose output is taken. */
  input?: string | undefined
  extras?: Extras | undefined
}

export interface GroupInput<F> {
  configurations: GroupMemberInput<F>[]
  webhookUrl?: string | undefined
  /** Whether those that need nothing of one that failed still run; `stop` unless told. */
  onFailure?: 'stop' | 'continue' | undefined
  experienceId?: string | undefined
  parts?: Record<string, string> | undefined
}

/** Which tasks are meant; at least one field. */
export type TaskSelection = TaskFilters & { error_code?: string; ids?: string[] }

/** How many tasks were found. */
export interface Counted {
  count: number
}

/** The id, or what was read before. */
export type TaskRef = string | { task_id: string }

const idOf = (task: TaskRef): string => (typeof task === 'string' ? task : task.task_id)

/** What tasks and groups have in common. */
abstract class Steered<F, T extends Task | TaskGroup> {
  protected readonly sender: Sender<F>
  protected readonly path: string

  constructor(sender: Sender<F>, path: string) {
    this.sender = sender
    this.path = path
  }

  protected get connection(): Connection {
    return this.sender.connection
  }

  protected of(task: TaskRef): string {
    const id = idOf(task)
    if (typeof id !== 'string' || id === '') throw new KeepsakeError('bad_options', 'task: must be its id')
    return `${this.path}${inPath(id)}/`
  }

  get(task: TaskRef, options: CallOptions = {}): Promise<T> {
    return this.connection.json('GET', this.of(task), options)
  }

  cancel(task: TaskRef, options: CallOptions = {}): Promise<T> {
    return this.connection.json('POST', `${this.of(task)}cancel/`, options)
  }

  /** Takes back what was delivered, where the destination allows it. */
  retract(task: TaskRef, options: CallOptions = {}): Promise<Receipt> {
    return this.connection.json('POST', `${this.of(task)}retract/`, { ...options, repeatable: true })
  }

  /** Takes the record and its files away; what was delivered stays. */
  async delete(task: TaskRef, options: CallOptions = {}): Promise<void> {
    await this.connection.json('DELETE', this.of(task), options)
  }

  /** Runs all again that the selection finds and that failed or were cancelled. */
  retryMany(selection: TaskSelection, options: CallOptions & { dryRun?: boolean } = {}): Promise<Counted> {
    return this.#many('retry', selection, options)
  }

  cancelMany(selection: TaskSelection, options: CallOptions & { dryRun?: boolean } = {}): Promise<Counted> {
    return this.#many('cancel', selection, options)
  }

  #many(verb: string, selection: TaskSelection, { dryRun, ...options }: CallOptions & { dryRun?: boolean }) {
    const json = { ...selection, ...(dryRun ? { dry_run: true } : {}) }
    return this.connection.json<Counted>('POST', `${this.path}${verb}/`, {
      ...options,
      json,
      repeatable: dryRun === true,
    })
  }

  /** Waits until it has ended, however it ended. */
  wait(task: TaskRef, options: WaitOptions = {}): Promise<T> {
    return waitForEnd(this.connection, this.of(task), options)
  }

  /** The events of one of them until its end; without one the changes of all, until the caller stops. */
  events(task: TaskRef, options?: FollowOptions): AsyncGenerator<TaskEvent<T>, void, void>
  events(options?: CallOptions): AsyncGenerator<ListEvent, void, void>
  events(first: TaskRef | CallOptions = {}, options: FollowOptions = {}): AsyncGenerator<TaskEvent<T> | ListEvent> {
    if (typeof first === 'string' || 'task_id' in first) return followTask<T>(this.connection, this.of(first), options)
    return followList(this.connection, this.path, first)
  }

  protected download(place: string, options: DownloadOptions): Download {
    return new Download(this.connection, place, options)
  }
}

export class Tasks<F> extends Steered<F, Task> {
  constructor(sender: Sender<F>) {
    super(sender, '/api/task/')
  }

  list(filters: TaskFilters & PageOptions = {}, options: CallOptions = {}): List<Task> {
    return listOf(this.connection, this.path, { ...filters }, options)
  }

  /** Answers as soon as the task is accepted. */
  async create(input: TaskInput<F>, options: SendOptions = {}): Promise<Task> {
    const parts = new Parts(this.sender)
      .text('configuration_name', input.configuration)
      .text('experience_id', input.experienceId)
      .json('extras', input.extras)
      .all(input.parts)
    await addFiles(parts, input)
    return await parts.send('POST', this.path, options, { creates: true })
  }

  /** Runs a failed or cancelled task again, with other files or extras where they are given. */
  async retry(task: TaskRef, change: TaskChange<F> = {}, options: SendOptions = {}): Promise<Task> {
    const parts = new Parts(this.sender).json('extras', change.extras)
    await addFiles(parts, change)
    const path = `${this.of(task)}retry/`
    return parts.isEmpty ? await this.connection.json('POST', path, options) : await parts.send('POST', path, options)
  }

  /** The file that was sent in. */
  input(task: TaskRef, options: DownloadOptions = {}): Download {
    return this.download(`${this.of(task)}input/`, options)
  }

  /** The file that an entry handed on. */
  output(task: TaskRef, entry: number, options: DownloadOptions = {}): Download {
    return this.download(`${this.of(task)}output/${entry}/`, options)
  }
}

async function addFiles<F>(parts: Parts<F>, { files = {}, ...source }: TaskChange<F>): Promise<void> {
  await parts.source('data', source)
  for (const [name, given] of Object.entries(files))
    for (const file of Array.isArray(given) ? given : [given]) await parts.file(`${name}_data`, file)
}

export class TaskGroups<F> extends Steered<F, TaskGroup> {
  constructor(sender: Sender<F>) {
    super(sender, '/api/taskgroup/')
  }

  list(filters: TaskGroupFilters & PageOptions = {}, options: CallOptions = {}): List<TaskGroup> {
    return listOf(this.connection, this.path, { ...filters }, options)
  }

  async create(input: GroupInput<F>, options: Omit<SendOptions, 'resume'> = {}): Promise<TaskGroup> {
    const parts = new Parts(this.sender)
      .json(
        'configuration_names',
        input.configurations.map(({ configuration }) => configuration),
      )
      .text('webhook_url', input.webhookUrl)
      .text('on_failure', input.onFailure)
      .text('experience_id', input.experienceId)
      .all(input.parts)
    await addMembers(parts, input.configurations)
    return await parts.send('POST', this.path, options, { creates: true })
  }

  /** Runs a failed or cancelled group again, with other files or extras where they are given. */
  async retry(
    group: TaskRef,
    changes: Omit<GroupMemberInput<F>, 'input'>[] = [],
    options: Omit<SendOptions, 'resume'> = {},
  ): Promise<TaskGroup> {
    const parts = new Parts(this.sender)
    await addMembers(parts, changes)
    const path = `${this.of(group)}retry/`
    return parts.isEmpty ? await this.connection.json('POST', path, options) : await parts.send('POST', path, options)
  }

  /** The file that was sent in for a configuration of the group. */
  input(group: TaskRef, index: number, options: DownloadOptions = {}): Download {
    return this.download(`${this.of(group)}input/${index}/`, options)
  }

  /** The final file of a configuration, or that of one of its entries. */
  output(group: TaskRef, index: number, options: DownloadOptions & { entry?: number } = {}): Download {
    const { entry, ...others } = options
    return this.download(`${this.of(group)}output/${index}/${entry === undefined ? '' : `${entry}/`}`, others)
  }
}

async function addMembers<F>(parts: Parts<F>, members: GroupMemberInput<F>[]): Promise<void> {
  for (const { configuration, input, extras, ...source } of members) {
    parts.text(`${configuration}_input`, input).json(`${configuration}_extras`, extras)
    await parts.source(`${configuration}_data`, source)
  }
}
