// The files of a task that can be looked at: where each is found, and the service's pictures of it.

import type { Entry, Task } from '../api/shapes.ts'
import { type Either, inputUrl, isGroup, type Kind, outputUrl, screenUrl, versioned } from '../api/tasks.ts'
import { extension, facts } from '../format/size.ts'
import type { Sight } from '../parts/lightbox.tsx'
import { t } from '../words/t.ts'

/** One chain of a task or task group. */
export interface Place {
  kind: Kind
  taskId: string
  /** The position of the configuration in its group; nothing for a task. */
  within: number[]
}

export interface TaskSight extends Sight {
  /** For the page; `still` is larger. */
  poster: string
}

export const placeOf = (task: Either, index = 0): Place =>
  isGroup(task)
    ? { kind: 'taskgroup', taskId: task.task_id, within: [index] }
    : { kind: 'task', taskId: task.task_id, within: [] }

export function inputSight({ kind, taskId, within }: Place, input: Task['input']): TaskSight | null {
  if (!input) return null
  const which: (number | 'input')[] = [...within, 'input']
  return {
    src: versioned(inputUrl(kind, taskId, ...within), input.sha256),
    mime: input.mime,
    label: t('The file that was sent in'),
    facts: facts(input),
    poster: screenUrl(kind, taskId, which, input.sha256, 640),
    still: screenUrl(kind, taskId, which, input.sha256, 2048),
    name: input.file_name ?? `input.${extension(input.mime)}`,
  }
}

/** Nothing for an entry that handed on no file of its own. */
export function outputSight({ kind, taskId, within }: Place, entry: Entry): TaskSight | null {
  const { output, configuration, index } = entry
  if (!output?.sha256) return null
  const which = [...within, index]
  return {
    src: versioned(outputUrl(kind, taskId, ...which), output.sha256),
    mime: output.mime,
    label: t('What {configuration} made', { configuration }),
    facts: facts(output),
    poster: screenUrl(kind, taskId, which, output.sha256, 640),
    still: screenUrl(kind, taskId, which, output.sha256, 2048),
    name: `${configuration}.${extension(output.mime)}`,
  }
}

const isSeen = ({ mime }: Sight): boolean => mime.startsWith('image/') || mime.startsWith('video/')

/** Every file of the task that is kept, in the order of the page. */
export function filesOf(task: Either): TaskSight[] {
  const chains = isGroup(task) ? task.tasks : [task]
  return chains
    .flatMap((chain, index) => {
      const place = placeOf(task, index)
      return [inputSight(place, chain.input), ...chain.entries.map(entry => outputSight(place, entry))]
    })
    .filter(sight => sight !== null)
}

/** Those that can be looked at. */
export const sightsOf = (task: Either): TaskSight[] => filesOf(task).filter(isSeen)
