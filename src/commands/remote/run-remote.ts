// keepsake run: sends files to a server as tasks, shows how far they are, and saves what comes out.
import { access, constants } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { type Keepsake, KeepsakeError, saveTo, type Task, type TaskEvent, type TaskGroup } from '#client/node.ts'
import { BadCommand } from '#kit/cannot-start.ts'
import { fileTypeOf } from '#media/file/formats.ts'
import type { Given } from '../commands.ts'
import { type SavedFiles, savedIn } from '../saved-files.ts'
import { newProgress, type Progress, size, type Terminal } from '../terminal.ts'
import { connect, jsonObject, sentencesOf } from './named-server.ts'

/** Files under way at once. */
const AT_ONCE = 4

interface Made {
  file: string
  task_id?: string
  status?: string
  saved?: string
  error?: string
}

export async function runRemote(
  { values, positionals: files }: Given<'run'>,
  terminal: Terminal,
  here: (path: string) => string,
): Promise<number> {
  const { configuration, extras: text = '{}', json } = values
  if (configuration === undefined || files.length === 0)
    throw new BadCommand('run needs files and a configuration, for example keepsake run *.jpg -c "guest photo" --wait')
  const extras = jsonObject(text, '--extras', here)
  const given = { configuration, extras, files: filesOf(values.data ?? [], here), experienceId: values.experience }
  const out = values.out === undefined ? null : here(values.out)
  const keepsake = connect(values.url)
  const results = values.wait === true || out !== null ? await savedIn(out ?? here('.'), values.force === true) : null
  const progress = newProgress(terminal)
  const left = files.values()
  let failed = 0

  async function one(file: string): Promise<Made> {
    const isThere = await access(here(file), constants.R_OK).then(
      () => true,
      () => false,
    )
    if (!isThere) return { file, error: 'It cannot be read.' }
    const task = await keepsake.tasks.create(
      { ...given, file: here(file) },
      { onProgress: (done, total) => progress.show(file, `sending ${size(total)}`, total === 0 ? 1 : done / total) },
    )
    if (!results) return { file, task_id: task.task_id, status: task.status }
    progress.show(file, 'waiting for its turn')
    const ended = await keepsake.tasks.wait(task, { onEvent: event => tell(progress, file, event) })
    if (ended.status !== 'Succeeded')
      return { file, task_id: task.task_id, status: ended.status, error: reasonOf(ended) }
    const saved = await saveLast(keepsake, ended, results, resultName(file, configuration ?? ''))
    return { file, task_id: task.task_id, status: ended.status, ...(saved === null ? {} : { saved }) }
  }

  async function work(): Promise<void> {
    for (const file of left) {
      const made = await one(file).catch((error: unknown): Made => {
        if (error instanceof KeepsakeError) return { file, error: sentencesOf(error) }
        throw error
      })
      if (made.error !== undefined) failed += 1
      progress.done(
        file,
        made.error ?? made.saved ?? (made.status === 'Waiting' ? `accepted as ${made.task_id}` : (made.status ?? '')),
        json ? JSON.stringify(made) : (made.saved ?? made.task_id),
      )
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, files.length) }, work))
  progress.end()
  return failed === 0 ? 0 : 1
}

/** `PARAMETER=FILE`, several of one name in their order. */
function filesOf(texts: readonly string[], here: (path: string) => string): Record<string, string[]> {
  const files: Record<string, string[]> = {}
  for (const text of texts) {
    const at = text.indexOf('=')
    if (at < 1) throw new BadCommand('--data must be PARAMETER=FILE, for example --data photo_file_names=second.jpg')
    const name = text.slice(0, at)
    files[name] = [...(files[name] ?? []), here(text.slice(at + 1))]
  }
  return files
}

/** Draws what an event says: which step, and how far it is. */
export function tell(progress: Progress, name: string, event: TaskEvent<Task | TaskGroup>): void {
  if (event.type !== 'entry') return
  const {
    configuration,
    status,
    progress: share,
  } = event.entry as { configuration: string; status: string; progress?: number | null }
  if (status === 'Running') progress.show(name, configuration, share ?? undefined)
}

export function reasonOf(task: Task | TaskGroup): string {
  const entries = 'entries' in task ? task.entries : task.tasks.flatMap(each => each.entries)
  const reasons = entries.flatMap(({ configuration, error }) => (error ? [`${configuration}: ${error.message}`] : []))
  return `${task.status}. ${reasons.join(' ')}`.trim()
}

/** Saves the last file that the task made; null where every entry only delivered. */
async function saveLast(keepsake: Keepsake, task: Task, results: SavedFiles, name: string): Promise<string | null> {
  const made = task.entries.findLast(({ output }) => output)
  if (!made) return null
  return results.save(name, extensionOf(made.output?.mime), path =>
    saveTo(path, keepsake.tasks.output(task, task.entries.indexOf(made))),
  )
}

/** A result is named after the file that it was made of. */
export const resultName = (file: string, configuration: string): string =>
  `${basename(file, extname(file))} ${plainName(configuration)}`

export const plainName = (name: string): string => name.replace(/[/\\\p{Cc}]/gu, ' ')

export const extensionOf = (mime: string | undefined): string => fileTypeOf(mime ?? '')?.ext ?? ''
