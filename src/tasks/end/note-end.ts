// Tells the log and the meters that a task ended.
import type { WholeTask } from '#db/tasks/task-rows.ts'
import type { TaskServices } from '../task-services.ts'

/** Of a guest it tells nothing: neither names of files nor what the extras brought. */
export function noteEnd({ log, meters }: TaskServices, task: WholeTask): void {
  const { task_id, experience_id, is_group, run, chains, spent_seconds } = task
  const status = task.status as 'Succeeded' | 'Failed' | 'Cancelled'
  const entries = chains.flatMap(chain => chain.entries)
  const ms = Math.max(0, (task.ended_at?.getTime() ?? Date.now()) - task.created_at.getTime())
  meters.count('tasks', { status })
  // A later run would count the time until somebody asked for it.
  if (run === 1) meters.observe('taskSeconds', { status }, ms / 1000)
  log.info(
    {
      task_id,
      status,
      experience_id,
      configuration: is_group ? chains.map(({ configuration }) => configuration) : task.configuration,
      ms,
      worked_ms: Math.round(spent_seconds * 1000),
      run,
      entries: entries.length,
      attempts: entries.reduce((sum, { attempts }) => sum + attempts, 0),
      codes: [...new Set(entries.flatMap(({ error }) => error?.code ?? []))],
    },
    'task ended',
  )
}
