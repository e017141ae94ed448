// The client: one object for a service and a token, with everything that it keeps.
import type { SearchResult, Session, Stats, Task, TaskGroup } from './api-types.ts'
import { type CallOptions, Connection, type KeepsakeOptions, type Request } from './connection.ts'
import { TaskFailed } from './errors.ts'
import type { Download, DownloadOptions, FileInput, OpenFile } from './files.ts'
import { openInput } from './files.ts'
import type { WaitOptions } from './following.ts'
import type { Sender, SendOptions } from './parts.ts'
import {
  Activities,
  Adapters,
  Assets,
  Audit,
  Callbacks,
  Configurations,
  Erasures,
  Experiences,
  Profiles,
  Tokens,
} from './resources.ts'
import { type GroupInput, TaskGroups, type TaskInput, Tasks } from './tasks.ts'
import { Uploads } from './uploads.ts'

export interface RunOptions extends SendOptions, Pick<WaitOptions, 'waitMs' | 'onEvent'> {
  /** Called while the results are fetched. */
  onDownload?: DownloadOptions['onProgress']
}

/** What a task is made of besides its file, and how it is waited for. */
export type TaskRun<F> = Omit<TaskInput<F>, 'file' | 'url' | 'upload'> & RunOptions

export interface TaskResult {
  task: Task
  /** The file of the last entry. */
  file: Blob
}

export interface GroupResult {
  group: TaskGroup
  /** The final file of each configuration, in their order. */
  files: Blob[]
}

/** Of the files that a run takes in and those it makes. */
export class KeepsakeBase<F> {
  readonly connection: Connection
  readonly tasks: Tasks<F>
  readonly groups: TaskGroups<F>
  readonly configurations: Configurations<F>
  readonly assets: Assets<F>
  readonly profiles: Profiles
  readonly erasures: Erasures
  readonly activities: Activities
  readonly callbacks: Callbacks
  readonly experiences: Experiences
  readonly tokens: Tokens
  readonly adapters: Adapters
  readonly audit: Audit
  readonly uploads: Uploads<F>

  constructor(options: KeepsakeOptions, open: OpenFile<F>) {
    const connection = new Connection(options)
    this.connection = connection
    this.uploads = new Uploads(connection, open)
    const sender: Sender<F> = { connection, uploads: this.uploads, open }
    this.tasks = new Tasks(sender)
    this.groups = new TaskGroups(sender)
    this.configurations = new Configurations(sender)
    this.assets = new Assets(sender)
    this.profiles = new Profiles(connection)
    this.erasures = new Erasures(connection)
    this.activities = new Activities(connection)
    this.callbacks = new Callbacks(connection)
    this.experiences = new Experiences(connection)
    this.tokens = new Tokens(connection)
    this.adapters = new Adapters(connection)
    this.audit = new Audit(connection)
  }

  /** Guests, tasks, groups, configurations and assets by a part of what they are known by. */
  search(words: string, options: CallOptions = {}): Promise<SearchResult> {
    return this.connection.json('GET', '/api/search/', { ...options, query: { q: words } })
  }

  /** Rates, times and queues. */
  stats(window?: Stats['window'], options: CallOptions = {}): Promise<Stats> {
    return this.connection.json('GET', '/api/stats/', { ...options, query: { window } })
  }

  /** What the token may do. */
  session(options: CallOptions = {}): Promise<Session> {
    return this.connection.json('GET', '/api/session/', options)
  }

  /** Any other request of the API, with the same credentials, time limits and further attempts. */
  request<T>(method: string, path: string, request: Request = {}): Promise<T> {
    return this.connection.json(method, path, request)
  }

  /** Makes a task, waits for its end and throws `TaskFailed` unless it succeeded. */
  protected async finished(input: TaskInput<F>, options: RunOptions): Promise<{ task: Task; output: Download }> {
    const made = await this.tasks.create(input, options)
    const task = await this.tasks.wait(made, options)
    if (task.status !== 'Succeeded') throw new TaskFailed(task)
    return { task, output: this.tasks.output(task, task.entries.length - 1, downloading(options)) }
  }

  protected async finishedGroup(
    input: GroupInput<F>,
    options: RunOptions,
  ): Promise<{ group: TaskGroup; outputs: Download[] }> {
    const made = await this.groups.create(input, options)
    const group = await this.groups.wait(made, options)
    if (group.status !== 'Succeeded') throw new TaskFailed(group)
    return { group, outputs: group.tasks.map(({ index }) => this.groups.output(group, index, downloading(options))) }
  }

  /** Runs a configuration on a file and answers the result. */
  async run(file: F, options: TaskRun<F>): Promise<TaskResult> {
    const { task, output } = await this.finished({ ...options, file }, options)
    return { task, file: await output.blob() }
  }

  /** Runs several configurations in order and answers the final file of each. */
  async runGroup(input: GroupInput<F>, options: RunOptions = {}): Promise<GroupResult> {
    const { group, outputs } = await this.finishedGroup(input, options)
    const files: Blob[] = []
    for (const output of outputs) files.push(await output.blob())
    return { group, files }
  }
}

const downloading = ({ signal, timeoutMs, retries, onDownload }: RunOptions): DownloadOptions => ({
  signal,
  timeoutMs,
  retries,
  onProgress: onDownload,
})

/** For browsers, and wherever files are Blobs. */
export class Keepsake extends KeepsakeBase<FileInput> {
  constructor(options: KeepsakeOptions) {
    super(options, openInput)
  }
}
