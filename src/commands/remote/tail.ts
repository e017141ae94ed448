// keepsake tail: a line for every change of every task, until it is stopped; or of one task until its end.
import type { Keepsake, Task, TaskGroup } from '#client/node.ts'
import { ProblemError } from '#client/node.ts'
import type { Given } from '../commands.ts'
import { safe, type Terminal } from '../terminal.ts'
import { connect } from './named-server.ts'
import { reasonOf } from './run-remote.ts'

export async function tail({ values, positionals: [id] }: Given<'tail'>, terminal: Terminal): Promise<number> {
  const keepsake = connect(values.url)
  const of = values.groups ? keepsake.groups : keepsake.tasks
  if (id !== undefined) return await follow(of, id, values.json === true, terminal)
  const isWanted = (task: Task | TaskGroup): boolean =>
    (values.status === undefined || task.status === values.status) &&
    (values.experience === undefined || task.experience_id === values.experience) &&
    (values.configuration === undefined || namesOf(task).includes(values.configuration))
  for await (const event of of.events()) {
    if (event.type === 'missed') terminal.say('Some changes may have been missed.')
    else
      for (const changed of event.task_ids) {
        const task = await of.get(changed).catch((error: unknown) => {
          if (error instanceof ProblemError && error.status === 404) return null
          throw error
        })
        if (task && isWanted(task)) terminal.print(values.json ? JSON.stringify(task) : lineOf(task))
      }
  }
  return 0
}

async function follow(
  of: Keepsake['tasks'] | Keepsake['groups'],
  id: string,
  isJson: boolean,
  terminal: Terminal,
): Promise<number> {
  let status = ''
  for await (const event of of.events(id)) {
    if (isJson) terminal.print(JSON.stringify(event))
    else if (event.type === 'task') terminal.print(lineOf(event.task))
    else if (event.type === 'entry') {
      const { configuration, status: now, progress, error } = event.entry
      terminal.print(
        safe(`  ${configuration}  ${now}  ${Math.round(progress * 100)} %${error ? `  ${error.message}` : ''}`),
      )
    }
    if (event.type === 'end') status = event.status
  }
  if (!isJson) terminal.print(status)
  return status === 'Succeeded' ? 0 : 1
}

const namesOf = (task: Task | TaskGroup): string[] =>
  'configuration' in task ? [task.configuration] : task.configuration_names

const lineOf = (task: Task | TaskGroup): string =>
  safe(
    `${task.updated_at}  ${task.task_id}  ${task.status.padEnd(9)}  ${namesOf(task).join(', ')}${task.status === 'Failed' ? `  ${reasonOf(task)}` : ''}`,
  )
