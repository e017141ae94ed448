// What spans tell of a task: ids and names of the operator's own, nothing of a guest.
import type { TaskRow } from '#db/tasks/task-rows.ts'
import type { Attributes } from '#kit/telemetry/trace.ts'

export const taskAttributes = ({
  task_id,
  experience_id,
  configuration,
  is_group,
  run,
}: Pick<TaskRow, 'task_id' | 'experience_id' | 'configuration' | 'is_group' | 'run'>): Attributes => ({
  'keepsake.task_id': task_id,
  'keepsake.experience_id': experience_id,
  ...(is_group ? {} : { 'keepsake.configuration': configuration }),
  'keepsake.run': run,
})
